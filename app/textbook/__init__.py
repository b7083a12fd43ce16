"""Every learner written as in a textbook, for boards as text; the files need only Python.

`app.reference` trains recipes with them, `training.export_script` joins them to one file.
"""
