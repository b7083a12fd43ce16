"""An agent's card: all facts about the agent except its arrays, as readable JSON."""

import hashlib
import re
from collections.abc import Sized
from functools import lru_cache
from typing import Annotated

import msgspec
import numpy as np
from msgspec import Meta

from app.tictactoe.game import Game
from app.tictactoe.policy import BASELINES, PlayRule
from app.tictactoe.report import (
    ChancesBySeat,
    Count,
    CountsBySeat,
    Figures,
    RatesBySeat,
)
from app.tictactoe.views import RewardScale

# In Python "$" also matches before a last line break, which "(?!\n)" rules out.
ID_PATTERN = r"^[a-z0-9]+(-[a-z0-9]+)*$(?!\n)"
# Invisible characters, and characters that change the direction of a text, could disguise a title.
TITLE_PATTERN = (
    r"^[^\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]{1,200}$(?!\n)"
)
# Cards contain rounded chances, whose sum can differ from 1.
CHANCE_TOLERANCE = 1e-6
# Other players have these names in URLs, so no agent may have one of them as its id.
RESERVED_IDS = {"human", "truth", "self", "both", *BASELINES}

EMPTY_FIGURES = Figures(
    snapshot_updates=[],
    outcome_chances_by_baseline={},
    best_response=ChancesBySeat([], []),
    nash_conv=[],
    blunders=[],
    reachable_blunders=CountsBySeat([], []),
    correct_class_shares=None,
    task_distance=None,
)

Text = Annotated[str, Meta(min_length=1)]
Digest = Annotated[str, Meta(pattern="^([0-9a-f]{64})?$")]


class ReportedResult(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    rename={"source_location": "where"},
):
    """A result that the source of an agent reports.

    Attributes:
        text: The reported result, in the words of this site.
        source_location: The place of the result in the source.
    """

    text: Text
    source_location: Text


class Card(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    omit_defaults=True,
    rename={
        "findings": "found",
        "play_rule": "plays",
        "reward_scale": "worth",
        "numbering_digest": "numbering",
        "arrays_digest": "arrays",
        "refill_count": "refills",
        "training_seconds": "seconds",
    },
):
    """All facts about an agent, except its table of values.

    Attributes:
        id: The name of the agent in URLs.
        title: The title of the agent on pages.
        origin: The author or publication that the agent is based on.
        recipe: The full name of the recipe (algorithm and parameters) that trains the agent.
        algorithm: The learning algorithm of the agent.
        reported: Results that the source of the agent reports.
        findings: Results about this agent that this project measured.
        play_rule: How the agent chooses a move from its values: greedy (one of the best moves at
            random), first (the first of the best moves) or proportional (at random, in proportion to
            the values).
        seed: The random seed of the training; the same seed gives the same table.
        games: The number of games in the training.
        updates: The number of updates in the training.
        training_seconds: The duration of the training in seconds.
        versions: The versions of the software that trained the agent.
        numbering_digest: The SHA-256 checksum of the rules and of the order of the positions. The
            checksum covers four arrays of little-endian int32: the size of the board (rows, columns),
            the base-3 number of each position, the position after a move on each cell of each position
            with a player to move (-1 for an illegal move), and the result of each finished position.
        arrays_digest: The SHA-256 checksum of the npz file with the agent's values.
        reward_scale: The rewards of a loss, a draw and a win, which are the scale of the values; null
            if the values are numbers of beads.
        figures: The exact results of the agent at each snapshot of its training.
        win_rate: The share of training games that the agent won in each epoch, exploring moves
            included; left out if the share was not recorded.
        refill_count: How often an empty box of beads was filled again in the training; left out if the
            agent has no boxes.
    """

    id: Annotated[str, Meta(pattern=ID_PATTERN)]
    title: Annotated[str, Meta(pattern=TITLE_PATTERN)]
    origin: Text
    recipe: Text
    algorithm: Annotated[str, Meta(pattern=ID_PATTERN)]
    reported: list[ReportedResult]
    findings: list[Text]
    play_rule: PlayRule
    seed: Annotated[int, Meta(ge=0)]
    games: Annotated[int, Meta(ge=0)]
    updates: Annotated[int, Meta(ge=0)]
    training_seconds: Annotated[float, Meta(ge=0)]
    versions: dict[str, str]
    numbering_digest: Digest
    arrays_digest: Digest
    reward_scale: RewardScale | None
    figures: Figures
    win_rate: RatesBySeat | None = None
    refill_count: Count | None = None


