"""The API: the facts of the pages as JSON, each at a URL of its own.

`schema` has the types of requests and answers, `operations` answers requests, and `description`
makes the OpenAPI document and the page that explains the API.
"""
