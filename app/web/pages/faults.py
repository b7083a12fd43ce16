"""Common faults, which are bugs in the code of a learner: a page for each fault, and puzzles.

Each fault has a pair of trained agents, one with the fault and one without. A puzzle shows three
faulty lines of code and asks with which of them an agent was trained.
"""

from operator import gt
from pathlib import Path
from statistics import median
from typing import NamedTuple

import msgspec
import numpy as np
import werkzeug
from flask import Response, redirect, request
from markupsafe import Markup
from werkzeug.exceptions import BadRequest, NotFound

from app.recipes import name_recipe
from app.recipes.faults import FAULT_SEEDS, FAULTY_RECIPES, find_correct_recipe
from app.tictactoe.agents import Agent
from app.tictactoe.game import GAME, FloatArray, X
from app.tictactoe.notation import DIGITS, MARKS, find_record, parse_position
from app.tictactoe.policy import policy_from_values
from app.web.comparison import Comparison, SourceSnapshot
from app.web.formatting import (
    format_count,
    format_number,
    format_percent,
    format_signed,
    format_valid_names,
    lower_first_letter,
)
from app.web.links.compare import compare_url
from app.web.links.faults import (
    FAULT_PUZZLE_ROUTE,
    FAULT_PUZZLES_ROUTE,
    FAULT_ROUTE,
    FAULTS_ROUTE,
)
from app.web.links.lab import lab_url
from app.web.links.play import play_url
from app.web.match import Match, replay_match
from app.web.move_values import evaluate_moves
from app.web.navigation import PageBlueprint
from app.web.pictures import minds
from app.web.pictures.boards import BoardPicture, lay_out_board
from app.web.pictures.curves import lay_out_seed_lines
from app.web.pictures.svg import write_plot
from app.web.rendering import Variables, render_page
from app.web.site_data import HUMAN, SiteData, cached_per_site, get_current_site
from app.web.translation import gettext_noop
from app.web.wording import describe_training

bp = PageBlueprint("faults", __name__)
bp.add_menu_page("Learn", "faults", gettext_noop("Common faults"), FAULTS_ROUTE.url)
bp.add_menu_page(
    "Puzzles",
    "which-line",
    gettext_noop("Code puzzles"),
    lambda: (
        FAULT_PUZZLES_ROUTE.url() if get_current_site().on_demand.fault_agents else ""
    ),
)
bp.add_to_sitemap(
    lambda: (
        map(FAULT_ROUTE.url, FAULTY_RECIPES)
        if get_current_site().on_demand.fault_agents
        else []
    )
)
FAULT_ORDER: tuple[str, ...] = tuple(FAULTY_RECIPES)
# A puzzle shows three faults: the one to find, and those 3 and 7 places after it in FAULT_ORDER.
PUZZLE_CHOICE_OFFSETS = (0, 3, 7)


HARM_PLOT_HEIGHT = 180.0
# No reward is higher than this.
WIN_REWARD = 1.0


class FirstUpdate(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
):
    """The first update that a fault changes.

    If the fault changes the choice of moves, it is the first different move, without values.
    """

    # counted from 1
    game_number: int
    # counted from 1 in the whole training
    update_number: int
    board: str
    cell: int
    value_before: float | None = None
    # value after the update with the fault; None if the faulty learner makes no update
    faulty_value: float | None = None
    correct_value: float | None = None


class FaultText(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
):
    """The texts about a fault, which is a typical bug in the code of a learner."""

    title: str
    faulty_line: str
    correct_line: str
    meaning: str
    # The page writes "How to notice it:" before it.
    symptom: str
    # the section of Sutton & Barto (2018), such as "6.5"
    book_section: str


