"""The class Match: all that the URL of a game contains.

`parse_match` reads a URL and replays its record, once for each request. `links.play.play_url`
builds the URL.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from werkzeug.exceptions import BadRequest, Conflict, NotFound

from app.tictactoe.game import GAME, O, X, get_mover
from app.tictactoe.notation import (
    DIGITS,
    IllegalMoveError,
    RecordError,
    parse_record,
    replay_record,
)
from app.web.formatting import format_valid_names
from app.web.routes import Query
from app.web.site_data import HUMAN, SiteData
from app.web.translation import gettext, gettext_noop, localize_number

# the shortest and the longest delay of a move, in seconds
DELAY_RANGE = (0.25, 5.0)
MAX_COUNTED_GAMES = 999_999
# In watched games, this share of the moves is random, so that the games differ.
WATCHED_EPSILON = 0.1


# the query parameters of fields that have another name in URLs
_PARAMETER_BY_FIELD = {
    "value_source": "lens",
    "snapshot": "step",
    "plays_training": "train",
    "move_delay": "delay",
    "is_paused": "pause",
    "hides_values": "hide",
    "in_source_units": "own",
    "marked_errors": "errors",
    "shows_hint": "hint",
    "replays_record": "replay",
    "result_counts": "tally",
}


class Match(Struct, frozen=True, rename=_PARAMETER_BY_FIELD):
    """A game, its players, and what its page shows.

    `record` is the whole game, of which the first `ply` moves are shown, None for all. The board
    has the values of `value_source`, "" for the agent to move, at a `snapshot`, None for the last.
    """

    record: str = ""
    ply: int | None = None
    x: str = HUMAN
    o: str = "q-iteration"
    value_source: str = ""
    snapshot: int | None = None
    # whether the page moves on to the next snapshot by itself
    plays_training: bool = False
    # the chance that a move of an agent is random
    epsilon: float = 0.0
    # the seconds for each move in watched games
    move_delay: float = 1.0
    is_paused: bool = False
    hides_values: bool = False
    # whether values are shown in the source's own units: see `evaluate_moves`
    in_source_units: bool = False
    # the wrong values to mark, as `build_notes` explains
    marked_errors: str = ""
    # whether the best moves are marked
    shows_hint: bool = False
    # whether the moves of the record are shown one by one
    replays_record: bool = False
    # numbers of games won by X, drawn, and won by O
    result_counts: tuple[int, int, int] = (
        0,
        0,
        0,
    )

    @property
    def shown_record(self) -> str:
        """The moves that lead to the shown position."""
        return self.record[: self.ply]

    @property
    def is_at_end(self) -> bool:
        """Whether the shown position is the last one of the record."""
        return self.ply is None

    @property
    def player_to_move(self) -> int:
        """The player to move, +1 X or -1 O, unless the game is over."""
        return get_mover(len(self.shown_record))

    def get_player_name(self, player: int) -> str:
        """Return the agent that plays X (+1) or O (-1), or "human"."""
        return self.x if player == X else self.o

    def get_player_snapshot(self, player: int) -> int | None:
        """Return the snapshot at which an agent plays X (+1) or O (-1), None for the last one.

        If the board shows the values of this agent, it plays at the same snapshot.
        """
        return (
            self.snapshot if self.value_source == self.get_player_name(player) else None
        )

    @property
    def person_side(self) -> int | None:
        """The side of the only person, +1 X or -1 O; None if two people play, or none."""
        people = [player for player in (X, O) if self.is_human(player)]
        return people[0] if len(people) == 1 else None

    @property
    def visitor_side(self) -> int | None:
        """The visitor's side, +1 X or -1 O; None in a replay, or if two people play, or none."""
        return None if self.replays_record else self.person_side

    @property
    def is_watched(self) -> bool:
        return not (self.is_human(X) or self.is_human(O))

    def list_seats(self, player_name: str) -> list[int]:
        """Return [+1] if the player is X, [-1] if it is O, and both if it plays both or neither."""
        sides = [side for side in (X, O) if self.get_player_name(side) == player_name]
        return sides or [X, O]

    def is_human(self, player: int) -> bool:
        return self.get_player_name(player) == HUMAN

    def follow_record(self, record: str, **changes: Any) -> "Match":
        halted = replace(
            self,
            record=record,
            ply=None,
            plays_training=False,
            shows_hint=False,
            replays_record=False,
        )
        return replace(halted, **changes)

    def follow_move(self, cell: int) -> "Match":
        """Return the match after one more move from the shown position."""
        return self.follow_record(self.shown_record + DIGITS[cell])

    def show_ply(self, ply: int) -> "Match":
        """Return the match with the position after the first `ply` moves of its record.

        If two agents play, they pause, because they would continue from this position.
        """
        earlier = ply < len(self.record)
        return replace(
            self,
            ply=ply if earlier else None,
            is_paused=self.is_paused or (earlier and self.is_watched),
            shows_hint=False,
        )


