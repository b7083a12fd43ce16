"""Deep Q-learning: a network in place of a table; its outputs only approach their targets."""

from app.web.algorithms.algorithm import Algorithm, Section, UpdateRule, UpdateStyle
from app.web.algorithms.formula import Formula, format_cases
from app.web.algorithms.sentences import describe_distance, describe_target
from app.web.algorithms.targets import ValueQuery, ValueReason, target_after_reply
from app.web.formatting import format_count
from app.web.translation import gettext_noop


def _sentences(pair: ValueQuery, reason: ValueReason) -> list[str]:
    played, often = "", {0: "never played", 1: "played once"}
    if pair.visits is not None:
        times = often.get(pair.visits, f"played {format_count(pair.visits)} times")
        played = f", and this move was {times} in training"
    return [
        describe_target(pair, reason),
        *describe_distance(reason),
        "One network gives the values of all moves, and no move has an entry of its own: its "
        f"outputs only come near the targets{played}.",
    ]


ALGORITHM = Algorithm(
    title="Deep Q-learning",
    origin=gettext_noop("A small neural network that learned from games against {}."),
    untold=(
        "Its games are not told one by one: it learns from minibatches sampled from a replay "
        "buffer of many games, and every step moves all of its values."
    ),
    rule=UpdateRule(
        target_after_reply,
        _sentences,
    ),
    update=UpdateStyle(
        family="step",
        next_mover="own",
        differs="table",
        line=r"y = r + \gamma \max\limits_{a'} Q_{\theta^-}(s', a')",
        words="A network instead of the table: one step moves all values towards many targets.",
    ),
    section=Section(
        title="Deep Q-learning",
        lens="dqn-vs-random",
        record="485",
        sources=(
            "codingronin",
            "mnih-2015",
            "srivastava-2014",
            "kingma-ba-2015",
        ),
        formula=Formula(
            lines=(
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
                "Q": "the output of the network with these weights",
                "θ": "the weights of the network that learns",
                "θ⁻": "the weights of the target network",
                "L": "the loss, which each training step makes smaller",
                "b": "an illegal move; the sum is over all illegal moves",
                "H": "the Huber loss of an error x",
            },
        ),
    ),
)
