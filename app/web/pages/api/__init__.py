"""The API: what the pages show, as JSON.

`openapi.json` describes it, `description` checks requests against this document, `operations`
answers them, and `page` explains the API to people.
"""
