"""The field's terms: what each means, its formula, where one sees it here and in the textbook.

The textbook is Sutton & Barto, *Reinforcement Learning: An Introduction*, second edition, 2018.
"""

import re
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from flask import Blueprint, Response
from markupsafe import Markup

from app.web import addresses
from app.web.algorithms.formula import block
from app.web.match import Match
from app.web.respond import Page, respond

bp = Blueprint("glossary", __name__)


class Sight(NamedTuple):
    """Where a term is to be seen on this site."""

    text: str
    href: str


class Term(NamedTuple):
    """A word of the field; `id` is its place on the page."""

    id: str
    name: str
    meaning: str
    formula: str = ""  # LaTeX
    book: str = ""  # a section of the textbook, or who else defined it
    seen: Sight | None = None

    @property
    def drawn(self) -> Markup:
        """The formula as MathML, of which there may be none."""
        return block(self.formula) if self.formula else Markup()

    @property
    def where(self) -> str:
        """Where others define it: a section of the textbook, or who else."""
        return (
            f"Section {self.book}"
            if self.book[:1].isdigit()
            else self.book[:1].upper() + self.book[1:]
        )


class Chapter(NamedTuple):
    """Terms that belong together."""

    title: str
    terms: tuple[Term, ...]

    @property
    def id(self) -> str:
        """Its place on the page."""
        return self.title.lower().replace(" ", "-")


@dataclass(frozen=True)
class GlossaryPage(Page):
    """All terms."""

    template: ClassVar = "glossary/glossary.html"

    chapters: tuple[Chapter, ...]
    number: int  # of terms


PLAY = Sight("a board with its values", addresses.PLAY.to(""))

