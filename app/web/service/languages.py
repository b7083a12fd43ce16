"""The language of a request, from its parameter `hl`, such as "de".

This module adds `hl` to all links of a page in another language than English, so that no other code
has to.
"""

import re
from functools import partial
from urllib.parse import parse_qsl, unquote

import werkzeug
from flask import Flask, Response, current_app, redirect, request
from markupsafe import Markup
from werkzeug.exceptions import HTTPException

from app.project import ROOT
from app.web.match import build_parameter_error
from app.web.routes import append_query, quote_path
from app.web.translation import (
    ENGLISH_CODE,
    ENGLISH_LANGUAGE,
    Language,
    get_current_language,
    gettext,
    load_languages,
    localize_number,
    ngettext,
    select_language,
)

LANGUAGE_PARAMETER = "hl"
# The names are endpoints. All other pages are only in English.
TRANSLATED_PAGES = {
    "front",
    "play",
    "puzzle",
    "teach",
    "paper",
    "classroom",
    "lesson",
    "embed.show_board",
    "embed.show_reply",
    "embed.show_exports",
}
# A language with fewer translated texts is not in the menu.
MIN_TRANSLATED_SHARE = 0.9
URL_HEADERS = ("Location", "HX-Push-Url", "HX-Replace-Url")
# URLs of this site in HTML attributes, apart from files, the API and links to other languages. The
# pattern begins with a rare text, which makes the search fast.
LINK_PATTERN = (
    r'="((?:\d+;url=|%s)?)(/(?!static/|api/)[^"#]*|\?[a-z][^"#]*)'
    r'((?:#[^"]*)?")(?! hreflang)'
)
FILE_PATTERN = re.compile(r"\.(?:csv|gif|json|npz|png|py|svg)(?:\?|$)")


def init_app(app: Flask) -> None:
    """Load the translations, and select the language of each request."""
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
        "language": get_current_language,
        "languages": list_languages,
        "in_language": add_language,
        "get_requested_language": get_requested_language,
    }
    env.globals["in_english"] = get_english_attribute
    app.before_request(set_language)
    app.after_request(add_language_to_links)
    app.teardown_request(lambda _: select_language(ENGLISH_LANGUAGE))


def read_language() -> Language:
    """Return the language in the parameter `hl`, by default English.

    Raises BadRequest, which lists the languages, for any other.
    """
    languages: dict[str, Language] = current_app.extensions["languages"]
    code = request.args.get(LANGUAGE_PARAMETER, "")
    if not code:
        return ENGLISH_LANGUAGE
    if code not in languages:
        raise build_parameter_error(
            LANGUAGE_PARAMETER, code, f"{', '.join(languages)}, or left out"
        )
    return languages[code]


def set_language() -> werkzeug.Response | None:
    """Select the language of the request, if the page is translated.

    A URL with `hl=en` is redirected to the URL without it.
    """
    select_language(ENGLISH_LANGUAGE)
    if request.args.get(LANGUAGE_PARAMETER) == ENGLISH_CODE:
        query = parse_qsl(request.environ["QUERY_STRING"], keep_blank_values=True)
        others = [pair for pair in query if pair[0] != LANGUAGE_PARAMETER]
        return redirect(append_query(quote_path(request.path), others), 301)
    language = read_language()
    if language is not ENGLISH_LANGUAGE and is_page_translated():
        select_language(language)
    return None


def is_page_translated() -> bool:
    return request.endpoint is None or _is_translated_endpoint(request.endpoint)


def _is_translated_endpoint(endpoint: str) -> bool:
    return bool(TRANSLATED_PAGES & {endpoint, endpoint.rpartition(".")[0]})


def list_languages() -> list[Language]:
    """Return the languages in the page's menu, English first; [] on a page only in English.

    A language with many untranslated texts is not in the menu, but its URLs work.
    """
    if not is_page_translated():
        return []
    languages: dict[str, Language] = current_app.extensions["languages"]
    return [
        ENGLISH_LANGUAGE,
        *(
            each
            for each in languages.values()
            if each.translated_share >= MIN_TRANSLATED_SHARE
        ),
    ]


def get_requested_language() -> Language | None:
    """Return the language in the parameter `hl`, also on pages that are only in English."""
    languages: dict[str, Language] = current_app.extensions["languages"]
    return languages.get(request.args.get(LANGUAGE_PARAMETER, ""))


def get_english_attribute() -> Markup:
    """Return lang="en" for an English part of a translated page, "" in English."""
    return Markup(' lang="en"' if request.args.get(LANGUAGE_PARAMETER) else "")


def add_language(url: str, language: Language) -> str:
    if language is ENGLISH_LANGUAGE or f"{LANGUAGE_PARAMETER}={language.code}" in url:
        return url
    path, sign, anchor = url.partition("#")
    separator = "&" if "?" in path else "?"
    return f"{path}{separator}{LANGUAGE_PARAMETER}={language.code}{sign}{anchor}"


def add_language_to_links(response: Response) -> Response:
    """Add the language of the request to all links and redirects in a response.

    On translated pages, links to pages that are only in English get hreflang="en".
    """
    language = get_requested_language()
    if language is None:
        return response
    code = language.code
    for name in URL_HEADERS:
        if name in response.headers:
            response.headers[name] = add_language(response.headers[name], language)
    if response.mimetype == "text/html":
        host = re.escape(request.host_url.rstrip("/"))
        link = re.compile(LINK_PATTERN % host)
        text = link.sub(
            partial(_add_language_to_link, f"{LANGUAGE_PARAMETER}={code}"),
            response.get_data(as_text=True),
        )
        response.set_data(text)
        tag, _ = response.get_etag()
        if tag:
            response.set_etag(f"{tag}:{code}")
    return response


def _add_language_to_link(language_query: str, link: "re.Match[str]") -> str:
    prefix, address, end = link.groups()
    if ("." in address and FILE_PATTERN.search(address)) or language_query in address:
        return link[0]
    sign = "&amp;" if "?" in address else "?"
    is_link = not prefix and link.string.endswith(" href", 0, link.start())
    leaves_language = is_link and is_page_translated() and _is_only_english(address)
    english = ' hreflang="en"' if leaves_language else ""
    return f'="{prefix}{address}{sign}{language_query}{end}{english}'


def _is_only_english(address: str) -> bool:
    path = unquote(address.partition("?")[0])
    try:
        endpoint, _ = current_app.url_map.bind("").match(path)
    except HTTPException:
        return False
    return not _is_translated_endpoint(endpoint)
