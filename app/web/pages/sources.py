"""The page of sources: who wrote what, what was taken from it, and what differs here and why."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, NamedTuple

from flask import Blueprint, Response

from app.sources import SOURCES, Source
from app.tictactoe.card import Card
from app.web import addresses
from app.web.pages.parts.claims import Claim, of_source
from app.web.respond import Page, respond
from app.web.world import World, world

bp = Blueprint("sources", __name__)


class Use(NamedTuple):
    """What this project has of a source."""

    taken: str
    differs: tuple[str, ...] = ()  # what is otherwise here, and why


USES: Mapping[str, Use] = MappingProxyType(
    {
        "flesch": Use(
            "The page that this one began as: a board whose squares show an agent's Q-values as "
            "colours, a button that lets the agent move, both sides to be played by hand; "
            "Q-iteration with losses that stick, and four trainings of Q-learning.",
            (
                "His rule for Q-iteration has γ < 1 and his runs have γ = 1. Ours have 1: only "
                "then is a loss further on still −1, and sticks.",
                "He goes through 5,890 boards, by our count of his code: those with as many X as O "
                "or one more and not two winners. Ours are the 5,478 that a game can reach.",
                "His colours go from red over yellow to green. Ours pass through white, so that a "
                "draw stands back; his are one press away, in the menu.",
                "He gives no figures. What is said of the tables that he published is our own "
                "exact judgement of one run each.",
            ),
        ),
        "nested-software": Use(
            "The tabular learner that updates backward over a finished game, its table keyed by "
            "the position up to symmetry and the move; double Q-learning; an ε that falls by 0.1 "
            "after every tenth of the games; two kinds of minimax; the worked example of 0.9, 0.81 "
            "and 0.73.",
            (
                "The article has 7,000 training games and does not say how they are divided. We "
                "took them for 7,000 in each seat, 14,000 in all.",
                "It averages, an exponential moving average, for numerical stability and to favour "
                "what is recent, and thinks that a sum might do: ours can do both, and sums are "
                "checked as a claim.",
                "γ = 1 is enough, as it says, since rewards come only with the end of a game; so "
                "it is here.",
                "In double Q-learning the last move of a game updates both tables, as in its code. "
                "In the paper every update is of one table, drawn by a coin.",
                "It has 355 positions in the table after training against randomised minimax. Ours "
                "then has 208 to 211, and about as many as the article once the test games are in.",
                "Its author moved to a table of afterstates up to symmetry two weeks later. Both "
                "are here: the key is a parameter.",
                "Each result is of one run and 1,000 sampled games; ours are of 1,000 runs, "
                "exactly.",
            ),
        ),
        "peek": Use(
            "Self-play with one table in X's view, which X maximises and O minimises, updated "
            "after every move of either side; its rewards, +1 if X wins, −1 if O wins and +0.5 for "
            "a draw; its ε of 0.9 in 200,000 games; the heuristic player T-hand.",
            (
                "A draw at +0.5 is good for X and bad for O, so the values of a position lean to "
                "X. We kept it: the order of the moves comes out right.",
                "His derivation of Bellman's equation ends with the best move of s; the update "
                "that he uses, and ours, has that of the next position s′.",
                "He leaves two checks open, and both are made here: a proof that no opponent can "
                "win in place of many games against minimax, and Boyan's 58%.",
            ),
        ),
        "codingronin": Use(
            "A deep Q-network behind a web service: 30 one-hot inputs with the player to move, "
            "layers of 120, 840 and 120 units with LeakyReLU and dropout, a target network, the "
            "Huber loss, Adam; its rewards, its guard rails against illegal moves, its heuristic "
            "player, its four plots of wins.",
            (
                "Only a double threat beats the heuristic player, he writes. That is so: in each "
                "of the 508 positions in which it can lose by the next move the opponent has two "
                "squares or three to win on.",
                "His service reloads its model when it is asked to by a request. An endpoint that "
                "needs authority has no place on a public site: here the server takes up new "
                "models on kill -HUP.",
                "He plots wins and not the loss, which says little where the moves of other "
                "players are learned from too. So do we, and judge the network exactly besides.",
                "He set his games so that neither player could be disqualified. Without guard "
                "rails an illegal move loses the game here.",
                "How many steps an epoch has is not told. Our shipped networks make 200 and 600, "
                "so epochs can be compared only loosely.",
                "A network for action elimination, which he names, was built neither there nor "
                "here.",
            ),
        ),
        "hernandez": Use(
            "The league: a fixed and a random player and four learners, with a table of 19,683 "
            "boards by 9 actions, indexed by the board as a number of base three (a polynomial in "
            "3, a digit a cell); moves drawn in proportion to k to the power of Q; Mitchell's "
            "update for nondeterministic worlds, in two stages.",
            (
                "He calls 9! = 362,880 the number of possible board states. It is the number of "
                "orders in which nine cells can be filled; his two reasons why there are far fewer "
                "boards, that stones of a kind can be swapped and that none has more than five, "
                "are right.",
                "Symmetries save a factor of 7.16 and not of eight (5,478 positions, 765 classes), "
                "since some boards are their own image.",
                "A k that starts at 0.1 can hurt, he says of a league with the fixed player. "
                "Neither his setting nor a league of all players shows it here, over 1,000 runs.",
                "His symmetric learner's performance begins to degrade; here it never falls, and "
                "it is overtaken only with the same k and γ as the plain one.",
                "His players draw their moves by k when they meet. Ours play their best move.",
            ),
        ),
        "michie-1963": Use(
            "MENACE: a matchbox for each position up to symmetry, with beads for its moves.",
            (
                "His machine always opened the game, resigned at an empty box and met a person. "
                "Ours plays both seats, refills an empty box and counts it, and meets other "
                "programs.",
            ),
        ),
        "watkins-1989": Use("Q-learning itself."),
        "garcia-1990": Use(
            "A program that solves games by enumeration, which Hernandez cites. Here every "
            "position is solved, too, and every judgement rests on it."
        ),
        "boyan-1992": Use(
            "The player T-hand, and the finding that a learned player beats it in 58% of the games "
            "and draws the rest, both by way of Peek.",
            (
                "His learner, a modular network, is not rebuilt: a claim here asks whether Peek's "
                "agent does as well.",
            ),
        ),
        "rummery-niranjan-1994": Use("Sarsa, which they call modified connectionist Q-learning."),
        "mitchell-1997": Use(
            "The update for nondeterministic rewards and actions, equations 13.10 and 13.11, by "
            "way of Hernandez."
        ),
        "kocsis-szepesvari-2006": Use(
            "UCT, planning by sampled games: what Nested Software's article names as the way of "
            "the strongest programs before deep learning. The agent MCTS plans by it in every "
            "position.",
            (
                "Each position has a tree of its own here, of moves and not of states, and plans "
                "with as many games as every other. The results of a game go from −1 to 1, theirs "
                "from 0 to 1, where c would be √2.",
            ),
        ),
        "van-seijen-2009": Use("Expected Sarsa, and why its updates vary less than Sarsa's."),
        "van-hasselt-2010": Use(
            "Double Q-learning, algorithm 1: one table chooses and the other values.",
            (
                "The last move of a game updates both tables here, as in Nested Software's code; "
                "with last=coin a coin picks one of them there, too, as in the algorithm.",
            ),
        ),
        "mnih-2015": Use(
            "The deep Q-network: a replay buffer of experiences (state, action, reward, next "
            "state), minibatches sampled from it, and a target network."
        ),
        "van-hasselt-2015": Use(
            "That double Q-learning is more stable and faster with networks: a promise that is "
            "compared with what a table shows.",
        ),
        "kingma-ba-2015": Use(
            "Adam, which adapts the step size of each weight from moments of its gradient."
        ),
        "lanctot-2017": Use("NashConv, what the best responders of both seats gain together."),
        "sutton-barto-2018": Use(
            "The terms of the field; TD(0) on afterstates with the exercises of section 1.5, Sarsa "
            "(equation 6.7), Expected Sarsa (6.9), Monte Carlo with exploring starts (5.3 and "
            "5.4).",
            (
                "In the book a draw is worth as much as a loss, 0. Here it is worth half a win, as "
                "is usual; it is a parameter.",
                "In exercise 1.3 one side learns against its own greedy play, which the book does "
                "not speak of; exercises 1.1 and 1.5 have both sides learning.",
            ),
        ),
    }
)


class SourceEntry(NamedTuple):
    """A source on the page, and what of this site speaks of it."""

    source: Source
    use: Use
    cards: list[Card]
    claims: list[Claim]


@dataclass(frozen=True)
class SourcesPage(Page):
    """All sources: the projects, then the classics by year."""

    template: ClassVar = "sources/sources.html"

    families: Mapping[str, list[SourceEntry]]


@bp.get(addresses.SOURCES)
def sources() -> Response:
    """Show all sources."""
    return respond(sources_page(world()))


def sources_page(world: World) -> SourcesPage:
    """Gather what the page writes down."""
    titles = {"project": "The five projects", "classic": "The classics"}
    return SourcesPage(
        families={
            title: [
                SourceEntry(
                    source=source,
                    use=USES[source.slug],
                    cards=[
                        agent.card
                        for agent in world.always.values()
                        if agent.card.origin == source.name
                    ],
                    claims=of_source(world, source.slug),
                )
                for source in SOURCES.values()
                if source.kind == kind
            ]
            for kind, title in titles.items()
        }
    )
