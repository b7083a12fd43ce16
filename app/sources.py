"""The sources by name: the projects that this one rebuilds, and the classics beside them.

`app.web.pages.sources` says what was taken from each and what differs here.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal
from urllib.parse import urlsplit

CLASSICS = "Classics of the field"


@dataclass(frozen=True)
class Source:
    """Who wrote what, when, and where it can be read."""

    slug: str  # in addresses and files
    name: str  # the short one, by which cards, claims and sections speak of it
    kind: Literal["project", "classic", "ours"]
    author: str
    title: str
    year: str  # "" where its pages do not say
    published: str = ""  # in what
    addresses: tuple[str, ...] = ()  # of the pages themselves; none where none is known to us

    @property
    def hosts(self) -> tuple[str, ...]:
        """Where its links lead, in their order."""
        return tuple(urlsplit(address).hostname or "" for address in self.addresses)


OURS = Source("ours", "This project", "ours", "The Q-Tac-Toe authors", "Q-Tac-Toe", "2026")

SOURCES: Mapping[str, Source] = MappingProxyType(
    {
        source.slug: source
        for source in (
            Source(
                "flesch",
                "Flesch",
                "project",
                "Alexis Flesch",
                "Tic-tac-toe",
                "",
                "web page with Q-iteration and Q-learning agents",
                ("https://github.com/alexisflesch/tic-tac-toe",),
            ),
            Source(
                "nested-software",
                "Nested Software",
                "project",
                "Nested Software",
                "Tic-Tac-Toe with Tabular Q-Learning",
                "2019",
                "article of 25 July 2019, of which double Q-learning is a section",
                (
                    "https://nestedsoftware.com/2019/07/25/"
                    "tic-tac-toe-with-tabular-q-learning-1kdn.139811.html",
                    "https://github.com/nestedsoftware/tictac",
                ),
            ),
            Source(
                "peek",
                "Peek",
                "project",
                "khpeek",
                "Q-learning-Tic-Tac-Toe",
                "",
                "program and its description",
                ("https://github.com/khpeek/Q-learning-Tic-Tac-Toe",),
            ),
            Source(
                "codingronin",
                "CodingRonin",
                "project",
                "CodingRonin",
                "Reinforced Learning Agent for Tic Tac Toe",
                "",
                "web page",
            ),
            Source(
                "hernandez",
                "Hernandez",
                "project",
                "Jose Hernandez",
                "Noughts & Crosses",
                "2003-2019",
                "program and its description; parts of the referee are by Jim Farrand",
                ("https://github.com/doraemoncito/noughts-and-crosses",),
            ),
            Source(
                "michie-1963",
                "Michie (1961, 1963)",
                "classic",
                "Donald Michie",
                "Experiments on the mechanization of game-learning, part I",
                "1963",
                "The Computer Journal 6(3), pages 232 to 236; first told in “Trial and error”, "
                "Penguin Science Survey, 1961",
                ("https://doi.org/10.1093/comjnl/6.3.232",),
            ),
            Source(
                "watkins-1989",
                "Watkins (1989)",
                "classic",
                "Christopher J. C. H. Watkins",
                "Learning from delayed rewards",
                "1989",
                "PhD thesis, King's College, Cambridge",
            ),
            Source(
                "garcia-1990",
                "Garcia (1990)",
                "classic",
                "Daniel Dante Garcia",
                "GAMESMAN: a finite, two-person, perfect-information game generator",
                "1990",
                "University of California at Berkeley",
                ("https://people.eecs.berkeley.edu/~ddgarcia/software/gamesman/GAMESMAN.pdf",),
            ),
            Source(
                "boyan-1992",
                "Boyan (1992)",
                "classic",
                "Justin A. Boyan",
                "Modular neural networks for learning context-dependent game strategies",
                "1992",
                "Master's thesis, University of Cambridge",
                ("https://www.cs.cmu.edu/~jab/cv/pubs/boyan.backgammon-thesis.pdf",),
            ),
            Source(
                "rummery-niranjan-1994",
                "Rummery & Niranjan (1994)",
                "classic",
                "Gavin A. Rummery and Mahesan Niranjan",
                "On-line Q-learning using connectionist systems",
                "1994",
                "technical report CUED/F-INFENG/TR 166, University of Cambridge",
            ),
            Source(
                "mitchell-1997",
                "Mitchell (1997)",
                "classic",
                "Tom M. Mitchell",
                "Machine Learning",
                "1997",
                "McGraw-Hill; chapter 13",
                ("https://www.cs.cmu.edu/~tom/mlbook.html",),
            ),
            Source(
                "kocsis-szepesvari-2006",
                "Kocsis & Szepesvári (2006)",
                "classic",
                "Levente Kocsis and Csaba Szepesvári",
                "Bandit based Monte-Carlo planning",
                "2006",
                "European Conference on Machine Learning",
                ("https://doi.org/10.1007/11871842_29",),
            ),
            Source(
                "van-seijen-2009",
                "van Seijen et al. (2009)",
                "classic",
                "Harm van Seijen, Hado van Hasselt, Shimon Whiteson and Marco Wiering",
                "A theoretical and empirical analysis of Expected Sarsa",
                "2009",
                "IEEE Symposium on Adaptive Dynamic Programming and Reinforcement Learning",
                ("https://doi.org/10.1109/ADPRL.2009.4927542",),
            ),
            Source(
                "van-hasselt-2010",
                "van Hasselt (2010)",
                "classic",
                "Hado van Hasselt",
                "Double Q-learning",
                "2010",
                "Advances in Neural Information Processing Systems 23",
                ("https://papers.nips.cc/paper/3964-double-q-learning",),
            ),
            Source(
                "mnih-2015",
                "Mnih et al. (2015)",
                "classic",
                "Volodymyr Mnih and others",
                "Human-level control through deep reinforcement learning",
                "2015",
                "Nature 518, pages 529 to 533",
                ("https://doi.org/10.1038/nature14236",),
            ),
            Source(
                "van-hasselt-2015",
                "van Hasselt, Guez & Silver (2015)",
                "classic",
                "Hado van Hasselt, Arthur Guez and David Silver",
                "Deep reinforcement learning with double Q-learning",
                "2015",
                "arXiv 1509.06461",
                ("https://arxiv.org/abs/1509.06461",),
            ),
            Source(
                "kingma-ba-2015",
                "Kingma & Ba (2015)",
                "classic",
                "Diederik P. Kingma and Jimmy Ba",
                "Adam: a method for stochastic optimization",
                "2015",
                "International Conference on Learning Representations; arXiv 1412.6980",
                ("https://arxiv.org/abs/1412.6980",),
            ),
            Source(
                "lanctot-2017",
                "Lanctot et al. (2017)",
                "classic",
                "Marc Lanctot and others",
                "A unified game-theoretic approach to multiagent reinforcement learning",
                "2017",
                "Advances in Neural Information Processing Systems 30; arXiv 1711.00832",
                ("https://arxiv.org/abs/1711.00832",),
            ),
            Source(
                "sutton-barto-2018",
                "Sutton & Barto (2018)",
                "classic",
                "Richard S. Sutton and Andrew G. Barto",
                "Reinforcement Learning: An Introduction",
                "2018",
                "second edition, MIT Press",
                ("https://mitpress.mit.edu/9780262039246/reinforcement-learning/",),
            ),
            OURS,
        )
    }
)
_BY_NAME = MappingProxyType({source.name: source for source in SOURCES.values()})


def sources(*slugs: str) -> tuple[Source, ...]:
    """Return the sources with these slugs."""
    return tuple(SOURCES[slug] for slug in slugs)


def named(name: str) -> Source | None:
    """Return the source with a short name, as the cards have it; None if there is no such."""
    return _BY_NAME.get(name)


def heading(name: str) -> str:
    """Return what agents with an origin are listed under: the classics are one family."""
    source = named(name)
    return CLASSICS if source and source.kind == "classic" else name
