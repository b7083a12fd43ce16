"""Every drawing of the site: numbers in, shapes out, one writer."""
