"""MENACE: a matchbox for each position, with beads for its moves, one of which is drawn.

Source: Michie (1961), "Trial and error", and (1963), "Experiments on the mechanization of
game-learning", whose numbers are the defaults; his machine only ever played X.
"""

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from app.recipes.algorithms import Menace
from app.tictactoe.beads import alike
from app.tictactoe.game import Game
from training.learners import pairs
from training.learners.classes import pair_classes
from training.learners.pairs import Indices, Values, Visits
from training.learners.phases import NextStop, Progress, answer, opponents, over_phases
from training.learners.randomness import stream, uniform


class Boxes(NamedTuple):
    """The beads of K moves, which are classes of P pairs by symmetry."""

    of: Indices  # [P] the move of each pair
    part: Values  # [P] a square's part of the beads of its move: one in so many squares
    beads: Values  # [K] whole numbers
    full: Values  # [K] with how many a box begins, or is filled again
    visits: Visits  # [K]
    refills: NDArray[np.int64]  # [1] how often a box was filled again
    met: Indices  # [cells] scratch: the decisions of the last game
    played: Indices  # [cells] scratch: the pairs that the learner played there, -1 elsewhere


def learn(game: Game, recipe: Menace, next_stop: NextStop) -> Iterator[Progress]:
    """Play whole games in the seats of the recipe in turn, drawing a bead for every move.

    A box is a position up to symmetry; moves that are the same by symmetry share their beads, and
    any of their squares is as likely.  After a game every bead that was drawn is put back with
    `win` or `draw` more of its colour, or `-loss` of that colour are taken away, as far as there
    are any.  Michie's machine resigns at an empty box; here the box is filled again as it began,
    which is counted.  An opponent that is itself draws from the same boxes; where both sides learn
    each of them is paid as the game ended for it.
    """
    first, after = pairs.legal_pairs(game)
    classes = pair_classes(game)
    own_move = game.ply[game.pair_from] // 2
    full = np.zeros(classes.number)
    full[classes.of] = np.maximum(1, recipe.beads - recipe.beads_drop * own_move)
    boxes = Boxes(
        of=classes.of,
        part=1 / alike(game),
        beads=full.copy(),
        full=full,
        visits=np.zeros(classes.number, np.uint32),
        refills=np.zeros(1, np.int64),
        met=np.zeros(game.cells, np.int32),
        played=np.zeros(game.cells, np.int32),
    )
    rewards = (float(recipe.loss), float(recipe.draw), float(recipe.win))
    part = boxes.part if recipe.plays == "proportional" else np.ones(game.pairs)

    def show(done: float, games: int, updates: int) -> Progress:
        q = game.spread((boxes.beads[classes.of] * part).astype(np.float32))
        visits = game.spread(boxes.visits[classes.of], 0)
        return Progress(done, games, updates, q, visits, refills=int(boxes.refills[0]))

    seats = pairs.seats_in_turn(recipe)
    play = partial(_play, stream(recipe.seed), rewards, seats, first, pairs.answered(after), boxes)
    return over_phases(opponents(game, recipe), next_stop, play, show)


@njit(cache=True)
def _play(  # type: ignore[no-untyped-def]
    stream, rewards, seats, first, after, boxes, replies, begin, last, stop, games, updates
):
    loss, draw, win = rewards
    while games < last and updates < stop:
        s, plies, mover = 0, 0, seats[(games - begin) % len(seats)]
        while s >= 0:
            boxes.met[plies], boxes.played[plies] = s, -1
            if mover == 0 or replies.both:
                p = _drawn(first, boxes, s, stream)
                boxes.played[plies], s = p, after[p]
            else:
                s = _answer(replies, boxes, s, stream)
            plies += 1
            mover = 1 - mover
        # The ending is the view of who did not make the last move.
        last_mover, other = pairs.reward(s, win, draw, loss), pairs.reward(s, loss, draw, win)
        for ply in range(plies):
            if boxes.played[ply] >= 0:
                c = boxes.of[boxes.played[ply]]
                beads = other if (plies - ply) % 2 == 0 else last_mover
                boxes.beads[c] = max(0.0, boxes.beads[c] + beads)
                boxes.visits[c] += 1
                _refill(first, boxes, boxes.met[ply])
                updates += 1
        games += 1
    return games, updates


@njit(cache=True)
def _drawn(first, boxes, s, stream):  # type: ignore[no-untyped-def]
    """Draw a bead from the box of decision `s`, and one of its squares if it has several."""
    total = 0.0
    for p in range(first[s], first[s + 1]):
        total += boxes.beads[boxes.of[p]] * boxes.part[p]
    left, p = uniform(stream) * total, first[s]
    while True:
        left -= boxes.beads[boxes.of[p]] * boxes.part[p]
        if left < 0:
            return p
        p += 1


@njit(cache=True)
def _answer(replies, boxes, s, stream):  # type: ignore[no-untyped-def]
    """Return what the opponent's answer in decision `s` leads to."""
    if replies.own:
        return replies.after[_drawn(replies.first, boxes, s, stream)]
    return answer(replies, boxes.part, s, False, stream)


@njit(cache=True)
def _refill(first, boxes, s):  # type: ignore[no-untyped-def]
    """Fill the box of decision `s` as it began if it is empty."""
    for p in range(first[s], first[s + 1]):
        if boxes.beads[boxes.of[p]] > 0:
            return
    for p in range(first[s], first[s + 1]):
        boxes.beads[boxes.of[p]] = boxes.full[boxes.of[p]]
    boxes.refills[0] += 1
