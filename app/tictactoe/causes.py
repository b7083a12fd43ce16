"""Why a policy errs: likely causes, each named only where the numbers say so.

All that is known is which moves are played, and no values; so a cause is a pattern that moves alone
show, set beside what random moves would show.
"""

from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.tictactoe.atlas import Atlas, Mistakes
from app.tictactoe.game import Game, O, X
from app.tictactoe.policy import Choice, Policy, best_moves, completing, optimal_q
from app.tictactoe.reachable_play import ReachablePlay

ALWAYS = 0.95  # of the positions of a seat: what is played by a rule there was not learned
FEW = 10  # positions from which nothing follows
LIKE_CHANCE = 0.15  # of the way from random moves to right ones, or to wrong ones
GOOD = 0.5  # of the way from random moves to right ones
OFTEN = 0.75  # of the blunders
SELDOM = 0.5  # of the threats

Kind = Literal["untrained", "other-side", "first-cell", "no-block", "images", "unreachable"]
Rule = Literal["", "any", "first", "last", "chance"]
Where = NDArray[np.bool_]  # [D]


class Cause(NamedTuple):
    """A likely cause, and the numbers that speak for it."""

    kind: Kind
    seat: int  # in which seat it is so: +1 X, -1 O, 0 both
    rule: Rule  # by which it plays there, where that is the cause
    number: int  # positions in which it is so
    of: int  # of how many in which it could be
    by_chance: float  # in how many of them it would be so if the moves were random
    positions: tuple[int, ...]  # one that shows it, and perhaps another beside it


class Facts(NamedTuple):
    """What is true of the decisions of a game, by any policy; each is [D], or [D, cells]."""

    several: Where  # whether there is a choice
    by_chance: NDArray[np.float64]  # the chance of each move if moves are random
    first: Choice  # the first empty cell
    last: Choice
    hanging: Where  # whether a move can give something away
    keeps: NDArray[np.float64]  # the chance that a random move does not
    worst: Choice  # the moves that are worth least
    worst_by_chance: NDArray[np.float64]
    value: NDArray[np.float64]
    wins: Choice  # moves that end the game
    threat: Choice  # where the other side could, if that is one cell and no move of one's own does


class Play(NamedTuple):
    """A policy and its properties."""

    game: Game
    facts: Facts
    policy: Policy  # [D, cells]
    choice: Choice  # [D, cells]
    reachable: Where  # the decisions in which it can come to move
    kept: NDArray[np.float64]  # [D] the chance that its move keeps the value
    loses: NDArray[np.float64]  # [D] what the worst of its moves does to the value, 0 or less


def causes(own: ReachablePlay, found: Mistakes, kinds: Atlas) -> list[Cause]:
    """Name the likely causes of the blunders `found` of a policy, which `kinds` orders.

    What explains a whole seat comes first, and then only the other seat is looked at.
    """
    if not len(found.position):
        return []
    game, policy = own.game, own.policy
    facts, choice = _facts(game), policy > 0
    play = Play(
        game=game,
        facts=facts,
        policy=policy,
        choice=choice,
        reachable=own.reachable,
        kept=(policy * best_moves(game)).sum(axis=1),
        loses=np.where(choice, optimal_q(game), 1).min(axis=1) - facts.value,
    )
    whole = _untrained(play) or _like_chance(play)
    whole += [cause for seat in (X, O) for cause in _other_side(play, seat)]
    explained = {seat for cause in whole for seat in ([cause.seat] if cause.seat else (X, O))}
    rest = ~np.isin(game.to_move, list(explained))
    others = [*_one_cell(play, found, rest), *_no_block(play, rest)]
    others += [*_images(play, found, kinds, rest), *_unreachable(play, found)]
    return whole + others


@lru_cache(maxsize=2)
def _facts(game: Game) -> Facts:
    legal, right, values = game.legal, best_moves(game), optimal_q(game)
    moves = legal.sum(axis=1)
    board = game.board[: game.decisions]
    wins = completing(game, board == game.to_move[:, None])
    threats = completing(game, board == -game.to_move[:, None])
    one = (threats.sum(axis=1) == 1) & ~wins.any(axis=1)
    worst = values == np.fmin.reduce(values, axis=1, keepdims=True)
    return Facts(
        several=moves > 1,
        by_chance=1 / moves,
        first=_only(legal, legal.argmax(axis=1)),
        last=_only(legal, legal.shape[1] - 1 - legal[:, ::-1].argmax(axis=1)),
        hanging=(right != legal).any(axis=1),
        keeps=right.sum(axis=1) / moves,
        worst=worst,
        worst_by_chance=worst.sum(axis=1) / moves,
        value=np.fmax.reduce(values, axis=1),
        wins=wins,
        threat=threats & one[:, None],
    )


def _untrained(play: Play) -> list[Cause]:
    """Whether a seat, or both, plays by a rule that needs no training."""
    game, facts = play.game, play.facts
    rules: dict[Rule, Choice] = {"any": game.legal, "first": facts.first, "last": facts.last}
    named = []
    for rule, moves in rules.items():
        alike = facts.several & (play.choice == moves).all(axis=1)
        for seat in (X, O):
            of = facts.several & (game.to_move == seat)
            so = of & alike
            if so.sum() >= ALWAYS * of.sum():
                by_chance = 0.0 if rule == "any" else float(facts.by_chance[of].sum())
                shown = _worst(play, so)
                cause = Cause(
                    "untrained", seat, rule, int(so.sum()), int(of.sum()), by_chance, shown
                )
                named.append(cause)
    return _in_both_seats(named)


