"""The one address of a page, and whether all of it is answered or the blocks that htmx replaces.

A page is a frozen value of what a request means: its template reads its fields, and its properties,
which follow from them.  A test compares their names with those that the template reads.

What a block needs of other templates it imports itself: alone it is rendered without what stands
around it.
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
from app.web.formatting import format_count, format_parameter, format_percent, format_signed
from app.web.match import Match
from app.web.site_data import HUMAN, SiteData, cached_per_site, current_site, is_moves
from app.web.urls import frame_url, with_query
from app.web.wording import BLOCKED, first_opponent

PARTS_KEPT = 512  # most of them below 3 KB
ASKED_AGAIN = "public, max-age=0, must-revalidate"
IN_PATHS = ("name", "id", "x", "o")  # parts of addresses that name an agent
IN_QUERIES = ("x", "o", "lens", "agent", "player", "add", "ghost")
VIEW = re.compile(r"(.*?)(_task|_[0-9]{1,9})?", re.DOTALL)  # an agent, its task, or at a step


class Page(Struct, frozen=True, dict=True):
    """What a request means, and what follows from that for a template; each page is a kind.

    Whatever has an underscore before its name is not for the template.
    """

    template: ClassVar[str]
    fragment: ClassVar[tuple[str, ...]] = ()  # the blocks of it that htmx replaces, if it has some
    mimetype: ClassVar[str] = "text/html"


@cache
def names_of(kind: type[Page]) -> tuple[str, ...]:
    """Return the names that templates may read of a kind of page: its fields and properties."""
    members = {name: each for base in kind.__mro__ for name, each in vars(base).items()}
    properties = [
        name for name, each in members.items() if isinstance(each, (property, cached_property))
    ]
    return tuple(
        name for name in (*kind.__struct_fields__, *properties) if not name.startswith("_")
    )


def init_app(app: Flask) -> None:
    """Lead every address that names a recipe in another way to the one with its one name.

    Let templates name addresses, and call `once(macro, ...)` for a macro of _controls.html.
    What every move is drawn with is there too, for an import by a template takes a while each time.
    `first_game` is where a visitor plays who has not chosen an opponent, and `first_preview` the
    picture of the front page's last board, with which a link to a page without its own is shown.
    """
    app.before_request(redirect_to_canonical)
    app.jinja_env.globals["urls"] = urls
    app.jinja_env.globals["exact_facts"] = facts
    opponent = first_opponent(app.extensions["site"])
    app.jinja_env.globals["first_game"] = urls.play_against(opponent)
    filmed = Match(BLOCKED, o=HUMAN, lens=opponent)
    app.jinja_env.globals["first_preview"] = urls.MATCH_PREVIEW.url_for_match(filmed)
    for function in (
        format_count,
        format_parameter,
        format_percent,
        format_signed,
        render_macro,
        is_frame,
        inside,
        outside,
    ):
        app.add_template_global(function)
    controls, boards = map(
        app.jinja_env.get_template, ("parts/_controls.html", "parts/_board.html")
    )
    for name in ("button", "draw_legend", "MARK"):
        app.jinja_env.globals[name] = getattr(controls.module, name)
    app.jinja_env.globals["draw_board"] = boards.module.draw_board  # type: ignore[attr-defined]


def redirect_to_canonical() -> AnyResponse | None:
    """Redirect to the address with the one name of each recipe in it, if that is another.

    Raises an HTTPException with a sentence if one of them cannot be had.
    """
    path = dict(request.view_args or {})
    query = parse_qsl(request.environ["QUERY_STRING"], keep_blank_values=True)  # in its order
    one_path = {
        part: _canonical_view(text) if part in IN_PATHS else text for part, text in path.items()
    }
    one_query = [(key, _canonical_view(text) if key in IN_QUERIES else text) for key, text in query]
    if (one_path, one_query) == (path, query) or not request.endpoint:
        return None
    address = url_for(request.endpoint, _external=False, **one_path)
    return redirect(with_query(address, one_query), 301)


def _canonical_view(text: str) -> str:
    """Return a lens, or an agent's name, by the one name of the recipe in it, if there is one."""
    found = None if is_moves(text) else VIEW.fullmatch(text)
    agent, rest = found.groups(default="") if found else (text, "")
    return (current_site().canonical(agent) or agent) + rest


def render_page(page: Page) -> Response:
    """Answer with a page: with its fragment, if it has one and htmx asks.

    What it says has to follow from the address and the models alone: then every cache may keep it
    that asks again before using it, the server's own too (see `service/cache.py`).
    """
    context = {name: getattr(page, name) for name in names_of(type(page))}
    if page.fragment and wants_fragment():
        text = render_blocks(page.template, list(page.fragment), **context)
    else:
        text = render_template(page.template, **context)
    body = text.encode()
    response = Response(body, mimetype=page.mimetype)
    response.headers["Vary"] = "HX-Request"
    return allow_revalidation(response, generate_etag(body))


def redirect_after_form(
    address: str, page: Callable[[], Page], history: str = "Push"
) -> AnyResponse:
    """Answer a request that another address shows the end of: a move that was drawn just now.

    htmx gets its page at once, and what to do with the `history`, "Push" or "Replace"; others are
    sent there.  In a frame the history is that of the page around it: nothing is added to it.
    Asked again it may be another, so no cache keeps it.
    """
    if is_frame():
        history = "Replace"
    if not wants_fragment():
        response: AnyResponse = redirect(address, 303)
    else:
        response = render_page(page())
        del response.headers["ETag"]
        response.headers[f"HX-{history}-Url"] = address
    response.headers["Cache-Control"] = "no-store"
    return response


def allow_revalidation(response: Response, etag: str) -> Response:
    """Let caches keep an answer that ask again before using it; `packing` answers them 304."""
    response.headers["Cache-Control"] = ASKED_AGAIN
    response.set_etag(etag)
    return response


def wants_fragment() -> bool:
    """Whether htmx asks, for a part of a page that it has."""
    return request.headers.get("HX-Request") == "true"


def is_frame() -> bool:
    """Whether it is shown in a frame on a page of another site."""
    return has_request_context() and request.path.startswith(urls.EMBED)


def inside(address: str) -> str:
    """Return where a page that has a frame is shown: in a frame, if this is one."""
    return frame_url(address) if is_frame() else address


def outside() -> Markup:
    """Return the attributes of a link to a page that has no frame: a frame opens it aside."""
    return Markup(' target="_blank" rel="noopener"' if is_frame() else "")


def render_macro(macro: str, *facts: Hashable) -> str:
    """Return what a macro makes of facts, and remember it: a list of players takes a while."""
    return _rendered_macro(current_site(), macro, *facts)


@cached_per_site(PARTS_KEPT, per_language=True)
def _rendered_macro(_: SiteData, macro: str, *facts: Hashable) -> str:
    written: str = get_template_attribute("parts/_controls.html", macro)(*facts)
    return written
