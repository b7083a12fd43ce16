"""The site that all tests of a process share."""

from functools import cache

from flask import Flask
from jinja2 import Undefined

from app.web import create_app


class MissingName(Undefined):
    """A name that a template does not know: templates may test it, but not print it."""

    __str__ = __iter__ = Undefined._fail_with_undefined_error


@cache
def get_site() -> Flask:
    """Return the site; a template that prints an unknown name gets status 500."""
    site = create_app(seed=1)
    site.jinja_env.undefined = MissingName
    return site
