"""The API: the facts of the pages as JSON, each at a URL of its own.

`openapi.json` describes it, `description` checks requests against this document, `operations`
answers them, and `page` explains the API to people.
"""
