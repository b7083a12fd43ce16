"""What several pages say in sentences, and who an agent is at the board in a few words."""

from collections.abc import Sequence
from typing import NamedTuple

from app.tictactoe.game import SEATS, Game, O, X, mover_at
from app.tictactoe.notation import MARKS
from app.tictactoe.policy import BASELINES
from app.tictactoe.tasks import Task
from app.tictactoe.views import Worth
from app.web.algorithms import ALGORITHMS, opponent_name
from app.web.language import gettext, localized, marked, ngettext
from app.web.lens import HEATS, ONES, Opinion, opinion
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
        agent = titles[match.seat(who)]
        return gettext("%(agent)s to move as %(mark)s", agent=agent, mark=MARKS[who])
    if match.is_human(-who):
        return gettext("%(mark)s to move", mark=MARKS[who])
    return gettext("Your turn as %(mark)s", mark=MARKS[who])


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


# What the ends and the middle of the colours stand for where they say how a box of beads leans.
BEADS = marked("no beads"), marked("an equal share"), marked("all beads")
NO_LONGER = {0: marked("no longer a draw"), 1: marked("no longer a win")}  # after a blunder


EXPECTED = marked("%(agent)s’s values after %(updates)s, %(view)s")
BEADS_THEN = marked("the beads of %(agent)s after %(updates)s, %(view)s")


class Legend(NamedTuple):
    """How to read the colours."""

    caption: str
    facts: str  # what is exactly true of the agent or lens
    errs: bool  # whether values of it can be wrong
    blank: str = ""  # what a square without a value means, "" where all have one
    drawn: bool = False  # whether its moves are drawn like beads, so that it has no one move
    heats: range = range(0)  # colours to show
    scale: tuple[tuple[str, ...], ...] = ()  # what its two ends and its middle stand for


def legend_of(place: Place, opinion: Opinion) -> Legend:
    """Explain an opinion: whose it is, for whom, on what scale, and how far to trust it.

    It is of the position shown, or of an earlier one, which is kept in view.
    """
    world, step = place.world, place.match.step
    player = int(world.game.to_move[opinion.position])
    now = opinion.position == place.position
    when = marked("for %(mark)s (to move)") if now else marked("for %(mark)s (at its last move)")
    view = gettext(when, mark=MARKS[player])
    if is_moves(opinion.lens):
        words = marked("★ is what %(agent)s plays %(view)s: its values are not known")
        caption = gettext(words, agent=world.titles[opinion.lens], view=view)
        return Legend(caption, facts(world, opinion.lens), errs=True)
    worth, decimals = world.worth(opinion.lens), 2
    if opinion.exact:
        caption, decimals = gettext("how the game ends %(view)s", view=view), 0
        exactly = gettext("Found by solving the game.")
    elif world.agents.knows(opinion.lens):
        card = world.agents[opinion.lens].card
        has, had = marked("%(agent)s’s values %(view)s"), EXPECTED
        if opinion.beads:
            has, had = marked("the beads of %(agent)s %(view)s"), BEADS_THEN
        caption = gettext(has, agent=card.title, view=view)
        exactly = facts(world, opinion.lens, step)
        if step is not None:
            trained = updates(card.figures.updates[step])
            caption = gettext(had, agent=card.title, updates=trained, view=view)
    else:
        name = opinion.lens.removesuffix(TASK)
        title, task = world.titles[name], world.task(name) or Task()
        words = marked("Q* of the training task of %(agent)s, %(view)s")
        if task.epsilon:
            words = marked("Q* of the training task of %(agent)s over ε-soft policies, %(view)s")
        caption = gettext(words, agent=title, view=view)
        exactly = gettext("Exact: the task is %(task)s.", task=task_words(world, task))
    return Legend(
        caption=gettext("On the squares: %(what)s", what=caption),
        blank=opinion.blank,
        errs=world.agents.knows(opinion.lens) and not opinion.beads,
        drawn=opinion.beads and world.agents[opinion.lens].card.plays == "proportional",
        heats=HEATS,
        scale=_scale(worth, "x" if player == X else "o", decimals, opinion.own)
        if worth
        else tuple((gettext(words),) for words in BEADS),
        facts=exactly,
    )


def task_words(world: World, task: Task) -> str:
    """Describe a training task: the opponent, and what later results count."""
    whom = gettext("itself") if task.opponent is None else world.titles[task.opponent]
    gamma = localized(f"{task.gamma:g}")
    if task.epsilon:
        epsilon = localized(f"{task.epsilon:g}")
        whom = gettext(
            "%(opponent)s, exploring with ε = %(epsilon)s", opponent=whom, epsilon=epsilon
        )
    words = marked("to play %(opponent)s, with a discount factor of %(gamma)s")
    if task.gamma != 1:
        words = marked("to play %(opponent)s, with a discount factor of %(gamma)s a move")
        if task.plies == 2:
            words = marked(
                "to play %(opponent)s, with a discount factor of %(gamma)s a move of its own"
            )
    return gettext(words, opponent=whom, gamma=gamma)


def squares(game: Game, cells: Sequence[int]) -> str:
    """Name the one or other of some cells, or say how many they are."""
    if len(cells) > NAMED:
        return gettext("any of %(number)s squares", number=len(cells))
    return listed([short_name(game, cell) for cell in cells], "or")


