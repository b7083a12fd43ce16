"""The pages of the agents: all of them with their exact figures, and each with how it learned."""

from flask import Blueprint, Response, request
from werkzeug.http import generate_etag

from app.web import words
from app.web.agents import curves, facts, known, standings, training_words
from app.web.agents import table as ranking
from app.web.agents.columns import COLUMNS
from app.web.agents.downloads import DOWNLOADS
from app.web.agents.table import Order
from app.web.algorithms import section
from app.web.judgement.page import judge
from app.web.numbers import count
from app.web.players import Players, players
from app.web.respond import respond, revalidated

bp = Blueprint("agents", __name__)


@bp.get("/agents", strict_slashes=False)
def table() -> Response:
    """Show all agents."""
    order = ranking.parse_order(request.args)
    return respond("agents.html", table_view(order, players()), fragment="_ranking.html")


@bp.get("/agents/<name>")
def agent(name: str) -> Response:
    """Show an agent."""
    against = curves.parse_against(request.args, known(players(), name).card)
    return respond("agent.html", view(name, against, players()), fragment="_learning.html")


@bp.get("/agents/<name>.<any(npz, json, csv):ending>")
def download(name: str, ending: str) -> Response:
    """Hand out an agent as a file."""
    file = DOWNLOADS[ending]
    content = file.content(players(), known(players(), name))
    response = Response(content, mimetype=file.mimetype)
    response.headers.set("Content-Disposition", "attachment", filename=f"{name}.{ending}")
    return revalidated(response, generate_etag(content))


def table_view(order: Order, players: Players) -> dict[str, object]:
    """Gather what the page of all agents writes down."""
    return {
        "groups": ranking.groups(order),
        "columns": COLUMNS,
        "rows": ranking.ranked(standings.learned(players), order),
        "baselines": ranking.ranked(standings.ruled(players), order),
        "decisions": count(players.game.decisions),
    }


def view(name: str, against: str, players: Players) -> dict[str, object]:
    """Gather what the page of an agent writes down."""
    card = players.agents[name].card
    return {
        "players": players,
        "card": card,
        "explained": section(card),
        "training": training_words.training(card),
        "facts": words.facts(players, card),
        "links": facts.links(card),
        "results": facts.results(players, card),
        "figures": facts.figures(players, card),
        "settings": training_words.settings(players, card),
        "worth": training_words.worth(card),
        "made": training_words.made(players, card),
        "choices": curves.choices(players, card, against),
        "learning": curves.learning(players, card, against),
        "winning": curves.winning(card.win_rate) if card.win_rate else None,
        **judge(players, name),
    }
