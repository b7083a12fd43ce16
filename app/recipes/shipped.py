"""The agents of `models/`, as data: what made each, what its source reported, what we found.

The two are never mixed.  `reported` holds what somebody else wrote, in our words, and where it
stands.  `found` holds what we measured; the exact figures of an agent are on its card besides.
"""

from types import MappingProxyType
from typing import NamedTuple

from app.recipes.names import name, parse
from app.recipes.parameters import Recipe
from app.sources import SOURCES
from app.tictactoe.card import Reported


class Shipped(NamedTuple):
    """One agent: its id is a short name of its recipe."""

    id: str
    title: str
    origin: str  # whose idea it was, by the short name of app.sources
    recipe: Recipe
    reported: list[Reported]
    found: list[str]


MISTAKES = Reported(
    "Agents trained against a random policy occasionally make mistakes even though their "
    "iterations are quite many, and that opponent explains it.",
    "the section on Q-learning",
)
BEATS_FIXED = Reported(
    "In a league with the fixed player all learners learned very quickly to win every single game.",
    "the section “Playing against a fixed player”",
)
RESULTS = "the section “Results”, 1,000 games against each opponent"

SHIPPED = MappingProxyType(
    {
        agent.id: agent
        for agent in (
            Shipped(
                id="q-iteration",
                title="Q-iteration",
                origin=SOURCES["flesch"].name,
                recipe=parse("q-iteration"),
                reported=[
                    Reported(
                        "The results are surprisingly good, given that the update does not take "
                        "the stochastic opponent into account.",
                        "the section on Q-iteration",
                    )
                ],
                found=[
                    "50 of 50 seeds (0 to 49) end without a blunder, unbeatable in both seats.",
                    "The table that its author published has no blunder either, and every "
                    "value is that of optimal play.",
                ],
            ),
            Shipped(
                id="q-learning-1",
                title="Q-learning 1",
                origin=SOURCES["flesch"].name,
                recipe=parse("q-learning,games=1000000"),
                reported=[MISTAKES],
                found=[
                    "The table that its author published, one run, has 200 blunders and "
                    "loses for certain to a best responder in both seats.",
                    "Of 100 seeds (0 to 99) here, which end with 91 to 134 blunders, 63 can"
                    " be beaten as X and all as O.",
                ],
            ),
            Shipped(
                id="q-learning-2",
                title="Q-learning 2",
                origin=SOURCES["flesch"].name,
                recipe=parse("q-learning,games=5000000"),
                reported=[MISTAKES],
                found=[
                    "The table that its author published, one run, has 44 blunders and "
                    "loses for certain to a best responder in both seats.",
                ],
            ),
            Shipped(
                id="q-learning-3",
                title="Q-learning 3",
                origin=SOURCES["flesch"].name,
                recipe=parse("q-learning,start=every,games=1130000"),
                reported=[
                    MISTAKES,
                    Reported(
                        "It had 250 iterations, each of which visits every state.",
                        "the section on Q-learning",
                    ),
                ],
                found=[
                    "The table that its author published, one run, has 128 blunders and "
                    "cannot be beaten as X only.",
                    "Of 100 seeds (0 to 99) here, which end with 78 to 116 blunders, 64 can"
                    " be beaten as X and all as O.",
                ],
            ),
            Shipped(
                id="q-learning-4",
                title="Q-learning 4",
                origin=SOURCES["flesch"].name,
                recipe=parse("q-learning,vs=random:226000+self:904000,start=every"),
                reported=[
                    Reported(
                        "It was trained to compare Q-learning with Q-iteration; what came of it is "
                        "not told.",
                        "the section on Q-learning",
                    )
                ],
                found=[
                    "The table that its author published, one run, has no blunder and "
                    "cannot be beaten in either seat.",
                    "This run has one blunder, and a best responder beats it as O.",
                    "Of 100 seeds (0 to 99) here, which end with 0 to 4 blunders, none can "
                    "be beaten as X and 4 as O.",
                ],
            ),
            Shipped(
                id="q-table",
                title="Q-table",
                origin=SOURCES["nested-software"].name,
                recipe=parse("q-table"),
                reported=[
                    Reported("It makes no mistakes against either kind of minimax.", RESULTS),
                    Reported("It wins more games against random than minimax does.", RESULTS),
                    Reported(
                        "It wins 92.6% as O against random.", "the end of the section “Results”"
                    ),
                    Reported(
                        "Occasionally a run ends badly: as O it loses about 40% to randomised "
                        "minimax, and draws the other games.",
                        "the section “Results”, on single runs",
                    ),
                    Reported(
                        "99.1% won as X and 92.6% as O against random, no loss, everything drawn "
                        "against both kinds of minimax; 625 entries in the table.",
                        "the project's own page of the same week",
                    ),
                ],
                found=[
                    "Of 1,000 seeds (0 to 999) 70 can be beaten as X and 656 as O; 323 "
                    "cannot be beaten in either seat.",
                    "241 of them lose at least 40% of their games as O to randomised minimax.",
                    "Their median wins 98.96% as X and 91.64% as O against random, exactly,"
                    " and knows 625 positions.",
                ],
            ),
            Shipped(
                id="q-table-draw-1",
                title="Q-table, draw = win",
                origin=SOURCES["nested-software"].name,
                recipe=parse("q-table,draw=1"),
                reported=[
                    Reported(
                        "Raising the draw's reward step by step to that of a win appears to have "
                        "cured the bad runs, and seems to cost wins against random: about 95% "
                        "remain as X and around 70% as O.",
                        "the section “Results”, its update on the draw's reward",
                    )
                ],
                found=[
                    "Of 1,000 seeds (0 to 999) none can be beaten as X, and 27 can as O; "
                    "the worst loses 44% as O to randomised minimax.",
                    "Their median wins 94.79% as X and 74.29% as O against random, exactly.",
                ],
            ),
            Shipped(
                id="double-q",
                title="Double Q",
                origin=SOURCES["nested-software"].name,
                recipe=parse("double-q"),
                reported=[
                    Reported(
                        "It brings no improvement; the results even seem better with a single "
                        "table.",
                        "the section “Double-Q Learning”",
                    )
                ],
                found=[
                    "Of 1,000 seeds (0 to 999) 301 cannot be beaten in either seat, of "
                    "Q-table 323.",
                    "439 lose at least 40% of their games as O to randomised minimax, of "
                    "Q-table 241.",
                ],
            ),
            Shipped(
                id="q-table-vs-minimax",
                title="Q-table, against minimax",
                origin=SOURCES["nested-software"].name,
                recipe=parse("q-table,vs=minimax-random"),
                reported=[
                    Reported(
                        "The results are not as good: as O it wins 50% and loses 22.7% against "
                        "random.",
                        "the end of the section “Results”",
                    ),
                    Reported(
                        "After training its table had 355 of the 627 positions.",
                        "the end of the section “Results”",
                    ),
                ],
                found=[
                    "Over 1,000 seeds (0 to 999) it wins 49.2% to 50.1% and loses 21.7% to "
                    "22.6% as O against random, exactly.",
                    "It knows 208 to 211 of the 627 positions: test games add others to a "
                    "table that holds whatever was met.",
                    "Every one of these seeds can be beaten in both seats.",
                ],
            ),
            Shipped(
                id="self-play",
                title="Self-play",
                origin=SOURCES["peek"].name,
                recipe=parse("self-play"),
                reported=[
                    Reported(
                        "It seems practically unbeatable by a human.", "the section “Discussion”"
                    ),
                    Reported(
                        "The value of gamma is not so important, the game being deterministic with "
                        "a finite horizon.",
                        "the section “Background”",
                    ),
                    Reported(
                        "Left open: a check against minimax over many games, and Boyan's (1992) "
                        "finding that a Q-learned player beats T-hand 58% of the time and draws "
                        "the other 42%.",
                        "the section “Discussion”",
                    ),
                ],
                found=[
                    "300 of 300 seeds (0 to 299) end without a blunder, proved unbeatable "
                    "in both seats.",
                    "None of the 300 wins 58% against T-hand: they win 50% to 87.5% as X "
                    "and 7% to 15.2% as O, and draw the rest.",
                    "Without any risk nobody wins more than 59.4% against T-hand, the mean "
                    "of both seats.",
                ],
            ),
            Shipped(
                id="q-learning-player",
                title="Q-learning player",
                origin=SOURCES["hernandez"].name,
                recipe=parse("league,seed=2"),
                reported=[
                    BEATS_FIXED,
                    Reported(
                        "An initial k that is too high, such as 0.1, can degrade its performance "
                        "there.",
                        "the section “Playing against a fixed player”",
                    ),
                    Reported(
                        "A player whose next state is that after its own move only performed worse "
                        "than this one, whose next state comes after the opponent's move.",
                        "the section “The Q-Learning algorithm”",
                    ),
                ],
                found=[
                    "Against `fixed` it wins every game as X and loses every game as O.",
                    "So it is for 100 and 67 of 100 seeds (0 to 99); the other 33 win every"
                    " game as O too.",
                    "A best responder beats every one of these seeds in both seats.",
                ],
            ),
            Shipped(
                id="observing",
                title="Observing",
                origin=SOURCES["hernandez"].name,
                recipe=parse("league,observing=yes,seed=2"),
                reported=[
                    BEATS_FIXED,
                    Reported(
                        "Performance increases significantly when the player learns from the "
                        "opponent's moves too; it takes some eight thousand moves until it stops "
                        "improving.",
                        "the sections “The Q-Learning algorithm” and “Learning from the opponent”",
                    ),
                    Reported(
                        "Similar results can be obtained using the simpler player.",
                        "the section “Learning from the opponent”",
                    ),
                ],
                found=[
                    "Against `fixed` it wins every game as X and loses every game as O.",
                    "So it is for 100 and 84 of 100 seeds (0 to 99); the other 16 win every"
                    " game as O too.",
                    "A best responder beats every one of these seeds in both seats.",
                ],
            ),
            Shipped(
                id="symmetric",
                title="Symmetric",
                origin=SOURCES["hernandez"].name,
                recipe=parse(
                    "league,symmetric=yes,gamma=0.65,k_start=0.01,k_step=0.01,k_limit=10,seed=2"
                ),
                reported=[
                    BEATS_FIXED,
                    Reported(
                        "It learns much quicker at first, but its performance begins to degrade "
                        "over time in favour of the plain learner: so many states fewer are an "
                        "over-simplification.",
                        "the section “Leveraging symmetries”",
                    ),
                ],
                found=[
                    "Against `fixed` it wins every game as X and loses half of them as O.",
                    "Of 100 seeds (0 to 99) 80 win every game as X; as O 16 win every game "
                    "and 54 lose every game.",
                    "A best responder beats every one of these seeds in both seats.",
                ],
            ),
            Shipped(
                id="observing-symmetric",
                title="Observing, symmetric",
                origin=SOURCES["hernandez"].name,
                recipe=parse(
                    "league,observing=yes,symmetric=yes,gamma=0.65,k_start=0.01,k_step=0.01,"
                    "k_limit=10,seed=2"
                ),
                reported=[BEATS_FIXED],
                found=[
                    "Against `fixed` it wins every game as X and loses every game as O.",
                    "Of 100 seeds (0 to 99) 98 win every game as X; as O 3 win every game "
                    "and 69 lose every game.",
                    "A best responder beats 96 of these seeds as X, and all of them as O.",
                ],
            ),
            Shipped(
                id="champion",
                title="Champion",
                origin=SOURCES["ours"].name,
                recipe=parse("champion"),
                reported=[],
                found=[
                    "1,000 of 1,000 seeds (0 to 999) end without a blunder, unbeatable in "
                    "both seats.",
                    "Over 200 seeds (0 to 199) its play is first proved unbeatable after a "
                    "median of 168 games, after 190 at most over these seeds; training ends"
                    " after 265 at most.",
                ],
            ),
            Shipped(
                id="dqn-vs-random",
                title="DQN, against random",
                origin=SOURCES["codingronin"].name,
                recipe=parse("dqn"),
                reported=[
                    Reported(
                        "In the first seat its plot demonstrates the advantage of moving first.",
                        "the section “Training Results”, “AI Player vs Random Player”",
                    ),
                    Reported(
                        "In the second seat it wins 30% at first, and random 60%; it passes random "
                        "near epoch 200 and wins about 70% by epoch 400.",
                        "the section “Training Results”, “Random Player vs AI Player”",
                    ),
                ],
                found=[
                    "In the last 20 epochs of training it wins 94.9% as X and 82.8% as O, "
                    "exploring 2% to 4% of its moves.",
                ],
            ),
            Shipped(
                id="dqn-vs-heuristic",
                title="DQN, against T-hand",
                origin=SOURCES["codingronin"].name,
                recipe=parse("dqn,vs=t-hand,epsilon=0.3,steps=600"),
                reported=[
                    Reported(
                        "In the first seat it wins a little over 10% at first and about 70% by "
                        "epoch 400, overtaking between epochs 150 and 200.",
                        "the section “Training Results”, “AI Player vs Heuristic Player”",
                    ),
                    Reported(
                        "In the second seat it starts around 20% and stays there.",
                        "the section “Training Results”, “Heuristic Player vs AI Player”",
                    ),
                ],
                found=[
                    "In the last 20 epochs of training it wins 81.1% as X and 20.8% as O, "
                    "exploring 2% to 3% of its moves.",
                    "As O nobody wins more than 26.0% against T-hand without risk.",
                ],
            ),
            Shipped(
                id="sarsa",
                title="Sarsa",
                origin=SOURCES["rummery-niranjan-1994"].name,
                recipe=parse("sarsa"),
                reported=[],
                found=[
                    "Of 1,000 seeds (0 to 999) 209 cannot be beaten as X and none as O; they end "
                    "with 199 to 276 blunders, their median with 235. Shipped is seed 0.",
                    "Q-learning ends with 247 in the median of these seeds after as many games, "
                    "and 178 of them cannot be beaten as X.",
                ],
            ),
            Shipped(
                id="expected-sarsa",
                title="Expected Sarsa",
                origin=SOURCES["van-seijen-2009"].name,
                recipe=parse("expected-sarsa"),
                reported=[],
                found=[
                    "Of 1,000 seeds (0 to 999) 200 cannot be beaten as X and none as O; they end "
                    "with 196 to 276 blunders, their median with 233, that of Sarsa with 235. "
                    "Shipped is seed 0.",
                ],
            ),
            Shipped(
                id="monte-carlo",
                title="Monte Carlo",
                origin=SOURCES["sutton-barto-2018"].name,
                recipe=parse("monte-carlo"),
                reported=[],
                found=[
                    "Of 1,000 seeds (0 to 999) 198 cannot be beaten as X and none as O; they end "
                    "with 128 to 190 blunders, their median with 159. Shipped is seed 0.",
                    "Against itself in place of random (vs=self) 532 of these seeds cannot be "
                    "beaten in either seat, and none ends with more than 6 blunders.",
                ],
            ),
            Shipped(
                id="td-afterstates",
                title="TD afterstates",
                origin=SOURCES["sutton-barto-2018"].name,
                recipe=parse("td-afterstates"),
                reported=[],
                found=[
                    "Of 1,000 seeds (0 to 999) 909 cannot be beaten as X, 32 as O, and 30 in "
                    "either seat. Shipped is seed 0.",
                    "Their median wins 98.96% as X and 91.43% as O against random, exactly, and "
                    "knows 575 positions: it only meets those that its own play leads to.",
                    "Where boards that are turned or reflected share a value (symmetric=yes) 293 "
                    "of these seeds cannot be beaten in either seat.",
                ],
            ),
            Shipped(
                id="menace",
                title="MENACE",
                origin=SOURCES["michie-1963"].name,
                recipe=parse("menace"),
                reported=[],
                found=[
                    "Of 100 seeds (0 to 99) all can be beaten in both seats, since a bead of a bad "
                    "move is left somewhere. Their median loses 5.5% of its games as X and 13.2% "
                    "as O to random moves, and 42% as X and 69% as O to randomised minimax.",
                    "With the same beads, always playing the move with the most: 29 of the 100 "
                    "cannot be beaten as X, none as O; the median loses 2.1% as X and 7.4% as O to "
                    "random moves, and none as X to randomised minimax.",
                ],
            ),
            Shipped(
                id="mcts",
                title="MCTS",
                origin=SOURCES["kocsis-szepesvari-2006"].name,
                recipe=parse("mcts"),
                reported=[],
                found=[
                    "Of 100 seeds (0 to 99) 94 cannot be beaten as X and 1 as O; they end with 17 "
                    "to 36 blunders, their median with 26. Shipped is seed 0.",
                    "With 400 rollouts all of these seeds cannot be beaten as X and 16 as O, and "
                    "their median has 7 blunders; with 50 rollouts 69 cannot be beaten as X and "
                    "none as O, and their median has 120.",
                ],
            ),
        )
    }
)

SHORT = MappingProxyType({name(agent.recipe): agent.id for agent in SHIPPED.values()})
