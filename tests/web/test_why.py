"""Why a value is what it is: the numbers, the sentences, and the page.

tests/golden/why.txt holds the whole explanation of some moves, over all algorithms.  If a change
of the code changes it on purpose, write it anew with `UPDATE_GOLDEN=1 python -m pytest
tests/web/test_why.py` and read what has become of it.

Its arithmetic is checked by another route: `Slow` below plays with boards as text, by the rules of
tests/tictactoe/reference.py, and knows of the app only the arrays that a model holds.
"""

import os
import re
import shutil
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import numpy as np
import pytest
from flask.testing import FlaskClient

from app.tictactoe.game import O, X
from app.tictactoe.notation import DIGITS, position_text, record_to, replay
from app.web import create_app
from app.web.deployment import ROOT
from app.web.match import Match
from app.web.numbers import signed
from app.web.players import TRUTH, Players
from app.web.why.answers import Pair, Reason
from app.web.why.explanation import explain, text_lines
from app.web.why.page import why_address
from app.web.why.rules import RULES, rule_of
from app.web.why.rules.champion import BOUNDS
from app.web.why.rules.league import exchanged, other_seat
from app.web.why.rules.mitchell import shares_entry
from tests.tictactoe.reference import SIGN, Rules, equally, mover, place
from training.owners_view import own_moves, view_of

GOLDEN = Path(__file__).parents[1] / "golden" / "why.txt"
HTMX = {"HX-Request": "true"}
MOVES = [  # record, cell, lens
    ("408", 2, "q-learning-2"),  # far from its average: the last outcomes were bad luck
    ("4", 1, "q-learning-4"),  # its last opponent was itself
    ("40826", 7, "q-learning-1"),
    ("408215", 6, "q-iteration"),
    ("4", 1, "q-iteration"),  # sticky
    ("408", 5, "q-table"),
    ("40862", 3, "q-table-draw-1"),
    ("4082", 6, "double-q"),
    ("1025478", 6, "double-q"),  # every answer ends the game
    ("4082", 1, "q-table-vs-minimax"),
    ("4", 8, "q-learning-1"),  # never updated
    ("40", 8, "self-play"),
    ("40821735", 6, "self-play"),  # X draws by it
    ("0", 4, "symmetric"),
    ("04", 3, "observing"),
    ("40815", 2, "q-learning-player"),  # O wins by it
    ("40", 8, "champion"),
    ("408", 2, "dqn-vs-heuristic"),
    ("408", 5, "dqn-vs-random"),
    ("4081", 7, "dqn-vs-random"),  # never played
    ("4081", 7, "truth"),
]
LEAGUE = ("q-learning-player", "observing", "symmetric", "observing-symmetric")
ANSWERED = ("Q-iteration", "Q-learning, games", "Q-learning on", "Double", "Deep")


class Slow:
    """What a value is drawn to, told a second time."""

    def __init__(self, players: Players) -> None:
        self.rules, self.players = Rules(), players
        self.policies = {
            "random": self.rules.uniform(),
            "t-hand": self.rules.t_hand(),
            "minimax-random": self.rules.minimax_random(),
        }
        self.tables = {name: self._table(agent.q) for name, agent in players.agents.items()}

    def _table(self, q: np.ndarray) -> dict[str, dict[int, float]]:
        game = self.players.game
        return {
            position_text(game, s): {
                cell: float(q[s, cell]) for cell in np.flatnonzero(game.legal[s]).tolist()
            }
            for s in range(game.decisions)
        }

    def gamma(self, lens: str) -> float:
        return float(self.players.agents[lens].card.parameters["gamma"])

    def target(self, lens: str, board: str, cell: int) -> float:
        if lens == TRUTH:
            return SIGN[mover(board)] * self.rules.solved[place(board, cell, mover(board))][0]
        algorithm = self.players.agents[lens].card.algorithm
        after = place(board, cell, mover(board))
        if algorithm.startswith("Q-learning for uncertain"):
            return self.league(lens, board, after)
        if self.rules.result(after) is not None:
            return self.worth(lens, after, mover(board))
        if algorithm.startswith(ANSWERED):
            return self.average(lens, after)
        highest = max(self.tables[lens][after].values())
        return -highest * (0.9 if lens == "self-play" else 1.0)

    def worth(self, lens: str, board: str, mark: str) -> float:
        worth = self.players.agents[lens].card.worth
        outcome = (self.rules.result(board) or 0) * SIGN[mark]
        return float((worth.x if mark == "X" else worth.o)[outcome + 1])

    def average(self, lens: str, after: str) -> float:
        """Over the answers of the last opponent; for two tables an end counts twice."""
        opponent, total, weights = self.players.agents[lens].card.opponents[-1], 0.0, 0.0
        own = {"X": "O", "O": "X"}[mover(after)]
        row = self.greedy(lens, after) if opponent == "self" else self.policies[opponent][after]
        for answer, chance in row.items():
            board, weight = place(after, answer, mover(after)), float(chance)
            if self.rules.result(board) is not None:
                target = self.worth(lens, board, own)
                weight *= 2 if lens == "double-q" else 1
            else:
                step = -0.1 if lens.startswith("dqn") else 0.0
                target = step + self.gamma(lens) * max(self.tables[lens][board].values())
            total, weights = total + weight * target, weights + weight
        return total / weights

    def greedy(self, lens: str, board: str) -> dict[int, Fraction]:
        row = self.tables[lens][board]
        best = [cell for cell, value in row.items() if value == max(row.values())]
        return equally(best)

    def league(self, lens: str, board: str, after: str) -> float:
        own, table = mover(board), self.tables[lens]
        if self.rules.result(after) is not None:
            return self.drawn_to(lens, after, own)
        if own == "O":  # as its owner sees it, it is a board of an owner who plays X
            seen = after.translate(str.maketrans("XO", "OX"))
            return self.gamma(lens) * max(0, *table[seen].values())
        children = self.rules.children[after].values()
        return self.gamma(lens) * max(0, *(self.drawn_to(lens, child, own) for child in children))

    def drawn_to(self, lens: str, board: str, own: str) -> float:
        """Where the owner is to move, or all actions are worth the reward."""
        if self.rules.result(board) is None:
            return self.gamma(lens) * max(0, *self.tables[lens][board].values())
        reward = self.worth(lens, board, own)
        return reward + self.gamma(lens) * max(0, reward)


