"""The card of an agent: everything there is to know of it besides its arrays, as readable JSON."""

import hashlib
import re
from collections.abc import Sized

import msgspec

from app.tictactoe.game import Game
from app.tictactoe.report import BySeat, Figures
from app.tictactoe.views import Worth

ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


class Card(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What there is to know of an agent besides its arrays."""

    id: str
    title: str
    origin: str
    reported: str
    algorithm: str
    parameters: dict[str, bool | int | float | str]
    opponents: list[str]
    seed: int
    games: int
    updates: int
    seconds: float
    versions: dict[str, str]
    numbering: str  # sha256 of the game's code[] as little-endian int32
    arrays: str  # sha256 of the npz
    worth: Worth
    figures: Figures
    win_rate: BySeat[float] | None = None  # of the training games, exploring, epoch by epoch


def numbering(game: Game) -> str:
    """Return the digest by which a model knows the game that it was trained on."""
    return hashlib.sha256(game.code.astype("<i4").tobytes()).hexdigest()


def card_text(card: Card) -> str:
    """Write a card as indented JSON with the innermost lists on one line each."""
    text = msgspec.json.format(msgspec.json.encode(card), indent=1).decode()
    innermost = re.compile(r"\[(\n[^][{}\"]*)\]")  # a text has no line break
    return innermost.sub(lambda found: f"[{' '.join(found[1].split())}]", text) + "\n"


def check_card(game: Game, agent_id: str, card: Card) -> None:
    """Raise ValueError if a well-formed card is not that of this agent and game."""
    if not ID.fullmatch(card.id):
        raise ValueError(f"id {card.id!r} is not lower-case words joined by '-'")
    if card.id != agent_id:
        raise ValueError(f"id {card.id!r} is not the file's name")
    if card.numbering != numbering(game):
        raise ValueError("numbering is that of another game or another order of its positions")
    figures = card.figures
    lists: list[Sized] = [figures.nash_conv, figures.blunders, figures.classes_right]
    for chances in (figures.best_response, *figures.vs.values()):
        lists += [chances.x, chances.o]
    lists += [figures.reachable_blunders.x, figures.reachable_blunders.o]
    if any(len(entries) != len(figures.updates) for entries in lists):
        raise ValueError("figures do not have one entry a snapshot")
    if card.win_rate is not None:
        x, o = card.win_rate.x, card.win_rate.o
        if not x or len(x) != len(o) or not all(0 <= rate <= 1 for rate in x + o):
            raise ValueError("win_rate is not a share of games in each seat for each epoch")
