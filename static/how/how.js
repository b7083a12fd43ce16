"use strict";

// The parts were once sections of this page: an address of one leads on to its page.

const part = document.getElementById(location.hash.slice(1));
if (part?.href) location.replace(part.href);
