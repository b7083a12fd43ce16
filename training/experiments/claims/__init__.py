"""A TOML file for each claim, and the Python functions that some of them need."""
