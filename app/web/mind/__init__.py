"""The picture of a mind."""
