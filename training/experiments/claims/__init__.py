"""The claims, with a file for each, and the functions that some of them need."""
