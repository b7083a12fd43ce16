"""Why a value is what it is: the numbers, the sentences, and the page.

tests/golden/why.txt has the whole explanation of some moves, for all algorithms.  After an intended
change, update it with `UPDATE_GOLDEN=1 python -m pytest tests/web/test_why.py` and read the
difference.

The arithmetic is checked in a second way: `Slow` below plays with boards as text, by the rules of
tests/tictactoe/reference.py, and uses only the arrays of a model.

"""

import operator
import os
import re
from fractions import Fraction
from pathlib import Path
from typing import Any, get_args
from xml.etree import ElementTree

import numpy as np
import pytest
from flask import Flask
from flask.testing import FlaskClient
from msgspec.structs import asdict

from app.recipes.algorithms import FaultName
from app.reference import get_move_key, make_learner
from app.textbook.table import get_reward
from app.tictactoe.game import GAME
from app.tictactoe.notation import find_record, format_position, replay_record
from app.web.algorithms import ALGORITHM_PAGES, find_algorithm_slug, find_explaining_algorithm
from app.web.algorithms.targets import ValueQuery, ValueReason
from app.web.links.play import SQUARE_ROUTE, match_url
from app.web.links.why import why_url
from app.web.match import Match
from app.web.pages.parts.next_update import list_update_cases
from app.web.pages.why import explain_value
from app.web.site_data import TASK_SUFFIX, TRUTH, SiteData
from tests.tictactoe.reference import SIGN, Rules, Told, equally, mover, place

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
    ("4", 1, "q-learning-1"),  # never updated
    ("40", 8, "self-play"),
    ("40821735", 6, "self-play"),  # X draws by it
    ("0", 4, "symmetric"),
    ("04", 3, "observing"),
    ("40815", 2, "q-learning-player"),  # O wins by it
    ("40", 8, "champion"),
    ("408", 2, "dqn-vs-heuristic"),
    ("408", 5, "dqn-vs-random"),
    ("657", 0, "dqn-vs-random"),  # never played
    ("", 1, "double-q"),  # two decimals would not fit the difference
    ("408", 2, "sarsa"),
    ("1025478", 6, "sarsa"),  # every answer ends the game
    ("40", 8, "expected-sarsa"),
    ("40", 8, "sarsa-lambda"),
    ("1025478", 6, "sarsa-lambda"),  # every answer ends the game
    ("8", 4, "monte-carlo"),
    ("40826", 7, "monte-carlo"),
    ("8", 0, "td-afterstates"),
    ("40815", 2, "td-afterstates"),  # O wins by it
    ("4", 8, "mcts"),
    ("4082", 5, "mcts"),
    ("40815", 2, "mcts"),  # O wins by it
    ("4081", 7, "truth"),
    ("408", 2, "q-learning-2_task"),
    ("4", 1, "q-learning-4_task"),  # against itself
    ("40", 8, "self-play_task"),
    ("408", 5, "dqn-vs-random_task"),
    ("7", 4, "sarsa_task"),
]
# agents with beads instead of expected results: see test_beads.py
BEADS = [
    ("04", 2, "menace"),
    ("0", 1, "menace"),
]
# Later moves are theirs, exploring.
ON_POLICY = ("sarsa", "expected-sarsa", "sarsa-lambda", "monte-carlo")
ANSWERED = ("q-iteration", "q-learning", "q-table", "double-q", "dqn", "td-afterstates", *ON_POLICY)