CHAPTERS = (
    Chapter(
        "The problem",
        (
            Term(
                "agent",
                "Agent",
                "What observes a state, chooses an action and learns from the reward. Here it is "
                "one player of the game; its opponent is a part of its environment.",
                book="1.3, 3.1",
                seen=Sight("all agents", addresses.AGENTS),
            ),
            Term(
                "state",
                "State",
                "Everything that matters for what comes next: here the position on the board, "
                "from which it follows who is to move. There are 5,478; in 4,520 of them a move "
                "is to be chosen.",
                r"s \in \mathcal{S}",
                "3.1",
                Sight("how a position can be written for a network", addresses.how("writing")),
            ),
            Term(
                "action",
                "Action",
                "What an agent can do in a state: here a move, an empty square. A square that is "
                "not empty is an illegal move.",
                r"a \in \mathcal{A}(s)",
                "3.1",
            ),
            Term(
                "reward",
                "Reward",
                "The number that an agent is given after an action, and the only thing that says "
                "what it should achieve: usually +1 for a win, 0 for a draw, −1 for a loss.",
                r"R_{t+1}",
                "3.2",
                Sight("rewards as parameters", addresses.LAB),
            ),
            Term(
                "episode",
                "Episode, time step",
                "An episode goes from a first to a final state: here one game. A time step is one "
                "action of the agent and what follows until it is to move again: here two plies.",
                book="3.3",
            ),
            Term(
                "ply",
                "Ply",
                "One move of one player. A game has at most nine.",
            ),
            Term(
                "transition",
                "Transition probability",
                "How likely an action leads to each next state. The game is deterministic, but an "
                "agent meets its next state only after the opponent's answer, which may be random.",
                r"p(s', r \mid s, a)",
                "3.1, eq. 3.2",
            ),
            Term(
                "mdp",
                "Markov decision process",
                "States, actions, rewards and transition probabilities, where the next state "
                "depends on nothing but the state and the action. The game against a fixed "
                "opponent is one.",
                book="3.1",
            ),
            Term(
                "return",
                "Return",
                "The sum of the rewards from a time step on, later ones discounted. This is what "
                "an agent maximises.",
                r"G_t = R_{t+1} + \gamma R_{t+2} + \gamma^2 R_{t+3} + \dots",
                "3.3, eq. 3.8",
            ),
            Term(
                "discount",
                "Discount factor γ",
                "How much less a reward counts for each time step that it comes later. With 1 a "
                "late win is as good as an early one; with 0.9 a win two moves of one's own later "
                "is worth 0.81.",
                r"0 \le \gamma \le 1",
                "3.3",
                Sight("what γ does to self-play", addresses.EXPERIMENT.to("gamma")),
            ),
            Term(
                "kinds",
                "Reinforcement, supervised and unsupervised learning",
                "Supervised learning is told the right answer to each example, unsupervised "
                "learning looks for structure in examples without answers. Reinforcement learning "
                "is told only how good what it did has been, and chooses itself what it tries.",
                book="1.1",
            ),
        ),
    ),
    Chapter(
        "Values and policies",
        (
            Term(
                "policy",
                "Policy π",
                "How an agent plays: the probability of each action in each state.",
                r"\pi(a \mid s)",
                "3.5",
                Sight("each agent's policy as a file", addresses.AGENTS),
            ),
            Term(
                "state-value",
                "State value V",
                "The return to be expected from a state if a policy is followed from there.",
                r"V^{\pi}(s) = \mathbb{E}_{\pi}[G_t \mid S_t = s]",
                "3.5, eq. 3.12",
            ),
            Term(
                "q-value",
                "Q-value, action value",
                "The return to be expected from an action in a state if a policy is followed "
                "after it: how good a move is. An agent's Q-values are its estimates of it; they "
                "are the numbers on the squares.",
                r"Q^{\pi}(s, a) = \mathbb{E}_{\pi}[G_t \mid S_t = s, A_t = a]",
                "3.5, eq. 3.13",
                PLAY,
            ),
            Term(
                "q-table",
                "Q-table, tabular",
                "A table with one Q-value for each state and action. Methods that keep one are "
                "called tabular; others compute the value, as a network does.",
                book="Part I",
                seen=Sight("the tables as pictures", addresses.mind("q-table")),
            ),
            Term(
                "optimal",
                "Optimal value, Q*, optimal policy",
                "The Q-value under the best of all policies, and a policy that has it. Q* of a "
                "training task is against the opponent of that training; optimal play, the "
                "minimax value, is against the best opponent of all. The two can differ.",
                r"Q^*(s, a) = \max_{\pi} Q^{\pi}(s, a)",
                "3.6, eq. 3.16",
                Sight("both on one position", addresses.COMPARE.to("")),
            ),
            Term(
                "bellman",
                "Bellman equation",
                "A value is the reward plus the discounted value of the next state, on average "
                "over all that this can be. Q* is its one solution. Where the next state is "
                "certain the sum has one term: Q*(s, a) = r + γ max Q*(s′, a′).",
                r"Q^*(s, a) = \sum_{s', r} p(s', r \mid s, a) "
                r"\left[ r + \gamma \max_{a'} Q^*(s', a') \right]",
                "3.6, eq. 3.20",
                Sight("the equation explained", addresses.how("action-values")),
            ),
            Term(
                "afterstate",
                "Afterstate",
                "The position just after one's own move. Moves that lead to the same position "
                "share its value, so a table of afterstates learns faster than one of moves.",
                r"V(s_a)",
                "6.8",
                Sight("a learner of afterstates", addresses.how("td-afterstates")),
            ),
            Term(
                "training-task",
                "Training task",
                "What an agent was trained to solve: its opponent, its rewards and its discount "
                "factor. An agent that solves it perfectly can still lose to another opponent.",
                seen=Sight("tasks and optimal play apart", addresses.how("action-values")),
            ),
        ),
    ),
    Chapter(
        "Choosing moves",
        (
            Term(
                "greedy",
                "Greedy",
                "Choosing an action with the highest value. Equal values are a tie, which is "
                "broken by chance or by the order of the squares.",
                r"\operatorname{argmax}_a Q(s, a)",
                "2.2",
            ),
            Term(
                "exploration",
                "Exploration and exploitation",
                "Exploration tries actions to learn their value; exploitation takes what is known "
                "to be good. More of one is less of the other.",
                book="1.1, 2.1",
                seen=Sight("what exploration is for", addresses.how("exploration")),
            ),
            Term(
                "epsilon",
                "ε-greedy, exploration rate ε",
                "A random action with probability ε, else a greedy one. A policy in which every "
                "action has at least a probability of ε / |A(s)| is called ε-soft.",
                r"\pi(a \mid s) = \frac{\epsilon}{|\mathcal{A}(s)|} "
                r"+ (1 - \epsilon)\,[a = \operatorname{argmax} Q]",
                "2.2, 5.4",
                Sight("every ε at once", addresses.EXPERIMENT.to("feedback")),
            ),
            Term(
                "exploring-starts",
                "Exploring starts",
                "Episodes begin in every state, not only in the usual one, so that every action "
                "is tried.",
                book="5.3",
                seen=Sight("Monte Carlo control", addresses.how("monte-carlo")),
            ),
            Term(
                "optimistic",
                "Optimistic initial values",
                "Values that begin higher than any real one: each try disappoints, so everything "
                "is tried.",
                book="2.6",
                seen=Sight(
                    "values that begin high, at 0 and low", addresses.EXPERIMENT.to("feedback")
                ),
            ),
            Term(
                "proportional",
                "Proportional and softmax selection",
                "An action is drawn with a probability that grows with its value: MENACE draws "
                "in proportion to its beads, the learners of the league in proportion to k to the "
                "power of the value.",
                r"\Pr(a \mid s) = \frac{k^{Q(s, a)}}{\sum_b k^{Q(s, b)}}",
                "2.8; Mitchell (1997), 13.3.5",
                Sight("the league", addresses.how("league")),
            ),
            Term(
                "on-policy",
                "On-policy, off-policy",
                "An on-policy method learns the value of the policy that it plays, exploration "
                "included (Sarsa); an off-policy method learns that of another, usually the "
                "greedy one (Q-learning).",
                book="5.4, 6.4, 6.5",
                seen=Sight("Sarsa beside Q-learning", addresses.how("sarsa")),
            ),
        ),
    ),
    Chapter(
        "Learning",
        (
            Term(
                "update",
                "Update, target",
                "One correction of one value: it moves towards a target, a better estimate of "
                "what it should be.",
                r"Q \leftarrow Q + \alpha\,(\text{target} - Q)",
                "2.4",
                Sight("the next update of a value, with its numbers", addresses.WHY.to("024")),
            ),
            Term(
                "alpha",
                "Learning rate, step size α",
                "How much of the way to its target a value goes in one update.",
                r"0 < \alpha \le 1",
                "2.4, 2.5",
                Sight("does a larger one help?", addresses.LAB),
            ),
            Term(
                "moving-average",
                "Exponential moving average",
                "What a value with a constant step size is: an average of all its targets, in "
                "which the one n updates ago has the weight α (1 − α) to the power of n. Recent "
                "targets count most, which suits targets that change.",
                r"Q_n = (1 - \alpha)^n Q_0 + \sum_{i=1}^{n} \alpha (1 - \alpha)^{n - i} \, y_i",
                "2.5, eq. 2.6",
                Sight("adding up instead of averaging", addresses.EXPERIMENT.to("running-sum")),
            ),
            Term(
                "td",
                "Temporal difference, TD error",
                "The difference between the target of a time step, made of the reward and the "
                "next value, and the value itself.",
                r"\delta_t = R_{t+1} + \gamma V(S_{t+1}) - V(S_t)",
                "6.1, eq. 6.5",
            ),
            Term(
                "bootstrapping",
                "Bootstrapping",
                "Making the target of one estimate out of another estimate, as TD methods do and "
                "Monte Carlo methods do not.",
                book="6.1, 6.2",
            ),
            Term(
                "maximisation-bias",
                "Maximisation bias",
                "The largest of several uncertain estimates is on average too large. Targets that "
                "take a maximum overestimate for that reason.",
                r"\mathbb{E}[\max_a Q(s, a)] \ge \max_a \mathbb{E}[Q(s, a)]",
                "6.7",
                Sight("measured at the first move", addresses.EXPERIMENT.to("double-q")),
            ),
            Term(
                "sweep",
                "Sweep",
                "One pass over all states, each updated once.",
                book="4.1",
                seen=Sight("Q-iteration", addresses.how("q-iteration")),
            ),
            Term(
                "self-play",
                "Self-play",
                "An agent is trained against itself. Both sides may learn and explore, or only "
                "one, against the greedy policy of the same table.",
                book="1.5, exercise 1.1; 16.1",
                seen=Sight("the exercise", addresses.EXPERIMENT.to("sutton-barto-1")),
            ),
            Term(
                "symmetry",
                "Symmetries",
                "The board looks the same turned by quarters and mirrored: a position has up to "
                "eight symmetric ones. Up to symmetry there are 765 positions, 627 of them with a "
                "move to choose.",
                book="exercise 1.2",
                seen=Sight("the eight of any position", addresses.how("writing")),
            ),
        ),
    ),
    Chapter(
        "Methods",
        (
            Term(
                "dynamic-programming",
                "Dynamic programming, value iteration",
                "Computing values from a known model, state by state, by the Bellman equation "
                "used as an update.",
                r"V(s) \leftarrow \max_a \sum_{s', r} p(s', r \mid s, a) [r + \gamma V(s')]",
                "4.4, eq. 4.10",
                Sight("Q-iteration, which samples it", addresses.how("q-iteration")),
            ),
            Term(
                "q-learning",
                "Q-learning",
                "TD learning whose target takes the best next action, whatever is played "
                "(Watkins, 1989).",
                r"Q(s, a) \leftarrow Q(s, a) + \alpha [r + \gamma \max_{a'} Q(s', a') - Q(s, a)]",
                "6.5, eq. 6.8",
                Sight("its section", addresses.how("q-learning")),
            ),
            Term(
                "double-q",
                "Double Q-learning",
                "Two tables: one chooses the best next action, the other values it, which removes "
                "the maximisation bias (van Hasselt, 2010).",
                r"Q_1(s, a) \leftarrow Q_1 + \alpha "
                r"[r + \gamma Q_2(s', \operatorname{argmax}_{a'} Q_1(s', a')) - Q_1]",
                "6.7, eq. 6.10",
                Sight("its section", addresses.how("double-q")),
            ),
            Term(
                "sarsa",
                "Sarsa",
                "TD learning whose target takes the next action that is really played (Rummery & "
                "Niranjan, 1994).",
                r"Q(s, a) \leftarrow Q(s, a) + \alpha [r + \gamma Q(s', a') - Q(s, a)]",
                "6.4, eq. 6.7",
                Sight("its section", addresses.how("sarsa")),
            ),
            Term(
                "expected-sarsa",
                "Expected Sarsa",
                "Sarsa whose target takes the average over the next actions, as often as the "
                "policy plays them (van Seijen et al., 2009).",
                r"Q(s, a) \leftarrow Q + \alpha "
                r"[r + \gamma \sum_{a'} \pi(a' \mid s') Q(s', a') - Q]",
                "6.6, eq. 6.9",
                Sight("its section", addresses.how("expected-sarsa")),
            ),
            Term(
                "monte-carlo",
                "Monte Carlo methods",
                "Values are averages of returns of whole episodes; nothing is bootstrapped.",
                r"Q(s, a) = \operatorname{average}(G_t \mid S_t = s, A_t = a)",
                "5.2, 5.3",
                Sight("its section", addresses.how("monte-carlo")),
            ),
            Term(
                "menace",
                "MENACE",
                "Michie's learner of 1961: a matchbox for each position, beads for its moves. "
                "Beads are added after a win or a draw and taken away after a loss.",
                book="1.7",
                seen=Sight("its section", addresses.how("menace")),
            ),
            Term(
                "planning",
                "Planning, Monte Carlo tree search",
                "Planning computes with a model of the game instead of learning from games "
                "played. Monte Carlo tree search plays games out from the position at hand and "
                "grows a tree where it pays.",
                book="8.1, 8.11",
                seen=Sight("its section", addresses.how("mcts")),
            ),
            Term(
                "minimax",
                "Minimax",
                "The value of a position if both sides play as well as possible: the mover takes "
                "the maximum, the opponent the minimum.",
                r"v(s) = \max_a -v(s_a)",
                "1.5",
                Sight("optimal play, solved exactly", addresses.how("minimax")),
            ),
        ),
    ),
    Chapter(
        "Networks",
        (
            Term(
                "dqn",
                "Deep Q-network",
                "A neural network that computes the Q-values of a state, trained on minibatches "
                "from a replay buffer towards targets of a second, slower network (Mnih et al., "
                "2015).",
                book="16.5",
                seen=Sight("its section", addresses.how("dqn")),
            ),
            Term(
                "replay-buffer",
                "Experience, replay buffer, minibatch",
                "An experience is (state, action, reward, next state). The replay buffer keeps "
                "many; a minibatch is a random sample of them that one training step uses.",
                r"(s, a, r, s')",
                "16.5",
            ),
            Term(
                "target-network",
                "Target network",
                "A copy of the network that makes the targets and is renewed only now and then, "
                "so that the targets do not move with every step.",
                book="16.5",
            ),
            Term(
                "loss-function",
                "Loss function",
                "What a training step makes smaller: here the Huber loss of the distance between "
                "value and target, quadratic near 0 and linear far out. Wins are plotted instead "
                "of it, because a small loss does not say that the play is good.",
                r"L(\delta) = \frac{1}{2} \delta^2 \text{ if } |\delta| \le 1, "
                r"\text{ else } |\delta| - \frac{1}{2}",
                "9.3",
            ),
            Term(
                "one-hot",
                "One-hot encoding",
                "One input for each thing that a square can be, of which exactly one is 1. A "
                "single number would say that 2 is twice 1.",
                seen=Sight("three encodings of one position", addresses.how("writing")),
            ),
            Term(
                "relu",
                "LeakyReLU, dropout, Adam",
                "LeakyReLU passes what is above 0 and a tenth of what is below. Dropout switches "
                "off a random tenth of the units while training. Adam adapts the step size of "
                "each weight from moments of its gradient (Kingma & Ba, 2015).",
                r"\max(x, 0.1\,x)",
                "9.7",
            ),
            Term(
                "epoch",
                "Epoch",
                "A fixed number of games or of training steps after which progress is measured: "
                "for the networks here 100 games.",
            ),
        ),
    ),
    Chapter(
        "Judging play",
        (
            Term(
                "blunder",
                "Blunder",
                "A move that lowers the minimax value of the game for the player who makes it: "
                "it turns a win into a draw or a loss, or a draw into a loss.",
                seen=Sight("an agent's blunders", addresses.blunders("q-table")),
            ),
            Term(
                "best-response",
                "Best response",
                "The strongest opponent of one particular policy, found exactly.",
                r"\operatorname{br}(\pi) = \operatorname{argmax}_{\pi'} v(\pi', \pi)",
                "Lanctot et al. (2017)",
                Sight("its section", addresses.how("best-response")),
            ),
            Term(
                "nash-conv",
                "NashConv, exploitability",
                "How much best responses gain in both seats together over optimal play: 0 for a "
                "policy that cannot be beaten. Exploitability is its mean over the two seats.",
                r"\sum_i \left[ v_i(\operatorname{br}(\pi_{-i}), \pi_{-i}) - v_i(\pi) \right]",
                "Lanctot et al. (2017)",
                Sight("its section", addresses.how("nash-conv")),
            ),
            Term(
                "proved",
                "Proved unbeatable",
                "Every line of play against the policy was followed and none loses: no opponent "
                "can win.",
                seen=Sight("a proof", addresses.certificate("champion", "o")),
            ),
            Term(
                "t-hand",
                "T-hand",
                "A rule player: it completes a row if it can, else blocks one, else plays at "
                "random. Only a double threat beats it: in each of the 508 positions in which it "
                "can lose by the opponent's next move that has two squares or three to win on.",
                book="Boyan (1992)",
                seen=Sight(
                    "a double threat against it",
                    addresses.play(Match("01638", o="t-hand", pause=True)),
                ),
            ),
            Term(
                "overfitting",
                "Overfitting to an opponent",
                "Learning what works against the opponent of the training and not against others.",
                seen=Sight(
                    "a perfect opponent teaches little",
                    addresses.EXPERIMENT.to("trained-on-minimax"),
                ),
            ),
            Term(
                "seed",
                "Seed",
                "The number from which all random draws of a training follow. Conclusions need "
                "many seeds; one is an anecdote.",
                seen=Sight("claims over many seeds", addresses.EXPERIMENTS),
            ),
        ),
    ),
)


