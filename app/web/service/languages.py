"""Which language a request asks for, by `hl` in its address, and how that travels on.

English has no `hl`, and nothing here changes an answer in it.  In any other language every address
that an answer leads to is given the same `hl`, in this one place: what builds addresses knows
nothing of languages, and no link can forget its own.
"""

import re
from functools import partial
from urllib.parse import parse_qsl

from flask import Flask, Response, current_app, redirect, request
from markupsafe import Markup
from werkzeug.wrappers import Response as AnyResponse

from app.project import ROOT
from app.web import urls
from app.web.match import bad_value
from app.web.translation import (
    ENGLISH,
    IN_ENGLISH,
    Language,
    current_language,
    gettext,
    load_languages,
    localize_number,
    ngettext,
    select_language,
)
from app.web.urls import with_query

HL = "hl"
# What is written in all languages; the other pages are English.
WRITTEN = {
    "front",
    "play",
    "puzzle",
    "teach",
    "paper",
    "classroom",
    "lesson",
    "embed.board",
    "embed.reply",
    "embed.take",
}
OFFERED_FROM = 0.9  # share of translated texts from which a language is in the menu
LEADING = ("Location", "HX-Push-Url", "HX-Replace-Url")
# An address of ours in an attribute; files, the API and other languages keep theirs.  It begins
# with what is rare, and so takes a tenth of the time to make the page.
LINK = (
    r'="((?:\d+;url=|%s)?)(/(?!static/|api/)[^"#]*|\?[a-z][^"#]*)(?=#|"(?! hreflang))'
)
FILE = re.compile(r"\.(?:csv|json|npz|png|py|svg)(?:\?|$)")


def init_app(app: Flask) -> None:
    """Read the catalogues, and let templates and requests speak their languages."""
    app.extensions["languages"] = load_languages(ROOT / "app" / "translations")
    env = app.jinja_env
    env.policies["ext.i18n.trimmed"] = True
    env.globals |= {
        "_": gettext,
        "gettext": gettext,
        "ngettext": ngettext,
        "localized": localize_number,
    }
    env.globals |= {
        "language": current_language,
        "languages": offered,
        "in_language": in_language,
    }
    env.globals["in_english"] = in_english
    app.before_request(listen)
    app.after_request(lead_on)
    app.teardown_request(lambda _: select_language(IN_ENGLISH))


def asked() -> Language:
    """Return the language that a request asks for.

    Raises BadRequest, naming those there are, if it is none of them.
    """
    known: dict[str, Language] = current_app.extensions["languages"]
    code = request.args.get(HL, "")
    if not code:
        return IN_ENGLISH
    if code not in known:
        raise bad_value(HL, code, f"{', '.join(known)}, or left out")
    return known[code]


def listen() -> AnyResponse | None:
    """Speak the language that is asked for, where the page is written in it.

    Who asks for English is sent to the address without a language.
    """
    select_language(IN_ENGLISH)
    if request.args.get(HL) == ENGLISH:
        query = parse_qsl(request.environ["QUERY_STRING"], keep_blank_values=True)
        others = [pair for pair in query if pair[0] != HL]
        return redirect(with_query(urls.quote_path(request.path), others), 301)
    language = asked()
    if language is not IN_ENGLISH and is_written():
        select_language(language)
    return None


def is_written() -> bool:
    """Whether the page that is asked for, or that there is none, is said in every language."""
    return request.url_rule is None or bool(
        WRITTEN & {request.blueprint, request.endpoint}
    )


def offered() -> list[Language]:
    """Return the languages in the menu of the page, English first.

    A language with fewer translated texts is shown only to readers who know its URL.
    """
    if not is_written():
        return []
    languages: dict[str, Language] = current_app.extensions["languages"]
    return [
        IN_ENGLISH,
        *(each for each in languages.values() if each.translated >= OFFERED_FROM),
    ]


def in_english() -> Markup:
    """Return the attribute of what is said in English on a page in another language."""
    return Markup(' lang="en"' if request.args.get(HL) else "")


def in_language(address: str, language: Language) -> str:
    """Return an address with the language in which it is to be answered."""
    if language is IN_ENGLISH or f"{HL}={language.code}" in address:
        return address
    path, sign, anchor = address.partition("#")
    return f"{path}{'&' if '?' in path else '?'}{HL}={language.code}{sign}{anchor}"


def lead_on(response: Response) -> Response:
    """Give all that an answer leads to the language that was asked for."""
    code = request.args.get(HL, "")
    language = current_app.extensions["languages"].get(code)
    if language is None:
        return response
    for name in LEADING:
        if name in response.headers:
            response.headers[name] = in_language(response.headers[name], language)
    if response.mimetype == "text/html":
        host = re.escape(request.host_url.rstrip("/"))
        link = re.compile(LINK % host)
        text = link.sub(
            partial(_led_on, f"{HL}={code}"), response.get_data(as_text=True)
        )
        response.set_data(text)
        tag, _ = response.get_etag()
        if tag:
            response.set_etag(f"{tag}:{code}")
    return response


def _led_on(more: str, link: "re.Match[str]") -> str:
    address = link[2]
    if ("." in address and FILE.search(address)) or more in address:
        return link[0]
    return f"{link[0]}{'&amp;' if '?' in address else '?'}{more}"