class Harm(NamedTuple):
    """The number of positions with a blunder after training with each of FAULT_SEEDS."""

    faulty_blunders: list[int]
    correct_blunders: list[int]

    @property
    def worse_seed_count(self) -> int:
        """The number of seeds with more blunders with the fault than without it."""
        return sum(map(gt, *self))

    @property
    def worse_seeds(self) -> str:
        """The number of seeds with more blunders in words, such as "all 20 seeds"."""
        seed_count = len(self.faulty_blunders)
        if self.worse_seed_count == seed_count:
            return f"all {seed_count} seeds"
        return f"{self.worse_seed_count} of {seed_count} seeds"

    @property
    def medians(self) -> tuple[str, str]:
        """The median number of blunders with the fault, and without it."""
        faulty, correct = (median(blunders) for blunders in self)
        return format_number(faulty), format_number(correct)


FIRST_UPDATES_FILE = Path(__file__).with_suffix(".json")
FIRST_UPDATES = msgspec.json.decode(
    FIRST_UPDATES_FILE.read_bytes(), type=dict[str, FirstUpdate]
)
FAULT_TEXTS = msgspec.toml.decode(
    Path(__file__).with_suffix(".toml").read_bytes(), type=dict[str, FaultText]
)


def list_puzzle_choices(puzzle_number: int) -> list[str]:
    """Return the ids of the three faults that a puzzle shows, sorted by their faulty lines."""
    faults = [
        FAULT_ORDER[(puzzle_number - 1 + step) % len(FAULT_ORDER)]
        for step in PUZZLE_CHOICE_OFFSETS
    ]
    return sorted(faults, key=lambda fault: FAULT_TEXTS[fault].faulty_line)


def find_fault_agents(site: SiteData, fault: str) -> tuple[Agent, Agent]:
    """Return an agent trained with the fault, and one trained without it.

    Raises NotFound if there is no such fault, or if the site has no such agents.
    """
    if fault not in FAULTY_RECIPES:
        raise NotFound(
            f"There is no fault {fault!r}. {format_valid_names(FAULT_ORDER)}"
        )
    if not site.on_demand.fault_agents:
        raise NotFound("The agents of the faults are missing here.")
    faulty, correct = map(
        name_recipe, (FAULTY_RECIPES[fault], find_correct_recipe(fault))
    )
    return site.on_demand.fault_agents[faulty], site.on_demand.fault_agents[correct]


@cached_per_site(16)
def measure_harm(site: SiteData, fault: str) -> Harm:
    recipes = FAULTY_RECIPES[fault], find_correct_recipe(fault)
    faulty, correct = (
        [
            run.figures.blunders[-1]
            for run in site.on_demand.train_seeds(recipe, FAULT_SEEDS)
        ]
        for recipe in recipes
    )
    return Harm(faulty, correct)


@cached_per_site(16)
def find_example_record(site: SiteData, fault: str) -> str:
    """Return the record of a position that shows what a fault does."""
    faulty, correct = find_fault_agents(site, fault)
    known = GAME.spread_pairs(faulty.history.find_updated_moves(-1), False)
    highest = np.where(known & GAME.legal, faulty.q, -np.inf).max(axis=1)
    # A value above the highest reward is the clearest sign of a fault. Without one, look for
    # positions in which only the faulty agent lets the opponent win at once.
    if highest.max() > WIN_REWARD:
        return find_record(GAME, int(highest.argmax()))
    chances = _compute_loss_chances(site, faulty)
    correct_policy = policy_from_values(correct.q, correct.card.play_rule)
    blunders = (correct_policy > 0) & ~site.is_move_correct & GAME.legal
    chances[blunders.any(axis=1)] = 0
    # Of these positions, choose the one in which the values differ most in favour of the agents'
    # own moves.
    preferences = policy_from_values(faulty.q, faulty.card.play_rule) - correct_policy
    differences = np.where(GAME.legal, faulty.q - correct.q, 0)
    clearness = (preferences * differences).sum(axis=1)
    clearness[chances < chances.max()] = -np.inf
    return find_record(GAME, int(clearness.argmax()))


def _compute_loss_chances(site: SiteData, agent: Agent) -> FloatArray:
    policy = policy_from_values(agent.q, agent.card.play_rule)
    blunder = site.loses_at_once & ~site.is_move_correct
    chances: FloatArray = (policy * blunder).sum(axis=1)
    return chances


