"""How all of it works."""
