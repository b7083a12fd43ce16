"""The claims: a file each, and the functions that some of them need."""
