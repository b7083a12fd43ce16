"""How many games one can win against the player "T-hand" without ever losing to it.

The shipped agents are compared with this bound.
"""

from app.experiments import Bar, Bars, round_significant
from app.recipes import SHIPPED, name_recipe
from app.tictactoe.agents import load_agent
from app.tictactoe.game import GAME, SEATS, X
from app.tictactoe.policy import t_hand_policy
from app.tictactoe.values import find_best_response
from training.experiments.results import Results, format_percentage
from training.run import MODELS


def compute_win_bound(_results: Results) -> float:
    """Return the highest percentage of wins against T-hand for a policy that never loses to it.

    The percentage is the mean of both seats.
    """
    total = 0.0
    for seat in SEATS.values():
        response = find_best_response(
            GAME, t_hand_policy(GAME), seat, loss_reward=float("-inf")
        )
        total += float(response.outcome_chances[0, 0 if seat == X else 2])
    return round_significant(50 * total)


def format_win_bound(results: Results) -> str:
    return format_percentage(compute_win_bound(results), 2)


def plot_shipped_agents(_results: Results) -> Bars:
    bars = []
    for one, agent in SHIPPED.items():
        if not (MODELS / f"{one}.json").exists():
            continue
        against = load_agent(
            MODELS, GAME, one
        ).card.figures.outcome_chances_by_baseline["t-hand"]
        share = 50 * (against.x[-1][0] + against.o[-1][0])
        bars.append(
            Bar(agent.title, round_significant(share), recipe=name_recipe(agent.recipe))
        )
    return Bars(
        "Games won against T-hand by each agent of this site (mean of X and O)",
        "%",
        sorted(bars, key=lambda bar: -bar.value),
        exact=True,
    )
