"""Cards, claims, sections and presets name known sources, and the page of sources has all."""

import re
from html import unescape

import pytest
import yaml
from flask.testing import FlaskClient

from app.project import ROOT
from app.recipes import SHIPPED
from app.sources import SOURCES, Source, find_source
from app.web.links.agents import agent_url
from app.web.links.experiments import EXPERIMENT_ROUTE, SOURCE_LIST_ROUTE, source_url
from app.web.site_data import SiteData

OTHERS = [source for source in SOURCES.values() if source.kind != "ours"]


@pytest.fixture
def listing(client: FlaskClient) -> str:
    return client.get(SOURCE_LIST_ROUTE.url()).text


def entry(listing: str, source: Source) -> str:
    found = re.search(
        rf'(?s)<summary id="{source.slug}-open">.*?(?=<details class="panel|</main>)',
        listing,
    )
    assert found, source
    return unescape(found[0])


def test_a_source_leads_to_its_agents_and_claims(listing: str, site: SiteData) -> None:
    for source in OTHERS:
        text = entry(listing, source)
        for card in (agent.card for agent in site.shipped_agents.values()):
            link = f'href="{agent_url(card.id)}"'
            assert (link in text) == (card.origin == source.name)
        for claim, summary in site.experiments.items():
            link = f'href="{EXPERIMENT_ROUTE.url(claim)}"'
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
            assert f'href="{source_url(source.slug)}"' in client.get(f"/agents/{name}").text


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