class Slow:
    """The target of a value, computed again."""

    def __init__(self, site: SiteData) -> None:
        self.rules, self.site = Rules(), site
        self.brought: dict[str, float] = {}  # mean returns of Monte Carlo by entry
        self.policies = {
            "random": self.rules.uniform(),
            "t-hand": self.rules.t_hand(),
            "minimax-random": self.rules.minimax_random(),
        }
        self.boards = [format_position(GAME, s) for s in range(GAME.decisions)]
        self.tables = Told(self.read_table)

    def read_table(self, lens: str) -> dict[str, dict[int, float]]:
        name = lens.removesuffix(TASK_SUFFIX)
        q = self.site.agents[name].q if name == lens else self.site.get_task_q(name)
        assert q is not None
        return {
            board: {cell: row[cell] for cell in self.rules.children[board]}
            for board, row in zip(self.boards, q.tolist(), strict=True)
        }

    def gamma(self, lens: str) -> float:
        return float(asdict(self.site.get_recipe(lens.removesuffix(TASK_SUFFIX))).get("gamma", 1.0))

    def target(self, lens: str, board: str, cell: int) -> float:
        if lens == TRUTH:
            return SIGN[mover(board)] * self.rules.solved[place(board, cell, mover(board))][0]
        name = lens.removesuffix(TASK_SUFFIX)
        algorithm = self.site.agents[name].card.algorithm
        after = place(board, cell, mover(board))
        if algorithm == "league":
            return self.league(lens, board, after)
        if self.rules.result(after) is not None:
            return self.worth(lens, after, mover(board))
        if algorithm in ANSWERED:
            return self.average(lens, after)
        highest = max(self.tables[lens][after].values())
        return -highest * (0.9 if name == "self-play" else 1.0)

    def worth(self, lens: str, board: str, mark: str) -> float:
        worth = self.site.agents[lens.removesuffix(TASK_SUFFIX)].card.reward_scale
        assert worth, "of beads see test_beads.py"
        outcome = (self.rules.result(board) or 0) * SIGN[mark]
        return float((worth.x if mark == "X" else worth.o)[outcome + 1])

    def average(self, lens: str, after: str) -> float:
        """Return the mean over the replies of the last opponent; for two tables an end counts twice."""
        opponent, _ = self.site.get_recipe(lens.removesuffix(TASK_SUFFIX)).phases[-1]
        total = weights = 0.0
        own = {"X": "O", "O": "X"}[mover(after)]
        row = self.greedy(lens, after) if opponent == "self" else self.policies[opponent][after]
        for answer, chance in row.items():
            board, weight = place(after, answer, mover(after)), float(chance)
            if self.rules.result(board) is not None:
                target = self.worth(lens, board, own)
                weight *= 2 if lens == "double-q" else 1
            else:
                step = -0.1 if lens.startswith("dqn") else 0.0
                target = step + self.gamma(lens) * self.found(lens, board)
            total, weights = total + weight * target, weights + weight
        return total / weights

    def found(self, lens: str, board: str) -> float:
        """Return the value of the next state for an update, or its mean over games."""
        row, name = self.tables[lens][board], lens.removesuffix(TASK_SUFFIX)
        explored = 0.0
        if self.site.agents[name].card.algorithm in ON_POLICY:
            explored = asdict(self.site.get_recipe(name))["epsilon"]
        if lens != "monte-carlo":
            return (1 - explored) * max(row.values()) + explored * sum(row.values()) / len(row)
        if board not in self.brought:
            greedy = self.greedy(lens, board)
            self.brought[board] = sum(
                ((1 - explored) * float(greedy.get(cell, 0)) + explored / len(row))
                * self.target(lens, board, cell)
                for cell in row
            )
        return self.brought[board]

    def greedy(self, lens: str, board: str) -> dict[int, Fraction]:
        row = self.tables[lens][board]
        best = [cell for cell, value in row.items() if abs(value - max(row.values())) < 1e-9]
        return equally(best)

    def league(self, lens: str, board: str, after: str) -> float:
        own, table = mover(board), self.tables[lens]
        if self.rules.result(after) is not None:
            return self.drawn_to(lens, after, own)
        if own == "O":  # O's table has boards with own stones as X
            seen = after.translate(str.maketrans("XO", "OX"))
            return self.gamma(lens) * max(0, *table[seen].values())
        children = self.rules.children[after].values()
        return self.gamma(lens) * max(0, *(self.drawn_to(lens, child, own) for child in children))

    def drawn_to(self, lens: str, board: str, own: str) -> float:
        """Return the target for a decision of the owner, or if all actions have the reward."""
        if self.rules.result(board) is None:
            return self.gamma(lens) * max(0, *self.tables[lens][board].values())
        reward = self.worth(lens, board, own)
        return reward + self.gamma(lens) * max(0, reward)


@pytest.fixture(scope="module")
def slow(site: SiteData) -> Slow:
    return Slow(site)


def pair_of(site: SiteData, record: str, cell: int, lens: str) -> ValueQuery:
    return ValueQuery(site, lens, replay_record(GAME, record)[-1], cell)


def pairs(site: SiteData, lens: str, every: int) -> list[ValueQuery]:
    legal = np.argwhere(GAME.legal).tolist()[::every]
    return [ValueQuery(site, lens, position, cell) for position, cell in legal]


