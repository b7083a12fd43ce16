"""Deep Q-learning (DQN): a neural network computes all values in place of a table."""

from app.web.algorithms.algorithm import Algorithm, Section, UpdateRule, UpdateStyle
from app.web.algorithms.formula import Formula, format_cases
from app.web.algorithms.sentences import describe_distance, describe_target
from app.web.algorithms.targets import ValueQuery, ValueReason
from app.web.formatting import format_count
from app.web.translation import gettext_noop


def _describe_reason(query: ValueQuery, reason: ValueReason) -> list[str]:
    """Return sentences on a value that a network computes."""
    played, often = "", {0: "never played", 1: "played once"}
    if query.update_count is not None:
        times = often.get(
            query.update_count, f"played {format_count(query.update_count)} times"
        )
        played = f", and this move was {times} in training"
    return [
        describe_target(query, reason),
        *describe_distance(reason),
        "One network gives the values of all moves, and no move has an entry of its "
        f"own. So the outputs only come near the targets{played}.",
    ]


ALGORITHM = Algorithm(
    title="Deep Q-learning",
    origin_text=gettext_noop(
        "A small neural network that learned from {games} games against {opponents}."
    ),
    no_game_reason=(
        "The games of this training cannot be shown one by one: the network learns "
        "from minibatches sampled from a replay buffer of many games, and every step "
        "changes all values."
    ),
    update_rule=UpdateRule(
        describe_reason=_describe_reason,
        update_cases="",
    ),
    update_style=UpdateStyle(
        family="step",
        next_value_text="The target network gives the best next move the value {next}.",
        next_mover="own",
        differing_part="table",
        target_latex=r"y = r + \gamma \max\limits_{a'} Q_{\theta^-}(s', a')",
        difference_text=(
            "A network instead of the table: one training step changes all values, so "
            "that the values of a minibatch come closer to their targets."
        ),
    ),
    section=Section(
        title="Deep Q-learning",
        value_source="dqn-vs-random",
        example_record="485",
        source_slugs=(
            "codingronin",
            "mnih-2015",
            "srivastava-2014",
            "kingma-ba-2015",
        ),
        formula=Formula(
            latex_lines=(
                format_cases(
                    "y",
                    ("r", "if the game is over"),
                    (r"r + \gamma \max\limits_{a'} Q_{\theta^-}(s', a')", "otherwise"),
                ),
                r"L = H(y - Q_\theta(s, a)) + \sum_b H({-5} - Q_\theta(s, b))",
                r"H(x) = \begin{cases} \frac{1}{2} x^2 & \text{if } \left|x\right| \le 1 \\ "
                r"\left|x\right| - \frac{1}{2} & \text{else} \end{cases}",
            ),
            symbol_meanings={
                "Q": "the output of the network with the weights θ or θ⁻",
                "θ": "the weights of the network that learns",
                "θ⁻": "the weights of the target network",
                "L": "the loss, which each training step makes smaller",
                "b": "an illegal move; the sum is over all illegal moves",
                "H": "the Huber loss of an error x",
            },
        ),
    ),
)
