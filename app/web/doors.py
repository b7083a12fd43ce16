"""The navigation in the header: five entries ("doors"), each with a menu of pages ("rooms").

A template sets the variable `room` to the id of the room that its page belongs to.
"""

from typing import NamedTuple

from app.web import urls
from app.web.facts import list_puzzles
from app.web.site_data import SiteData
from app.web.translation import gettext_noop


class Room(NamedTuple):
    """An entry in the menu of a door: a kind of page."""

    id: str  # value of `room` in the templates of its pages
    title: str  # English title, translated by the header
    url: str


class Door(NamedTuple):
    """An entry of the header with its menu of rooms."""

    title: str  # English title, translated by the header
    rooms: tuple[Room, ...]

    @property
    def url(self) -> str:
        """The URL of the first room."""
        return self.rooms[0].url

    def contains_room(self, room_id: str) -> bool:
        """Return whether the menu of this door has the room with an id."""
        return any(each.id == room_id for each in self.rooms)


def list_doors(site: SiteData) -> tuple[Door, ...]:
    """Return the doors in the order of the header; some rooms depend on the agents of a site."""
    opponent = site.first_opponent
    doors = (
        Door(
            gettext_noop("Learn"),
            (
                Room("lesson", gettext_noop("Lesson"), urls.how_url("untrained")),
                Room("algorithms", gettext_noop("Algorithms"), urls.how_url()),
                Room("faults", gettext_noop("Common faults"), urls.FAULTS),
                Room("glossary", gettext_noop("Glossary"), urls.GLOSSARY),
                Room("sources", gettext_noop("Sources"), urls.SOURCES),
            ),
        ),
        Door(
            gettext_noop("Play"),
            (
                Room("play", gettext_noop("Play"), urls.play_against_url(opponent)),
                Room("watch", gettext_noop("Watch"), urls.watch_url(opponent)),
                Room("compare", gettext_noop("Compare"), urls.COMPARE.url("")),
            ),
        ),
        Door(gettext_noop("Puzzles"), list_puzzle_rooms(site)),
        Door(
            gettext_noop("Teach"),
            (
                Room("teach", gettext_noop("Teach a program"), urls.TEACH),
                Room("paper", gettext_noop("MENACE on paper"), urls.PAPER),
                Room("class", gettext_noop("Lesson plan"), urls.CLASSROOM),
            ),
        ),
        Door(
            gettext_noop("Research"),
            (
                Room("lab", gettext_noop("Lab"), urls.LAB),
                Room("experiments", gettext_noop("Experiments"), urls.EXPERIMENTS),
                Room("agents", gettext_noop("Agents"), urls.AGENTS),
                Room("minds", gettext_noop("Minds"), urls.mind_url(opponent)),
                Room("arena", gettext_noop("Arena"), urls.ARENA),
                Room("judge", gettext_noop("Judge"), urls.JUDGE),
                Room("api", gettext_noop("API"), urls.API),
            ),
        ),
    )
    return tuple(door for door in doors if door.rooms)


def list_puzzle_rooms(site: SiteData) -> tuple[Room, ...]:
    """Return the rooms of puzzles; some rooms are missing if the site lacks their agents."""
    mistakes = (
        Room("today", gettext_noop("Today"), urls.PUZZLE_TODAY),
        Room("puzzles", gettext_noop("All puzzles"), urls.PUZZLES),
    )
    faults = (Room("which-line", gettext_noop("Code puzzles"), urls.FAULT_PUZZLES),)
    return (
        *(mistakes if list_puzzles(site) else ()),
        *(faults if site.lab.faults else ()),
    )
