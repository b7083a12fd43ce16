"""The header and the sitemap, and the blueprints by which modules add their pages to them."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, TypeVar

from flask import Blueprint, Flask

from app.web.routes import Destination, Route
from app.web.translation import gettext_noop

HEADER_MENU_TITLES = (
    gettext_noop("Learn"),
    gettext_noop("Play"),
    gettext_noop("Puzzles"),
    gettext_noop("Teach"),
    gettext_noop("Research"),
)

ViewFunction = TypeVar("ViewFunction", bound=Callable[..., Any])


class HeaderMenu(NamedTuple):
    """An entry of the header (in templates a "door") and its menu of pages ("rooms").

    The templates of a page set `room` to the id of its room.
    """

    # in English; the header translates it
    title: str
    pages: tuple[Destination, ...]

    @property
    def href(self) -> str:
        """The URL of the first page in the menu."""
        return self.pages[0].href

    def contains_page(self, room_id: str) -> bool:
        return any(each.id == room_id for each in self.pages)


class PageBlueprint(Blueprint):
    """The pages of one module: their routes, and their entries in the header and the sitemap."""

    def __init__(self, name: str, import_name: str) -> None:
        super().__init__(name, import_name)
        self.routes: list[Route] = []
        self._menu_pages: list[tuple[str, str, str, Callable[[], str]]] = []
        self._list_urls: Callable[[], Iterable[str]] = tuple

    def get(
        self, rule: Route | str, **options: Any
    ) -> Callable[[ViewFunction], ViewFunction]:
        """Register a function for GET requests of a route."""
        return super().get(self._add_route(rule), **options)

    def post(
        self, rule: Route | str, **options: Any
    ) -> Callable[[ViewFunction], ViewFunction]:
        """Register a function for POST requests of a route."""
        return super().post(self._add_route(rule), **options)

    def add_menu_page(
        self, door_title: str, room_id: str, title: str, build_url: Callable[[], str]
    ) -> None:
        """Add a page to a menu of the header, but not on sites for which `build_url` returns ""."""
        self._menu_pages.append((door_title, room_id, title, build_url))

    def add_to_sitemap(self, list_urls: Callable[[], Iterable[str]]) -> None:
        """Add pages to the sitemap that are in no menu of the header."""
        self._list_urls = list_urls

    def list_menu_pages(self, door_title: str) -> Iterator[Destination]:
        """Yield this module's pages in a menu of the header, in their order."""
        for door, room_id, title, build_url in self._menu_pages:
            if door == door_title and (url := build_url()):
                yield Destination(title, url, id=room_id)

    def list_urls(self) -> list[str]:
        """Return the URLs of this module that only the sitemap has, and no menu of the header."""
        return [*self._list_urls()]

    def _add_route(self, rule: Route | str) -> str:
        if isinstance(rule, str):
            return rule
        self.routes.append(rule)
        return rule.rule


def init_app(app: Flask) -> None:
    """Make the doors available in templates, after all pages have been registered."""
    with app.app_context():
        app.extensions["doors"] = list_header_menus(app)
    app.jinja_env.globals["doors"] = app.extensions["doors"]


def list_page_blueprints(app: Flask) -> list[PageBlueprint]:
    """Return the blueprints of all modules of pages, in the order of their registration."""
    return [each for each in app.blueprints.values() if isinstance(each, PageBlueprint)]


def list_header_menus(app: Flask) -> tuple[HeaderMenu, ...]:
    blueprints = list_page_blueprints(app)
    doors = (
        HeaderMenu(
            title,
            tuple(room for one in blueprints for room in one.list_menu_pages(title)),
        )
        for title in HEADER_MENU_TITLES
    )
    return tuple(door for door in doors if door.pages)


def list_sitemap(app: Flask) -> list[str]:
    """Return the URLs in the sitemap, each once: all pages in menus, then those that modules add."""
    rooms = [room.href for door in app.extensions["doors"] for room in door.pages]
    others = [url for one in list_page_blueprints(app) for url in one.list_urls()]
    return [*dict.fromkeys([*rooms, *others])]
