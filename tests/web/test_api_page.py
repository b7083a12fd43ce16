"""The page of the API and its OpenAPI description agree, and both are true."""

import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from flask.testing import FlaskClient

from app.recipes import MAX_NAME_LENGTH
from app.web.pages.api.description import CLIENT_FILE
from app.web.site_data import SiteData


@pytest.fixture
def described(client: FlaskClient) -> Any:
    return client.get("/api/v1/openapi.json").json


def schemas_within(value: Any) -> Iterator[dict[str, Any]]:
    """Yield every object within a JSON value, the value itself included."""
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value:
        if isinstance(inner, dict | list):
            yield from schemas_within(inner)


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