@pytest.fixture(scope="module")
def slow(players: Players) -> Slow:
    return Slow(players)


def pair_of(players: Players, record: str, cell: int, lens: str) -> Pair:
    return Pair(players, lens, replay(players.game, record)[-1], cell)


def pairs(players: Players, lens: str, every: int) -> list[Pair]:
    legal = np.argwhere(players.game.legal).tolist()[::every]
    return [Pair(players, lens, position, cell) for position, cell in legal]


def reason(pair: Pair) -> Reason:
    return rule_of(pair).reason(pair)


def explained(players: Players, record: str, cell: int, lens: str) -> list[str]:
    pair = pair_of(players, record, cell, lens)
    board = position_text(players.game, pair.position)
    lines = [why_address(Match(record, lens=lens), cell)]
    lines += [f"  {' '.join(board[row : row + 3])}" for row in range(0, 9, 3)]
    return [*lines, *text_lines(explain(pair)), ""]


def number(text: str) -> float:
    return float(re.findall(r"[−+]?[\d,]+\.?\d*", text)[-1].replace("−", "-").replace(",", ""))


def test_the_explanations_are_as_written(players: Players) -> None:
    found = "\n".join(line for move in MOVES for line in explained(players, *move))
    if os.environ.get("UPDATE_GOLDEN"):
        GOLDEN.write_text(found)
    assert found == GOLDEN.read_text()


def test_the_file_shows_every_algorithm(players: Players) -> None:
    shown = {players.agents[lens].card.algorithm for _, _, lens in MOVES if lens != TRUTH}
    assert shown == {agent.card.algorithm for agent in players.agents.values()}
    assert set(RULES) == {pair_of(players, *move).section for move in MOVES}


@pytest.mark.parametrize(("record", "cell", "lens"), MOVES)
def test_the_numbers_in_the_file_are_right(
    players: Players, slow: Slow, record: str, cell: int, lens: str
) -> None:
    block = GOLDEN.read_text().split(why_address(Match(record, lens=lens), cell) + "\n")[1]
    lines = block.split("\n\n")[0].splitlines()
    board = "".join(line.replace(" ", "") for line in lines[:3])
    facts = dict(line.strip().split(": ", 1) for line in lines if re.match(r"  \w[^|]*: ", line))
    result, plies = slow.rules.solved[place(board, cell, mover(board))]
    value, ending = facts["Exact value"].split(", ")
    assert number(value) == result * SIGN[mover(board)]
    assert ending == "draw" if result == 0 else ending.endswith(f" in {plies + 1}")
    if lens != TRUTH:
        pair = pair_of(players, record, cell, lens)
        agent = players.agents[lens]
        assert abs(number(facts["Value"]) - agent.q[pair.position, cell]) < 0.005 + 1e-6
        counts = [value for name, value in facts.items() if re.match("Updates|Times|Games", name)]
        assert [number(count) for count in counts] == [agent.visits[pair.position, cell]]
    if target := facts.get("Target of the next update"):
        assert abs(number(target) - slow.target(lens, board, cell)) < 0.005 + 1e-6
    else:
        assert lens in ("q-iteration", TRUTH)
    answers = slow.rules.children[place(board, cell, mover(board))]
    assert len([line for line in lines if line.startswith("  - ")]) == len(answers)


