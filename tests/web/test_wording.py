"""The sentences on pages."""

import pytest
from msgspec.structs import replace

from app.recipes import parse_recipe
from app.web import wording
from app.web.facts import judge_policy
from app.web.match import Match, replay_match
from app.web.match_controls import plan_automatic_step
from app.web.move_values import evaluate_match, evaluate_moves
from app.web.site_data import HUMAN, SiteData
from app.web.wording import (
    BEGINNER_LOSS_SHARE,
    STRENGTH_MEANINGS,
    build_legend,
    describe_character,
    describe_status,
    describe_task,
    describe_turn,
)


def watched(record: str) -> Match:
    return Match(record=record, x="minimax", o="random")


def says(site: SiteData, match: Match) -> tuple[str, str]:
    state = replay_match(match, site)
    return describe_turn(state), describe_status(state, plan_automatic_step(state) is not None)


def legend(site: SiteData, match: Match) -> wording.Legend:
    state = replay_match(match, site)
    return build_legend(state, evaluate_match(state))


@pytest.mark.parametrize(
    ("match", "headline", "status"),
    [
        (Match(), "Your turn as X", "Your turn as X."),
        (Match(record="4"), "Q-iteration’s turn as O", ""),
        (
            Match(record="40"),
            "Your turn as X",
            "X: row 2, column 2. O: row 1, column 1. Your turn as X.",
        ),
        (Match(record="40", o="human"), "X to move", None),
        (watched(""), "Minimax’s turn as X", ""),
        (
            Match(record="4", x="minimax", o="random", is_paused=True),
            "Random’s turn as O",
            "X: row 2, column 2. Random’s turn as O.",
        ),
        (watched("03142"), "Minimax wins as X", "Minimax wins as X."),
        (
            Match(record="03142"),
            "You win",
            "O: row 2, column 2. X: row 1, column 3. You win.",
        ),
        (Match(record="03142", x="q-iteration", o="human"), "You lost", None),
        (Match(record="03142", o="human"), "X wins", None),
        (watched("012435768"), "Draw", "Draw."),
    ],
)
def test_whose_turn_it_is_or_how_it_ended(
    site: SiteData, match: Match, headline: str, status: str | None
) -> None:
    said = says(site, match)
    assert said[0] == headline
    if status is not None:
        assert said[1] == status


def test_the_legend_says_whose_view_it_is(site: SiteData) -> None:
    def caption(match: Match) -> str:
        return legend(site, match).caption

    title = site.display_titles["q-iteration"]
    assert caption(Match(record="4")) == f"{title}’s value of each move for O"
    assert caption(Match(record="40", value_source="truth")) == (
        "Result of each move for X with optimal play"
    )
    assert "for X, after 0 updates" in caption(Match(value_source="q-iteration", snapshot=0))


def test_the_scale_names_what_its_ends_and_its_middle_stand_for(site: SiteData) -> None:
    def scale(lens: str, own: bool = False) -> list[tuple[str, ...]]:
        view = evaluate_moves(site, 0, lens, in_source_units=own)
        return list(build_legend(replay_match(Match(), site), view).scale_labels)

    assert scale("truth") == [("loss", "−1"), ("draw", "0"), ("win", "+1")]
    assert scale("observing") == [("loss", "−1"), ("draw", "0"), ("win", "+1")]
    assert scale("observing", own=True) == [
        ("loss", "−10.00"),
        ("draw", "+3.00"),
        ("win", "+10.00"),
    ]
    assert scale("q-table-draw-1") == [("loss", "−1"), ("", "0"), ("draw or win", "+1")]


def test_a_blunder_of_a_person_is_said_unless_values_are_hidden(site: SiteData) -> None:
    blunder = Match(record="31", x="minimax", o="human", is_paused=True)
    assert "O: row 1, column 2. A blunder: it gave away the draw." in says(site, blunder)[1]
    for quiet in (replace(blunder, hides_values=True), replace(blunder, x="human", o="random")):
        assert "O: row 1, column 2." in says(site, quiet)[1]
        assert "away" not in says(site, quiet)[1]


