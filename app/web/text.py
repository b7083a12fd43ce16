"""What several pages say in sentences, and who an agent is at the board in a few words."""

from collections.abc import Sequence
from typing import NamedTuple

from app.tictactoe.game import SEATS, Game, O, X, mover_at
from app.tictactoe.notation import MARKS
from app.tictactoe.policy import BASELINES
from app.tictactoe.tasks import Task
from app.tictactoe.views import Worth
from app.web.algorithms import ALGORITHMS, opponent_name
from app.web.language import marked
from app.web.lens import HEAT_STEPS, ONES, Opinion, best_play, opinion
from app.web.match import Place
from app.web.numbers import count, listed, percent, short_name, signed, square_name, updates
from app.web.world import HUMAN, TASK, World, is_moves, kept

NAMED = 3  # squares that a sentence still names one by one


def headline_of(place: Place) -> str:
    """Say whose turn it is or how the game ended, for the eye."""
    match, titles = place.match, place.world.titles
    if place.over:
        return _result(place)
    who = match.to_move
    if not match.is_human(who):
        return f"{titles[match.seat(who)]} to move as {MARKS[who]}"
    return f"Your turn as {MARKS[who]}" if not match.is_human(-who) else f"{MARKS[who]} to move"


def status(place: Place, going_on: bool = False) -> str:
    """Say what has happened, for a screen reader: the last moves of both and what is next.

    It waits with that while an agent is about to move, so nothing is said twice, and of a game
    between agents it says only how it ended, unless it is gone through step by step.  A
    person's blunder is said, unless the values are hidden.
    """
    if going_on and not place.over:
        return ""
    plies = list(enumerate(place.cells[: len(place.match.shown)]))[-2:]
    moves = [
        f"{MARKS[mover_at(ply)]}: {square_name(place.world.game, cell)}."
        f"{_given_away(place, ply, cell)}"
        for ply, cell in plies
    ]
    if place.match.watched and place.over:
        moves = []
    return " ".join([*moves, f"{headline_of(place)}."])


EXPECTS = "what {} expects", "what {} expected"
# What the ends and the middle of the colours stand for where they say how a box of beads leans.
BEADS = (("no bead",), ("its even share",), ("all beads",))


class Legend(NamedTuple):
    """How to read the colours."""

    caption: str
    blank: str  # what a square without a value means, "" where all have one
    errs: bool  # whether values of it can be wrong
    drawn: bool  # whether its moves are drawn like beads, so that it has no one move
    heats: range  # colours to show
    scale: tuple[tuple[str, ...], ...]  # what its two ends and its middle stand for
    facts: str  # what is exactly true of the agent or lens