def test_the_targets_are_those_of_a_second_route(players: Players, slow: Slow) -> None:
    for lens in players.lenses:
        for pair in pairs(players, lens, 41):
            found = reason(pair)
            board = position_text(players.game, pair.position)
            assert sum(answer.chance for answer in found.answers) == pytest.approx(1)
            if not (lens == "q-iteration" and pair.value == -1):
                target = slow.target(lens, board, pair.cell)
                assert found.target == pytest.approx(target, abs=1e-6), (lens, board, pair.cell)


def test_what_the_other_seat_draws_an_entry_to_is_found_by_a_second_route(
    players: Players, slow: Slow
) -> None:
    league = [
        lens for lens in players.agents if pair_of(players, "", 0, lens).section == "mitchell"
    ]
    for lens in league:
        for pair in pairs(players, lens, 23):
            if shares_entry(pair):
                board = position_text(players.game, pair.position)
                after = place(board.translate(str.maketrans("XO", "OX")), pair.cell, "X")
                assert other_seat(pair) == pytest.approx(slow.drawn_to(lens, after, "O"))


@pytest.mark.parametrize("symmetries", [1, 8])
def test_the_leagues_entries_are_shared_as_the_page_says(players: Players, symmetries: int) -> None:
    game = players.game
    view = view_of(game, symmetries)
    own, (as_x, as_o) = own_moves(game, view), view.entry
    x_moves, o_moves = game.to_move == X, game.to_move == O
    for position in np.flatnonzero(x_moves)[::5]:
        twin, legal = exchanged(game, position), game.legal[position]
        assert (as_o[position][legal] == own[twin][legal]).all()
    kept = set(own[game.legal].tolist())
    assert not kept & set(as_x[o_moves][game.legal[o_moves]].tolist())
    elsewhere = {*as_x[game.legal].tolist(), *as_o[x_moves][game.legal[x_moves]].tolist()}
    assert not elsewhere & set(as_o[o_moves][game.legal[o_moves]].tolist())


@pytest.mark.parametrize("lens", ["q-iteration", "champion", "truth"])
def test_where_nothing_is_left_to_chance_the_value_is_its_target(
    players: Players, lens: str
) -> None:
    for pair in pairs(players, lens, 3):
        found = reason(pair)
        if lens == "q-iteration" and pair.value == -1:
            assert -1 in {answer.target for answer in found.answers}
        else:
            assert pair.value == found.target
    assert set(BOUNDS) >= set(np.unique(players.agents["champion"].q[players.game.legal]).tolist())


def test_self_play_has_all_but_settled(players: Players) -> None:
    found = pairs(players, "self-play", 3)
    assert max(abs(pair.value - reason(pair).target) for pair in found) < 0.05


def test_the_crossed_opinions_of_two_tables_are_at_most_their_average() -> None:
    one, other = np.random.default_rng(1).normal(size=(2, 1000, 5))
    rows = np.arange(1000)
    crossed = other[rows, one.argmax(1)] + one[rows, other.argmax(1)]
    assert (crossed / 2 <= ((one + other) / 2).max(1) + 1e-12).all()


@pytest.mark.parametrize("lens", ["q-table", "double-q", "q-table-draw-1", "q-table-vs-minimax"])
def test_of_a_next_move_is_spoken_only_where_there_is_one(players: Players, lens: str) -> None:
    alone = 0
    for pair in pairs(players, lens, 17):
        answers = [answer for answer in reason(pair).answers if answer.chance]
        goes_on = any(not players.game.is_over(answer.position) for answer in answers)
        alone += answers[0].cell is not None and not goes_on
        said = "\n".join(text_lines(explain(pair)))
        assert ("the next move's value" in said) == goes_on
        assert ("at most" in said) == ("Two tables" in said) == (goes_on and lens == "double-q")
    assert alone  # answers that all end the game


@pytest.mark.parametrize(
    ("record", "cell", "lens"), [("1025478", 6, "double-q"), ("0126587", 3, "q-table")]
)
def test_a_target_of_results_alone_is_exact(
    players: Players, record: str, cell: int, lens: str
) -> None:
    pair = pair_of(players, record, cell, lens)
    results = [answer.reward for answer in reason(pair).answers if answer.outcome is not None]
    assert len(results) == len(reason(pair).answers)
    assert reason(pair).target == sum(results) / len(results)
    told = explain(pair)
    assert dict(told.facts)["Target of the next update"] == signed(reason(pair).target)