def reason(pair: ValueQuery) -> ValueReason:
    return find_explaining_algorithm(pair).compute_value_reason(pair)


def row_lines(explanation: dict[str, Any]) -> list[str]:
    lines = []
    for row in explanation["rows"]:
        shared = f"{explanation['reply_heading']} {row['share_text']}"
        parts = [
            row["square_name"],
            shared,
            row["next_value_text"],
            f"y: {row['target_text']}",
            row["optimal_result"],
        ]
        lines.append(f"  - {' | '.join(parts)}")
    return lines


def state_value(app: Flask, pair: ValueQuery) -> str:
    """Return the sentence that states a value, from its template."""
    macros: Any = app.jinja_env.get_template("why/_value.html").module
    return str(
        macros.state_value(explain_value(pair)["value_statement"], find_algorithm_slug(pair))
    ).strip()


def explained(app: Flask, site: SiteData, record: str, cell: int, lens: str) -> list[str]:
    pair = pair_of(site, record, cell, lens)
    told = explain_value(pair)
    macros: Any = app.jinja_env.get_template("why/_value.html").module
    html = str(macros.list_facts(told, find_algorithm_slug(pair)))
    facts = re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", html, re.DOTALL)
    board = format_position(GAME, pair.position)
    lines = [why_url(Match(record, value_source=lens), cell)]
    lines += [f"  {' '.join(board[row : row + 3])}" for row in range(0, 9, 3)]
    lines += [told["heading"], state_value(app, pair), *told["sentences"]]
    lines += [f"  {name}: {value}" for name, value in facts]
    return [*lines, *row_lines(told), ""]


def number(text: str) -> float:
    return float(re.findall(r"[−+]?[\d,]+\.?\d*", text)[-1].replace("−", "-").replace(",", ""))


def test_the_explanations_are_as_written(app: Flask, site: SiteData) -> None:
    found = "\n".join(line for move in [*MOVES, *BEADS] for line in explained(app, site, *move))
    if os.environ.get("UPDATE_GOLDEN"):
        GOLDEN.write_text(found)
    assert found == GOLDEN.read_text()


def test_the_file_shows_every_algorithm(site: SiteData) -> None:
    shown = {find_algorithm_slug(pair_of(site, *move)) for move in [*MOVES, *BEADS]}
    assert shown == {agent.card.algorithm for agent in site.agents.values()} | {"minimax"}
    assert shown == set(ALGORITHM_PAGES)


@pytest.mark.parametrize(("record", "cell", "lens"), MOVES)
def test_the_numbers_in_the_file_are_right(
    site: SiteData, slow: Slow, record: str, cell: int, lens: str
) -> None:
    block = GOLDEN.read_text().split(why_url(Match(record, value_source=lens), cell) + "\n")[1]
    lines = block.split("\n\n")[0].splitlines()
    board = "".join(line.replace(" ", "") for line in lines[:3])
    facts = dict(line.strip().split(": ", 1) for line in lines if re.match(r"  \w[^|]*: ", line))
    result, plies = slow.rules.solved[place(board, cell, mover(board))]
    value, ending = facts["With optimal play"].split(", ")
    assert number(value) == result * SIGN[mover(board)]
    winner_moves = plies // 2 + 1
    moves = f"{winner_moves} move{'s' * (winner_moves > 1)}"
    assert ending == "draw" if result == 0 else ending.endswith(f" in {moves}")
    pair = pair_of(site, record, cell, lens)
    exact = None if lens == TRUTH else site.get_task_q(lens.removesuffix(TASK_SUFFIX))
    if lens in site.agents:
        agent = site.agents[lens]
        assert abs(number(facts["Value"]) - agent.q[pair.position, cell]) < 0.005 + 1e-6
        counts = [
            value
            for name, value in facts.items()
            if re.match("Updates|Times|Games|Simulated", name)
        ]
        assert [number(count) for count in counts] == [agent.visits[pair.position, cell]]
        assert ("Exact value against its training opponent" in facts) == (exact is not None)
    if exact is not None:
        shown = facts[
            "Value" if lens.endswith(TASK_SUFFIX) else "Exact value against its training opponent"
        ]
        assert abs(number(shown) - exact[pair.position, cell]) < 0.005 + 1e-6
    if target := target_of(facts):
        assert abs(number(target) - slow.target(lens, board, cell)) < 0.005 + 1e-6
    else:
        assert lens in ("q-iteration", "td-afterstates", "mcts", TRUTH) or lens.endswith(
            TASK_SUFFIX
        )
    answers = slow.rules.children[place(board, cell, mover(board))]
    assert len([line for line in lines if line.startswith("  - ")]) == len(answers)


