"""Every learner as in a textbook, on boards as text; its files need nothing but Python.

`training.reference` runs them on recipes, `training.export_script` joins them to one file.
"""
