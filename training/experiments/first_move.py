"""What it is worth to move first, exactly, by player."""

from app.experiments import Bar, Bars, Grid, Table, rounded
from app.tictactoe.game import tic_tac_toe
from app.tictactoe.policy import BASELINES
from app.tictactoe.values import TIE, outcome_chances
from training.experiments import claim
from training.experiments.claim import of, percent

PLAYERS = ("random", "fixed", "t-hand", "minimax", "minimax-random")


def tell(_results: claim.Results) -> claim.Conclusion:
    """Let every player meet every player in both seats."""
    game = tic_tac_toe()
    policies = {name: BASELINES[name].policy(game) for name in PLAYERS}
    chances = {
        (x, o): 100 * outcome_chances(game, policies[x], policies[o])[0]
        for x in PLAYERS
        for o in PLAYERS
    }
    lead = {pair: float(won - lost) for pair, (won, _, lost) in chances.items()}
    perfect = [
        abs(lead[one, other])
        for one in ("minimax", "minimax-random")
        for other in ("minimax", "minimax-random")
    ]
    # What one of two players gains by beginning itself instead of the other.
    gains = [lead[one, other] + lead[other, one] for one in PLAYERS for other in PLAYERS]
    better, worse = [gain > TIE for gain in gains], [gain < -TIE for gain in gains]
    first = chances["random", "random"]
    more = sum(better) > sum(worse)
    titles = [BASELINES[name].title for name in PLAYERS]
    return claim.Conclusion(
        [
            Bars(
                "Random against random",
                "%",
                [
                    Bar(text, rounded(float(share)), record="")
                    for text, share in zip(
                        ("X, who begins, wins", "drawn", "O wins"), first, strict=True
                    )
                ],
                True,
            ),
            Grid(
                title="Games won less games lost by X",
                unit="%",
                row_label="X",
                column_label="O",
                rows=titles,
                columns=titles,
                values=[[rounded(lead[x, o]) for o in PLAYERS] for x in PLAYERS],
                recipes=[["" for _ in PLAYERS] for _ in PLAYERS],
                n=1,
            ),
        ],
        [max(perfect) >= TIE, more],
        Table(
            ["exactly"],
            {
                "both play at random: X wins": [percent(float(first[0]), 2)],
                "both play at random: O wins": [percent(float(first[2]), 2)],
                "both play perfectly: most that X leads by": [percent(max(perfect), 2)],
                "pairs of players of whom one does better by beginning": [of(better)],
                "pairs of players of whom one does worse by beginning": [of(worse)],
            },
        ),
        claim.verdict_on(more and all(better), more),
    )


EXPERIMENT = claim.Experiment("first-move", tell)