# How pages say terms, where they say it otherwise than by the name; "return" is mostly the verb.
SAID: dict[str, tuple[str, ...]] = {
    "transition": ("transition probability", "transition probabilities"),
    "return": (),
    "discount": ("discount factor",),
    "kinds": ("reinforcement learning", "supervised learning", "unsupervised learning"),
    "policy": ("policy", "policies"),
    "q-table": ("tabular",),
    "optimal": ("optimal value", "optimal policy", "optimal play", "Q*"),
    "greedy": ("greedy", "greedily"),
    "exploration": ("exploration", "exploitation", "explores", "exploring"),
    "epsilon": ("ε-greedy", "epsilon-greedy", "exploration rate", "ε-soft"),
    "proportional": ("softmax selection",),
    "alpha": ("learning rate", "step size"),
    "symmetry": ("symmetry", "symmetries", "symmetric"),
    "update": ("update", "updated"),
    "monte-carlo": ("Monte Carlo",),
    "one-hot": ("one-hot",),
    "best-response": ("best response", "best responder"),
    "proved": ("unbeatable",),
    "t-hand": ("T-hand",),
    "state-value": ("state value",),
    "overfitting": ("overfitting",),
}
PLACES = {
    form.lower(): term.id
    for chapter in CHAPTERS
    for term in chapter.terms
    for said in SAID.get(term.id, term.name.split(", "))
    for form in (said, f"{said}s")
}
SAYING = re.compile(
    rf"(?<![\w-])(?:{'|'.join(re.escape(form) for form in sorted(PLACES, key=len, reverse=True))})"
    r"(?![\w-])",
    re.IGNORECASE,
)
PROSE = re.compile(
    r'(?s)<p(?: id="[a-z0-9_-]+")?(?: class="(?:lead|claim-said|hint|read|meaning)")?'
    r'(?: data-meaning="[^"]*")?>.*?</p>'
)
UNSAID = re.compile(r"(?s)(<(a|code|math|cite|span|button)\b.*?</\2>|<[^>]+>)")  # or just a tag


@bp.app_template_filter("terms")
def lead_to_terms(html: Markup) -> Markup:
    """Let each term that a paragraph says lead to its place in the glossary, at its first use."""
    told: set[str] = set()

    def lead(saying: re.Match[str]) -> str:
        place = PLACES[saying[0].lower()]
        if place in told:
            return saying[0]
        told.add(place)
        return f'<a href="{addresses.glossary(place)}">{saying[0]}</a>'

    def paragraph(found: re.Match[str]) -> str:
        parts = UNSAID.split(found[0])  # text, what is left as it is, its tag; text, ...
        parts[2::3] = [""] * len(parts[2::3])
        parts[::3] = [SAYING.sub(lead, text) for text in parts[::3]]
        return "".join(parts)

    return Markup(PROSE.sub(paragraph, html))


@bp.get(addresses.GLOSSARY)
def glossary() -> Response:
    """Show all terms."""
    number = sum(len(chapter.terms) for chapter in CHAPTERS)
    return respond(GlossaryPage(CHAPTERS, number))
