"""Every learner as a textbook writes it: a board is a text, and the files need only Python.

`app.reference` trains recipes with them; `training.export_script` joins them into one file.
"""
