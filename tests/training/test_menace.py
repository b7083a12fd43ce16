"""MENACE's beads: as in plain Python, as Michie counted them, and played in proportion."""

import msgspec
import numpy as np

from app.recipes import parse
from app.tictactoe.beads import alike, beads, leanings
from app.tictactoe.game import Game, X
from app.tictactoe.policy import policy_of
from training.learners import learn
from training.story import GAMES, story


def test_it_begins_with_as_many_beads_as_michie_says(game: Game) -> None:
    untouched, *_ = learn(game, parse("menace,seat=x"), lambda updates: 10**9)
    held = game.spread(beads(game, untouched.q[game.legal], "proportional"))
    for ply, number in enumerate((4, 4, 3, 3, 2, 2, 1, 1, 1)):
        rows = held[game.ply_start[ply] : [*game.ply_start, game.decisions][ply + 1]]
        assert set(rows[~np.isnan(rows)].tolist()) == {number}
    classes = np.unique(game.symmetry_class[: game.decisions][game.to_move == X])
    assert (classes < game.ply_start[8]).sum() == 304  # the last move of X needs no box


def test_a_square_holds_its_part_of_the_beads_of_its_move(game: Game) -> None:
    assert game.spread(alike(game), 0)[0].tolist() == [4, 4, 4, 4, 1, 4, 4, 4, 4]
    untouched, *_ = learn(game, parse("menace"), lambda updates: 10**9)
    policy = policy_of(untouched.q, "proportional")[0]
    assert policy[[0, 2, 6, 8]].sum() == policy[[1, 3, 5, 7]].sum() == policy[4]


def test_beads_move_as_a_game_was_worth(game: Game) -> None:
    recipe = parse("menace,vs=random,seat=x,games=1")
    before, after = (show.q[game.legal] for show in learn(game, recipe, lambda updates: 10**9))
    change = beads(game, after, "proportional") - beads(game, before, "proportional")
    assert set(change.tolist()) - {0.0} <= {3.0, 1.0, -1.0}
    assert len(set(change.tolist())) == 2


def test_an_empty_box_is_filled_again_and_counted(game: Game) -> None:
    """X has one bead a move and loses them all to whoever never loses."""
    recipe = parse("menace,vs=minimax,seat=x,beads=1,games=2000,win=1,draw=0")
    *_, end = learn(game, recipe, lambda updates: 10**9)
    assert end.refills
    assert np.isfinite(policy_of(end.q, "proportional")).all()
    assert (np.nansum(end.q, axis=1) > 0).all()


def test_greedy_play_takes_the_move_with_the_most_beads_not_the_square(game: Game) -> None:
    drawn, greedy = (
        [*learn(game, parse(f"menace,games=2000{plays}"), lambda updates: 10**9)][-1]
        for plays in ("", ",plays=greedy")
    )
    held = beads(game, drawn.q[game.legal], "proportional")
    np.testing.assert_array_equal(held, greedy.q[game.legal])


def test_it_leans_to_nothing_at_first_and_to_what_it_always_draws_in_the_end(game: Game) -> None:
    untouched, *_, end = learn(game, parse("menace,vs=self,games=3000"), lambda updates: 10**9)
    for shown, flat in ((untouched, True), (end, False)):
        held = beads(game, shown.q[game.legal], "proportional")
        leaning = leanings(game, held)
        assert (np.abs(leaning) <= 1).all()
        assert (leaning[held == 0] == -1).all()
        assert (leaning == 0).all() == flat


def test_its_first_games_are_told_bead_by_bead(game: Game) -> None:
    recipe = parse("menace,vs=self,seat=x,beads=2,games=500,loss=-2")
    told = msgspec.json.decode(story(game, recipe))
    assert len(told) == GAMES
    paid, refilled = {"win": 3, "draw": 1, "loss": -2}, 0
    for one in told:
        assert [change["turn"] for change in one["changes"]] == list(range(len(one["turns"])))
        for change in one["changes"]:
            assert change["old"] > 0  # it was drawn, whatever was refilled before
            assert change["new"] == max(0, change["old"] + paid[one["result"]])
            refilled += change["new"] == 0
    assert refilled
