"""The API: the facts of the pages as JSON, each at an address of its own.

`schema` says what can be asked and what comes back, `operations` answers it, and `description`
explains all that to programs and to people.
"""
