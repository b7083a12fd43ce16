"""The routes of each page, and the functions that build its links.

Code that links to a page imports one of these modules, not the module that makes the page.
"""