def facts(world: World, name: str, step: int | None = None) -> str:
    """Sum up an agent's exact figures, as shipped or at a snapshot."""
    title, figures = world.titles[name], world.figures(name)
    number = figures.blunders[-1 if step is None else step]
    drawn = world.agents.knows(name) and world.agents[name].card.plays == "proportional"
    said = {"agent": title, "number": count(number), "all": count(world.game.decisions)}
    if step is not None:
        if drawn:
            words = marked(
                "At this snapshot %(agent)s can blunder in %(number)s of %(all)s positions."
            )
        else:
            words = marked(
                "At this snapshot %(agent)s blunders in %(number)s of %(all)s positions."
            )
        return gettext(words, **said)
    safe = [MARKS[player] for player in (X, O) if world.losing(name, player) is None]
    proof = gettext("can be beaten in both seats")
    if safe:
        proof = gettext("cannot be beaten as %(marks)s", marks=listed(safe, "or"))
    words = marked("%(agent)s blunders in %(number)s of %(all)s positions and %(proof)s.")
    if drawn:
        words = marked("%(agent)s can blunder in %(number)s of %(all)s positions and %(proof)s.")
    return gettext(words, **said, proof=proof)


def _scale(worth: Worth, seat: str, decimals: int, own: bool) -> tuple[tuple[str, str], ...]:
    loss, draw, win = getattr(worth, seat)
    names = [marked("loss"), marked("draw"), marked("win")]
    if draw == loss:  # then no result is halfway
        names[:2] = [marked("loss or draw"), ""]
    elif draw == win:
        names[1:] = ["", marked("draw or win")]
    names = [name and gettext(name) for name in names]
    values = [signed(value, decimals) for value in (worth if own else ONES).scale(seat)]
    return tuple(zip(names, values, strict=True))


def _given_away(place: Place, ply: int, cell: int) -> str:
    """Say that a person's move was a blunder, where that may be said."""
    match, position = place.match, place.positions[ply]
    if match.hide or not match.is_human(mover_at(ply)) or place.world.right[position, cell]:
        return ""
    worth = mover_at(ply) * int(place.world.solution.value[position])
    return " " + gettext("A blunder: %(what)s.", what=gettext(NO_LONGER[worth]))


def _result(place: Place) -> str:
    match, outcome = place.match, place.world.game.result(place.position)
    if outcome == 0:
        return gettext("Draw")
    if match.is_human(outcome) and match.is_human(-outcome):
        return gettext("%(mark)s wins", mark=MARKS[outcome])
    if match.is_human(outcome):
        return gettext("You win")
    if match.is_human(-outcome):
        return gettext("You lost")
    agent = place.world.titles[match.seat(outcome)]
    return gettext("%(agent)s wins as %(mark)s", agent=agent, mark=MARKS[outcome])


# X threatens a line that only one square blocks; BEATABLE ends by playing there, and is sure.
BLOCKED = "204"
BEATABLE = "q-learning-1"  # its squares have many colours, and it has a blind spot
BEGINNER_LOSES = 0.1  # of its games against uniformly random moves
STRENGTHS = {
    marked("beginner"): "loses more than one game in ten against random moves, as X or as O",
    marked("strong"): "loses no more than that, and yet can be beaten",
    marked("unbeatable"): "proved: no opponent can win, as X or as O",
}  # the rule in words, for pages


class Stop(NamedTuple):
    """A stop of the lesson; its text is in templates/lesson/lesson.html."""

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


@kept(64, per_language=True)
def character(world: World, name: str) -> Character:
    """Characterise an agent, a baseline or a person.

    The strength follows from exact figures alone.  Unbeatable: no line of play beats it, in either
    seat.  Beginner: in one of its seats it loses more than one game in ten to uniformly random
    moves.  Strong: all others.
    """
    if name == HUMAN:
        return Character("", gettext("Sits at this screen."), None)
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
        return f"{gettext('Known by its moves alone.')} {_carries(world, name)}"
    if not world.agents.knows(name):
        return gettext(BASELINES[name].line)
    how = ALGORITHMS[world.agents[name].card.algorithm].origin
    opponents = [opponent_name(world, opponent) for opponent, _ in world.recipe(name).phases]
    met = gettext(" and then ").join(opponents)
    return f"{gettext(how).format(met)} {_carries(world, name)}"


def _carries(world: World, name: str) -> str:
    kind, safe = strength(world, name), world.judgement(name).unbeatable
    if kind == "unbeatable":
        return gettext("No opponent can win.")
    if kind == "beginner":
        chance, seat = _worst(world, name)
        share = percent(chance, 0)
        return gettext(
            "As %(mark)s it loses %(share)s%% of its games against random moves.",
            mark=seat.upper(),
            share=share,
        )
    if any(safe.values()):
        seat = next(seat for seat, proved in safe.items() if proved)
        return gettext("Never loses as %(mark)s.", mark=seat.upper())
    number = world.judgement(name).blunders
    return ngettext("Blunders in %(count)s position.", "Blunders in %(count)s positions.", number)


def _opening(world: World, name: str) -> tuple[int | None, ...]:
    view = opinion(world, 0, name)
    return tuple(heat if known else None for heat, known in zip(view.heat, view.known, strict=True))
