"""Links to a match: to its board, replies, settings and pictures."""

from collections.abc import Callable
from functools import lru_cache, partial
from typing import NamedTuple
from urllib.parse import parse_qsl

from msgspec.structs import astuple

from app.tictactoe.notation import DIGITS
from app.web.match import WATCHED_EPSILON, Match
from app.web.routes import Query, Route, quote_text

# the query parameters of a match: all its fields except the record
MATCH_PARAMETERS = " ".join(Match.__struct_encode_fields__[1:])
# query parameters that `apply_settings` reads
_SETTINGS_PARAMETERS = "at seat player lens errors epsilon delay hide own step"
# Names and defaults of the settings of a match: all fields but the record and the ply.
_SETTING_NAMES = Match.__struct_encode_fields__[2:]
_SETTING_DEFAULTS = astuple(Match())[2:]
# The URL without a record starts a new game.
PLAY_ROUTE = Route("/play/<record>", MATCH_PARAMETERS)
REPLY_ROUTE = Route("/reply/<record>", MATCH_PARAMETERS)
PREFERENCES_ROUTE = Route("/minds/<record>", MATCH_PARAMETERS)
SQUARE_ROUTE = Route("/square/<record>", f"{MATCH_PARAMETERS} cell")
# The form with the settings of a match is sent here.
CHANGE_SETTINGS_ROUTE = Route("/set/", _SETTINGS_PARAMETERS)
SETTINGS_ROUTE = Route("/settings/", "at")
PLAYERS_ROUTE = Route("/players/", "at")
EXPORTS_ROUTE = Route("/take/<record>", MATCH_PARAMETERS)
MATCH_PREVIEW_ROUTE = Route("/preview/<record>.png", MATCH_PARAMETERS)


def match_url(route: Route, match: Match, *query_parts: str) -> str:
    """Return the URL of a match on a route, without the settings that have their default."""
    _, ply, *settings = astuple(match)
    query = [f"ply={ply}"] if ply is not None else []
    query += [*_list_settings(*settings), *query_parts]
    return route.url(match.record) + ("?" + "&".join(query) if query else "")


def play_url(match: Match) -> str:
    address = match_url(PLAY_ROUTE, match)
    return f"{address}?o={_format_value(match.o)}" if address.endswith("/") else address


def split_match_url(query: Query) -> tuple[str, dict[str, str]]:
    """Return the record and the query of the match whose URL is the query parameter `at`."""
    start = PLAY_ROUTE.url("")
    path, _, query_text = query.get("at", start).partition("?")
    return path.removeprefix(start), dict(parse_qsl(query_text))


def play_against_url(agent_name: str) -> str:
    return play_url(Match(o=agent_name))


def watch_url(agent_name: str) -> str:
    """Return the URL of games of an agent against itself, with one random move in ten."""
    return play_url(Match(x=agent_name, o=agent_name, epsilon=WATCHED_EPSILON))


def map_moves_to_urls(
    match: Match, build_url: Callable[[Match], str] = play_url
) -> Callable[[int], str]:
    """Return a function from a cell to the URL of the match after a move there."""
    path, _, query = build_url(match.follow_move(0)).partition("?")
    start = path[:-1]
    end = f"?{query}" if query else ""
    return lambda cell: f"{start}{DIGITS[cell]}{end}"


def map_plies_to_urls(match: Match) -> Callable[[int], str]:
    """Return a function from a number of moves to the URL of the match after them."""
    whole = play_url(match.show_ply(len(match.record)))
    path, _, query = play_url(match.show_ply(0)).partition("?ply=0")
    return lambda ply: f"{path}?ply={ply}{query}" if ply < len(match.record) else whole


class MatchUrlBuilders(NamedTuple):
    """The functions that build the links of a board, on a page or in an iframe."""

    build_match_url: Callable[[Match], str]
    build_reply_url: Callable[[Match], str]


PAGE_URL_BUILDERS = MatchUrlBuilders(play_url, partial(match_url, REPLY_ROUTE))


# A page has about fifteen URLs of a match, which share a few settings.
@lru_cache(maxsize=128)
def _list_settings(*values: object) -> list[str]:
    """Return the settings that are not defaults, such as ["o=random"].

    The list is cached, so callers must not change it.
    """
    return [
        f"{name}={_format_value(value)}"
        for name, usual, value in zip(
            _SETTING_NAMES, _SETTING_DEFAULTS, values, strict=True
        )
        if value != usual
    ]


def _format_value(value: object) -> str:
    match value:
        case str():
            return quote_text(value)
        case bool():
            return str(int(value))
        case float():
            return f"{value:g}"
        case tuple():
            return "-".join(map(str, value))
    return quote_text(str(value))
