"""Where the controls lead, and what happens by itself."""

from app.tictactoe.notation import replay
from app.web.match import MAX_TALLY, Match
from app.web.play.links import Auto, Links, auto, links, next_game
from app.web.players import Players

WATCHED = Match(x="minimax", o="random")
X_WON = "03142"


def at(match: Match, players: Players) -> int:
    return replay(players.game, match.shown)[-1]


def of(match: Match, players: Players) -> Links:
    return links(match, players, at(match, players))


def by_itself(match: Match, players: Players) -> Auto | None:
    return auto(match, players, at(match, players))


def test_taking_back_undoes_both_plies_against_an_agent(players: Players) -> None:
    assert of(Match(record="4081"), players).take_back == "/play/40"


def test_taking_back_undoes_one_ply_while_the_agent_has_not_answered(players: Players) -> None:
    assert of(Match(record="408"), players).take_back == "/play/40"


def test_taking_back_after_the_end_undoes_what_the_person_chose_last(players: Players) -> None:
    assert of(Match(record=X_WON), players).take_back == "/play/0314"


def test_taking_back_undoes_one_ply_where_people_play_each_other(players: Players) -> None:
    assert of(Match(record="40", o="human"), players).take_back == "/play/4?o=human"


def test_there_is_nothing_to_take_back_before_a_person_has_moved(players: Players) -> None:
    assert of(Match(), players).take_back == ""
    assert of(Match(record="4", x="minimax", o="human"), players).take_back == ""
    assert of(Match(record="40", x="minimax", o="random"), players).take_back == ""


def test_an_agent_answers_a_person_by_itself(players: Players) -> None:
    answer = by_itself(Match(record="4"), players)
    assert answer is not None
    assert answer.href == "/reply/4"
    assert by_itself(Match(record="40"), players) is None


def test_a_watched_game_goes_on_in_its_own_time(players: Players) -> None:
    assert by_itself(Match(x="minimax", o="random", delay=0.25), players) == Auto(
        "/reply/?x=minimax&o=random&delay=0.25", 0.25, "pause"
    )


def test_nothing_moves_while_paused_or_while_an_earlier_ply_is_shown(players: Players) -> None:
    assert by_itself(Match(x="minimax", o="random", pause=True), players) is None
    assert by_itself(Match(record="40", ply=1), players) is None


def test_a_watched_game_ends_with_the_next_one_if_asked(players: Players) -> None:
    over = Match(record=X_WON, x="minimax", o="random", tally=(1, 2, 3))
    assert by_itself(over, players) is None
    going_on = Match(record=X_WON, x="minimax", o="random", tally=(1, 2, 3), keep=True)
    following = by_itself(going_on, players)
    assert following is not None
    assert following.href == "/play/?x=minimax&o=random&keep=1&tally=2-2-3"


def test_the_transport_walks_through_the_record(players: Players) -> None:
    middle = of(Match(record="408", ply=1), players)
    assert (middle.first, middle.back) == ("/play/408?ply=0", "/play/408?ply=0")
    assert (middle.step, middle.last) == ("/play/408?ply=2", "/play/408")
    assert of(Match(record="408", ply=2), players).step == "/play/408"


def test_going_back_in_a_watched_game_pauses_it(players: Players) -> None:
    assert of(Match(record="40", x="minimax", o="random"), players).back == (
        "/play/40?ply=1&x=minimax&o=random&pause=1"
    )


def test_a_step_at_the_end_is_a_move_of_the_agent(players: Players) -> None:
    assert of(Match(x="minimax", o="random", pause=True), players).step == (
        "/reply/?x=minimax&o=random&pause=1"
    )
    assert of(Match(), players).step == ""


def test_agent_move_is_there_while_the_game_is_on(players: Players) -> None:
    assert of(Match(record="40"), players).reply == "/reply/40"
    assert of(Match(record="408", ply=1), players).reply == "/reply/4"
    assert of(Match(record=X_WON), players).reply == ""


def test_swapping_sides_keeps_the_game(players: Players) -> None:
    assert of(Match(record="40"), players).swap == "/play/40?x=q-iteration&o=human"


def test_pause_and_play_are_each_others_opposite(players: Players) -> None:
    going, halted = of(WATCHED, players), of(Match(x="minimax", o="random", pause=True), players)
    assert (going.pause, going.play) == ("/play/?x=minimax&o=random&pause=1", "")
    assert (halted.pause, halted.play) == ("", "/play/?x=minimax&o=random")


def test_there_is_nothing_to_pause_where_nothing_would_move(players: Players) -> None:
    over = Match(record=X_WON, x="minimax", o="random")
    for match in (Match(o="human"), Match(record=X_WON), over):
        still = of(match, players)
        assert (still.pause, still.play) == ("", "")
    going_on = of(Match(record=X_WON, x="minimax", o="random", keep=True), players)
    assert going_on.pause


def test_a_tally_stops_at_the_largest_that_an_address_holds(players: Players) -> None:
    full = Match(record=X_WON, x="minimax", o="random", keep=True, tally=(MAX_TALLY, 0, 0))
    assert next_game(full, players, at(full, players)).tally == (MAX_TALLY, 0, 0)