def test_the_distance_is_that_of_the_numbers_shown(players: Players) -> None:
    for lens in players.agents:
        for pair in pairs(players, lens, 211):
            told = explain(pair)
            facts, said = dict(told.facts), " ".join(told.sentences)
            for off, side in re.findall(r"is ([\d.]+) (above|below) that", said):
                apart = number(facts["Value"]) - number(facts["Target of the next update"])
                assert f"{abs(apart):.2f}" == off, (lens, pair.position, pair.cell)
                assert (apart > 0) == (side == "above")


def test_nothing_is_said_of_the_updates_of_an_unknown_algorithm(players: Players) -> None:
    agent = players.agents["q-table"]
    card = msgspec.structs.replace(agent.card, algorithm="Somebody's own", parameters={})
    theirs = replace(players, agents={"q-table": replace(agent, card=card)})
    lines = text_lines(explain(pair_of(theirs, "40", 8, "q-table")))
    assert "How its algorithm updates a value is not known here." in lines
    assert not [line for line in lines if re.search("Target|Chance|Counts|E\\[y\\]", line)]
    assert len([line for line in lines if line.startswith("  - ")]) == 6


def test_every_why_is_there(client: FlaskClient, players: Players) -> None:
    for lens in players.lenses:
        for pair in pairs(players, lens, 401):
            record = record_to(players.game, pair.position)
            url = why_address(Match(record, lens=lens), pair.cell)
            response = client.get(url, headers=HTMX)
            assert response.status_code == 200, url
            for formula in re.findall(r"<math.*?</math>", response.text, re.DOTALL):
                ElementTree.fromstring(formula.replace("&nbsp;", " "))
            page = response.text.replace("&#39;", "'")
            assert all(f"<p>{sentence}</p>" in page for sentence in explain(pair).sentences)


@pytest.mark.parametrize("lens", ["champion", "q-learning-4", "observing"])
def test_an_agent_is_explained_where_it_is_the_only_one(tmp_path: Path, lens: str) -> None:
    for file in (ROOT / "models").glob(f"{lens}.*"):
        shutil.copy(file, tmp_path)
    client = create_app(tmp_path).test_client()
    for record in ("", "40", "408", "4081"):
        for who in (lens, TRUTH):
            assert client.get(f"/why/{record}?o=human&lens={who}").status_code == 200
        assert client.get(f"/why/{record}").status_code == 200


def test_each_square_leads_to_its_own_why(client: FlaskClient) -> None:
    page = client.get("/why/40?x=minimax&o=q-table&lens=truth&cell=8").text
    for cell in DIGITS[:9]:
        link = f'href="/why/40?x=minimax&amp;o=q-table&amp;lens=truth&amp;cell={cell}"'
        assert f'id="why-board-{cell}"' in page
        assert (link in page) == (cell not in "40")
    assert 'href="/play/40?x=minimax&amp;o=q-table&amp;lens=truth"' in page
    assert 'href="/play/4081?x=minimax&amp;o=q-table&amp;lens=truth&amp;pause=1"' in page


def test_without_a_square_it_is_the_best(client: FlaskClient) -> None:
    assert client.get("/why/40?lens=truth").data == client.get("/why/40?lens=truth&cell=1").data
    assert client.get("/why/").status_code == 200


def test_the_fragment_is_the_part_of_the_page_that_it_replaces(client: FlaskClient) -> None:
    page = client.get("/why/40?cell=8").text
    fragment = client.get("/why/40?cell=8", headers=HTMX).text
    assert fragment.strip() in page
    assert fragment.strip().startswith('<section id="why"')
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    assert not re.search(r"\sstyle=|<style", page)


@pytest.mark.parametrize(
    ("url", "code", "sentence"),
    [
        ("/why/4?cell=4", 409, "The square at row 2, column 2 is taken"),
        ("/why/03142?cell=8", 409, "The game is over after 5 moves"),
        ("/why/4?cell=9", 400, "cell=9 in the address is wrong: cell is 0 to 8."),
        ("/why/4?cell=11", 400, "cell=11 in the address is wrong"),
        ("/why/4?cell=0&lens=nobody", 400, "There are no values of"),
        ("/why/4?cell=0&lens=q-table&step=2", 400, "Only the values as shipped can be explained"),
        ("/why/44?cell=0", 409, "This game cannot be"),
    ],
)
def test_what_is_wrong_is_said(client: FlaskClient, url: str, code: int, sentence: str) -> None:
    response = client.get(url)
    assert response.status_code == code
    assert sentence in response.text


def test_a_snapshot_has_no_why() -> None:
    assert why_address(Match("4", lens="q-table", step=3), 0) == ""
