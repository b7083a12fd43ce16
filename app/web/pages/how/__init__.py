"""How it works: the lesson, and a page for each algorithm, each measure and each notion."""
