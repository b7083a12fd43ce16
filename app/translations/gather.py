"""Write all translatable texts of the site to the catalogues, app/translations/<code>.po.

A catalogue has the texts in the order of the pages, the most important page first.
See docs/translating.md.
"""

import tomllib
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from babel.messages.catalog import Catalog
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir
from babel.messages.pofile import read_po, write_po
from jinja2.ext import babel_extract

from app.translations.coverage import is_translated

TRANSLATIONS_FOLDER = Path(__file__).parent
ROOT = TRANSLATIONS_FOLDER.parent.parent


def extract_section(
    file: BinaryIO,
    keywords: Collection[str],
    comment_tags: Collection[str],
    options: dict[str, Any],
) -> Iterator[tuple[int, str | None, Any, list[str]]]:
    """Yield the texts of a section of /how, from its template and from the TOML at its head.

    Babel calls this function and defines its arguments and its results.
    """
    yield from babel_extract(file, list(keywords), list(comment_tags), options)
    file.seek(0)
    for number, line in enumerate(file.read().decode().splitlines(), 1):
        if line.startswith("origin_text = ") and "gettext" in keywords:
            text = tomllib.loads(line)["origin_text"]
            yield number, "gettext", text, []


BASELINES_FILE = ("app/tictactoe/policy.py", "python")
EXTRACTION_METHODS = [
    ("app/web/**.py", "python"),
    ("app/tictactoe/notation.py", "python"),
    BASELINES_FILE,
    ("templates/how/sections/**.html", f"{__name__}:extract_section"),
    ("templates/**.html", "jinja2"),
]
TEMPLATE_OPTIONS = {
    "trimmed": "true",
    "trim_blocks": "true",
    "lstrip_blocks": "true",
}
EXTRACTION_OPTIONS = {
    "templates/how/sections/**.html": TEMPLATE_OPTIONS,
    "templates/**.html": TEMPLATE_OPTIONS,
}
# Arguments of these calls are texts to translate. The classes are from app.tictactoe, which does
# not import gettext. Babel takes only one text from a call, so one search finds the first text of
# each Baseline, and another search the second.
GETTEXT_KEYWORDS: list[tuple[list[tuple[str, str]], dict[str, Any]]] = [
    (
        EXTRACTION_METHODS,
        DEFAULT_KEYWORDS
        | dict.fromkeys(("gettext_noop", "RecordError", "IllegalMoveError"))
        | {"Baseline": (1,)},
    ),
    ([BASELINES_FILE], {"Baseline": (2,)}),
]
# The files or folders of each section of a catalogue. The sections are in this order, and other
# files come last. A text that occurs in several files is listed with the first of them.
CATALOGUE_SECTIONS = {
    "How the language writes names, numbers and dates": ("app/web/translation.py",),
    "Every page: header, preferences, help": (
        "app/web/navigation.py",
        "templates/base.html",
        "templates/parts/_con",
    ),
    "The front page": ("templates/front/", "app/web/pages/front.py"),
    "Play": (
        "templates/play/play.html",
        "app/web/pages/parts/match_page.py",
        "app/web/wording.py",
        "templates/parts/_board.html",
        "templates/play/",
        "app/web/pages/play.py",
        "app/web/move_values.py",
        "app/web/formatting.py",
        "app/tictactoe/policy.py",
    ),
    "The lesson": ("templates/lesson/", "app/web/pages/lesson.py"),
    "Puzzles": ("templates/puzzle/", "app/web/pages/puzzle.py"),
    "Teach": ("templates/teach/", "app/web/pages/teach/"),
    "Error messages": (
        "templates/error.html",
        "app/web/service/",
        "app/web/match.py",
        "app/tictactoe/notation.py",
    ),
}
OTHER_TEXTS_SECTION = "All others: algorithms, pictures, frames for other sites"


def gather_texts() -> Catalog:
    places_of_text: dict[str | tuple[str, ...], list[tuple[str, int]]] = {}
    for methods, keywords in GETTEXT_KEYWORDS:
        extracted = extract_from_dir(ROOT, methods, EXTRACTION_OPTIONS, keywords)
        for file, line, text, _, _ in extracted:
            places_of_text.setdefault(text, []).append((file, line))
    first_places = {
        text: min(map(rank_source_line, places_of_text[text]))
        for text in places_of_text
    }
    catalogue = Catalog(project="Q-Tac-Toe", charset="utf-8")
    headings = [*CATALOGUE_SECTIONS, OTHER_TEXTS_SECTION]
    last_section = -1
    for text in sorted(places_of_text, key=lambda text: first_places[text]):
        section = first_places[text][0]
        heading = []
        if section != last_section:
            heading.append(f"=== {headings[section]} ===")
        catalogue.add(text, locations=places_of_text[text], auto_comments=heading)
        last_section = section
    return catalogue


def rank_source_line(source_line: tuple[str, int]) -> tuple[int, int, str, int]:
    """Return the sort key of a source line: section, place in the section, file, line."""
    file, line = source_line
    for section, prefixes in enumerate(CATALOGUE_SECTIONS.values()):
        for index, prefix in enumerate(prefixes):
            if file.startswith(prefix):
                return section, index, file, line
    return len(CATALOGUE_SECTIONS), 0, file, line


def update_catalogue(file: Path, texts: Catalog) -> Catalog:
    """Return the catalogue in a file, updated to exactly these texts with their known translations.

    If a text has changed, its old translation is kept as a proposal. It is marked "fuzzy", and
    pages do not show it.
    """
    with file.open("rb") as lines:
        catalogue = read_po(lines, locale=file.stem, abort_invalid=True)
    catalogue.update(texts, update_creation_date=False)
    catalogue.obsolete.clear()
    return catalogue


def main() -> None:
    texts = gather_texts()
    for file in sorted(TRANSLATIONS_FOLDER.glob("*.po")):
        catalogue = update_catalogue(file, texts)
        with file.open("wb") as lines:
            write_po(lines, catalogue, width=100, include_lineno=False)
        untranslated = [one for one in catalogue if one.id and not is_translated(one)]
        for message in untranslated:
            print(f"{file.name}: {message.id}")
        translated = len(texts) - len(untranslated)
        percent = 100 * translated // len(texts)
        print(
            f"{file.name}: {translated} of {len(texts)} texts translated ({percent}%)"
        )


if __name__ == "__main__":
    main()