def settled(lens: str, pair: ValueQuery) -> bool:
    """Return whether there is no target: a sticky loss, a final board, or a tree that is not stored."""
    over = GAME.is_over(pair.next_position)
    return (
        lens == "mcts"
        or (lens == "q-iteration" and pair.value == -1)
        or (lens == "td-afterstates" and over)
    )


@pytest.mark.long
def test_the_targets_are_those_of_a_second_route(site: SiteData, slow: Slow) -> None:
    for lens in (lens for lens in site.value_sources if lens != "menace"):
        for pair in pairs(site, lens, 613):
            found = reason(pair)
            board = format_position(GAME, pair.position)
            assert sum(answer.chance for answer in found.replies) == pytest.approx(1)
            if not settled(lens, pair):
                target = slow.target(lens, board, pair.cell)
                assert found.target == pytest.approx(target, abs=1e-6), (lens, board, pair.cell)


def test_an_exact_value_is_what_follows_from_its_answers(site: SiteData) -> None:
    for lens in site.value_sources:
        if lens not in site.agents:
            for pair in pairs(site, lens, 2003):
                assert pair.value == pytest.approx(reason(pair).target, abs=1e-9)
                assert (
                    explain_value(pair)["sentences"][-1].startswith("With optimal play")
                    or lens == TRUTH
                )


def target_of(facts: dict[str, str]) -> str:
    """Return the target among the facts on a value, alone or on average; "" if there is none."""
    names = ("Target of the next update", "Average target of the next update")
    return next((facts[name] for name in names if name in facts), "")


@pytest.mark.long
def test_the_distance_is_that_of_the_numbers_shown(site: SiteData) -> None:
    told_once = [
        ("14265", 7, "monte-carlo"),
        ("408", 5, "dqn-vs-random"),
        ("657", 0, "dqn-vs-random"),
    ]
    first = [pair_of(site, *move) for move in told_once]
    every = [pair for lens in site.agents for pair in pairs(site, lens, 509)]
    for at, pair in enumerate([*first, *every]):
        told = explain_value(pair)
        facts, said = dict(told["facts"]), " ".join(told["sentences"])
        distances = re.findall(r"is ([\d.]+) (above|below) its target", said)
        assert len(distances) == 1 or at >= len(first)
        for off, side in distances:
            apart = number(told["value_statement"]["value"]) - number(target_of(facts))
            decimals = len(off.partition(".")[2])
            assert f"{abs(apart):.{decimals}f}" == off, (
                pair.value_source,
                pair.position,
                pair.cell,
            )
            assert (apart > 0) == (side == "above")
            exactly = abs(pair.value - reason(pair).target)
            assert f"{exactly:.{decimals}f}" == off, (pair.value_source, pair.position, pair.cell)


STEPPING = ("q-learning-1", "q-table", "q-iteration", "expected-sarsa", "q-learning-2_task")


@pytest.mark.parametrize("lens", STEPPING)
def test_the_updates_after_all_answers_average_to_the_target(site: SiteData, lens: str) -> None:
    """Each is drawn, and what its picture says adds up as far as the numbers are rounded."""
    cases = 0
    for pair in pairs(site, lens, 1009):
        found, listed = reason(pair), list_update_cases(pair)
        if not found.has_target or not listed:
            continue
        weights = [answer.chance for answer in found.possible_replies]
        targets = [case.picture.update.target or 0.0 for case in listed]
        mean = sum(map(operator.mul, weights, targets)) / sum(weights)
        assert mean == pytest.approx(found.target, abs=1e-6)
        for case in listed:
            change = case.picture.update
            assert change.target == pytest.approx(
                change.reward + pair.gamma * change.next_value, abs=1e-6
            )
            cases += 1
    assert cases > 10