@dataclass(frozen=True)
class MatchState:
    """A match and all positions of its record, beginning with the empty board."""

    site: SiteData
    match: Match
    positions: tuple[int, ...]

    @cached_property
    def position(self) -> int:
        return self.positions[len(self.match.shown_record)]

    def follow_move(self, cell: int) -> "MatchState":
        """Return the state after one more move from the shown position."""
        position = int(GAME.successor[self.position, cell])
        shown = self.positions[: len(self.match.shown_record) + 1]
        return MatchState(self.site, self.match.follow_move(cell), (*shown, position))

    @property
    def shared(self) -> "MatchState":
        """The state in the title and the picture of a shared link: in a replay, its end."""
        if not self.match.replays_record:
            return self
        end = self.match.show_ply(len(self.match.record))
        return MatchState(self.site, end, self.positions)

    @cached_property
    def is_over(self) -> bool:
        return GAME.is_over(self.position)

    @cached_property
    def played_cells(self) -> list[int]:
        """The cells of the whole record, in order."""
        return parse_record(GAME, self.match.record)


def replay_match(match: Match, site: SiteData) -> MatchState:
    """Return the state of a match that does not come from a URL.

    Raises the errors of `replay_record`.
    """
    return MatchState(site, match, tuple(replay_record(GAME, match.record)))


def parse_match(record: str, query: Query, site: SiteData) -> MatchState:
    """Return the state of the match in a URL; empty parameters are ignored.

    Raises BadRequest, NotFound or Conflict with a sentence for visitors.
    """
    match = _read_match(record, query, site)
    state = _replay_record(match, site)
    _check_ply_and_seats(match, site)
    if match.plays_training and match.snapshot is None:
        raise BadRequest(
            gettext(
                "train=1 in the URL also needs step=, the snapshot at which the replay starts."
            )
        )
    if match.snapshot is None and not match.value_source:
        return state
    step = check_value_source(match.value_source, match.snapshot, site)
    match = replace(
        match, snapshot=step, plays_training=match.plays_training and step is not None
    )
    return MatchState(site, match, state.positions)


def _read_match(record: str, query: Query, site: SiteData) -> Match:
    texts = {name: text for name in _PARAMETER_READERS if (text := query.get(name))}
    fields = {parameter: field for field, parameter in _PARAMETER_BY_FIELD.items()}
    values = {
        fields.get(name, name): read_parameter(name, text)
        for name, text in texts.items()
    }
    match = Match(record, **values)
    # Another folder of models may not have the default opponent.
    has_opponent = "o" in texts or site.is_player_name(match.o)
    return match if has_opponent else replace(match, o=site.player_names[1])


def _replay_record(match: Match, site: SiteData) -> MatchState:
    try:
        return replay_match(match, site)
    except IllegalMoveError as error:
        why = gettext(error.pattern, **error.values)
        words = gettext("This game is not possible: %(why)s.", why=why)
        raise Conflict(words) from None
    except RecordError as error:
        why = gettext(error.pattern, **error.values)
        words = gettext("This is not a valid game record: %(why)s.", why=why)
        raise BadRequest(words) from None


def _check_ply_and_seats(match: Match, site: SiteData) -> None:
    if match.ply is not None and match.ply >= len(match.record):
        words = gettext_noop(
            "ply must be less than %(plies)s, the number of moves of the game, or left out."
        )
        raise BadRequest(gettext(words, plies=len(match.record)))
    for seat in (match.x, match.o):
        if not site.is_player_name(seat):
            sentence = gettext(
                "There is no player with the name %(name)s.", name=repr(seat)
            )
            raise NotFound(f"{sentence} {format_valid_names(site.player_names)}")


def check_value_source(
    value_source: str, snapshot: int | None, site: SiteData
) -> int | None:
    """Return the snapshot of a source of values, None for the last one.

    Raises BadRequest if there is no such source, or no such snapshot of it.
    """
    if value_source and not site.is_value_source(value_source):
        sentence = gettext("%(name)s has no values to show.", name=repr(value_source))
        raise BadRequest(f"{sentence} {format_valid_names(site.value_sources)}")
    if snapshot is None:
        return None
    if not site.agents.contains_name(value_source):
        raise BadRequest(
            gettext("step= in the URL also needs lens=, the agent that was trained.")
        )
    last = site.get_last_snapshot(value_source)
    if snapshot > last:
        raise BadRequest(
            gettext(
                "step must be 0 to %(last)s for %(name)s.", last=last, name=value_source
            )
        )
    return site.get_snapshot_parameter(value_source, snapshot)


