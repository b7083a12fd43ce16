"""A person as the opponent: the recipe contains the person's moves, so they are known in advance."""

from app.textbook.loop import list_turns


class Person:
    """A person who plays one game; `cells` has a digit for each cell that the person fills."""

    def __init__(self, cells):
        self.cells = iter(cells)

    def choose(self, board, rng):
        return int(next(self.cells))


def list_turns_with_people(phases, opponents, people):
    """Yield the turns of a training; `people` has a Person for each game against a person.

    From each of these games to the next the learner changes its seat, even with other games between
    them.
    """
    games = enumerate(people)
    for turn in list_turns(phases, opponents):
        if turn.opponent == "you":
            number, person = next(games)
            yield turn._replace(player=person, number=number, earlier_turns=number)
        else:
            yield turn
