"""Teaching: a learner on the screen, a machine of paper boxes, and a page for a class."""
