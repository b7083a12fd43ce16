"""The links of the controls, and automatic moves."""

from msgspec.structs import replace

from app.web.match import MAX_COUNTED_GAMES, Match, replay_match
from app.web.pages.parts.match_controls import (
    AutomaticStep,
    list_control_urls,
    plan_automatic_step,
    start_next_game,
)
from app.web.site_data import SiteData

X_WON = "03142"


def take_back_url(match: Match, site: SiteData) -> str:
    return list_control_urls(replay_match(match, site))["take_back_url"]


def by_itself(match: Match, site: SiteData) -> AutomaticStep | None:
    return plan_automatic_step(replay_match(match, site))


def test_taking_back_undoes_both_plies_against_an_agent(site: SiteData) -> None:
    assert take_back_url(Match(record="4081"), site) == "/play/40"


def test_there_is_nothing_to_take_back_before_a_person_has_moved(site: SiteData) -> None:
    assert take_back_url(Match(), site) == ""
    assert take_back_url(Match(record="4", x="minimax", o="human"), site) == ""
    assert take_back_url(Match(record="40", x="minimax", o="random"), site) == ""


def test_game_follows_on_game_until_paused_with_a_score(site: SiteData) -> None:
    over = Match(record=X_WON, x="minimax", o="random", result_counts=(1, 2, 3))
    following = by_itself(over, site)
    assert following is not None
    assert following.url == "/play/?x=minimax&o=random&tally=2-2-3"
    assert by_itself(replace(over, is_paused=True), site) is None
    assert by_itself(replace(over, replays_record=True), site) is None


def test_an_automatic_step_with_another_url_or_delay_has_another_id(site: SiteData) -> None:
    """Morphing keeps an element with the same id, and with it its old timer and URL."""
    match = Match(x="minimax", o="random")
    changes = {"move_delay": 0.5, "epsilon": 0.1, "hides_values": True, "value_source": "truth"}
    steps = [by_itself(replace(match, **{name: new}), site) for name, new in changes.items()]
    ids = {step.id for step in [by_itself(match, site), *steps] if step}
    assert len(ids) == 1 + len(changes)


def test_a_tally_stops_at_the_largest_that_an_address_holds(site: SiteData) -> None:
    full = Match(
        record=X_WON,
        x="minimax",
        o="random",
        result_counts=(MAX_COUNTED_GAMES, 0, 0),
    )
    assert start_next_game(replay_match(full, site)).result_counts == (MAX_COUNTED_GAMES, 0, 0)
