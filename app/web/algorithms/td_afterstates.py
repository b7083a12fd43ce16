"""TD learning of afterstates: the value of a board after a move steps towards the next such value."""

from app.recipes.algorithms import TdAfterstates
from app.recipes.games import TrainingGame
from app.recipes.parameters import Recipe
from app.textbook.loop import Update
from app.web.algorithms.algorithm import (
    Algorithm,
    GameDescriber,
    Section,
    UpdateRule,
    UpdateStyle,
    build_update_describer,
    describe_forward_order,
)
from app.web.algorithms.formula import Formula
from app.web.algorithms.learners import list_transition, load_learner
from app.web.algorithms.q_learning import describe_past_targets
from app.web.algorithms.sentences import (
    OUTCOME_VERBS,
    describe_distance,
    describe_exploration,
    describe_shared_boards,
    describe_target,
)
from app.web.algorithms.targets import (
    ValueQuery,
    ValueReason,
    build_reason_after_reply,
    remove_target,
)
from app.web.formatting import format_count, format_signed
from app.web.site_data import SiteData


def _update_after_reply(
    query: ValueQuery, reply_cell: int | None, next_cell: int | None
) -> Update:
    """Return the update towards the value of the board that the learner makes next."""
    learner = load_learner(query)
    board, cell, reward, after = list_transition(query, reply_cell)
    target = reward if next_cell is None else learner.value(after, next_cell)
    update: Update = learner.update(board, cell, target, after, next_cell)
    return update


def _compute_reason(query: ValueQuery) -> ValueReason:
    """Return the average target over the replies; a finished board has no target."""
    reason = build_reason_after_reply(query, _update_after_reply)
    return remove_target(reason) if query.game.is_over(query.next_position) else reason


def _describe_reason(query: ValueQuery, reason: ValueReason) -> list[str]:
    """Return sentences on the value of a board after a move."""
    if not reason.has_target:
        end = OUTCOME_VERBS[query.get_outcome(query.next_position) or 0]
        return [
            f"The game is {end} by this move. The rules give the value of the result, "
            f"{format_signed(query.value)}, so nothing is learned here."
        ]
    sentences = [describe_target(query, reason)]
    if query.recipe.learn_from == "all":
        sentences += describe_exploration(query, reason)
    elif reason.bootstraps and query.recipe.epsilon:
        sentences += ["After a random move there is no update."]
    # Past targets can be computed from a value only if the step size was constant.
    so_far = [] if query.recipe.alpha_drop else describe_past_targets(query, reason)
    shared = describe_shared_boards(query) if query.recipe.symmetric else []
    return [*sentences, *describe_distance(reason), *so_far, *shared]


def _compute_facts(site: SiteData) -> dict[str, object]:
    """Return the number of afterstates, and the number of finished boards."""
    game = site.game
    return {
        "boards": format_count(game.positions - 1),
        "ends": format_count(game.positions - game.decisions),
    }


def _describe_training_update(recipe: Recipe, game: TrainingGame, update: int) -> str:
    """Return a sentence on update number `update` of a game."""
    assert isinstance(recipe, TdAfterstates)
    if not update and recipe.learn_from == "greedy":
        return describe_forward_order("; a move that it explored taught it nothing")
    return build_update_describer("what the board is worth that its next move makes")(
        recipe, game, update
    )


ALGORITHM = Algorithm(
    title="Temporal-difference learning of afterstates",
    game_describer=GameDescriber(_describe_training_update),
    update_rule=UpdateRule(_compute_reason, _describe_reason),
    compute_facts=_compute_facts,
    update_style=UpdateStyle(
        family="step",
        next_value_text="The board after the next move of {mover} has the value {next}.",
        next_value_symbol="V(z′)",
        value_letter="V",
        next_mover="own",
        differing_part="table",
        target_latex=r"y = V(z')",
        difference_text=(
            "Values of boards instead of moves: a value goes towards the value of the next board."
        ),
    ),
    section=Section(
        title="TD learning of afterstates",
        value_source="td-afterstates",
        example_record="8",
        source_slugs=("sutton-barto-2018",),
        formula=Formula(
            latex_lines=(r"V(z) \leftarrow V(z) + \alpha (V(z') - V(z))",),
            symbol_meanings={
                "V": "the value of a board for the player who moved, an entry of the table",
                "z′": "the board after the learner’s next move, or after a last move of the opponent",
            },
        ),
    ),
)
