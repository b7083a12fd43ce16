"""Responses to requests: whole pages, fragments for htmx, and redirects after a form.

A page is a template with its values.  A template block that is also sent as a fragment imports its
macros itself, because the rest of the template is not rendered for a fragment.
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

from app.web.routes import EMBED_PREFIX, frame_url
from app.web.translation import Language, get_current_language

MAX_CACHED_PARTS = 512  # how many rendered macros are cached; most are below 3 KB
# the object of a page, whose attributes its template reads by their names
PAGE_OBJECT_NAME = "shown"
REVALIDATE_ALWAYS = "public, max-age=0, must-revalidate"


class PageContext(Context):
    """The variables of a template, which can also name attributes of the object that the page shows."""

    def resolve_or_missing(self, key: str) -> Any:
        found = super().resolve_or_missing(key)
        shown = self.parent.get(PAGE_OBJECT_NAME)
        if found is not missing or shown is None or key.startswith("_"):
            return found
        is_member = hasattr(type(shown), key) or key in vars(shown)
        return getattr(shown, key) if is_member else missing


def init_app(app: Flask) -> None:
    """Let templates read the values of a page, and call the functions of this module."""
    app.jinja_env.context_class = PageContext

    @app.template_global()
    def render_macro(macro_name: str, *arguments: Hashable) -> str:
        """Return the HTML of a macro of `_controls.html` for its arguments; the result is cached."""
        return render_cached(get_current_language(), macro_name, *arguments)

    @lru_cache(MAX_CACHED_PARTS)
    def render_cached(_: Language, macro_name: str, *arguments: Hashable) -> str:
        macro = get_template_attribute("parts/_controls.html", macro_name)
        html: str = macro(*arguments)
        return html

    for function in (is_frame_request, get_url_in_frame, get_link_attributes):
        app.add_template_global(function)


def render_page(
    template: str,
    shown: object = None,
    *,
    fragment: tuple[str, ...] = (),
    **values: Any,
) -> Response:
    """Return the response of a page: of a template with its values.

    The template can also read the public fields and properties of `shown`, which are computed when
    it reads them. htmx gets only the blocks of the template that `fragment` names. The content may
    depend on nothing but the URL and the models, because caches keep it and revalidate it, also
    the server's own (see `service/cache.py`).
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
    """Return the response to a request that ends at another URL, such as a move drawn by chance.

    htmx gets the page at once, from `render`; `history_action` is "Push" to add an entry to the
    browser's history or "Replace" to change the present entry. Other clients are redirected. In a
    frame the history belongs to the surrounding page, so nothing is added to it.
    The next request may have another result, so no cache keeps the response.
    """
    if is_frame_request():
        history_action = "Replace"
    if not wants_fragment():
        response: werkzeug.Response = redirect(url, 303)
    else:
        response = render()
        del response.headers["ETag"]
        response.headers[f"HX-{history_action}-Url"] = url
    response.headers["Cache-Control"] = "no-store"
    return response


def allow_revalidation(response: Response, etag: str) -> Response:
    """Return the response with headers that let caches keep it and ask again before each use.

    The module `packing` responds with 304 if the ETag is unchanged.
    """
    response.headers["Cache-Control"] = REVALIDATE_ALWAYS
    response.set_etag(etag)
    return response


def wants_fragment() -> bool:
    """Return whether htmx requests a fragment of a page."""
    return request.headers.get("HX-Request") == "true"


def is_frame_request() -> bool:
    """Return whether the request is for a frame on a page of another site."""
    return has_request_context() and request.path.startswith(EMBED_PREFIX)


def get_url_in_frame(url: str) -> str:
    """Return the URL of a page, or the URL of its frame if this request is for a frame."""
    return frame_url(url) if is_frame_request() else url


def get_link_attributes() -> Markup:
    """Return the HTML attributes of a link to a whole page: in a frame it opens a new tab."""
    return Markup(' target="_blank" rel="noopener"' if is_frame_request() else "")
