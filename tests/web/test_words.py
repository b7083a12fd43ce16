"""What the page says."""

import pytest

from app.tictactoe.notation import replay
from app.web import words
from app.web.lens import match_opinion, opinion
from app.web.match import Match
from app.web.play.links import auto
from app.web.players import Players


def watched(record: str) -> Match:
    return Match(record=record, x="minimax", o="random")


def says(players: Players, match: Match) -> tuple[str, str]:
    position = replay(players.game, match.shown)[-1]
    going_on = auto(match, players, position)
    return (
        words.headline(match, players, position),
        words.status(match, players, position, going_on is not None),
    )


@pytest.mark.parametrize(
    ("match", "headline", "status"),
    [
        (Match(), "Your turn as X", "Your turn as X."),
        (Match(record="4"), "Q-iteration to move as O", ""),
        (
            Match(record="40"),
            "Your turn as X",
            "X: row 2, column 2. O: row 1, column 1. Your turn as X.",
        ),
        (Match(record="40", o="human"), "X to move", None),
        (watched(""), "Minimax to move as X", ""),
        (
            Match(record="4", x="minimax", o="random", pause=True),
            "Random to move as O",
            "X: row 2, column 2. Random to move as O.",
        ),
        (watched("03142"), "Minimax wins as X", "Minimax wins as X."),
        (
            Match(record="03142"),
            "You win as X",
            "O: row 2, column 2. X: row 1, column 3. You win as X.",
        ),
        (Match(record="03142", o="human"), "X wins", None),
        (watched("012435768"), "Draw", "Draw."),
    ],
)
def test_whose_turn_it_is_or_how_it_ended(
    players: Players, match: Match, headline: str, status: str | None
) -> None:
    said = says(players, match)
    assert said[0] == headline
    if status is not None:
        assert said[1] == status


def test_the_legend_says_whose_view_it_is(players: Players) -> None:
    def caption(match: Match) -> str:
        position = replay(players.game, match.shown)[-1]
        return words.legend(match, players, match_opinion(match, players, position)).caption

    title = players.titles["q-iteration"]
    assert caption(Match(record="4")) == (f"On the squares: what {title} expects for O, to move")
    assert caption(Match(record="40", lens="truth")) == (
        "On the squares: how the game ends for X, to move"
    )
    assert "expected after 0 updates" in caption(Match(lens="q-iteration", step=0))


def test_the_scale_names_what_its_ends_and_its_middle_stand_for(players: Players) -> None:
    def scale(lens: str) -> list[tuple[str, str]]:
        return words.legend(Match(), players, opinion(players, 0, lens)).scale

    assert scale("truth") == [("loss", "−1"), ("draw", "0"), ("win", "+1")]
    assert scale("observing") == [("loss", "−10.00"), ("draw", "+3.00"), ("win", "+10.00")]
    assert scale("q-table-draw-1") == [("loss", "0.00"), ("", "+0.50"), ("draw or win", "+1.00")]


def test_the_tally_is_silent_before_the_first_game() -> None:
    assert words.tally(Match()) == ""
    assert words.tally(Match(tally=(1, 0, 2))) == "X won 1, drawn 0, O won 2"


def test_a_snapshot_is_told_by_its_own_figures(players: Players) -> None:
    figures = players.agents["q-learning-1"].card.figures
    match = Match(lens="q-learning-1", step=5)
    said = words.legend(match, players, match_opinion(match, players, 0)).facts
    assert (
        said
        == f"At that moment Q-learning 1 blundered in {figures.blunders[5]:,} of 4,520 positions."
    )
