"""Where the controls lead, and what happens by itself."""

from app.web.match import MAX_TALLY, Match, place_of
from app.web.scene import Auto, Controls, auto, links, next_game
from app.web.world import World

WATCHED = Match(x="minimax", o="random")
X_WON = "03142"


def of(match: Match, world: World) -> Controls:
    return links(place_of(match, world))


def by_itself(match: Match, world: World) -> Auto | None:
    return auto(place_of(match, world))


def test_taking_back_undoes_both_plies_against_an_agent(world: World) -> None:
    assert of(Match(record="4081"), world).take_back == "/play/40"


def test_taking_back_undoes_one_ply_while_the_agent_has_not_answered(world: World) -> None:
    assert of(Match(record="408"), world).take_back == "/play/40"


def test_taking_back_after_the_end_undoes_what_the_person_chose_last(world: World) -> None:
    assert of(Match(record=X_WON), world).take_back == "/play/0314"


def test_taking_back_undoes_one_ply_where_people_play_each_other(world: World) -> None:
    assert of(Match(record="40", o="human"), world).take_back == "/play/4?o=human"


def test_there_is_nothing_to_take_back_before_a_person_has_moved(world: World) -> None:
    assert of(Match(), world).take_back == ""
    assert of(Match(record="4", x="minimax", o="human"), world).take_back == ""
    assert of(Match(record="40", x="minimax", o="random"), world).take_back == ""


def test_an_agent_answers_a_person_by_itself(world: World) -> None:
    answer = by_itself(Match(record="4"), world)
    assert answer is not None
    assert answer.href == "/reply/4"
    assert by_itself(Match(record="40"), world) is None


def test_a_watched_game_goes_on_in_its_own_time(world: World) -> None:
    assert by_itself(Match(x="minimax", o="random", delay=0.25), world) == Auto(
        "/reply/?x=minimax&o=random&delay=0.25", 0.25, "pause"
    )


def test_nothing_moves_while_paused_or_while_an_earlier_ply_is_shown(world: World) -> None:
    assert by_itself(Match(x="minimax", o="random", pause=True), world) is None
    assert by_itself(Match(record="40", ply=1), world) is None


def test_a_watched_game_ends_with_the_next_one_if_asked(world: World) -> None:
    over = Match(record=X_WON, x="minimax", o="random", tally=(1, 2, 3))
    assert by_itself(over, world) is None
    going_on = Match(record=X_WON, x="minimax", o="random", tally=(1, 2, 3), keep=True)
    following = by_itself(going_on, world)
    assert following is not None
    assert following.href == "/play/?x=minimax&o=random&keep=1&tally=2-2-3"


def test_the_transport_walks_through_the_record(world: World) -> None:
    middle = of(Match(record="408", ply=1), world)
    assert (middle.first, middle.back) == ("/play/408?ply=0", "/play/408?ply=0")
    assert (middle.step, middle.last) == ("/play/408?ply=2", "/play/408")
    assert of(Match(record="408", ply=2), world).step == "/play/408"


def test_going_back_in_a_watched_game_pauses_it(world: World) -> None:
    assert of(Match(record="40", x="minimax", o="random"), world).back == (
        "/play/40?ply=1&x=minimax&o=random&pause=1"
    )


def test_a_step_at_the_end_is_a_move_of_the_agent(world: World) -> None:
    assert of(Match(x="minimax", o="random", pause=True), world).step == (
        "/reply/?x=minimax&o=random&pause=1"
    )
    assert of(Match(), world).step == ""


def test_agent_move_is_there_while_the_game_is_on(world: World) -> None:
    assert of(Match(record="40"), world).reply == "/reply/40"
    assert of(Match(record="408", ply=1), world).reply == "/reply/4"
    assert of(Match(record=X_WON), world).reply == ""


def test_swapping_sides_keeps_the_game(world: World) -> None:
    assert of(Match(record="40"), world).swap == "/play/40?x=q-iteration&o=human"


def test_pause_and_play_are_each_others_opposite(world: World) -> None:
    going, halted = of(WATCHED, world), of(Match(x="minimax", o="random", pause=True), world)
    assert (going.pause, going.play) == ("/play/?x=minimax&o=random&pause=1", "")
    assert (halted.pause, halted.play) == ("", "/play/?x=minimax&o=random")


def test_there_is_nothing_to_pause_where_nothing_would_move(world: World) -> None:
    over = Match(record=X_WON, x="minimax", o="random")
    for match in (Match(o="human"), Match(record=X_WON), over):
        still = of(match, world)
        assert (still.pause, still.play) == ("", "")
    going_on = of(Match(record=X_WON, x="minimax", o="random", keep=True), world)
    assert going_on.pause


def test_a_tally_stops_at_the_largest_that_an_address_holds(world: World) -> None:
    full = Match(record=X_WON, x="minimax", o="random", keep=True, tally=(MAX_TALLY, 0, 0))
    assert next_game(place_of(full, world)).tally == (MAX_TALLY, 0, 0)
