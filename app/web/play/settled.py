"""The match that somebody means who changes a setting or a player."""

from collections.abc import Mapping
from urllib.parse import parse_qsl

from msgspec.structs import replace
from werkzeug.exceptions import BadRequest

from app.tictactoe.game import SEATS
from app.web import addresses
from app.web.match import Match, Place, parse
from app.web.steering import shown_lens
from app.web.world import World


def settled(query: Mapping[str, str], world: World) -> Match:
    """Return the match that somebody means who changes something of the one `at` an address.

    It is a seat and the player for it, or else all that the settings hold.  A step is sent with
    them wherever there is a slider: it is dropped with its lens, if another is chosen, and at the
    slider's end, where the agent is as it plays.
    Raises BadRequest, NotFound or Conflict with a sentence on what is wrong.
    """
    record, before = _at(query)
    place = parse(record, before, world)
    if "player" in query:
        return _seated(place, record, before, query)
    wanted = {name: query.get(name, "") for name in ("lens", "errors", "epsilon", "delay")}
    wanted |= {name: query.get(name, "0") for name in ("hide", "keep")}
    if wanted["lens"] != place.match.lens:
        wanted["step"] = ""
    elif query.get("step"):
        lens = shown_lens(place)
        at_end = lens not in world.agents or query["step"] == str(world.last_step(lens))
        wanted |= {"step": ""} if at_end else {"step": query["step"], "lens": lens}
    return parse(record, before | {"train": "", "hint": ""} | wanted, world).match


def place_at(query: Mapping[str, str], world: World) -> Place:
    """Return where a match stands that is shown `at` an address; raises as `settled` does."""
    return parse(*_at(query), world)


def _at(query: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """Return the record and the query of the address of a match."""
    path, _, given = query.get("at", addresses.PLAY).partition("?")
    return path.removeprefix(addresses.PLAY), dict(parse_qsl(given))


def _seated(
    place: Place, record: str, before: Mapping[str, str], query: Mapping[str, str]
) -> Match:
    """Seat a player; a finished game makes room for another, and the count begins anew."""
    seat = query.get("seat", "")
    if seat not in SEATS:
        raise BadRequest(f"seat={seat} in the address is wrong: seat is {' or '.join(SEATS)}.")
    changed = dict(before) | {seat: query["player"], "pause": query.get("pause", "")}
    match = parse(record, changed | {"train": "", "hint": ""}, place.world).match
    if (match.x, match.o) != (place.match.x, place.match.o):
        match = replace(match, tally=(0, 0, 0))
    return match.go("") if place.over else match
