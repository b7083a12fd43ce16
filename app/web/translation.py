"""The language in which a page speaks: its texts, their plural forms, and how it writes numbers.

A text is marked where it stands, in English, and looked up when it is written: by `gettext` and
`ngettext` in Python, by the same or by `{% trans %}` in a template.  What has no translation is
said in English.  The catalogues are read as translators write them: nothing is to be compiled.
"""

from contextvars import ContextVar
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from gettext import GNUTranslations, NullTranslations
from io import BytesIO
from pathlib import Path

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

ENGLISH = "en"


@dataclass(frozen=True, eq=False)
class Language:
    """A language, and what is written in it."""

    code: str  # as in hl=de
    name: str  # what it calls itself
    texts: NullTranslations
    digits: str = ",."  # what stands at the thousands, and before decimals

    @cached_property
    def table(self) -> dict[int, int]:
        """From the digits of English to these."""
        return str.maketrans(",.", self.digits)


def load_languages(folder: Path) -> dict[str, Language]:
    """Read every catalogue of a folder, <code>.po, by their codes.

    Raises PoFileError or ValueError if one of them is none.
    """
    return {file.stem: read_catalogue(file) for file in sorted(folder.glob("*.po"))}


def read_catalogue(file: Path) -> Language:
    """Read one catalogue; raises as `load` does.

    It also says what Babel knows of the language, which would take each process 5 MB.
    """
    compiled = BytesIO()
    with file.open("rb") as lines:
        write_mo(compiled, read_po(lines, abort_invalid=True))
    compiled.seek(0)
    texts = GNUTranslations(compiled)
    return Language(file.stem, texts.gettext("English"), texts, texts.gettext(",."))


IN_ENGLISH = Language(ENGLISH, "English", NullTranslations())
_current_language = ContextVar("spoken", default=IN_ENGLISH)


def select_language(language: Language) -> None:
    """Speak a language from now on, as far as this request goes."""
    _current_language.set(language)


def current_language() -> Language:
    """Return the language that is spoken."""
    return _current_language.get()


def gettext(text: str, /, **values: object) -> str:
    """Return a text in the language that is spoken, with values in place of its %(names)s."""
    text = _current_language.get().texts.gettext(text)
    return text % values if values else text


def ngettext(one: str, many: str, number: int, /, **values: object) -> str:
    """Return the form of a text that goes with a number, which is written for %(count)s."""
    text = _current_language.get().texts.ngettext(one, many, number)
    return text % {"count": localize_number(f"{number:,}"), **values}


def localize_number(number: str) -> str:
    """Write a number that is written in English as the language that is spoken does."""
    language = _current_language.get()
    if language is IN_ENGLISH:
        return number
    return number.translate(language.table)


def format_day(day: date) -> str:
    """Write a day of any year."""
    months = gettext(
        "January February March April May June July August September October November December"
    )
    return gettext("%(day)s %(month)s", day=day.day, month=months.split()[day.month - 1])


def gettext_noop(text: str) -> str:
    """Mark a text where it is defined that is looked up where it is written."""
    return text