def test_a_snapshot_is_told_by_its_own_figures(site: SiteData) -> None:
    figures = site.agents["q-learning-1"].card.figures
    said = legend(site, Match(value_source="q-learning-1", snapshot=5)).facts
    number = f"{figures.blunders[5]:,}"
    assert said == (
        f"At this snapshot of its training Q-learning 1 blunders in {number} of 4,520 positions."
    )


def test_a_task_is_said_with_its_opponent_and_what_later_counts(site: SiteData) -> None:
    shown = legend(site, Match(value_source="q-learning-1_task"))
    assert shown.caption == ("Exact value of each move for X in the training task of Q-learning 1")
    assert (
        "to play against Random, with a discount factor of 0.9 for each of its own moves"
        in shown.facts
    )
    assert (shown.unknown_text, shown.can_be_wrong) == ("", False)


@pytest.mark.parametrize(
    ("recipe", "asked"),
    [
        (
            "sarsa",
            "to play against Random, exploring with ε = 0.1, with a discount factor of 0.9 for each "
            "of its own moves",
        ),
        ("sarsa,epsilon_drop=0.02,gamma=1", "to play against Random, with a discount factor of 1"),
        (
            "td-afterstates,vs=self,learn_from=all",
            "to play against itself, exploring with ε = 0.1, with a discount factor of 1",
        ),
    ],
)
def test_a_task_says_what_is_explored(site: SiteData, recipe: str, asked: str) -> None:
    task = parse_recipe(recipe).build_training_task()
    assert task is not None
    assert describe_task(site, task) == asked


# How strong somebody is follows from exact figures, and what a card says is true.


def test_the_strength_of_everybody_follows_from_the_exact_figures(site: SiteData) -> None:
    for name in site.policies:
        judgement = judge_policy(site, name)
        lost = max(judgement.outcome_chances["random", seat][2] for seat in "xo")
        beaten = any(judgement.outcome_chances["best-responder", seat][2] > 0 for seat in "xo")
        expected = "unbeatable"
        if beaten:
            expected = "beginner" if lost > BEGINNER_LOSS_SHARE else "strong"
        assert describe_character(site, name).strength_name == expected, name


def test_every_strength_is_somebodys_and_is_said_in_words(site: SiteData) -> None:
    assert {describe_character(site, name).strength_name for name in site.policies} == set(
        STRENGTH_MEANINGS
    )


def test_the_strengths_of_some_that_are_known(site: SiteData) -> None:
    strengths = {name: describe_character(site, name).strength_name for name in site.policies}
    assert strengths["minimax"] == strengths["q-iteration"] == "unbeatable"
    assert strengths["q-learning-1"] == strengths["t-hand"] == "strong"
    assert strengths["random"] == strengths["symmetric"] == "beginner"
    assert describe_character(site, HUMAN).strength_name == ""


def test_a_line_says_how_it_learned_and_what_is_proved(site: SiteData) -> None:
    assert describe_character(site, "q-learning-1").description == (
        "Learned from games against random moves. Never loses when playing X."
    )
    assert describe_character(site, "q-learning-4").description.startswith(
        "Learned from games against random moves and then itself."
    )
    for name in site.agents:
        unbeatable = judge_policy(site, name).is_unbeatable
        line = describe_character(site, name).description
        assert ("Cannot be beaten." in line) == all(unbeatable.values())
        for seat, safe in unbeatable.items():
            assert safe or f"Never loses when playing {seat.upper()}" not in line


def test_the_opening_is_what_it_expects_of_the_empty_board(site: SiteData) -> None:
    for name in site.agents:
        view, opening = evaluate_moves(site, 0, name), describe_character(site, name).opening_heats
        assert opening is not None
        for cell, heat in enumerate(opening):
            assert heat == (view.heats[cell] if view.is_known[cell] else None)
    assert describe_character(site, "minimax").opening_heats is None
