"""Translation of texts, plural forms and numbers into the language of the request.

Texts are written in English in the source and translated when a page is rendered, by `gettext` and
`ngettext` in Python and by these or `{% trans %}` in templates.  A text without a translation
stays English.  Catalogues are .po files, read at the start without a compile step.
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

    code: str  # the value of the query parameter hl, such as "de"
    name: str  # name of the language in the language itself
    catalogue: NullTranslations
    number_separators: str = ",."  # the separators of thousands and of decimals
    translated_share: float = 1.0  # share of the texts that are translated, from 0 to 1

    @cached_property
    def number_table(self) -> dict[int, int]:
        """The translation table from English separators to the separators of this language."""
        return str.maketrans(",.", self.number_separators)


def load_languages(folder: Path) -> dict[str, Language]:
    """Return the languages of a folder by their codes, one for each file <code>.po.

    Raises PoFileError or ValueError for a file that is not a catalogue.
    """
    return {file.stem: read_catalogue(file) for file in sorted(folder.glob("*.po"))}


@cache
def read_catalogue(file: Path) -> Language:
    """Return the language of one catalogue file; raises the errors of `load_languages`.

    The name and the separators are texts of the catalogue: Babel's own data on languages would
    take 5 MB in each process.
    """
    compiled = BytesIO()
    with file.open("rb") as lines:
        catalogue = read_po(lines, abort_invalid=True)
    write_mo(compiled, catalogue)
    compiled.seek(0)
    texts = GNUTranslations(compiled)
    return Language(
        code=file.stem,
        name=texts.gettext("English"),
        catalogue=texts,
        number_separators=texts.gettext(",."),
        translated_share=compute_translated_share(catalogue),
    )


ENGLISH_LANGUAGE = Language(ENGLISH_CODE, "English", NullTranslations())
_current_language = ContextVar("spoken", default=ENGLISH_LANGUAGE)


def select_language(language: Language) -> None:
    """Set the language of the current request."""
    _current_language.set(language)


def get_current_language() -> Language:
    return _current_language.get()


def gettext(text: str, /, **values: object) -> str:
    """Return a text in the language of the request, with its %(names)s replaced by values."""
    # Catalogues keep their own header as the translation of the empty text.
    text = text and _current_language.get().catalogue.gettext(text)
    if any(isinstance(value, Markup) for value in values.values()):
        text = escape(text)  # the text becomes Markup, which escapes the other values
    return text % values if values else text


def ngettext(singular: str, plural: str, number: int, /, **values: object) -> str:
    """Return the singular or plural of a text for a number, which replaces %(count)s."""
    text = _current_language.get().catalogue.ngettext(singular, plural, number)
    return text % {"count": localize_number(f"{number:,}"), **values}


def localize_number(number: str) -> str:
    """Return a number written in English with the separators of the request's language."""
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
    """Return an untranslated text, on pages in another language marked as English HTML."""
    if _current_language.get() is ENGLISH_LANGUAGE:
        return text
    return Markup('<span lang="{}">{}</span>').format(ENGLISH_CODE, text)


def gettext_noop(text: str) -> str:
    """Return a text as it is, marked for translation; `gettext` translates it when it is used."""
    return text