@pytest.mark.parametrize("lens", ["q-learning-1", "expected-sarsa", "q-table", "self-play"])
def test_the_update_shown_is_that_of_the_textbook_learner(
    client: FlaskClient, site: SiteData, slow: Slow, lens: str
) -> None:
    """The page has its numbers to the last digit, from a learner that holds the whole table."""
    learner: Any = make_learner(GAME, site.get_recipe(lens))
    for board, row in slow.tables[lens].items():
        for cell, value in row.items():
            learner.q[get_move_key(learner, board, cell)] = value
    shown = 0
    for pair in pairs(site, lens, 2003):
        board = format_position(GAME, pair.position)
        learner.epsilon = pair.task.epsilon if pair.task else 0.0
        for case in list_update_cases(pair):
            after = case.picture.update.next_board
            reward = get_reward(learner.game, learner.parameters, after, mover(board))
            if lens == "self-play":
                reward = learner.get_reward(after, mover(board))
            update = learner.update(board, pair.cell, reward, after, None)
            url = why_url(
                Match(find_record(GAME, pair.position), value_source=lens),
                pair.cell,
                case.url_name,
            )
            page = client.get(url).text
            for name, number in (
                ("old", update.old),
                ("reward", update.reward),
                ("next", update.next_value * (-1 if lens == "self-play" else 1)),
                ("alpha", update.step_size),
            ):
                assert f'data-{name}="{number!r}"' in page, (url, name)
            assert case.picture.update.new == update.new
            assert case.picture.update.target == update.target
            learner.q[get_move_key(learner, board, pair.cell)] = update.old
            shown += 1
    assert shown > 5


@pytest.mark.long
def test_every_why_is_there(app: Flask, client: FlaskClient, site: SiteData) -> None:
    for lens in site.value_sources:
        for pair in pairs(site, lens, 4999):
            record = find_record(GAME, pair.position)
            url = why_url(Match(record, value_source=lens), pair.cell)
            response = client.get(url, headers=HTMX)
            assert response.status_code == 200, url
            for formula in re.findall(r"<math.*?</math>", response.text, re.DOTALL):
                ElementTree.fromstring(formula.replace("&nbsp;", " "))
            page = response.text.replace("&#39;", "'")
            sentences = [state_value(app, pair), *explain_value(pair)["sentences"]]
            assert all(f"<p>{sentence}</p>" in page for sentence in sentences)


def test_it_opens_with_the_line_under_the_board_and_folds_the_update(client: FlaskClient) -> None:
    match = Match("408", value_source="q-learning-2")
    line = client.get(match_url(SQUARE_ROUTE, match, "cell=2")).text
    said = re.search(r"Tried [^<]*? can win at once\.", line)
    assert said
    folded, unfolded = (client.get(why_url(match, 2, answer)).text for answer in ("", "5"))
    first, _, rest = folded.partition("<details")
    assert " ".join(said[0].split()) in first
    assert "data-update" not in first
    assert "data-update" in rest
    assert '<details class="why-more">' in folded
    assert '<details class="why-more" open>' in unfolded


@pytest.mark.parametrize("lens", ["q-learning-1", "double-q", "champion", "observing"])
def test_a_snapshot_is_explained_by_its_own_table(app: Flask, site: SiteData, lens: str) -> None:
    agent, step = site.agents[lens], 5
    table, updated = (
        agent.build_value_table(GAME, step),
        agent.find_updated_moves(GAME, step),
    )
    for pair in pairs(site, lens, 1009):
        then = ValueQuery(site, lens, pair.position, pair.cell, step)
        told = explain_value(then)
        assert then.value == table[pair.position, pair.cell]
        assert then.is_known == updated[pair.position, pair.cell]
        assert ("had not yet updated" in state_value(app, then)) != then.is_known
        assert not told["update_count_text"]


@pytest.mark.parametrize("fault", get_args(FaultName))
def test_the_values_of_a_faulty_learner_are_explained(client: FlaskClient, fault: str) -> None:
    """Also where the next board is finished, and where the fault learns nothing from any answer."""
    recipe = f"q-learning,games=2000,initial=0.5,fault={fault}"
    for record, cell in (("024", ""), ("0143", ""), ("01425376", ""), ("2536487", "0")):
        url = f"/why/{record}?lens={recipe}&o=human&cell={cell}"
        while (page := client.get(url, follow_redirects=True)).status_code == 202:
            pass  # the recipe is being trained
        assert page.status_code == 200
        if record in ("024", "2536487"):
            assert ("no update" in page.text) == (fault == "loser")
