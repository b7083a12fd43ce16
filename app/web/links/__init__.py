"""The routes of each page, and the functions that build its links.

Whoever links to a page imports its module here, and none of what makes the page.
"""