def read_snapshot(agent_name: str, text: str, default: int, site: SiteData) -> int:
    """Return the snapshot in a query parameter, `default` if it is "".

    Raises BadRequest if the agent has no such snapshot.
    """
    if not text:
        return default
    return site.resolve_snapshot(
        agent_name, check_value_source(agent_name, read_parameter("step", text), site)
    )


def get_next_snapshot(snapshot: int, last_snapshot: int) -> int:
    """Return the snapshot that a film of the training shows next; the last is followed by 0."""
    return (snapshot + 1) % (last_snapshot + 1)


def build_match_against_person(agent_name: str, agent_side: int, record: str) -> Match:
    x, o = (agent_name, HUMAN) if agent_side == X else (HUMAN, agent_name)
    return Match(record, x=x, o=o)


def read_integer(parameter_name: str, text: str, minimum: int, maximum: int) -> int:
    """Return the whole number in a query parameter; raises BadRequest if it is out of range."""
    if not (re.fullmatch("[0-9]{1,9}", text) and minimum <= int(text) <= maximum):
        raise build_parameter_error(
            parameter_name,
            text,
            gettext("%(least)s to %(most)s", least=minimum, most=maximum),
        )
    return int(text)


def read_choice(
    parameter_name: str,
    query: Query,
    allowed_words: Iterable[str],
    default: str = "",
) -> str:
    """Return the word in a query parameter, `default` if there is none.

    Raises BadRequest, naming all allowed words, for any other word.
    """
    text = query.get(parameter_name) or default
    allowed = [*allowed_words]
    if text != default and text not in allowed:
        raise build_parameter_error(parameter_name, text, ", ".join(allowed))
    return text


def read_cell(parameter_name: str, text: str) -> int:
    """Return the cell in a query parameter, a digit as in a record; raises BadRequest."""
    if not re.fullmatch("[0-8]", text):
        valid_values = gettext("%(least)s to %(most)s", least=0, most=8)
        raise build_parameter_error(parameter_name, text, valid_values)
    return int(text)


def read_parameter(parameter_name: str, text: str) -> Any:
    """Return the value of a parameter in a match's URL.

    Raises BadRequest, with a description of valid texts, for an invalid text.
    """
    pattern, convert, expected = _PARAMETER_READERS[parameter_name]
    value = convert(text) if re.fullmatch(pattern, text, re.ASCII) else None
    if value is None:
        least, most = (localize_number(f"{seconds:g}") for seconds in DELAY_RANGE)
        raise build_parameter_error(
            parameter_name, text, gettext(expected, least=least, most=most)
        )
    return value


def build_parameter_error(
    parameter_name: str, text: str, valid_values: str
) -> BadRequest:
    words = gettext_noop(
        "%(name)s=%(text)s in the URL is wrong: %(name)s must be %(expected)s."
    )
    return BadRequest(
        gettext(words, name=parameter_name, text=text, expected=valid_values)
    )


def _build_range_reader(
    minimum: float, maximum: float
) -> Callable[[str], float | None]:
    return lambda text: value if minimum <= (value := float(text)) <= maximum else None


_NUMBER_READER = (r"\d{1,9}", int, gettext_noop("a whole number"))
_DECIMAL_PATTERN = r"\d{1,3}(\.\d{1,4})?"
_FLAG_READER = ("[01]", lambda text: text == "1", gettext_noop("0 or 1"))
_NAME_READER = (".*", str, gettext_noop("a name"))
_PARAMETER_READERS: dict[str, tuple[str, Callable[[str], Any], str]] = {
    "x": _NAME_READER,
    "o": _NAME_READER,
    "lens": _NAME_READER,
    "ply": _NUMBER_READER,
    "step": _NUMBER_READER,
    "epsilon": (
        _DECIMAL_PATTERN,
        _build_range_reader(0, 1),
        gettext_noop("a chance from 0 to 1"),
    ),
    "delay": (
        _DECIMAL_PATTERN,
        _build_range_reader(*DELAY_RANGE),
        gettext_noop("a number of seconds from %(least)s to %(most)s"),
    ),
    "train": _FLAG_READER,
    "pause": _FLAG_READER,
    "hide": _FLAG_READER,
    "own": _FLAG_READER,
    "errors": (
        "blunders|truth|task|none",
        str,
        gettext_noop("blunders, truth, task, none, or left out"),
    ),
    "hint": _FLAG_READER,
    "replay": _FLAG_READER,
    "tally": (
        r"\d{1,6}-\d{1,6}-\d{1,6}",
        lambda text: tuple(map(int, text.split("-"))),
        gettext_noop("three counts like 2-1-0"),
    ),
}
