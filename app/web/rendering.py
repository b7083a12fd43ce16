"""Responses to requests: whole pages, fragments for htmx, and redirects to canonical URLs.

A page is a frozen object; its template reads its fields and properties.  A template block that is
also sent as a fragment imports its macros itself, because the rest of the template is not rendered
for a fragment.
"""

import re
from collections.abc import Callable, Hashable
from functools import cache, cached_property
from typing import ClassVar
from urllib.parse import parse_qsl

from flask import (
    Flask,
    Response,
    get_template_attribute,
    has_request_context,
    redirect,
    render_template,
    request,
    url_for,
)
from jinja2_fragments.flask import render_blocks
from markupsafe import Markup
from msgspec import Struct
from werkzeug.http import generate_etag
from werkzeug.wrappers import Response as AnyResponse

from app.web import facts, urls
from app.web.doors import list_doors
from app.web.formatting import (
    format_count,
    format_parameter,
    format_percent,
    format_signed,
)
from app.web.match import Match
from app.web.site_data import (
    HUMAN,
    SiteData,
    cached_per_site,
    get_current_site,
    is_policy_name,
)
from app.web.urls import append_query, frame_url
from app.web.wording import FIRST_AGENT, FIRST_RECORD

MAX_CACHED_PARTS = 512  # cached macros, most below 3 KB
REVALIDATE_ALWAYS = "public, max-age=0, must-revalidate"
NAMES_IN_PATHS = ("name", "id", "x", "o")  # variable parts of URLs that name an agent
NAMES_IN_QUERIES = ("x", "o", "lens", "agent", "player", "add", "ghost", "of")
# query parameters that name an agent, its training task or a snapshot
VIEW_PATTERN = re.compile(r"(.*?)(_task|_[0-9]{1,9})?", re.DOTALL)


class Page(Struct, frozen=True, dict=True):
    """The base class of pages: a template, and the values that the template reads.

    A template cannot read names that begin with an underscore.
    """

    template: ClassVar[str]
    fragment: ClassVar[tuple[str, ...]] = ()  # the template blocks that htmx replaces
    mimetype: ClassVar[str] = "text/html"


@cache
def list_context_names(page_class: type[Page]) -> tuple[str, ...]:
    """Return the names that a template may use from a page class: its fields and properties."""
    members = {
        name: each for base in page_class.__mro__ for name, each in vars(base).items()
    }
    properties = [
        name
        for name, each in members.items()
        if isinstance(each, (property, cached_property))
    ]
    return tuple(
        name
        for name in (*page_class.__struct_fields__, *properties)
        if not name.startswith("_")
    )


def init_app(app: Flask) -> None:
    """Redirect names of recipes to their canonical form, and add the globals of the templates.

    `doors` are the entries of the header, `first_game` is the URL of a game against the default
    opponent, and `first_preview` the preview picture of pages without their own: the board of
    the front page. Macros that draw every board are globals, because an import by a template takes
    time in every request.
    """
    app.before_request(redirect_to_canonical)
    app.jinja_env.globals["urls"] = urls
    app.jinja_env.globals["exact_facts"] = facts
    site: SiteData = app.extensions["site"]
    app.jinja_env.globals["doors"] = list_doors(site)
    opponent = site.first_opponent
    app.jinja_env.globals["first_game"] = urls.play_against_url(opponent)
    shown = FIRST_AGENT if FIRST_AGENT in site.agents else opponent
    first = Match(FIRST_RECORD, o=HUMAN, value_source=shown)
    app.jinja_env.globals["first_preview"] = urls.MATCH_PREVIEW.build_match_url(first)
    for function in (
        format_count,
        format_parameter,
        format_percent,
        format_signed,
        render_macro,
        is_frame_request,
        get_url_in_frame,
        get_link_attributes,
    ):
        app.add_template_global(function)
    controls, boards = map(
        app.jinja_env.get_template, ("parts/_controls.html", "parts/_board.html")
    )
    for name in ("button", "draw_legend", "MARK"):
        app.jinja_env.globals[name] = getattr(controls.module, name)
    app.jinja_env.globals["draw_board"] = boards.module.draw_board  # type: ignore[attr-defined]


def redirect_to_canonical() -> AnyResponse | None:
    """Return a redirect to the URL with the canonical names of its recipes, None if it has them.

    Raises an HTTPException with a sentence for a recipe that is not available.
    """
    path = dict(request.view_args or {})
    # a list of pairs keeps the order of the parameters
    query = parse_qsl(request.environ["QUERY_STRING"], keep_blank_values=True)
    one_path = {
        part: _canonicalize_view(text) if part in NAMES_IN_PATHS else text
        for part, text in path.items()
    }
    one_query = [
        (key, _canonicalize_view(text) if key in NAMES_IN_QUERIES else text)
        for key, text in query
    ]
    if (one_path, one_query) == (path, query) or not request.endpoint:
        return None
    address = url_for(request.endpoint, _external=False, **one_path)
    return redirect(append_query(address, one_query), 301)


def _canonicalize_view(view_name: str) -> str:
    """Return a view or the name of an agent with its recipe in canonical form."""
    match = None if is_policy_name(view_name) else VIEW_PATTERN.fullmatch(view_name)
    agent, rest = match.groups(default="") if match else (view_name, "")
    return (get_current_site().canonicalize(agent) or agent) + rest


def render_page(page: Page) -> Response:
    """Return the response of a page, or of its fragment for a request of htmx.

    The content must follow from the URL and the models alone: every cache may then keep it and
    revalidate it, also the server's own (see `service/cache.py`).
    """
    context = {name: getattr(page, name) for name in list_context_names(type(page))}
    if page.fragment and wants_fragment():
        text = render_blocks(page.template, list(page.fragment), **context)
    else:
        text = render_template(page.template, **context)
    body = text.encode()
    response = Response(body, mimetype=page.mimetype)
    response.headers["Vary"] = "HX-Request"
    return allow_revalidation(response, generate_etag(body))


def redirect_after_form(
    url: str, build_page: Callable[[], Page], history_action: str = "Push"
) -> AnyResponse:
    """Return the response to a request that ends at another URL, such as a move drawn by chance.

    htmx gets the page at once; `history_action` is "Push" to add an entry to the browser's history
    or "Replace" to change the present entry. Other clients are redirected. In a frame the history
    belongs to the surrounding page, so nothing is added to it.
    The next request may have another result, so no cache keeps the response.
    """
    if is_frame_request():
        history_action = "Replace"
    if not wants_fragment():
        response: AnyResponse = redirect(url, 303)
    else:
        response = render_page(build_page())
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
    return has_request_context() and request.path.startswith(urls.EMBED)


def get_url_in_frame(url: str) -> str:
    """Return the URL of a page, or the URL of its frame if this request is for a frame."""
    return frame_url(url) if is_frame_request() else url


def get_link_attributes() -> Markup:
    """Return the HTML attributes of a link to a whole page: in a frame it opens a new tab."""
    return Markup(' target="_blank" rel="noopener"' if is_frame_request() else "")


def render_macro(macro_name: str, *arguments: Hashable) -> str:
    """Return the HTML of a template macro for its arguments; the result is cached."""
    return _render_macro_cached(get_current_site(), macro_name, *arguments)


@cached_per_site(MAX_CACHED_PARTS, per_language=True)
def _render_macro_cached(_: SiteData, macro_name: str, *arguments: Hashable) -> str:
    macro_html: str = get_template_attribute("parts/_controls.html", macro_name)(
        *arguments
    )
    return macro_html