@lru_cache(maxsize=2)
def compute_numbering_digest(game: Game) -> str:
    """Return a checksum of the rules and of the numbers of all positions.

    It is computed from the size of the board, the boards of all positions, the positions after all
    moves, and the results. An agent was trained for another game if its card has another digest.
    """
    rules = (
        np.array([game.rows, game.columns]),
        game.code,
        game.successor,
        game.outcome,
    )
    return hashlib.sha256(
        b"".join(part.astype("<i4").tobytes() for part in rules)
    ).hexdigest()


def format_card(card: Card) -> str:
    """Return a card as indented JSON with each innermost list on one line."""
    text = msgspec.json.format(msgspec.json.encode(card), indent=1).decode()
    # Texts contain no line breaks, so the pattern matches lists of numbers only.
    innermost = r"\[\n[^][{}\"]*\]"
    return re.sub(innermost, _join_on_one_line, text) + "\n"


def _join_on_one_line(number_list: re.Match[str]) -> str:
    inside = number_list[0][1:-1]
    return f"[{' '.join(inside.split())}]"


def check_card(game: Game, agent_id: str, card: Card) -> None:
    if card.id != agent_id:
        raise ValueError(f"id {card.id!r} is not the file's name")
    if card.id in RESERVED_IDS:
        raise ValueError(
            f"id {card.id!r} is the name of a player that is no learned agent"
        )
    if card.numbering_digest != compute_numbering_digest(game):
        raise ValueError(
            "numbering is that of another game, or of other rules or another order of its positions"
        )
    if card.win_rate is not None and not 0 < len(card.win_rate.x) == len(
        card.win_rate.o
    ):
        raise ValueError("win_rate is not a share of games in each seat for each epoch")


def check_figures(game: Game, figures: Figures) -> None:
    """Raise ValueError if figures contradict each other, the baselines or the game."""
    if figures.outcome_chances_by_baseline.keys() != BASELINES.keys():
        raise ValueError(
            f"figures are against {', '.join(figures.outcome_chances_by_baseline) or 'no opponent'} "
            "and have to be against "
            f"{', '.join(BASELINES)}: the command `judge` writes them anew"
        )
    _check_chances(figures)
    _check_nash_conv(figures)
    snapshots = len(figures.snapshot_updates)
    if snapshots == 0 or any(
        len(entries) != snapshots for entries in _list_figure_lists(figures)
    ):
        raise ValueError("figures do not have one entry a snapshot")
    reachable = figures.reachable_blunders
    counts = (*figures.blunders, *reachable.x, *reachable.o)
    if max(counts) > game.decisions:
        raise ValueError(f"there are no more blunders than decisions, {game.decisions}")


def _check_chances(figures: Figures) -> None:
    for chances in (
        figures.best_response,
        *figures.outcome_chances_by_baseline.values(),
    ):
        sums = [sum(entry) for entry in (*chances.x, *chances.o)]
        if any(abs(total - 1) > CHANCE_TOLERANCE for total in sums):
            raise ValueError("chances of win, draw and loss add up to 1")


def _check_nash_conv(figures: Figures) -> None:
    beaten = zip(figures.best_response.x, figures.best_response.o, strict=False)
    # The chances are in the agent's view, so the best responder wins what the agent loses.
    pairs = zip(beaten, figures.nash_conv, strict=False)
    for (as_x, as_o), figure in pairs:
        gain_of_o = as_x[2] - as_x[0]
        gain_of_x = as_o[2] - as_o[0]
        if abs(gain_of_o + gain_of_x - figure) > CHANCE_TOLERANCE:
            raise ValueError(
                "nash_conv is what the best responders of both seats gain together"
            )


def _list_figure_lists(figures: Figures) -> list[Sized]:
    reachable = figures.reachable_blunders
    figure_lists: list[Sized] = [
        figures.nash_conv,
        figures.blunders,
        reachable.x,
        reachable.o,
    ]
    for chances in (
        figures.best_response,
        *figures.outcome_chances_by_baseline.values(),
    ):
        figure_lists += [chances.x, chances.o]
    if figures.correct_class_shares is not None:
        figure_lists.append(figures.correct_class_shares)
    if figures.task_distance is not None:
        figure_lists += [
            getattr(figures.task_distance, name)
            for name in figures.task_distance.__struct_fields__
        ]
    return figure_lists
