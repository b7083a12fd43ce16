"""The page of the API and its OpenAPI description agree, and both are true."""

import html
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from flask.testing import FlaskClient

from app.recipes import MAX_NAME_LENGTH
from app.tictactoe.card import Card
from app.tictactoe.report import Figures
from app.tictactoe.views import RewardScale
from app.web import create_app
from app.web.pages.api.description import CLIENT_FILE, UNREACHABLE_EXAMPLE
from app.web.site_data import SiteData


@pytest.fixture
def described(client: FlaskClient) -> Any:
    return client.get("/api/v1/openapi.json").json


def test_every_field_and_parameter_has_a_meaning(described: Any) -> None:
    fields = {
        (name, field): schema
        for name, model in described["components"]["schemas"].items()
        for field, schema in model["properties"].items()
    }
    parameters = {
        (path, parameter["name"]): parameter
        for path, methods in described["paths"].items()
        for operation in methods.values()
        for parameter in operation["parameters"]
    }
    assert [name for name, it in (fields | parameters).items() if not it.get("description")] == []


def test_the_description_names_its_server(described: Any) -> None:
    assert [server["url"] for server in described["servers"]] == ["/"]


def schemas_within(value: Any) -> Iterator[dict[str, Any]]:
    """Yield every object within a JSON value, the value itself included."""
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value:
        if isinstance(inner, dict | list):
            yield from schemas_within(inner)


def test_generators_of_clients_can_read_every_list_and_name(described: Any) -> None:
    for schema in schemas_within(described):
        if schema.get("type") == "array":
            assert isinstance(schema["items"], dict), schema
    for name, schema in described["components"]["schemas"].items():
        assert schema["title"] == name


def test_the_limits_are_those_of_the_game(described: Any, site: SiteData) -> None:
    game = site.game
    schemas = described["components"]["schemas"]
    shape = {"pattern": f"^[XO.]{{{game.cells}}}$", "maxLength": game.cells}
    assert schemas["State"]["properties"]["position"].items() >= shape.items()
    assert schemas["Move"]["properties"]["cell"]["maximum"] == game.cells - 1
    assert schemas["LikelyCause"]["properties"]["shown_in"]["items"].items() >= shape.items()
    assert schemas["Game"]["properties"]["record"]["maxLength"] == game.cells
    assert not [schema for schema in schemas_within(described) if "format" in schema]
    in_path = {
        parameter["name"]: parameter["schema"]
        for methods in described["paths"].values()
        for parameter in methods["get"]["parameters"]
    }
    assert in_path["position"].items() >= shape.items()
    assert in_path["record"]["maxLength"] == game.cells
    there, recipe, taught = in_path["lens"]["anyOf"]
    assert set(there["enum"]) == set(site.value_sources)
    assert recipe["maxLength"] == MAX_NAME_LENGTH
    for name in ("q-learning,vs=random:50+self:200", "q-table,loss=-2,epsilon_drop=0.05_task"):
        assert re.search(recipe["pattern"], name)
        assert site.is_value_source(name)
    assert not re.search(recipe["pattern"], "nobody,alpha=0.5")
    assert re.search(taught["pattern"], "menace,vs=you:2+random:5,taught=04.1,win=3,seed=-1")
    assert not re.search(taught["pattern"], "menace,games=5")


def test_a_card_is_described_by_its_own_types(described: Any) -> None:
    schemas = described["components"]["schemas"]
    for name, kind in (("Card", Card), ("Figures", Figures), ("RewardScale", RewardScale)):
        told = msgspec.json.schema(kind)["$defs"][name]["properties"]
        assert {field: schemas[name]["properties"][field]["description"] for field in told} == {
            field: schema["description"] for field, schema in told.items()
        }
    assert not [name for name in schemas if not name.isalpha()]


def test_the_page_shows_every_operation_with_an_example(
    client: FlaskClient, described: Any
) -> None:
    page = html.unescape(client.get("/api").text)
    requests = re.findall(
        r"curl (?:-F 'table=(.*?)' )?'(?:<a href=\".+?\">)?http://localhost(/.*?)(?:</a>)?'</code>",
        page,
    )
    answers = re.findall(r'(?s)<div class="scroll answer".*?<code>(.*?)</code>', page)
    titles = [
        f"{method.upper()} {path}"
        for path, methods in described["paths"].items()
        for method in methods
    ]
    assert len(requests) == len(titles) + 1  # one more for the error
    for title, (table, address), shown in zip([*titles, ""], requests, answers, strict=True):
        assert title in page
        assert bool(table) == title.startswith("POST")
        answer = (
            client.post(address, data={"table": table}, content_type="multipart/form-data")
            if table
            else client.get(address)
        )
        assert answer.status_code == (404 if address == UNREACHABLE_EXAMPLE else 200)
        shortened = re.sub(
            r'"(?:[^"\\]|\\.)*"',
            lambda text: f"{text[0][:25]}…{text[0][-13:]}" if len(text[0]) > 162 else text[0],
            answer.text,
        )
        assert "".join(shown.split()) == "".join(shortened.split())


def test_the_examples_are_of_the_site_under_the_name_it_goes_by(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CANONICAL_HOST", "site.example")
    app = create_app(seed=1).test_client()
    page = html.unescape(app.get("/api", base_url="https://site.example").text)
    assert "https://site.example/api/v1/games/40216</a>" in page
    assert '"record": "40216"' in page


def test_the_page_shows_the_client_as_it_is(client: FlaskClient) -> None:
    assert CLIENT_FILE.read_text() in html.unescape(client.get("/api").text)
    assert len(CLIENT_FILE.read_text().splitlines()) <= 45


def test_the_client_plays_a_whole_game(server: str) -> None:
    run = subprocess.run(
        [sys.executable, CLIENT_FILE, server, "fixed", "fixed"],
        capture_output=True,
        text=True,
        check=True,
    )
    lines = run.stdout.splitlines()
    boards = [line for line in lines if line.startswith("  ")]
    assert sum(" plays " in line for line in lines) == 7
    assert len(boards) == 3 * 7
    assert boards[-3:] == ["  X O X", "  O X O", "  X . ."]
    assert lines[-1] == "The result: X"
