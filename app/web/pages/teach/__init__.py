"""Visitors teach a learner: on the screen, with paper matchboxes, or as a class."""
