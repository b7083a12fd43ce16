"""Cards, claims, sections and presets name known sources, and the page of sources has all."""

import re
from html import unescape
from urllib.parse import urlsplit

import pytest
import yaml
from flask.testing import FlaskClient

from app.recipes import SHIPPED
from app.sources import CLASSICS_HEADING, SOURCES, Source, find_source, find_source_heading
from app.web import urls
from app.web.algorithms import SECTIONS
from app.web.pages.lab.page import EXERCISES, STRIKING_QUESTIONS
from app.web.service.deployment import ROOT
from app.web.site_data import SiteData

OTHERS = [source for source in SOURCES.values() if source.kind != "ours"]


@pytest.fixture
def listing(client: FlaskClient) -> str:
    return client.get(urls.SOURCES).text


def entry(listing: str, source: Source) -> str:
    found = re.search(
        rf'(?s)<summary id="{source.slug}-open">.*?(?=<details class="panel|</main>)',
        listing,
    )
    assert found, source
    return unescape(found[0])


def test_a_source_has_one_slug_and_one_name() -> None:
    assert all(source.slug == slug for slug, source in SOURCES.items())
    assert all(find_source(source.name) == source for source in SOURCES.values())
    assert find_source("somebody") is None
    assert [find_source_heading(source.name) for source in OTHERS if source.kind == "project"] == [
        *("Flesch", "Nested Software", "Peek", "CodingRonin", "Hernandez")
    ]
    assert {find_source_heading(source.name) for source in OTHERS if source.kind == "classic"} == {
        CLASSICS_HEADING
    }


def test_the_page_says_of_each_who_what_and_when(listing: str) -> None:
    for source in OTHERS:
        text = entry(listing, source)
        for part in (source.name, source.author, source.title, source.year, source.published):
            assert part in text
        assert source.adopted
        for part in (source.adopted, *source.differences):
            assert part in text


def test_a_link_out_says_where_it_leads(listing: str) -> None:
    for source in OTHERS:
        links = re.findall(r'<a href="(https://[^"]+)"[^>]*>([^<]+)</a>', entry(listing, source))
        assert [address for address, _ in links] == [*source.urls]
        for address, text in links:
            assert text == f"Read it on {urlsplit(address).hostname}"
        assert ("We know no URL of this page." in entry(listing, source)) == (not links)
    assert not SOURCES["codingronin"].urls


def test_a_source_leads_to_its_agents_and_claims(listing: str, site: SiteData) -> None:
    for source in OTHERS:
        text = entry(listing, source)
        for card in (agent.card for agent in site.shipped_agents.values()):
            link = f'href="{urls.agent_url(card.id)}"'
            assert (link in text) == (card.origin == source.name)
        for claim, summary in site.experiments.items():
            link = f'href="{urls.EXPERIMENT.url(claim)}"'
            assert (link in text) == (source.slug in summary.sources)


def test_every_card_names_a_known_source_and_where_it_says_what(
    site: SiteData, client: FlaskClient
) -> None:
    for name in SHIPPED:
        card = site.shipped_agents[name].card
        source = find_source(card.origin)
        assert source
        for fact in card.reported:
            assert fact.source_location.startswith(
                ("the section", "the end of the section", "the project")
            )
        if source.kind != "ours":
            assert f'href="{urls.source_url(source.slug)}"' in client.get(f"/agents/{name}").text


def test_every_claim_leads_to_its_sources(site: SiteData, client: FlaskClient) -> None:
    for claim, summary in site.experiments.items():
        text = client.get(urls.EXPERIMENT.url(claim)).text
        for slug in summary.sources:
            link = f'href="{urls.source_url(slug)}"'
            assert (link in text) == (SOURCES[slug].kind != "ours")
        assert unescape(text).count(summary.answer) >= 1  # the text of the preview
        # On the page a term of it may be a link.
        assert unescape(re.sub("<[^>]*>", "", text)).count(summary.answer) == 1


def test_every_section_leads_to_its_sources(client: FlaskClient) -> None:
    for slug, section in SECTIONS.items():
        page = client.get(urls.how_url(slug)).text
        assert section.publications
        for source in section.publications:
            link = f'href="{urls.source_url(source.slug)}"'
            assert (link in page) == (source.kind != "ours")


def test_every_preset_leads_to_its_source(client: FlaskClient) -> None:
    lab = client.get(urls.LAB, follow_redirects=True).text
    entries = re.findall(r'(?s)<li><a id="(?:telling|exercise)-.*?</li>', lab)
    assert len(entries) == len(STRIKING_QUESTIONS) + len(EXERCISES)
    assert all(f'href="{urls.SOURCES}#' in one for one in entries)


def test_the_verb_states_is_no_state_of_the_glossary(client: FlaskClient, site: SiteData) -> None:
    for path in (urls.SOURCES, *map(urls.EXPERIMENT.url, site.experiments)):
        page = client.get(path).text
        assert not re.search(r"(?:not|article|author|source)\s+<a [^>]*>states?</a>", page), path


def test_what_is_said_of_an_article_is_in_it() -> None:
    assert "UCT" not in SOURCES["nested-software"].adopted
    assert "names" not in SOURCES["kocsis-szepesvari-2006"].adopted
    assert any("all nine outputs" in one for one in SOURCES["codingronin"].differences)
    assert SOURCES["watkins-1989"].urls


def test_the_claim_about_menace_links_to_whoever_gave_its_numbers(client: FlaskClient) -> None:
    page = client.get(urls.EXPERIMENT.url("menace")).text
    for slug in ("michie-1963", "scroggs-2015", "lets-talk-data-2013"):
        assert f'href="{urls.source_url(slug)}"' in page


def test_the_project_cites_its_sources() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text())["references"]
    assert [one["title"] for one in cited] == [source.title for source in OTHERS]
    for one, source in zip(cited, OTHERS, strict=True):
        assert all(author["name"] in source.author for author in one["authors"])
        assert one.get("url") == (source.urls[0] if source.urls else None)
        assert str(one.get("year", "")) == source.year[-4:]


def test_the_readme_names_the_projects() -> None:
    readme = (ROOT / "README.md").read_text()
    for source in OTHERS:
        if source.kind == "project":
            assert source.name in readme
            assert all(address in readme for address in source.urls)
