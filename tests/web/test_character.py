"""How strong somebody is follows from exact figures, and what a card says is true."""

from app.web.lens import opinion
from app.web.text import BEGINNER_LOSES, STRENGTHS, character
from app.web.world import HUMAN, World


def test_the_strength_of_everybody_follows_from_the_exact_figures(world: World) -> None:
    for name in world.policies:
        judgement = world.judgement(name)
        lost = max(judgement.chances["random", seat][2] for seat in "xo")
        beaten = any(judgement.chances["best-responder", seat][2] > 0 for seat in "xo")
        expected = "unbeatable"
        if beaten:
            expected = "beginner" if lost > BEGINNER_LOSES else "strong"
        assert character(world, name).strength == expected, name


def test_every_strength_is_somebodys_and_is_said_in_words(world: World) -> None:
    assert {character(world, name).strength for name in world.policies} == set(STRENGTHS)


def test_the_strengths_of_some_that_are_known(world: World) -> None:
    strengths = {name: character(world, name).strength for name in world.policies}
    assert strengths["minimax"] == strengths["q-iteration"] == "unbeatable"
    assert strengths["q-learning-1"] == strengths["t-hand"] == "strong"
    assert strengths["random"] == strengths["symmetric"] == "beginner"
    assert character(world, HUMAN).strength == ""


def test_a_line_says_how_it_learned_and_what_is_proved(world: World) -> None:
    assert character(world, "q-learning-1").line == (
        "Learned from games against Random. Never loses as X."
    )
    assert character(world, "q-learning-4").line.startswith(
        "Learned from games against Random and then itself."
    )
    for name in world.agents:
        unbeatable = world.judgement(name).unbeatable
        line = character(world, name).line
        assert ("No opponent can win." in line) == all(unbeatable.values())
        for seat, safe in unbeatable.items():
            assert safe or f"Never loses as {seat.upper()}" not in line


def test_the_opening_is_what_it_expects_of_the_empty_board(world: World) -> None:
    for name in world.agents:
        view, opening = opinion(world, 0, name), character(world, name).opening
        assert opening is not None
        for cell, heat in enumerate(opening):
            assert heat == (view.heat[cell] if view.known[cell] else None)
    assert character(world, "minimax").opening is None
