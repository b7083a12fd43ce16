"use strict";

// Old URLs with the fragment of a part are redirected to the page of the part.

const part = document.getElementById(location.hash.slice(1));
if (part?.href) location.replace(part.href);
