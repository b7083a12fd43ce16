"""Monte Carlo tree search: a value is the mean of the games that were simulated through a move."""

import numpy as np

from app.web.algorithms.algorithm import (
    COUNTS,
    Algorithm,
    Section,
    UpdateRule,
    UpdateStyle,
)
from app.web.algorithms.formula import Formula
from app.web.algorithms.sentences import ENDS, describe_reply_value, name_cell
from app.web.algorithms.targets import (
    ValueQuery,
    ValueReason,
    remove_target,
    target_before_reply,
)
from app.web.formatting import format_count, format_signed
from app.web.site_data import SiteData
from app.web.translation import gettext_noop

AGENT = "mcts"


def _reason(pair: ValueQuery) -> ValueReason:
    """Return the replies without a target: the model has only mean results, no tree."""
    return remove_target(target_before_reply(pair))


def _tries(pair: ValueQuery) -> list[int] | None:
    """Return the number of simulated games that began with each move, None if unknown."""
    if pair.visits is None or not pair.known:
        return None
    tries: list[int] = pair.agent.visits[pair.position].tolist()
    return tries


def compute_bounds(pair: ValueQuery) -> dict[int, float]:
    """Return the upper bound of each move that a game began with, {} if the games are unknown.

    The next simulated game begins with the highest bound.
    """
    tries = _tries(pair)
    if tries is None:
        return {}
    row, spread = pair.table[pair.position], pair.recipe.c
    total = np.log(sum(tries))
    return {
        cell: float(row[cell] + spread * np.sqrt(total / n))
        for cell, n in enumerate(tries)
        if n
    }


def _sentences(pair: ValueQuery, _reason: ValueReason) -> list[str]:
    tries = _tries(pair)
    sentences = [
        "It is the mean result of the simulated games that began with the move."
    ]
    if tries is not None:
        games = f"{format_count(tries[pair.cell])} of {format_count(sum(tries))} simulated games"
        mean = f"It is the mean result of the {games} from this position that began with the move."
        sentences = [mean, _next(pair, tries)]
    if (outcome := pair.outcome(pair.after)) is not None:
        return [
            *sentences,
            f"The game is {ENDS[outcome]} by this move: every one of them brought that.",
        ]
    return [
        *sentences,
        "The more games, the more of them go on with the best answer, and the nearer the mean "
        "comes to what that answer leaves. The answers are worth what was planned from there, in "
        "other trees.",
    ]


def _next(pair: ValueQuery, tries: list[int]) -> str:
    """Return a sentence on the first move of the next simulated game."""
    bounds = compute_bounds(pair)
    untried = [
        cell
        for cell in np.flatnonzero(pair.game.legal[pair.position])
        if not tries[cell]
    ]
    if untried:
        return "The next one would begin with a move that has not been tried yet."
    chosen = max(bounds, key=lambda cell: bounds[cell])
    bound = f"has the bound {format_signed(bounds[pair.cell])}"
    if chosen == pair.cell:
        return f"It {bound}, the highest: the next one would begin with it, too."
    other = f"{name_cell(pair, chosen)}, whose bound is {format_signed(bounds[chosen])}"
    return f"It {bound}: the next one would begin with {other}."


def _facts(site: SiteData) -> dict[str, object]:
    """Return the numbers of blunders at the middle snapshot and at the last snapshot."""
    if AGENT not in site.shipped_agents:
        return {}
    figures = site.agents[AGENT].card.figures
    blunders = [
        (format_count(updates // site.game.decisions), format_count(made))
        for updates, made in zip(
            figures.snapshot_updates, figures.blunders, strict=True
        )
    ]
    return {"early": blunders[len(blunders) // 2], "late": blunders[-1]}


ALGORITHM = Algorithm(
    title="Monte Carlo tree search",
    turns=lambda _recipe: "simulated games from every position",
    origin=gettext_noop(
        "Plans in every position by games that it simulates, and learns nothing."
    ),
    untold=(
        "There are no games to tell: it simulates one from every position, then a second one, and "
        "so on, each position with a tree of its own."
    ),
    rule=UpdateRule(
        _reason,
        _sentences,
        describe_reply_value,
        reply_column=COUNTS,
    ),
    facts=_facts,
    update=UpdateStyle(
        family="return",
        next_mover="own",
        differs="result",
        line=r"Q \leftarrow Q + \frac{r - Q}{n}",
        words="Planning instead of learning: the value of a move is the mean result of simulated games.",
    ),
    section=Section(
        title="MCTS: planning by simulated games",
        lens="mcts",
        record="4",
        sources=("kocsis-szepesvari-2006",),
        formula=Formula(
            lines=(
                r"U(s, a) = Q(s, a) + c \sqrt{\frac{\ln N(s)}{n(s, a)}}",
                r"Q(s, a) \leftarrow Q(s, a) + \frac{r - Q(s, a)}{n(s, a)}",
            ),
            symbol_meanings={
                "U": "the upper confidence bound of a move: the move with the highest bound is played",
                "Q": "the mean result of the move for the player who makes it",
                "c": "the exploration constant",
                "N": "the number of simulated games that reached the state s",
                "n": "the number of these games in which the move a was played",
                "r": "the result of a simulated game for the player who moves: 1, 0 or −1",
            },
        ),
    ),
)
