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
    """A menu of the header; a template sets `menu_page` to the id of its page."""

    # in English; the header translates it
    title: str
    pages: tuple[Destination, ...]

    @property
    def href(self) -> str:
        return self.pages[0].href

    def contains_page(self, page_id: str) -> bool:
        return any(each.id == page_id for each in self.pages)


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
        return super().get(self._add_route(rule), **options)

    def post(
        self, rule: Route | str, **options: Any
    ) -> Callable[[ViewFunction], ViewFunction]:
        return super().post(self._add_route(rule), **options)

    def add_menu_page(
        self, menu_title: str, page_id: str, title: str, build_url: Callable[[], str]
    ) -> None:
        """Add a page to a menu of the header, on sites where `build_url` does not return ""."""
        self._menu_pages.append((menu_title, page_id, title, build_url))

    def add_to_sitemap(self, list_urls: Callable[[], Iterable[str]]) -> None:
        self._list_urls = list_urls

    def list_menu_pages(self, menu_title: str) -> Iterator[Destination]:
        for menu, page_id, title, build_url in self._menu_pages:
            if menu == menu_title and (url := build_url()):
                yield Destination(title, url, id=page_id)

    def list_urls(self) -> list[str]:
        return [*self._list_urls()]

    def _add_route(self, rule: Route | str) -> str:
        if isinstance(rule, str):
            return rule
        self.routes.append(rule)
        return rule.rule


def init_app(app: Flask) -> None:
    """Make the menus available in templates, after all pages have been registered."""
    with app.app_context():
        app.extensions["header_menus"] = list_header_menus(app)
    app.jinja_env.globals["header_menus"] = app.extensions["header_menus"]


def list_page_blueprints(app: Flask) -> list[PageBlueprint]:
    return [each for each in app.blueprints.values() if isinstance(each, PageBlueprint)]


def list_header_menus(app: Flask) -> tuple[HeaderMenu, ...]:
    blueprints = list_page_blueprints(app)
    menus = (
        HeaderMenu(
            title,
            tuple(page for one in blueprints for page in one.list_menu_pages(title)),
        )
        for title in HEADER_MENU_TITLES
    )
    return tuple(menu for menu in menus if menu.pages)


def list_sitemap(app: Flask) -> list[str]:
    """Return the URLs of all pages in menus, then the URLs that modules add, each once."""
    pages = [
        page.href for menu in app.extensions["header_menus"] for page in menu.pages
    ]
    others = [url for one in list_page_blueprints(app) for url in one.list_urls()]
    return [*dict.fromkeys([*pages, *others])]
