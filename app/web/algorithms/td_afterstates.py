"""TD learning of afterstates: the value of a board steps towards that of the next afterstate."""

from typing import Any

from app.recipes.games import TrainingGame
from app.web.algorithms.algorithm import (
    Algorithm,
    Section,
    Story,
    UpdateRule,
    UpdateStyle,
    build_sentence,
    describe_start,
)
from app.web.algorithms.formula import Formula
from app.web.algorithms.q_learning import describe_past_moves
from app.web.algorithms.sentences import (
    ENDS,
    describe_distance,
    describe_exploration,
    describe_symmetries,
    describe_target,
)
from app.web.algorithms.targets import (
    ValueQuery,
    ValueReason,
    remove_target,
    target_after_reply,
)
from app.web.formatting import format_count, format_signed
from app.web.site_data import SiteData


def _reason(pair: ValueQuery) -> ValueReason:
    reason = target_after_reply(pair)
    return remove_target(reason) if pair.game.is_over(pair.after) else reason


def _sentences(pair: ValueQuery, reason: ValueReason) -> list[str]:
    if not reason.has_target:
        end = ENDS[pair.outcome(pair.after) or 0]
        return [
            f"The game is {end} by this move. What that is worth the rules say, "
            f"{format_signed(pair.value)}, and nothing is learned of it."
        ]
    sentences = [describe_target(pair, reason)]
    if pair.recipe.learn_from == "all":
        sentences += describe_exploration(pair, reason)
    elif reason.bootstraps and pair.recipe.epsilon:
        sentences += ["A next move that is drawn at random teaches it nothing."]
    # Its past targets can be computed from the value only if the step size never fell.
    so_far = [] if pair.recipe.alpha_drop else describe_past_moves(pair, reason)
    shared = describe_symmetries(pair) if pair.recipe.symmetric else []
    return [*sentences, *describe_distance(reason), *so_far, *shared]


def _facts(site: SiteData) -> dict[str, object]:
    game = site.game
    return {
        "boards": format_count(game.positions - 1),
        "ends": format_count(game.positions - game.decisions),
    }


def _story(recipe: Any, game: TrainingGame, update: int) -> str:
    if not update and recipe.learn_from == "greedy":
        return describe_start("; a move that it explored taught it nothing")
    return build_sentence("what the board is worth that its next move makes")(
        recipe, game, update
    )


ALGORITHM = Algorithm(
    title="Temporal-difference learning of afterstates",
    story=Story(_story),
    rule=UpdateRule(_reason, _sentences),
    facts=_facts,
    update=UpdateStyle(
        family="step",
        next_mover="own",
        differs="table",
        line=r"y = V(z')",
        words="Values of boards instead of moves: a value goes towards the value of the next board.",
    ),
    section=Section(
        title="TD learning of afterstates",
        lens="td-afterstates",
        record="8",
        sources=("sutton-barto-2018",),
        formula=Formula(
            lines=(r"V(z) \leftarrow V(z) + \alpha (V(z') - V(z))",),
            symbol_meanings={
                "V": "the value of a board for the player who moved, an entry of the table",
                "z′": "the board after the learner’s next move (or after an answer that ends the game)",
            },
        ),
    ),
)