def describe_example_board(site: SiteData, fault: str, record: str) -> str:
    faulty, _ = find_fault_agents(site, fault)
    position = replay_match(Match(record), site).position
    highest = float(np.nanmax(faulty.q[position]))
    if highest > WIN_REWARD:
        return (
            f"The value {format_signed(highest)} is impossible here: "
            "no game brings more than the reward of a win, 1."
        )
    opponent = MARKS[-int(GAME.to_move[position])]
    share = format_percent(float(_compute_loss_chances(site, faulty)[position]), 0)
    often = "" if share == "100" else f" in {share}% of its games"
    sentence = (
        f"Here the agent lets {opponent} win at once{often}. "
        "Without the fault it never does."
    )
    tried = GAME.spread_pairs(faulty.history.find_updated_moves(-1), False)
    if not tried[position].any():
        untried = "The agent never tried a move here, so it plays at random and no square has a star."
        return f"{untried} {sentence}"
    return sentence


def describe_both_trainings(site: SiteData, fault: str) -> str:
    _, correct = find_fault_agents(site, fault)
    training = describe_training(site, correct.card.recipe)
    return f"Each agent {lower_first_letter(training)}"


def build_lab_url(fault: str) -> str:
    faulty = name_recipe(FAULTY_RECIPES[fault])
    correct = name_recipe(find_correct_recipe(fault))
    return lab_url(faulty, correct, measure_key="blunders")


@cached_per_site(16, per_language=True)
def build_list_entry(site: SiteData, fault: str) -> Variables:
    text = FAULT_TEXTS[fault]
    faulty, _ = find_fault_agents(site, fault)
    record = find_example_record(site, fault)
    return {
        "fault_text": text,
        "url": FAULT_ROUTE.url(fault),
        "harm": measure_harm(site, fault),
        "lab_url": build_lab_url(fault),
        "board": lay_out_values(
            site, faulty, record, fault, f"Example board: {text.title}"
        ),
        "board_sentence": describe_example_board(site, fault, record),
    }


def lay_out_values(
    site: SiteData, agent: Agent, record: str, board_id: str, label: str
) -> BoardPicture:
    state = replay_match(Match(record), site)
    name = agent.card.recipe
    # In the agent's own units a value above all rewards is shown as it is.
    move_values = evaluate_moves(site, state.position, name, in_source_units=True)
    return lay_out_board(state, move_values, None, f"board-{board_id}", label)


def build_agent_half(
    site: SiteData, agent: Agent, id_suffix: str, title: str, record: str
) -> Variables:
    """Return the template's variables for one of two agents, shown side by side.

    `id_suffix`, "with" or "without", makes the ids of the HTML elements unique.
    """
    name = agent.card.recipe
    position = replay_match(Match(record), site).position
    plays_x = GAME.to_move[position] == X
    x, o = (name, HUMAN) if plays_x else (HUMAN, name)
    mind = minds.plot_value_map(site, name, site.get_last_snapshot(name))
    return {
        "title": title,
        "recipe_name": name,
        "mind_svg": mind.render_svg(f"mind-{id_suffix}"),
        "board": lay_out_values(site, agent, record, id_suffix, f"Board: {title}"),
        "game_url": play_url(Match(record, x=x, o=o, value_source=name)),
    }


def plot_harm(harm: Harm) -> Markup:
    """Plot the blunders without and with a fault, as a line for each seed."""
    pairs = list(zip(harm.correct_blunders, harm.faulty_blunders, strict=True))
    styles = [
        "dashed loss" if faulty > correct else "accent" for correct, faulty in pairs
    ]
    texts = [
        f"{format_count(correct)} and {format_count(faulty)}"
        for correct, faulty in pairs
    ]
    names = ["without the fault", "with the fault"]
    plot = lay_out_seed_lines(
        pairs, names, styles, [None] * len(pairs), HARM_PLOT_HEIGHT
    )
    label = f"Blunders without and with the fault, for each seed: {'; '.join(texts)}"
    return write_plot(plot, label)


