"""The links of the controls, and automatic moves."""

from msgspec.structs import replace

from app.web.match import MAX_COUNTED_GAMES, Match, replay_match
from app.web.match_controls import (
    AutomaticStep,
    Controls,
    plan_automatic_step,
    start_next_game,
)
from app.web.site_data import SiteData

WATCHED = Match(x="minimax", o="random")
X_WON = "03142"


def of(match: Match, site: SiteData) -> Controls:
    return Controls(replay_match(match, site))


def by_itself(match: Match, site: SiteData) -> AutomaticStep | None:
    return plan_automatic_step(replay_match(match, site))


def test_taking_back_undoes_both_plies_against_an_agent(site: SiteData) -> None:
    assert of(Match(record="4081"), site).take_back_url == "/play/40"


def test_taking_back_undoes_one_ply_while_the_agent_has_not_answered(site: SiteData) -> None:
    assert of(Match(record="408"), site).take_back_url == "/play/40"


def test_taking_back_after_the_end_undoes_what_the_person_chose_last(site: SiteData) -> None:
    assert of(Match(record=X_WON), site).take_back_url == "/play/0314"


def test_taking_back_undoes_one_ply_where_people_play_each_other(site: SiteData) -> None:
    assert of(Match(record="40", o="human"), site).take_back_url == "/play/4?o=human"


def test_there_is_nothing_to_take_back_before_a_person_has_moved(site: SiteData) -> None:
    assert of(Match(), site).take_back_url == ""
    assert of(Match(record="4", x="minimax", o="human"), site).take_back_url == ""
    assert of(Match(record="40", x="minimax", o="random"), site).take_back_url == ""


def test_an_agent_answers_a_person_by_itself(site: SiteData) -> None:
    answer = by_itself(Match(record="4"), site)
    assert answer is not None
    assert answer.url == "/reply/4"
    assert by_itself(Match(record="40"), site) is None


def test_a_watched_game_goes_on_in_its_own_time(site: SiteData) -> None:
    assert by_itself(Match(x="minimax", o="random", move_delay=0.25), site) == AutomaticStep(
        "/reply/?x=minimax&o=random&delay=0.25", 0.25, "pause"
    )


def test_nothing_moves_while_paused_or_while_an_earlier_ply_is_shown(site: SiteData) -> None:
    assert by_itself(Match(x="minimax", o="random", is_paused=True), site) is None
    assert by_itself(Match(record="40", ply=1), site) is None


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


def test_the_transport_walks_through_the_record(site: SiteData) -> None:
    middle = of(Match(record="408", ply=1), site)
    assert (middle.first_position_url, middle.previous_position_url) == (
        "/play/408?ply=0",
        "/play/408?ply=0",
    )
    assert (middle.next_position_url, middle.last_position_url) == ("/play/408?ply=2", "/play/408")
    assert of(Match(record="408", ply=2), site).next_position_url == "/play/408"


def test_going_back_in_a_watched_game_pauses_it(site: SiteData) -> None:
    assert of(Match(record="40", x="minimax", o="random"), site).previous_position_url == (
        "/play/40?ply=1&x=minimax&o=random&pause=1"
    )


def test_a_step_at_the_end_is_a_move_of_the_agent(site: SiteData) -> None:
    assert of(Match(x="minimax", o="random", is_paused=True), site).next_position_url == (
        "/reply/?x=minimax&o=random&pause=1"
    )
    assert of(Match(), site).next_position_url == ""


def test_agent_move_is_there_while_the_game_is_on(site: SiteData) -> None:
    assert of(Match(record="40"), site).reply_url == "/reply/40"
    assert of(Match(record="408", ply=1), site).reply_url == "/reply/4"
    assert of(Match(record=X_WON), site).reply_url == ""


def test_swapping_sides_keeps_the_game(site: SiteData) -> None:
    assert of(Match(record="40"), site).swap_url == "/play/40?x=q-iteration&o=human"


def test_pause_and_play_are_each_others_opposite(site: SiteData) -> None:
    going, halted = of(WATCHED, site), of(Match(x="minimax", o="random", is_paused=True), site)
    assert (going.pause_url, going.resume_url) == ("/play/?x=minimax&o=random&pause=1", "")
    assert (halted.pause_url, halted.resume_url) == ("", "/play/?x=minimax&o=random")


def test_there_is_nothing_to_pause_where_nothing_would_move(site: SiteData) -> None:
    for match in (Match(o="human"), Match(record=X_WON)):
        still = of(match, site)
        assert (still.pause_url, still.resume_url) == ("", "")
    assert of(Match(record=X_WON, x="minimax", o="random"), site).pause_url


def test_a_tally_stops_at_the_largest_that_an_address_holds(site: SiteData) -> None:
    full = Match(
        record=X_WON,
        x="minimax",
        o="random",
        result_counts=(MAX_COUNTED_GAMES, 0, 0),
    )
    assert start_next_game(replay_match(full, site)).result_counts == (MAX_COUNTED_GAMES, 0, 0)
