"""Monte Carlo tree search (MCTS): a value is the mean result of simulated games with a move."""

import numpy as np

from app.reference import build_rules
from app.textbook.loop import Update
from app.textbook.mcts import Tree
from app.tictactoe.notation import MARKS, format_position
from app.web.algorithms.algorithm import (
    COUNTS_HEADING,
    Algorithm,
    Section,
    UpdateRule,
    UpdateStyle,
)
from app.web.algorithms.formula import Formula
from app.web.algorithms.learners import compute_reason_before_reply
from app.web.algorithms.sentences import OUTCOME_VERBS, describe_reply_value, name_cell
from app.web.algorithms.targets import (
    ValueQuery,
    ValueReason,
    remove_target,
)
from app.web.formatting import format_count, format_signed
from app.web.site_data import SiteData
from app.web.translation import gettext_noop

EXAMPLE_AGENT = "mcts"


def _compute_reason(query: ValueQuery) -> ValueReason:
    """Return the replies without a target: the site stores the mean results, but no search tree."""
    return remove_target(compute_reason_before_reply(query))


def _count_simulated_games(query: ValueQuery) -> list[int] | None:
    """Return the number of simulated games with each first move, by cell; None if unknown."""
    if query.update_count is None or not query.is_known:
        return None
    game_counts: list[int] = query.agent.visits[query.position].tolist()
    return game_counts


def compute_upper_bounds(query: ValueQuery) -> dict[int, float]:
    """Return the upper confidence bound of each tried move by its cell, {} at earlier snapshots.

    The next simulated game begins with the move of the highest bound (Kocsis and Szepesvári, 2006).
    """
    game_counts = _count_simulated_games(query)
    if game_counts is None:
        return {}
    tree = _load_tree(query, game_counts)
    return {cell: tree.upper_bound((), cell) for cell, n in enumerate(game_counts) if n}


def _load_tree(query: ValueQuery, game_counts: list[int]) -> Tree:
    """Return the search tree of the position, with the results of its moves but without replies."""
    root = format_position(query.game, query.position)
    tree = Tree(build_rules(query.game), query.recipe.c, root, None)
    tree.visits[()] = sum(game_counts)
    for cell, count in enumerate(game_counts):
        if count:
            tree.visits[cell,] = count
            tree.total[cell,] = float(query.table[query.position, cell]) * count
    return tree


def _list_upper_bounds(query: ValueQuery) -> list[float | None]:
    bounds = compute_upper_bounds(query)
    return [bounds.get(cell) for cell in range(query.game.cells)]


def _update_after_game(query: ValueQuery, end: str, _later_own_moves: int) -> Update:
    tree = _load_tree(query, _count_simulated_games(query) or [])
    update: Update = tree.back_up([((query.cell,), MARKS[query.mover])], end)
    return update


def _describe_reason(query: ValueQuery, _reason: ValueReason) -> list[str]:
    """Return sentences on a value as the mean result of simulated games."""
    game_counts = _count_simulated_games(query)
    sentences = [
        "The value is the mean result of the simulated games that began with this move."
    ]
    if game_counts is not None:
        count = format_count(game_counts[query.cell])
        games = f"{count} of {format_count(sum(game_counts))} simulated games"
        mean = (
            f"The value is the mean result of the {games} from this position that "
            "began with this move."
        )
        sentences = [mean, _describe_next_simulation(query, game_counts)]
    if (outcome := query.get_outcome(query.next_position)) is not None:
        return [
            *sentences,
            f"The game is {OUTCOME_VERBS[outcome]} by this move: all these simulated "
            "games had this result.",
        ]
    return [
        *sentences,
        "With more simulated games the opponent's best move is played more often, and the "
        "mean comes closer to the result of this best move. The values of the "
        "opponent's moves below are from the plans of the positions after this move.",
    ]


def _describe_next_simulation(query: ValueQuery, game_counts: list[int]) -> str:
    """Return a sentence on the first move of the next simulated game."""
    bounds = compute_upper_bounds(query)
    untried = [
        cell
        for cell in np.flatnonzero(query.game.legal[query.position])
        if not game_counts[cell]
    ]
    if untried:
        return "The next simulated game would begin with a move that has not been tried yet."
    chosen = max(bounds, key=lambda cell: bounds[cell])
    bound = f"upper confidence bound is {format_signed(bounds[query.cell])}"
    if chosen == query.cell:
        return (
            f"Its {bound}, the highest of all moves: the next simulated game would "
            "begin with this move, too."
        )
    other = (
        f"{name_cell(query, chosen)}, whose bound is {format_signed(bounds[chosen])}"
    )
    return f"Its {bound}: the next simulated game would begin with {other}."


def _compute_facts(site: SiteData) -> dict[str, object]:
    """Return (simulated games, blunders) as texts, for the middle and the last snapshot."""
    if EXAMPLE_AGENT not in site.shipped_agents:
        return {}
    figures = site.agents[EXAMPLE_AGENT].card.figures
    blunders = [
        (format_count(updates // site.game.decisions), format_count(made))
        for updates, made in zip(
            figures.snapshot_updates, figures.blunders, strict=True
        )
    ]
    return {"early": blunders[len(blunders) // 2], "late": blunders[-1]}


ALGORITHM = Algorithm(
    title="Monte Carlo tree search",
    name_training_unit=lambda _recipe: "simulated games from every position",
    origin_text=gettext_noop(
        "Plans in every position by games that it simulates, and learns nothing."
    ),
    no_game_reason=(
        "This agent has no training games to show: it simulates games from every "
        "position, with a separate search tree for each position."
    ),
    update_rule=UpdateRule(
        _compute_reason,
        _describe_reason,
        describe_reply_value,
        reply_column_heading=COUNTS_HEADING,
        update_cases="result",
        update_after_game=_update_after_game,
        list_values=_list_upper_bounds,
    ),
    compute_facts=_compute_facts,
    update_style=UpdateStyle(
        family="return",
        next_mover="own",
        differing_part="result",
        target_latex=r"Q \leftarrow Q + \frac{r - Q}{n}",
        difference_text=(
            "Planning instead of learning: the value of a move is the mean result of simulated "
            "games."
        ),
    ),
    section=Section(
        title="MCTS: planning by simulated games",
        value_source="mcts",
        example_record="4",
        source_slugs=("kocsis-szepesvari-2006",),
        formula=Formula(
            latex_lines=(
                r"U(s, a) = Q(s, a) + c \sqrt{\frac{\ln N(s)}{n(s, a)}}",
                r"Q(s, a) \leftarrow Q(s, a) + \frac{r - Q(s, a)}{n(s, a)}",
            ),
            symbol_meanings={
                "U": "the upper confidence bound of a move: the move with the highest bound is played",
                "Q": "the mean result of the move for the player who makes it",
                "c": "the exploration constant: the weight of the bonus for rarely tried moves",
                "N": "the number of simulated games that reached the state s",
                "n": "the number of simulated games in which the move a was played in the state s",
                "r": "the result of a simulated game for the player who moves: 1, 0 or −1",
            },
        ),
    ),
)