def lay_out_first_update(site: SiteData, fault: str) -> BoardPicture:
    first = FIRST_UPDATES[fault]
    record = find_record(GAME, parse_position(GAME, first.board))
    state = replay_match(Match(record + DIGITS[first.cell]), site)
    return lay_out_board(state, None, None, "board-first", "Move of the first update")


def list_first_update_values(fault: str) -> list[tuple[str, str]]:
    """Return (label, value) before and after the first update that a fault changes.

    The list is empty if this update changes no value.
    """
    first = FIRST_UPDATES[fault]
    if first.value_before is None or first.correct_value is None:
        return []
    found = "no update"
    if first.faulty_value is not None:
        found = format_signed(first.faulty_value, 3)
    return [
        ("Value before the update", format_signed(first.value_before, 3)),
        ("Value after it, with the fault", found),
        ("Value after it, without the fault", format_signed(first.correct_value, 3)),
    ]


@bp.get(FAULTS_ROUTE)
def show_faults() -> Response:
    site = get_current_site()
    find_fault_agents(site, FAULT_ORDER[0])
    cards = [build_list_entry(site, fault) for fault in FAULT_ORDER]
    return render_page("faults/faults.html", cards=cards)


@bp.get(FAULT_ROUTE)
def show_fault(fault: str) -> Response:
    site = get_current_site()
    faulty, correct = find_fault_agents(site, fault)
    harm = measure_harm(site, fault)
    record = find_example_record(site, fault)
    views = (
        SourceSnapshot(faulty.card.recipe, None),
        SourceSnapshot(correct.card.recipe, None),
    )
    return render_page(
        "faults/fault.html",
        fault_text=FAULT_TEXTS[fault],
        harm=harm,
        first_update=FIRST_UPDATES[fault],
        puzzle_number=FAULT_ORDER.index(fault) + 1,
        pairs_plot=plot_harm(harm),
        first_board=lay_out_first_update(site, fault),
        first_values=list_first_update_values(fault),
        board_sentence=describe_example_board(site, fault, record),
        fault_agents=[
            build_agent_half(site, faulty, "with", "With the fault", record),
            build_agent_half(site, correct, "without", "Without the fault", record),
        ],
        comparison_url=compare_url(Comparison(record, views)),
        training_text=describe_both_trainings(site, fault),
        lab_url=build_lab_url(fault),
        texts_by_url={FAULT_ROUTE.url(each): FAULT_TEXTS[each] for each in FAULT_ORDER},
    )


@bp.get(FAULT_PUZZLES_ROUTE)
def show_first_puzzle() -> werkzeug.Response:
    return redirect(FAULT_PUZZLE_ROUTE.url(1))


@bp.get(FAULT_PUZZLE_ROUTE)
def show_puzzle(number: int) -> Response:
    site = get_current_site()
    answer = request.args.get("answer", "")
    if not 1 <= number <= len(FAULT_ORDER):
        raise NotFound(f"There are puzzles 1 to {len(FAULT_ORDER)}, not {number}.")
    if answer and answer not in list_puzzle_choices(number):
        raise BadRequest(
            f"answer must be one of {', '.join(list_puzzle_choices(number))}."
        )
    fault = FAULT_ORDER[number - 1]
    agent, _ = find_fault_agents(site, fault)
    return render_page(
        "faults/puzzle.html",
        puzzle_number=number,
        puzzle_count=len(FAULT_ORDER),
        chosen_fault=answer,
        fault=fault,
        fault_text=FAULT_TEXTS[fault],
        fault_agent=build_agent_half(
            site, agent, "with", "", find_example_record(site, fault)
        ),
        choices=[
            (choice, FAULT_TEXTS[choice], FAULT_PUZZLE_ROUTE.url(number, answer=choice))
            for choice in list_puzzle_choices(number)
        ],
        explanation_url=FAULT_ROUTE.url(fault),
        # After the last puzzle comes the first.
        next_puzzle_url=FAULT_PUZZLE_ROUTE.url(number % len(FAULT_ORDER) + 1),
        game_count=format_count(agent.card.games),
    )