def _like_chance(play: Play) -> list[Cause]:
    """Whether one seat errs as random moves would, while the other does well, or both do."""
    skills = {seat: _skill(play, seat) for seat in (X, O)}
    named = []
    for seat, (skill, number, of, by_chance) in skills.items():
        other = skills[-seat][0]
        if abs(skill) < LIKE_CHANCE and (other > GOOD or abs(other) < LIKE_CHANCE) and of >= FEW:
            shown = _worst(play, _hanging(play, seat) & (play.kept == 0))
            named.append(Cause("untrained", seat, "chance", number, of, by_chance, shown))
    return _in_both_seats(named)


def _in_both_seats(named: list[Cause]) -> list[Cause]:
    """Make one cause of two that say the same of each seat."""
    if len(named) != 2 or named[0].rule != named[1].rule:
        return named
    one, other = named
    both = one._replace(
        seat=0,
        number=one.number + other.number,
        of=one.of + other.of,
        by_chance=one.by_chance + other.by_chance,
    )
    return [both]


def _other_side(play: Play, seat: int) -> list[Cause]:
    """Whether a seat plays the moves that are worst for it, as if they were the best."""
    of = _hanging(play, seat)
    so = of & (play.choice <= play.facts.worst).all(axis=1)
    by_chance = float(play.facts.worst_by_chance[of].sum())
    if of.sum() < FEW or so.sum() <= (by_chance + of.sum()) / 2:
        return []
    shown = _worst(play, so)
    return [Cause("other-side", seat, "", int(so.sum()), int(of.sum()), by_chance, shown)]


def _one_cell(play: Play, found: Mistakes, rest: Where) -> list[Cause]:
    """Whether blunders are made on the first empty cell, or the last: what equals fall back on."""
    here = found.position[rest[found.position]]
    if len(here) < FEW:
        return []
    by_chance = float(play.facts.by_chance[here].sum())
    rules: dict[Rule, Choice] = {"first": play.facts.first, "last": play.facts.last}
    named = []
    for rule, moves in rules.items():
        so = here[(play.choice[here] == moves[here]).all(axis=1)]
        if len(so) >= max(OFTEN * len(here), (by_chance + len(here)) / 2):
            marked = np.zeros_like(rest)
            marked[so] = True
            shown = _worst(play, marked)
            named.append(Cause("first-cell", 0, rule, len(so), len(here), by_chance, shown))
    return named


def _no_block(play: Play, rest: Where) -> list[Cause]:
    """Whether the other side is let through where one square would stop it."""
    wins, threat = play.facts.wins, play.facts.threat
    reachable = rest & play.reachable
    of, could_win = reachable & threat.any(axis=1), reachable & wins.any(axis=1)
    blocks = (play.policy * threat).sum(axis=1)
    share = blocks[of].mean() if of.sum() >= FEW else 1.0
    won = (play.policy * wins)[could_win].sum(axis=1).mean() if could_win.any() else 1.0
    if share > SELDOM or won < share:
        return []
    number = round(float((1 - blocks)[of].sum()))
    expected = float((1 - play.facts.by_chance[of]).sum())
    shown = _worst(play, of & (blocks < 1))
    return [Cause("no-block", 0, "", number, int(of.sum()), expected, shown)]


def _images(play: Play, found: Mistakes, kinds: Atlas, rest: Where) -> list[Cause]:
    """Whether most blunders are not made where the same position lies otherwise on the board."""
    game = play.game
    here = rest[found.position[kinds.row]] & (kinds.images > 1)
    so = here & (kinds.erring < kinds.images)
    if here.sum() < FEW or so.sum() < OFTEN * here.sum():
        return []
    position = int(found.position[kinds.row[so.argmax()]])
    erring = np.isin(game.image[:, position], found.position)
    other = int(game.image[(~erring).argmax(), position])
    return [Cause("images", 0, "", int(so.sum()), int(here.sum()), 0.0, (position, other))]


def _unreachable(play: Play, found: Mistakes) -> list[Cause]:
    """Whether no game of its own comes to any of its blunders."""
    if play.reachable[found.position].any():
        return []
    number = len(found.position)
    return [Cause("unreachable", 0, "", number, number, 0.0, (int(found.position[0]),))]


def _hanging(play: Play, seat: int) -> Where:
    """Where a seat comes to move, and a move can give something away."""
    hanging: Where = play.reachable & play.facts.hanging & (play.game.to_move == seat)
    return hanging


def _skill(play: Play, seat: int) -> tuple[float, int, int, float]:
    """Say how far a seat is from random moves, 0, to right ones, 1.

    With it in how many positions it errs, of how many, and how many that were by chance.
    """
    of = _hanging(play, seat)
    if not of.any():
        return 1.0, 0, 0, 0.0
    kept, by_chance = play.kept[of], play.facts.keeps[of]
    skill = float((kept.mean() - by_chance.mean()) / (1 - by_chance.mean()))
    return skill, round(float((1 - kept).sum())), int(of.sum()), float((1 - by_chance).sum())


def _worst(play: Play, where: Where) -> tuple[int, ...]:
    """Choose a position that shows most: one that is met and loses most, early in the game."""
    listed = np.flatnonzero(where)
    if not len(listed):
        return ()
    reachable = play.reachable[listed]
    order = np.lexsort((listed, play.loses[listed], ~reachable))
    return (int(listed[order[0]]),)


def _only(legal: Choice, cell: NDArray[np.intp]) -> Choice:
    """Play one cell a decision, [D]."""
    choice = np.zeros_like(legal)
    choice[np.arange(len(legal)), cell] = True
    return choice
