"""Responses: whole pages, fragments for htmx, and redirects after a form.

A page is a template with its values. A fragment is one or more blocks of the template. A block that
can be a fragment imports its macros itself, because the rest of the template is not rendered then.
"""

from collections.abc import Callable, Hashable
from functools import lru_cache
from typing import Any

import werkzeug
from flask import (
    Flask,
    Response,
    get_template_attribute,
    has_request_context,
    redirect,
    render_template,
    request,
)
from jinja2.runtime import Context
from jinja2.utils import missing
from jinja2_fragments.flask import render_blocks
from markupsafe import Markup
from werkzeug.http import generate_etag

from app.web.routes import EMBED_PREFIX, iframe_url
from app.web.translation import Language, get_current_language

# what a template shows, by the names that it uses
Variables = dict[str, Any]
MAX_CACHED_PARTS = 512
# the name of the object whose attributes a template reads as variables
PAGE_OBJECT_NAME = "shown"
REVALIDATE_ALWAYS = "public, max-age=0, must-revalidate"


class PageContext(Context):
    """The variables of a template, and the attributes of the object that it shows."""

    def resolve_or_missing(self, key: str) -> Any:
        found = super().resolve_or_missing(key)
        shown = self.parent.get(PAGE_OBJECT_NAME)
        if found is not missing or shown is None or key.startswith("_"):
            return found
        is_member = hasattr(type(shown), key) or key in vars(shown)
        return getattr(shown, key) if is_member else missing


def init_app(app: Flask) -> None:
    app.jinja_env.context_class = PageContext

    @app.template_global()
    def render_macro(macro_name: str, *arguments: Hashable) -> str:
        """Return the HTML of a macro of `_controls.html`, cached by its arguments."""
        return render_cached(get_current_language(), macro_name, *arguments)

    @lru_cache(MAX_CACHED_PARTS)
    def render_cached(_: Language, macro_name: str, *arguments: Hashable) -> str:
        macro = get_template_attribute("parts/_controls.html", macro_name)
        html: str = macro(*arguments)
        return html

    for function in (is_iframe_request, get_url_in_iframe, get_link_attributes):
        app.add_template_global(function)


def render_page(
    template: str,
    shown: object = None,
    *,
    fragment: tuple[str, ...] = (),
    **values: Any,
) -> Response:
    """Return the response with a page, or with a fragment if htmx asks for one.

    The template can read `values`, and the public attributes of `shown`, which are computed only
    then. `fragment` names the blocks that htmx gets. The content must depend only on the URL and
    the models, because caches keep it.
    """
    values[PAGE_OBJECT_NAME] = shown
    if fragment and wants_fragment():
        text = render_blocks(template, list(fragment), **values)
    else:
        text = render_template(template, **values)
    body = text.encode()
    response = Response(body)
    response.headers["Vary"] = "HX-Request"
    return allow_revalidation(response, generate_etag(body))


def redirect_after_form(
    url: str, render: Callable[[], Response], history_action: str = "Push"
) -> werkzeug.Response:
    """Redirect to the result of a request that has its own URL, such as a random move.

    htmx gets the result at once, from `render`, and adds ("Push") or changes ("Replace") an entry
    of the browser's history.
    """
    # In an iframe, the history belongs to the page around it.
    if is_iframe_request():
        history_action = "Replace"
    if not wants_fragment():
        response: werkzeug.Response = redirect(url, 303)
    else:
        response = render()
        del response.headers["ETag"]
        response.headers[f"HX-{history_action}-Url"] = url
    # The next result can be different.
    response.headers["Cache-Control"] = "no-store"
    return response


def allow_revalidation(response: Response, etag: str) -> Response:
    """Let caches keep a response, if they ask before each use whether it has changed.

    The module `packing` answers 304 if the response has not changed.
    """
    response.headers["Cache-Control"] = REVALIDATE_ALWAYS
    response.set_etag(etag)
    return response


def wants_fragment() -> bool:
    return request.headers.get("HX-Request") == "true"


def is_iframe_request() -> bool:
    return has_request_context() and request.path.startswith(EMBED_PREFIX)


def get_url_in_iframe(url: str) -> str:
    """Return the URL of a page; on a page in an iframe, the URL that an iframe can show."""
    return iframe_url(url) if is_iframe_request() else url


def get_link_attributes() -> Markup:
    return Markup(' target="_blank" rel="noopener"' if is_iframe_request() else "")
