"""An agent judged: its blunders, and in each seat the game that beats it or the proof of none."""

from flask import Blueprint, Response
from werkzeug.exceptions import NotFound

from app.tictactoe.game import SEATS
from app.tictactoe.notation import MARKS
from app.web.agents import known
from app.web.judgement.blunders import blunders
from app.web.judgement.proof import proof, rows
from app.web.judgement.verdict import verdict
from app.web.players import Players, losing, players
from app.web.respond import respond

bp = Blueprint("judgement", __name__)
SHOWN = 24  # blunders on the agent's own page


@bp.get("/agents/<name>/blunders")
def atlas(name: str) -> Response:
    """Show all of an agent's blunders."""
    known(players(), name)
    return respond("blunders.html", atlas_view(name, players()))


@bp.get("/agents/<name>/certificate-<any(x, o):seat>")
def certificate(name: str, seat: str) -> Response:
    """Show all of a certificate."""
    check_proof(players(), name, seat)
    return respond("certificate.html", certificate_view(name, seat, players()))


@bp.get("/agents/<name>/certificate-<any(x, o):seat>.csv")
def download(name: str, seat: str) -> Response:
    """Send a certificate as a file."""
    check_proof(players(), name, seat)
    response = respond("certificate.csv", certificate_table(name, seat, players()))
    response.mimetype = "text/csv"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}-{seat}.csv"'
    return response


def check_proof(players: Players, name: str, seat: str) -> None:
    """Raise NotFound if there is no such agent, or no proof of it in this seat."""
    known(players, name)
    record = losing(players, name, SEATS[seat])
    if record is not None:
        raise NotFound(
            f"{players.titles[name]} can be beaten as {MARKS[SEATS[seat]]}, so there is no "
            f"certificate: it loses the game {record}."
        )


def judge(players: Players, name: str) -> dict[str, object]:
    """Gather what `_judgement.html` writes down."""
    return {
        "blunders": blunders(players, name, SHOWN),
        "verdicts": [verdict(players, name, seat) for seat in SEATS],
    }


def atlas_view(name: str, players: Players) -> dict[str, object]:
    """Gather what the page of all blunders writes down."""
    return {"name": name, "title": players.titles[name], "blunders": blunders(players, name)}


def certificate_view(name: str, seat: str, players: Players) -> dict[str, object]:
    """Gather what the page of a certificate writes down."""
    return {
        "name": name,
        "title": players.titles[name],
        "mark": MARKS[SEATS[seat]],
        "proof": proof(players, name, seat),
    }


def certificate_table(name: str, seat: str, players: Players) -> dict[str, object]:
    """Gather the lines of a certificate as a file."""
    return {"rows": rows(players, name, seat)}
