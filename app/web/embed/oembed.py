"""oEmbed 1.0: how a page is embedded, for blogs and courses that are given its address alone.

Source: https://oembed.com, sections 2.2 to 2.4.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import parse_qsl, urlsplit
from xml.etree import ElementTree

from flask import Response, abort, current_app, request
from werkzeug.datastructures import MultiDict
from werkzeug.exceptions import BadRequest, HTTPException, NotFound
from werkzeug.http import generate_etag
from werkzeug.routing import RequestRedirect

from app.web import comparison, match
from app.web.claims import known
from app.web.embed.curve_picture import parse_curves
from app.web.embed.frames import bp
from app.web.mind_picture import parse_view
from app.web.respond import revalidated
from app.web.take import Take, iframe, take_board, take_curve, take_figure, take_mind
from app.web.world import World, world

Query = MultiDict[str, str]
PROVIDER = "Q-Tac-Toe"
SMALLEST = 120  # pixels: narrower or lower nothing can be seen
NO_VIEW = {400, 404, 405, 409, 414}  # an address that shows nothing of ours


@bp.get("/oembed")
def oembed() -> Response:
    """Say how the page at an address of this site is embedded."""
    kind = request.args.get("format", "json")
    write = OEMBED_FORMATS.get(kind)
    if write is None:
        abort(501, f"format={kind} is not spoken here: json and xml are.")
    url = request.args.get("url", "")
    if not url:
        raise BadRequest("url in the address is missing: it is that of the page to embed.")
    take, host = found(world(), url), request.host_url.rstrip("/")
    width, height = min(take.size[0], most("maxwidth")), min(take.size[1], most("maxheight"))
    body, mimetype = write(
        {
            "version": "1.0",
            "type": "rich",
            "provider_name": PROVIDER,
            "provider_url": host,
            "title": take.title,
            "html": iframe(host, take.frame, take.title, width, height),
            "width": width,
            "height": height,
        }
    )
    return revalidated(Response(body, mimetype=mimetype), generate_etag(body))


def found(world: World, url: str) -> Take:
    """Return how the page at an address leaves the site.

    Raises NotFound if that is another host, or nothing there that can be embedded.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        raise NotFound(f"{url} is no address.") from None
    if parts.scheme not in ("http", "https") or parts.netloc.lower() != request.host.lower():
        raise NotFound(f"{url} is not on this site.")
    query = MultiDict(parse_qsl(parts.query, keep_blank_values=True))
    try:
        endpoint, given = current_app.url_map.bind(parts.netloc).match(parts.path)
        if endpoint in TAKES:
            return TAKES[endpoint](world, given, query)
    except RequestRedirect:
        pass
    except HTTPException as error:
        if error.code not in NO_VIEW:
            raise
        raise NotFound(f"{url} cannot be embedded. {error.description}") from None
    raise NotFound(f"{url} cannot be embedded.")


def most(name: str) -> int:
    """Read how many pixels a frame may have at most.

    Raises BadRequest if that is too few, or no number.
    """
    text = request.args.get(name, "") or "9999"
    if not (text.isascii() and text.isdigit() and len(text) <= 5 and int(text) >= SMALLEST):
        raise BadRequest(f"{name}={text} in the address is wrong: it is {SMALLEST} or more pixels.")
    return int(text)


def _board(world: World, given: Mapping[str, Any], query: Query) -> Take:
    return take_board(match.parse(given.get("record", ""), query, world))


def _mind(world: World, given: Mapping[str, Any], query: Query) -> Take:
    return take_mind(world, given["name"], *parse_view(world, given["name"], query))


def _agent(world: World, given: Mapping[str, Any], query: Query) -> Take:
    against = query.get("against", "")
    alone = MultiDict({"against": against})  # the page takes no heed of the rest
    return parse_curves(world, given["name"], alone).take


def _curve(world: World, given: Mapping[str, Any], query: Query) -> Take:
    return parse_curves(world, given["name"], query).take


def _compared(world: World, given: Mapping[str, Any], query: Query) -> Take:
    lenses, figure = query.getlist("lens"), query.get("figure", "")
    compared, _ = comparison.parse(given.get("record", ""), lenses, world, figure)
    learned = [view.lens for view in compared.views if view.lens in world.agents]
    if not learned:
        raise NotFound("None of them has learned.")
    return take_curve(world, learned, compared.figure, record=compared.record)


def _figure(world: World, given: Mapping[str, Any], query: Query) -> Take:
    summary, text = known(world, given["claim"]), query.get("figure", "") or "1"
    if text not in map(str, range(1, len(summary.figures) + 1)):
        raise NotFound(f"There is no figure {text}.")
    return take_figure(summary, int(text))


# By the endpoint of a page, or of the frame itself.
TAKES: dict[str, Callable[[World, Mapping[str, Any], Query], Take]] = {
    "play.play": _board,
    "embed.board": _board,
    "mind.mind": _mind,
    "embed.mind": _mind,
    "agents.agent": _agent,
    "embed.curve": _curve,
    "compare.compare": _compared,
    "experiments.one": _figure,
    "embed.experiment": _figure,
}


def _json(answer: Mapping[str, object]) -> tuple[bytes, str]:
    return json.dumps(answer).encode(), "application/json"


def _xml(answer: Mapping[str, object]) -> tuple[bytes, str]:
    root = ElementTree.Element("oembed")
    for name, value in answer.items():
        ElementTree.SubElement(root, name).text = str(value)
    body: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return body, "text/xml"


OEMBED_FORMATS = {"json": _json, "xml": _xml}
