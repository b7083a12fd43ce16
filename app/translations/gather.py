"""What the pages say in other languages: <code>.po is all of a language.  See docs/translating.md.

The texts that the sources mark are gathered here for the catalogues.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir
from babel.messages.pofile import read_po, write_po

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
METHODS = [
    ("app/web/**.py", "python"),
    ("app/tictactoe/policy.py", "python"),
    ("templates/**.html", "jinja2"),
]
OPTIONS = {
    "templates/**.html": {
        "trimmed": "true",
        "trim_blocks": "true",
        "lstrip_blocks": "true",
    }
}
# The title and the line of a baseline are marked by being these: the game knows no language.
KEYWORDS: list[dict[str, Any]] = [
    DEFAULT_KEYWORDS | {"gettext_noop": None, "Baseline": (1,)},
    {"Baseline": (2,)},
]


def gathered() -> Catalog:
    """Gather every text that is marked, each with the files that it is in."""
    catalogue = Catalog(project="Q-Tac-Toe", charset="utf-8")
    for keywords in KEYWORDS:
        for file, _, text, _, _ in extract_from_dir(ROOT, METHODS, OPTIONS, keywords):
            catalogue.add(text, locations=[(file, 1)])
    return catalogue


def updated(file: Path, texts: Catalog) -> Catalog:
    """Return the catalogue of a language with exactly these texts, translated as far as it was.

    What was said in other words is kept as a proposal, "fuzzy", which no page says.
    """
    with file.open("rb") as lines:
        catalogue = read_po(lines, locale=file.stem, abort_invalid=True)
    catalogue.update(texts, update_creation_date=False)
    catalogue.obsolete.clear()
    return catalogue


def missing(catalogue: Catalog) -> Iterator[Message]:
    """Yield every text that a catalogue has no translation of."""
    for message in catalogue:
        forms = (
            message.string if isinstance(message.string, tuple) else (message.string,)
        )
        if message.id and (message.fuzzy or not all(forms)):
            yield message


def main() -> None:
    """Bring every catalogue up to date, and name what is missing in it."""
    texts = gathered()
    for file in sorted(HERE.glob("*.po")):
        catalogue = updated(file, texts)
        with file.open("wb") as lines:
            write_po(
                lines, catalogue, width=100, sort_output=True, include_lineno=False
            )
        left = [*missing(catalogue)]
        for message in left:
            print(f"{file.name}: {message.id}")
        print(
            f"{file.name}: {len(texts) - len(left)} of {len(texts)} texts are translated"
        )


if __name__ == "__main__":
    main()
