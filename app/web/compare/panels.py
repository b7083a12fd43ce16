"""One board of a comparison with all that belongs to it, and what several say in sentences."""

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from app.web import addresses, words
from app.web.board_view import Board, board
from app.web.comparison import Comparison, View
from app.web.lens import OUTCOMES, Opinion, best_play, can_blunder
from app.web.match import Place
from app.web.numbers import updates
from app.web.words import listed, squares
from app.web.world import TASK, TRUTH, World


class Panel(NamedTuple):
    """One board of a page; what is left empty belongs to agents only."""

    view: View
    title: str
    name: str  # the title, and of a snapshot its time
    board: Board
    legend: words.Legend | None  # of a decision
    plays: str  # what it would do there
    blunder: bool  # whether that can drop the value of the game
    play: str  # the position on the play page
    origin: str  # for how long an agent was trained, or how else the values were found
    about: str = ""  # the page of an agent
    earlier: str = ""  # the same at the snapshot before
    later: str = ""
    remove: str = ""
    others: tuple[tuple[View, ...], tuple[View, ...]] = ((), ())  # views before and after this one


def panel(comparison: Comparison, place: Place, view: View, opinion: Opinion | None) -> Panel:
    """Lay out what a view, or best play, has to say of a position; None of a finished one."""
    world = place.world
    seen = replace(place, match=comparison.match(view))

    def move_link(cell: int) -> str:
        return addresses.compare(comparison.play(cell))

    plain = Panel(
        view=view,
        title=world.titles[view.lens],
        name=full_name(world, view),
        board=board(
            seen, opinion, move_link, f"board-{view}", f"Board of {full_name(world, view)}"
        ),
        legend=words.legend(seen, opinion) if opinion else None,
        plays=plays(opinion) if opinion else "",
        blunder=opinion is not None and can_blunder(place, opinion),
        play=addresses.play(seen.match),
        origin="Found by solving the game",
    )
    return plain if view.lens == TRUTH else _steered(plain, comparison, world)


def full_name(world: World, view: View) -> str:
    """Name a view in a sentence, where a comma would divide it."""
    title = world.titles[view.lens.removesuffix(TASK)].replace(",", "")
    if view.lens.endswith(TASK):
        return f"the task of {title}"
    if view.lens == TRUTH:
        return "best play"
    return title if view.step is None else f"{title} after {_trained(world, view)}"


def plays(opinion: Opinion) -> str:
    """Say what somebody plays in a decision, and what it expects of that."""
    first = opinion.plays[0]
    expected = opinion.truths[first] if opinion.exact else opinion.texts[first]
    places = "mostly " * opinion.draws + squares(opinion.plays)
    return f"{places.capitalize()}: {expected or opinion.blank}"


def summary(place: Place, opinions: Mapping[str, Opinion]) -> str:
    """Say who plays what in a decision, and who can blunder, by their names."""
    preferences = _preferences(opinions)
    return f"{preferences[0].upper()}{preferences[1:]} {_verdict(place, opinions)}"


def _steered(panel: Panel, comparison: Comparison, world: World) -> Panel:
    """Add what makes another comparison of this one."""
    views, here = comparison.views, comparison.views.index(panel.view)
    before, after = views[:here], views[here + 1 :]
    removed = addresses.compare(replace(comparison, views=before + after))
    steered = panel._replace(remove=removed if before or after else "", others=(before, after))
    if panel.view.lens not in world.agents:
        return steered

    def put(other: View | None) -> str:
        """Lead to another view in this place, unless it has one of its own."""
        if other is None or other in views:
            return ""
        return addresses.compare(replace(comparison, views=(*before, other, *after)))

    earlier, later = _neighbours(world, panel.view)
    return steered._replace(
        origin=_trained(world, panel.view),
        about=addresses.agent(panel.view.lens),
        earlier=put(earlier),
        later=put(later),
    )


def _neighbours(world: World, view: View) -> tuple[View | None, View | None]:
    """Return the snapshots of training before and after a view; the last one is as shipped."""
    step = world.whole_step(view.lens, view.step)
    earlier = View(view.lens, step - 1) if step else None
    if view.step is None:
        return earlier, None
    return earlier, View(view.lens, world.short_step(view.lens, step + 1))


def _trained(world: World, view: View) -> str:
    agent = world.agents[view.lens]
    return updates(int(agent.snapshot_updates[-1 if view.step is None else view.step]))


def _preferences(opinions: Mapping[str, Opinion]) -> str:
    """Those who play the same in one breath, the most first."""
    groups: dict[tuple[int, ...], list[str]] = {}
    for name, opinion in opinions.items():
        groups.setdefault(tuple(opinion.plays), []).append(name)
    if len(groups) == 1 < len(opinions):
        who = "Both" if len(opinions) == 2 else "All"
        return f"{who} play {squares(*groups)}."
    parts = []
    for cells, names in sorted(groups.items(), key=lambda group: -len(group[1])):
        alone = "alone " * (len(names) == 1 and len(groups) < len(opinions))
        verb = "plays" if len(names) == 1 else "play"
        parts.append(f"{listed(names)} {alone}{verb} {squares(cells)}")
    return "; ".join(parts) + "."


def _verdict(place: Place, opinions: Mapping[str, Opinion]) -> str:
    value = best_play(place.world, place.position).partition(" ")[0]
    if value == OUTCOMES[-1]:
        return "With best play every move loses."
    erring = [name for name, opinion in opinions.items() if can_blunder(place, opinion)]
    if erring:
        return f"With best play it is a {value}, and {listed(erring)} can miss that."
    return f"With best play that is right: it keeps the {value}."
