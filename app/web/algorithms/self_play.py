"""Q-learning in self-play with one table: the next value is the opponent's, with a minus."""

from math import ceil

from app.recipes.algorithms import SelfPlay
from app.web.algorithms.algorithm import (
    COUNTS,
    Algorithm,
    Section,
    Story,
    UpdateRule,
    UpdateStyle,
    build_sentence,
)
from app.web.algorithms.formula import Q_STEP, Formula, format_cases
from app.web.algorithms.sentences import (
    describe_best_reply,
    describe_distance,
    describe_end,
    describe_past,
    describe_reply_value,
)
from app.web.algorithms.targets import ValueQuery, ValueReason, target_before_reply
from app.web.formatting import format_count, format_percent
from app.web.site_data import SiteData
from app.web.translation import gettext_noop

AGENT = "self-play"  # agent whose table explains the algorithm


def _sentences(pair: ValueQuery, reason: ValueReason) -> list[str]:
    best = reason.given[0]
    sentence = (
        describe_end(pair, reason)
        if best.cell is None
        else "One table serves both sides, and nothing is left to chance: the "
        f"{describe_best_reply(pair, best)} The target is {reason.format(best.target)}."
    )
    initial = pair.mover * pair.recipe.initial  # the recipe has it in X's view
    return [sentence, *describe_distance(reason), *describe_past(pair, reason, initial)]


def _facts(site: SiteData) -> dict[str, object]:
    """Return the least number of updates of a move, and the share of its initial value left."""
    if AGENT not in site.agents:
        return {}
    recipe = site.get_recipe(AGENT)
    assert isinstance(recipe, SelfPlay)
    fewest = int(site.agents[AGENT].visits[site.game.legal].min())
    # Rounded up: the page has an upper limit.
    most = ceil(1000 * (1 - recipe.alpha) ** fewest) / 1000
    return {"fewest": format_count(fewest), "left": format_percent(most, 1)}


ALGORITHM = Algorithm(
    title="Q-learning in self-play",
    origin=gettext_noop("Learned by playing itself."),
    story=Story(
        build_sentence(
            "minus gamma times the value of the best answer", to_answer=True
        ),
        movers_view=True,
    ),
    rule=UpdateRule(
        target_before_reply,
        _sentences,
        describe_reply_value,
        reply_column=COUNTS,
    ),
    facts=_facts,
    update=UpdateStyle(
        family="step",
        next_mover="other",
        differs="next value",
        line=r"y = r - \gamma \max\limits_{a'} Q(s', a')",
        words="The opponent moves next, so the opponent's best value is subtracted.",
    ),
    section=Section(
        title="Self-play with one shared table",
        lens="self-play",
        record="4",
        sources=(
            "peek",
            "boyan-1992",
            "littman-1994",
        ),
        formula=Formula(
            lines=(
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
