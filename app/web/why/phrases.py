"""What the sentences about a value are made of, whatever the algorithm."""

from app.tictactoe.notation import MARKS
from app.web.lens import opinion
from app.web.numbers import signed
from app.web.players import TRUTH
from app.web.why.answers import Answer, Pair, Reason
from app.web.why.reasons import ITSELF
from app.web.words import place

ENDS = {-1: "lost", 0: "drawn", 1: "won"}
NEAR = 0.005  # less than the second decimal shows
SAME = 1e-6  # what float32 may be off by


def square(pair: Pair, cell: int | None) -> str:
    """Name a cell."""
    return place(pair.players, cell or 0)


def opponent(pair: Pair) -> str:
    """Name who gives the answers."""
    name = pair.agent.card.opponents[-1]
    return "Its own best play" if name == ITSELF else pair.players.titles[name]


def truth(pair: Pair, answer: Answer | None = None) -> str:
    """Say how the game ends with best play after the move, or after an answer to it."""
    if answer is None:
        return opinion(pair.players, pair.position, TRUTH).truths[pair.cell]
    if answer.outcome is not None:
        return ENDS[answer.outcome]
    seen = opinion(pair.players, answer.position, TRUTH)
    return seen.truths[seen.best.index(True)]


def best_next(pair: Pair, answer: Answer) -> str:
    """Say what an update finds after an answer: the end, or the mover's best move."""
    if answer.found is None:
        return f"the game is {ENDS[answer.outcome or 0]}"
    best = opinion(pair.players, answer.position, pair.lens).best.index(True)
    return f"best next move {square(pair, best)}, {signed(answer.found)}"


def worth_to_other(pair: Pair, answer: Answer) -> str:
    """Say what an update finds where the answer is itself a move with a value."""
    decimals = 0 if pair.lens == TRUTH else 2
    return f"worth {signed(answer.found or 0.0, decimals)} to {MARKS[-pair.mover]}"


def expected(pair: Pair, reason: Reason) -> str:
    """Say what the answers of the opponent lead to, and what that is on average."""
    given = reason.given
    if given[0].cell is None:
        return end(pair, given[0])
    target = f"The target is {reason.hedge}{signed(reason.target)}"
    if len(given) == 1:
        only = f"{square(pair, given[0].cell)}: {best_next(pair, given[0])}"
        return f"{opponent(pair)} has one answer, {only}. {target}."
    several = f"{opponent(pair)} has {len(given)} answers, each as likely as the others"
    return f"{several}: {', '.join(_consequences(given))}. {target} on average."


def _consequences(given: list[Answer]) -> list[str]:
    """Say after how many answers the game is over, and what the next move is worth if not."""

    def after(number: int) -> str:
        return f"after {'each' if number == len(given) else number}"

    counts = {word: sum(answer.outcome == end for answer in given) for end, word in ENDS.items()}
    said = [f"{after(number)} the game is {word}" for word, number in counts.items() if number]
    if found := [answer.found for answer in given if answer.found is not None]:
        span = " to ".join(dict.fromkeys([signed(min(found)), signed(max(found))]))
        said.append(f"{after(len(found))} the best next move is worth {span}")
    return said


def end(pair: Pair, answer: Answer) -> str:
    """Say that the move ends the game, and that an update is made of the reward alone."""
    draws = "every update draws it to" if pair.known else "an update would draw it to"
    ended = f"The game is {ENDS[answer.outcome or 0]} by this move"
    return f"{ended}: {draws} the reward, {signed(answer.reward)}."


def above(pair: Pair, reason: Reason) -> float:
    """Return how far the value is above its target, by the numbers as they are shown."""
    return round(round(pair.value, 2) - round(reason.target, 2), 2)


def distance(pair: Pair, reason: Reason) -> list[str]:
    """Say how far the value is from the target; nothing of a value that is unknown."""
    if not pair.known or not reason.has_target:
        return []
    if abs(pair.value - reason.target) < SAME:
        return ["The value is just that."]
    off = above(pair, reason)
    if not off:
        return ["The value is less than 0.01 away from that."]
    return [f"The value is {abs(off):.2f} {'above' if off > 0 else 'below'} that."]


def memory(pair: Pair, reason: Reason) -> list[str]:
    """Say what else there is in a value that goes a fixed part of the way at every update."""
    if not pair.known or not reason.has_target:
        return []
    alpha = pair.parameter("alpha")
    begun = (1 - alpha) ** pair.visits
    if begun >= NEAR:
        times = "one update" if pair.visits == 1 else f"{pair.visits} updates"
        return [f"After {times}, {100 * begun:.0f}% of it is still what it began with."]
    if abs(pair.value - reason.target) < NEAR:
        return []
    last = max(1, round(1 / alpha))
    share = 100 * (1 - (1 - alpha) ** last)
    return [f"With a step size of {alpha:g} the last {last} targets make up {share:.0f}% of it."]


def backward(reason: Reason) -> list[str]:
    """Say that what an update finds is not yet what is shown, where later moves learn first."""
    if not reason.bootstraps:
        return []
    return ["Updates go backward over each game: the next move's value has just moved itself."]


def images(pair: Pair) -> list[str]:
    """Say how many boards share the value, where symmetric ones do."""
    classes = pair.game.symmetry_class
    shared = int((classes == classes[pair.after]).sum())
    if shared == 1:
        return []
    boards = f"{shared} boards: the one that the move makes, turned and mirrored"
    return [f"One value serves {boards}."]
