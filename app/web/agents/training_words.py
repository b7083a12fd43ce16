"""How an agent was trained, in words: what each number on its card means."""

from typing import NamedTuple

from app.tictactoe.card import Card
from app.tictactoe.game import SEATS
from app.web import algorithms
from app.web.numbers import count, signed
from app.web.players import Players

LENGTH = "iterations_vs_"  # what the name of a parameter begins with that says how long, and whom
MEANINGS = {
    "alpha": "step size: how much of the way to its target an update moves a value",
    "gamma": "discount: how much of a value counts one move earlier",
    "epsilon": "chance of a random move in training, so that everything is tried",
    "epsilon_drop": "what epsilon falls by after every tenth of the games in a seat, down to 0",
    "epsilon_first": "chance of a random move in the first epoch",
    "epsilon_last": "chance of a random move in the last epoch; between them it falls evenly",
    "initial": "every value before training, in X's view",
    "loss": "reward of a lost game",
    "draw": "reward of a drawn game",
    "win": "reward of a won game",
    "learner": "which member of the league this is",
    "k_start": "k at the first update; the chance of a move is proportional to k ** its value",
    "k_step": "what k grows by at every update: the larger k, the more the best move is preferred",
    "k_limit": "what k never exceeds",
    "observing": "whether it learns from the opponent's moves as well, seen from the other side",
    "symmetric": "whether a board is the same to it however it is turned or reflected",
    "games_per_seat": "games in each seat in an epoch",
    "step_size": "step size of Adam, which moves the weights of the network",
    "memory": "how many of the latest moves are kept to learn from",
    "batch": "how many of them are drawn for one step",
    "steps": "steps of Adam after the games of an epoch",
}


class Setting(NamedTuple):
    """A parameter of a training."""

    name: str
    value: str
    meaning: str  # "" where nothing is known of it


class Value(NamedTuple):
    """What the results of a game are worth to the mover in one seat."""

    seat: str
    loss: str
    draw: str
    win: str


def training(card: Card) -> str:
    """Say how long the training was."""
    games = f" in {count(card.games)} games" if card.games else ", without playing a game"
    return f"{count(card.updates)} updates{games}"


def settings(players: Players, card: Card) -> list[Setting]:
    """List the parameters on a card, each with what it means."""
    return [
        Setting(name, _written(value), _meaning(players, card, name))
        for name, value in card.parameters.items()
    ]


def made(players: Players, card: Card) -> list[tuple[str, str]]:
    """List what else there is to know of a training: name and value."""
    opponents = "; ".join(_title(players, opponent) for opponent in card.opponents)
    return [
        ("Opponents", opponents),
        ("Games", count(card.games)),
        ("Updates", count(card.updates)),
        ("Time", f"{card.seconds:.3g} s"),
        ("Seed", count(card.seed)),
        ("Made with", ", ".join(f"{name} {version}" for name, version in card.versions.items())),
        ("SHA-256 of the npz", card.arrays),
        ("SHA-256 of the numbering of the positions", card.numbering),
    ]


def worth(card: Card) -> list[Value]:
    """List what a loss, a draw and a win are worth in each seat."""
    return [
        Value(seat.upper(), *(signed(value) for value in getattr(card.worth, seat)))
        for seat in SEATS
    ]


def _meaning(players: Players, card: Card, name: str) -> str:
    if not name.startswith(LENGTH):
        return MEANINGS.get(name, "")
    return f"{algorithms.iterations(card)} {_title(players, name.removeprefix(LENGTH))}"


def _title(players: Players, opponent: str) -> str:
    return "itself" if opponent == "self" else players.titles.get(opponent, opponent)


def _written(value: bool | int | float | str) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case int():
            return count(value)
        case float():
            return f"{value:g}"
    return value
