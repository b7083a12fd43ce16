"""Q-learning in self-play: both sides share a table; the next value is the opponent's, negated."""

from math import ceil

from app.recipes.algorithms import SelfPlay
from app.web.algorithms.algorithm import (
    COUNTS_HEADING,
    Algorithm,
    GameDescriber,
    Section,
    UpdateRule,
    UpdateStyle,
    build_update_describer,
)
from app.web.algorithms.formula import Q_STEP, Formula, format_cases
from app.web.algorithms.learners import compute_reason_before_reply
from app.web.algorithms.sentences import (
    describe_best_reply,
    describe_distance,
    describe_final_target,
    describe_past_updates,
    describe_reply_value,
)
from app.web.algorithms.targets import (
    ValueQuery,
    ValueReason,
)
from app.web.formatting import format_count, format_percent
from app.web.site_data import SiteData
from app.web.translation import gettext_noop

EXAMPLE_AGENT = "self-play"  # agent whose table explains the algorithm


def _describe_reason(query: ValueQuery, reason: ValueReason) -> list[str]:
    """Return sentences on a value whose target comes from the opponent's best reply."""
    best = reason.possible_replies[0]
    sentence = (
        describe_final_target(query, reason)
        if best.cell is None
        else "One table serves both sides, and nothing is left to chance: the "
        f"{describe_best_reply(query, best)} The target is {reason.format_value(best.target)}."
    )
    # The recipe has the initial value in X's view.
    initial = query.mover * query.recipe.initial
    return [
        sentence,
        *describe_distance(reason),
        *describe_past_updates(query, reason, initial),
    ]


def _compute_facts(site: SiteData) -> dict[str, object]:
    """Return the smallest number of updates of a move, and the weight left of its initial value."""
    if EXAMPLE_AGENT not in site.agents:
        return {}
    recipe = site.get_recipe(EXAMPLE_AGENT)
    assert isinstance(recipe, SelfPlay)
    fewest = int(site.agents[EXAMPLE_AGENT].visits[site.game.legal].min())
    # Rounded up, because the text of the page gives an upper limit.
    most = ceil(1000 * (1 - recipe.alpha) ** fewest) / 1000
    return {"fewest": format_count(fewest), "left": format_percent(most, 1)}


ALGORITHM = Algorithm(
    title="Q-learning in self-play",
    origin_text=gettext_noop("Learned by playing itself."),
    game_describer=GameDescriber(
        build_update_describer(
            "minus gamma times the opponent's best value", ends_with_reply=True
        ),
        uses_movers_view=True,
    ),
    update_rule=UpdateRule(
        compute_reason_before_reply,
        _describe_reason,
        describe_reply_value,
        reply_column_heading=COUNTS_HEADING,
        update_cases="single",
    ),
    compute_facts=_compute_facts,
    update_style=UpdateStyle(
        family="step",
        next_value_text=(
            "{opponent} moves next. The best value for {opponent} is {next}, and what is "
            "good for {opponent} is bad for {mover}."
        ),
        next_mover="other",
        differing_part="next value",
        target_latex=r"y = r - \gamma \max\limits_{a'} Q(s', a')",
        difference_text="The opponent moves next, so the opponent's best value is subtracted.",
    ),
    section=Section(
        title="Self-play with one shared table",
        value_source="self-play",
        example_record="4",
        source_slugs=(
            "peek",
            "boyan-1992",
            "littman-1994",
        ),
        formula=Formula(
            latex_lines=(
                Q_STEP,
                format_cases(
                    "y",
                    ("r", "if the game is over"),
                    (r"r - \gamma \max\limits_{a'} Q(s', a')", "otherwise"),
                ),
            ),
            symbol_meanings={
                "Q": "the value of a move for the player who makes it, an entry of the table",
                "s′": "the position after the move",
                "a′": "a possible move of the other side in the next position",
                "γ": "the discount factor for each ply",
            },
        ),
    ),
)
