"""The person who taught, by the moves that they played."""

from training.textbook.loop import list_turns


class Person:
    """The person in one game: `cells` has a digit for each cell that they played."""

    def __init__(self, cells):
        self.cells = iter(cells)

    def choose(self, board, rng):
        """Return the next cell."""
        return int(next(self.cells))


def list_turns_with_people(phases, opponents, people):
    """List the turns of a training in which people teach, one in each of their games.

    They change seats from each of their games to the next, whatever lies between.
    """
    games = enumerate(people)
    for turn in list_turns(phases, opponents):
        if turn.opponent == "you":
            number, person = next(games)
            yield turn._replace(player=person, number=number, played=number)
        else:
            yield turn
