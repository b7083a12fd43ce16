"""The arena: each player as X against each player as O, and the ranking of all players."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from itertools import groupby
from operator import itemgetter
from typing import ClassVar, NamedTuple

from flask import Response, request
from markupsafe import Markup
from werkzeug.exceptions import BadRequest

from app.tictactoe.arena import (
    ArenaTable,
    Chances,
    compute_score,
    summarize_round_robin,
)
from app.web.facts import play_round_robin
from app.web.formatting import MINUS, format_choices, format_percent, format_signed
from app.web.links.agents import agent_url
from app.web.links.arena import ARENA
from app.web.links.play import play_url
from app.web.match import Match, read_choice
from app.web.move_values import HEAT_STEPS, LEGEND_HEATS
from app.web.navigation import PageBlueprint
from app.web.pictures.curves import OutcomeShare, divide_bar
from app.web.pictures.svg import Sign, write_inline
from app.web.rendering import Page, render_page
from app.web.site_data import SiteData, get_current_site
from app.web.translation import gettext_noop
from app.web.wording import grade_strength

bp = PageBlueprint("arena", __name__)
bp.add_room("Research", "arena", gettext_noop("Arena"), ARENA.url)


class ArenaMeasure(NamedTuple):
    """A kind of number that the table can show, with its format and colours."""

    title: str
    # function from probabilities of win, draw and loss, [..., 3], to the measure, [...]
    compute_values: Callable[[Chances], Chances]
    format_value: Callable[[float], str]
    heats: range  # colour steps of the legend; the last is the colour of the value 1
    # labels of the first, the middle and the last colour
    scale_labels: Sequence[tuple[str, ...]]
    explanation: str


def _format_score(score: float) -> str:
    """Return a score from -1 to 1 as signed percent; only exactly 0 and ±1 become 0 and ±100."""
    sign = {True: "+", False: MINUS}[score > 0] if score else ""
    return sign + format_percent(abs(score), 0)


def _build_chance_measure(
    title: str, outcome_index: int, full_heat: int, event_phrase: str
) -> ArenaMeasure:
    of = itemgetter((..., outcome_index))
    ends = [("0%",), ("50%",), ("100%",)]
    heats = range(0, full_heat + full_heat // 10, full_heat // 10)
    return ArenaMeasure(
        title,
        of,
        partial(format_percent, decimals=0),
        heats,
        ends,
        f"The number is the probability, in percent, that {event_phrase}.",
    )


ARENA_MEASURES = {
    "score": ArenaMeasure(
        title="Score",
        compute_values=compute_score,
        format_value=_format_score,
        heats=LEGEND_HEATS,
        scale_labels=[("O wins", f"{MINUS}100"), ("0",), ("X wins", "+100")],
        explanation="The score is the probability that X wins minus the probability that O "
        "wins, in percent.",
    ),
    "win": _build_chance_measure("X wins", 0, HEAT_STEPS, "X wins"),
    "draw": _build_chance_measure("Draw", 1, HEAT_STEPS, "the game is a draw"),
    "loss": _build_chance_measure("O wins", 2, -HEAT_STEPS, "O wins"),
}


class Pairing(NamedTuple):
    """A cell of the table: a player as X against a player as O."""

    text: str
    heat: int
    label: str  # both players and the chances of all results
    href: str


class ArenaRow(NamedTuple):
    """A row of the table: a player as X against all players."""

    id: str
    title: str
    pairings: list[Pairing]


class Standing(NamedTuple):
    """A row of the ranking: a player with its scores."""

    rank: int  # equal players share a rank
    title: str
    href: str  # URL of the agent's page, "" for a baseline
    strength: str
    score: str
    score_as_x: str
    score_as_o: str
    shares: list[OutcomeShare]  # won, drawn and lost, in both seats together
    beating_player_count: int


class ArenaPage(Page, frozen=True):
    """The arena: a table of all pairings, the weakest player first, and the ranking."""

    template: ClassVar = "arena/arena.html"

    site: SiteData
    measure_key: str  # measure in the table, a key of ARENA_MEASURES
    added_recipe: str  # recipe of an additional player, "" without
    selected_player: str  # the selected player; "" selects the weakest agent

    @property
    def measures(self) -> Mapping[str, ArenaMeasure]:
        """The measures that the table can show, by key."""
        return ARENA_MEASURES

    @cached_property
    def _player_names(self) -> list[str]:
        return [
            *self.site.policies,
            *([self.added_recipe] if self.added_recipe else []),
        ]

    @cached_property
    def _outcome_chances(self) -> Chances:
        """The chances of win, draw and loss for X, [X, O, 3]."""
        return play_round_robin(self.site, self.added_recipe)

    @cached_property
    def _standings_table(self) -> ArenaTable:
        return summarize_round_robin(self._outcome_chances)

    @cached_property
    def _weakest_first(self) -> list[int]:
        """The indices of the players in `_player_names`, the weakest first."""
        return sorted(
            range(len(self._player_names)),
            key=lambda number: self._standings_table.mean_score[number],
        )

    @cached_property
    def rows(self) -> list[ArenaRow]:
        """A row for each player as X."""
        site = self.site
        names = self._player_names
        return [
            ArenaRow(
                id=names[x],
                title=site.display_titles[names[x]],
                pairings=[
                    _build_pairing(
                        ARENA_MEASURES[self.measure_key],
                        site,
                        names[x],
                        names[o],
                        self._outcome_chances[x, o],
                    )
                    for o in self._weakest_first
                ],
            )
            for x in self._weakest_first
        ]

    @property
    def selected_row(self) -> int:
        """The row number of the selected player."""
        candidates = (
            [self.selected_player] if self.selected_player else self.site.agents
        )
        return next(
            number for number, row in enumerate(self.rows) if row.id in candidates
        )

    @property
    def table_sketch(self) -> Markup:
        """A small picture of the whole table."""
        return _draw_sketch(self.rows, self.selected_row)

    @property
    def standings(self) -> list[Standing]:
        """The rows of the ranking, the best player first."""
        return [
            _build_standing(
                self.site, self._player_names[number], self._standings_table, number
            )
            for number in reversed(self._weakest_first)
        ]


@bp.get(ARENA)
def show_arena() -> Response:
    """Show the arena."""
    site = get_current_site()
    show = read_choice("show", request.args, ARENA_MEASURES, "score")
    player = request.args.get("player", "")
    add = request.args.get("add", "")
    for name in (player, add):
        if name and not site.policies.contains_name(name):
            raise BadRequest(
                f"There is no player {name!r}. {format_choices(site.policies)}"
            )
    return render_page(build_arena_page(show, site, player, add))


def build_arena_page(
    measure_key: str, site: SiteData, selected_player: str = "", added_recipe: str = ""
) -> ArenaPage:
    """Return the page with all players of the site, and at most one additional recipe.

    The additional player is `added_recipe`, or `selected_player` if the site's players do not
    include it. Without `selected_player` the additional player is selected. Raises BadRequest for
    two additional players.
    """
    names = {
        name
        for name in (added_recipe, selected_player)
        if name and name not in site.policies
    }
    if len(names) > 1:
        raise BadRequest(
            "The table has room for one more player: add and player differ."
        )
    added_recipe = "".join(names)
    return ArenaPage(site, measure_key, added_recipe, selected_player or added_recipe)


def _build_pairing(
    measure: ArenaMeasure,
    site: SiteData,
    x_player: str,
    o_player: str,
    chances: Chances,
) -> Pairing:
    win, draw, loss = (format_percent(chance) for chance in chances)
    figure = float(measure.compute_values(chances))
    text = measure.format_value(figure)
    return Pairing(
        text=text,
        heat=round(figure * measure.heats[-1]),
        label=f"{text}: {site.display_titles[x_player]} as X "
        f"against {site.display_titles[o_player]} as O: X wins {win}%, "
        f"draw {draw}%, O wins {loss}%",
        href=play_url(Match(x=x_player, o=o_player)),
    )


def _draw_sketch(rows: list[ArenaRow], chosen_player: int) -> Markup:
    """Return a picture of the table, with gaps around the row and column of the chosen player."""
    size = len(rows)

    def compute_offset(line_number: int) -> float:
        return (
            line_number
            + (0.25 if line_number >= chosen_player else 0)
            + (0.25 if line_number > chosen_player else 0)
        )

    squares = sorted(
        (pairing.heat, f"M{compute_offset(o):g} {compute_offset(x):g}h.9v.9h-.9z")
        for x, row in enumerate(rows)
        for o, pairing in enumerate(row.pairings)
    )
    paths = [
        (heat, "".join(outline for _, outline in alike))
        for heat, alike in groupby(squares, itemgetter(0))
    ]
    label = f"The whole table: {size} players as X, weakest on top, against the same {size} players as O"
    box = f'viewBox="0 0 {size + 0.4:g} {size + 0.4:g}" role="img" aria-label="{label}"'
    return write_inline(
        [Sign("", outline, ("heat", heat)) for heat, outline in paths], "sketch", box
    )


def _build_standing(
    site: SiteData, player_name: str, table: ArenaTable, player_index: int
) -> Standing:
    """Return the row of a player in the ranking; `player_index` is its index in the arrays."""
    both_seats = (table.as_x[player_index] + table.as_o[player_index]) / 2
    win, draw, loss = both_seats.tolist()
    return Standing(
        rank=int(table.ranks[player_index]),
        title=site.display_titles[player_name],
        href=agent_url(player_name) if site.agents.contains_name(player_name) else "",
        strength=grade_strength(site, player_name),
        score=format_signed(table.mean_score[player_index]),
        score_as_x=format_signed(float(compute_score(table.as_x[player_index]))),
        score_as_o=format_signed(float(compute_score(table.as_o[player_index]))),
        shares=divide_bar((win, draw, loss), 1),
        beating_player_count=int(table.beaten_by_count[player_index]),
    )