def legend_of(place: Place, opinion: Opinion, ply: int | None = None) -> Legend:
    """Explain an opinion: whose it is, for whom, on what scale, and how far to trust it.

    It is of the position shown, or of the one at another ply, which is kept in view.
    """
    world, step = place.world, place.match.step
    ply = len(place.match.shown) if ply is None else ply
    player = mover_at(ply)
    when = "to move" if ply == len(place.match.shown) else "at its last move"
    view = f"for {MARKS[player]}, {when}"
    if is_moves(opinion.lens):
        title = world.titles[opinion.lens]
        return Legend(
            caption=f"★ is what {title} plays {view}: its values are not known",
            blank="",
            errs=True,
            drawn=False,
            heats=range(0),
            scale=(),
            facts=facts(world, opinion.lens),
        )
    worth: Worth | None = ONES
    decimals = 2
    if opinion.exact:
        caption, decimals = f"how the game ends {view}", 0
        exactly = "Found by solving the game."
    elif world.agents.knows(opinion.lens):
        card = world.agents[opinion.lens].card
        has, had = ("the beads of {}", "the beads of {}") if opinion.beads else EXPECTS
        caption, worth = f"{has.format(card.title)} {view}", card.worth
        exactly = facts(world, opinion.lens, step)
        if step is not None:
            trained = updates(card.figures.updates[step])
            caption = f"{had.format(card.title)} after {trained}, {view}"
    else:
        name = opinion.lens.removesuffix(TASK)
        title, task = world.titles[name], world.task(name) or Task()
        soft = " over ε-soft policies" if task.epsilon else ""
        caption, worth = f"Q* of the training task of {title}{soft}, {view}", task.worth
        exactly = f"Exact: the task is {task_words(world, task)}."
    return Legend(
        caption=f"On the squares: {caption}",
        blank=opinion.blank,
        errs=world.agents.knows(opinion.lens) and not opinion.beads,
        drawn=opinion.beads and world.agents[opinion.lens].card.plays == "proportional",
        heats=range(-HEAT_STEPS, HEAT_STEPS + 1, HEAT_STEPS // 5),
        scale=_scale(worth, "x" if player == X else "o", decimals, opinion.own) if worth else BEADS,
        facts=exactly,
    )


def task_words(world: World, task: Task) -> str:
    """Describe a training task: the opponent, and what later results count."""
    whom = "itself" if task.opponent is None else world.titles[task.opponent]
    if task.epsilon:
        whom = f"{whom}, exploring with ε = {task.epsilon:g}"
    each = " a move of its own" if task.plies == 2 else " a move"
    return f"to play {whom}, with a discount factor of {task.gamma:g}{each * (task.gamma != 1)}"


def squares(game: Game, cells: Sequence[int]) -> str:
    """Name the one or other of some cells, or say how many they are."""
    if len(cells) > NAMED:
        return f"any of {len(cells)} squares"
    return listed([short_name(game, cell) for cell in cells], "or")


def facts(world: World, name: str, step: int | None = None) -> str:
    """Sum up an agent's exact figures, as shipped or at a snapshot."""
    title, figures = world.titles[name], world.figures(name)
    number = figures.blunders[-1 if step is None else step]
    drawn = world.agents.knows(name) and world.agents[name].card.plays == "proportional"
    can = "can blunder" if drawn else "blunders"
    blunders = f"{count(number)} of {count(world.game.decisions)} positions"
    if step is not None:
        could = "could blunder" if can != "blunders" else "blundered"
        return f"At that moment {title} {could} in {blunders}."
    safe = [MARKS[player] for player in (X, O) if world.losing(name, player) is None]
    proof = f"cannot be beaten as {' or '.join(safe)}" if safe else "can be beaten in both seats"
    return f"{title} {can} in {blunders} and {proof}."


def _scale(worth: Worth, seat: str, decimals: int, own: bool) -> tuple[tuple[str, str], ...]:
    loss, draw, win = getattr(worth, seat)
    names = ["loss", "draw", "win"]
    if draw in (loss, win):  # then no result is halfway
        names = ["loss or draw", "", "win"] if draw == loss else ["loss", "", "draw or win"]
    values = [signed(value, decimals) for value in (worth if own else ONES).scale(seat)]
    return tuple(zip(names, values, strict=True))


def _given_away(place: Place, ply: int, cell: int) -> str:
    """Say that a person's move was a blunder, where that may be said."""
    match, position = place.match, place.positions[ply]
    if match.hide or not match.is_human(mover_at(ply)) or place.world.right[position, cell]:
        return ""
    return f" A blunder: no longer a {best_play(place.world, position).partition(' ')[0]}."


def _result(place: Place) -> str:
    match, outcome = place.match, place.world.game.result(place.position)
    if outcome == 0:
        return "Draw"
    if match.is_human(outcome):
        return f"{MARKS[outcome]} wins" if match.is_human(-outcome) else "You win"
    if match.is_human(-outcome):
        return "You lost"
    return f"{place.world.titles[match.seat(outcome)]} wins as {MARKS[outcome]}"


# X threatens a line that only one square blocks; BEATABLE ends by playing there, and is sure.
BLOCKED = "204"
BEATABLE = "q-learning-1"  # its squares have many colours, and it has a blind spot
BEGINNER_LOSES = 0.1  # of its games against uniformly random moves
STRENGTHS = {
    "beginner": "loses more than one game in ten against random moves, as X or as O",
    "strong": "loses no more than that, and yet can be beaten",
    "unbeatable": "proved: no opponent can win, as X or as O",
}  # the rule in words, for pages


class Stop(NamedTuple):
    """A stop of the lesson; its text is templates/lesson/stops/<slug>.html."""

    slug: str
    title: str


STOPS = [
    Stop("untrained", marked("Before the first game")),
    Stop("learning", marked("One number at a time")),
    Stop("blunder", marked("Sure, and wrong")),
    Stop("why", marked("Where the number comes from")),
    Stop("unbeatable", marked("Never again")),
]


class Character(NamedTuple):
    """What a card says of a player."""

    strength: str  # one of STRENGTHS; "" of a person
    line: str  # one line on who it is
    opening: tuple[int | None, ...] | None  # [cells] heats of the empty board, None where unknown


def first_opponent(world: World) -> str:
    """Return the opponent of newcomers: BEATABLE, or the first agent there is."""
    return BEATABLE if BEATABLE in world.agents else next(iter(world.agents))


def first_puzzle(world: World, agent: str) -> int:
    """Return the number of the first puzzle of an agent; of any, if it has none."""
    agents = [puzzle.agent for puzzle in world.puzzles]
    return agents.index(agent) + 1 if agent in agents else 1


@kept(64)
def character(world: World, name: str) -> Character:
    """Characterise an agent, a baseline or a person.

    The strength follows from exact figures alone.  Unbeatable: no line of play beats it, in either
    seat.  Beginner: in one of its seats it loses more than one game in ten to uniformly random
    moves.  Strong: all others.
    """
    if name == HUMAN:
        return Character("", "Sits at this screen.", None)
    return Character(
        strength=strength(world, name),
        line=_line(world, name),
        opening=_opening(world, name) if world.agents.knows(name) else None,
    )


def strength(world: World, name: str) -> str:
    """Return how strong a policy is, by the rule of `character`."""
    judgement = world.judgement(name)
    if all(judgement.unbeatable.values()):
        return "unbeatable"
    return "beginner" if _worst(world, name)[0] > BEGINNER_LOSES else "strong"


def _worst(world: World, name: str) -> tuple[float, str]:
    """Return its larger chance to lose to random moves, and the seat in which it has it."""
    chances = world.judgement(name).chances
    return max((float(chances["random", seat][2]), seat) for seat in SEATS)


def _line(world: World, name: str) -> str:
    """Say how it came to play, and how far that carries it."""
    if is_moves(name):
        return f"Known by its moves alone. {_carries(world, name)}"
    if not world.agents.knows(name):
        return BASELINES[name].line
    how = ALGORITHMS[world.agents[name].card.algorithm].origin
    opponents = [opponent_name(world, opponent) for opponent, _ in world.recipe(name).phases]
    return f"{how.format(' and then '.join(opponents))} {_carries(world, name)}"


def _carries(world: World, name: str) -> str:
    kind, safe = strength(world, name), world.judgement(name).unbeatable
    if kind == "unbeatable":
        return "No opponent can win."
    if kind == "beginner":
        chance, seat = _worst(world, name)
        return f"As {seat.upper()} it loses {percent(chance, 0)}% to random moves."
    if any(safe.values()):
        seat = next(seat for seat, proved in safe.items() if proved)
        return f"Never loses as {seat.upper()}."
    return f"Blunders in {count(world.judgement(name).blunders)} positions."


def _opening(world: World, name: str) -> tuple[int | None, ...]:
    view = opinion(world, 0, name)
    return tuple(heat if known else None for heat, known in zip(view.heat, view.known, strict=True))
