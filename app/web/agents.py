"""The pages of the agents: all of them with their exact figures, and each with how it learned."""

from flask import Blueprint, Response, request
from werkzeug.exceptions import NotFound
from werkzeug.http import generate_etag

from app.tictactoe.agents import Agent
from app.web import agent_facts, agent_table, curves, standings, training_words, words
from app.web.agent_table import Order
from app.web.algorithms import section
from app.web.downloads import DOWNLOADS
from app.web.judgement import judge
from app.web.numbers import count
from app.web.players import Players, players
from app.web.respond import respond, revalidated

bp = Blueprint("agents", __name__)


@bp.get("/agents", strict_slashes=False)
def table() -> Response:
    """Show all agents."""
    order = agent_table.parse_order(request.args)
    return respond("agents.html", table_view, order, players(), fragment="_ranking.html")


@bp.get("/agents/<name>")
def agent(name: str) -> Response:
    """Show an agent."""
    against = curves.parse_against(request.args, _agent(name).card)
    return respond("agent.html", view, name, against, players(), fragment="_learning.html")


@bp.get("/agents/<name>.<any(npz, json, csv):ending>")
def download(name: str, ending: str) -> Response:
    """Hand out an agent as a file."""
    file = DOWNLOADS[ending]
    content = file.content(players(), _agent(name))
    response = Response(content, mimetype=file.mimetype)
    response.headers.set("Content-Disposition", "attachment", filename=f"{name}.{ending}")
    return revalidated(response, generate_etag(content))


def table_view(order: Order, players: Players) -> dict[str, object]:
    """Gather what the page of all agents writes down."""
    return {
        "groups": agent_table.groups(order),
        "columns": agent_table.COLUMNS,
        "rows": agent_table.ranked(standings.learned(players), order),
        "baseline_columns": agent_table.FIGURES,
        "untrained": len(agent_table.TRAINING),
        "baselines": agent_table.ranked(standings.ruled(players), order),
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
        "links": agent_facts.links(card),
        "results": agent_facts.results(players, card),
        "figures": agent_facts.figures(players, card),
        "settings": training_words.settings(players, card),
        "worth": training_words.worth(card),
        "made": training_words.made(players, card),
        "choices": curves.choices(players, card, against),
        "learning": curves.learning(players, card, against),
        "winning": curves.winning(card.win_rate) if card.win_rate else None,
        **judge(players, name),
    }


def _agent(name: str) -> Agent:
    """Return an agent; raises NotFound, naming those there are, if it is not one of them."""
    agents = players().agents
    if name not in agents:
        raise NotFound(f"There is no agent {name!r} that learned. There are: {', '.join(agents)}.")
    return agents[name]
