"""The sentences on pages."""

from app.web.facts import judge_policy
from app.web.match import Match, replay_match
from app.web.move_values import evaluate_moves
from app.web.pages.parts.match_controls import plan_automatic_step
from app.web.site_data import HUMAN, SiteData
from app.web.wording import (
    build_legend,
    build_player_profile,
    describe_status,
    describe_turn,
)


def says(site: SiteData, match: Match) -> tuple[str, str]:
    state = replay_match(match, site)
    return describe_turn(state), describe_status(state, plan_automatic_step(state) is not None)


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


def test_what_is_said_of_strength_is_true_of_the_seat_that_is_played(site: SiteData) -> None:
    def facts(**players: str) -> str:
        state = replay_match(Match("4", **players), site)  # type: ignore[arg-type]
        return build_legend(state, evaluate_moves(site, state.position, "q-learning-1")).facts

    assert facts(o="q-learning-1").endswith("and can be beaten as O.")
    assert facts(x="q-learning-1", o=HUMAN).endswith("and cannot be beaten as X.")
    assert facts(x="q-learning-1", o="q-learning-1").endswith("and can be beaten only as O.")


# How strong somebody is follows from exact figures, and what a card says is true.


def test_the_strength_of_everybody_follows_from_the_exact_figures(site: SiteData) -> None:
    for name in site.policies:
        judgement = judge_policy(site, name)
        lost = max(judgement.outcome_chances["random", seat][2] for seat in "xo")
        beaten = any(judgement.outcome_chances["best-responder", seat][2] > 0 for seat in "xo")
        expected = "unbeatable"
        if beaten:
            expected = "beginner" if lost > 0.1 else "intermediate" if lost > 0.01 else "strong"
        assert build_player_profile(site, name).strength_name == expected, name
