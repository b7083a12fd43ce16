"""Translation of texts, plural forms and numbers into the language of the request.

The source code has English texts. Python code translates them by `gettext` and `ngettext` when it
renders a page, templates also by `{% trans %}`. A text without a translation stays English. The
translations of a language are in a .po file (its catalogue), which is read when the site starts.
"""

from contextvars import ContextVar
from dataclasses import dataclass
from datetime import date
from functools import cache, cached_property
from gettext import GNUTranslations, NullTranslations
from io import BytesIO
from pathlib import Path

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from markupsafe import Markup, escape

from app.translations.coverage import compute_translated_share

ENGLISH_CODE = "en"


@dataclass(frozen=True, eq=False)
class Language:
    """A language with its catalogue of translated texts."""

    # the value of the URL parameter hl, such as "de"
    code: str
    # in the language itself, such as "Deutsch"
    name: str
    catalogue: NullTranslations
    # between thousands, and before decimals
    number_separators: str = ",."
    # from 0 to 1
    translated_share: float = 1.0

    @cached_property
    def number_table(self) -> dict[int, int]:
        """The table for `str.translate` that replaces the English separators in a number."""
        return str.maketrans(",.", self.number_separators)


def load_languages(folder: Path) -> dict[str, Language]:
    """Return the languages by their codes: the file `de.po` has the language "de".

    Raises PoFileError or ValueError if a file is not a catalogue.
    """
    return {file.stem: read_catalogue(file) for file in sorted(folder.glob("*.po"))}


@cache
def read_catalogue(file: Path) -> Language:
    """Return the language of a catalogue; raises PoFileError or ValueError for any other file."""
    compiled = BytesIO()
    with file.open("rb") as lines:
        catalogue = read_po(lines, abort_invalid=True)
    write_mo(compiled, catalogue)
    compiled.seek(0)
    texts = GNUTranslations(compiled)
    return Language(
        code=file.stem,
        # Babel's own data on languages would take 5 MB in each process.
        name=texts.gettext("English"),
        catalogue=texts,
        number_separators=texts.gettext(",."),
        translated_share=compute_translated_share(catalogue),
    )


ENGLISH_LANGUAGE = Language(ENGLISH_CODE, "English", NullTranslations())
_current_language = ContextVar("current_language", default=ENGLISH_LANGUAGE)


def select_language(language: Language) -> None:
    _current_language.set(language)


def get_current_language() -> Language:
    return _current_language.get()


def gettext(text: str, /, **values: object) -> str:
    """Translate a text into the language of the request, and fill in its placeholders.

    `gettext("%(mark)s wins", mark="X")` returns "X wins" on an English page.
    """
    # Catalogues keep their own header as the translation of the empty text.
    text = text and _current_language.get().catalogue.gettext(text)
    if any(isinstance(value, Markup) for value in values.values()):
        # The text becomes Markup, and Markup escapes the values that are filled in.
        text = escape(text)
    return text % values if values else text


def ngettext(singular: str, plural: str, number: int, /, **values: object) -> str:
    """Translate the singular or the plural of a text, as the number requires.

    The placeholder %(count)s is the number; others are in `values`.
    """
    text = _current_language.get().catalogue.ngettext(singular, plural, number)
    return text % {"count": localize_number(f"{number:,}"), **values}


def localize_number(number: str) -> str:
    """Replace the English separators in a number: "1,234.5" becomes "1.234,5" in German."""
    language = _current_language.get()
    if language is ENGLISH_LANGUAGE:
        return number
    return number.translate(language.number_table)


def format_day(day: date) -> str:
    """Return a day and its month, such as "24 November", in the language of the request."""
    months = gettext(
        "January February March April May June July August September October November December"
    )
    return gettext(
        "%(day)s %(month)s", day=day.day, month=months.split()[day.month - 1]
    )


def mark_english(text: str) -> str:
    """Mark a text without a translation as English, for screen readers.

    On a page in another language it becomes a `span` with the attribute `lang`.
    """
    if _current_language.get() is ENGLISH_LANGUAGE:
        return text
    return Markup('<span lang="{}">{}</span>').format(ENGLISH_CODE, text)


def gettext_noop(text: str) -> str:
    """Return the text unchanged, and let `make translations` find it.

    It is translated by `gettext` where it is used.
    """
    return text
