"""A client generated from the description of the API reads every answer of the site."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from app.web.links.api import API_DESCRIPTION
from app.web.pages.api.description import list_operations

# Calls each operation and prints how the client read the answer, one line each.
SCRIPT = """
import importlib, json, sys
from q_tac_toe_client import Client

client = Client(base_url=sys.argv[1])
for line in sys.stdin:
    operation, arguments = json.loads(line)
    module = importlib.import_module(f"q_tac_toe_client.api.default.{operation}")
    answer = module.sync_detailed(client=client, **arguments)
    parsed = answer.parsed
    print(json.dumps([int(answer.status_code), type(parsed).__name__, parsed.to_dict()]))
"""
WRONG: list[tuple[str, dict[str, Any], int]] = [
    ("position", {"position": "XXX......"}, 404),
    ("agent", {"id": "nobody"}, 404),
    ("game", {"record": "44"}, 409),
    ("move", {"position": ".........", "agent": "random", "epsilon": 2}, 400),
]


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory, app) -> Path:
    """Generate the client into a folder."""
    folder = tmp_path_factory.mktemp("client")
    description = app.test_client().get(API_DESCRIPTION.url()).text
    (folder / "openapi.json").write_text(description)
    (folder / "config.yml").write_text("post_hooks: []\n")
    command = ["openapi-python-client", "generate", "--path", "openapi.json"]
    command[0] = str(Path(sys.executable).with_name(command[0]))
    options = ["--output-path", "client", "--config", "config.yml", "--fail-on-warning"]
    done = subprocess.run(
        [*command, *options], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "client"


def test_a_generated_client_reads_every_answer(
    generated: Path, server: str, client: FlaskClient
) -> None:
    document = client.get(API_DESCRIPTION.url()).json
    assert document
    calls, expected = [], []
    for path, method, operation in list_operations(document):
        if method != "get":
            continue
        parameters = operation["parameters"]
        arguments = {
            one["name"]: one["schema"]["examples"][0]
            for one in parameters
            if one["schema"].get("examples")
        }
        in_path = {one["name"] for one in parameters if one["in"] == "path"}
        query = {name: value for name, value in arguments.items() if name not in in_path}
        if operation["operationId"] == "move":
            arguments["seed"] = query["seed"] = 1
        calls.append((operation["operationId"], arguments))
        expected.append(client.get(path.format(**arguments), query_string=query).json)
    assert len(calls) >= 9
    calls += [(operation, arguments) for operation, arguments, _ in WRONG]
    lines = "\n".join(json.dumps(call) for call in calls)
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, server],
        cwd=generated,
        input=lines,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    for (status, kind, read), there in zip(answers, expected, strict=False):
        assert (status, kind == "Problem") == (200, False)
        assert read == there
    for (status, kind, read), (_, _, wrong) in zip(answers[len(expected) :], WRONG, strict=True):
        assert (status, kind, read["status"]) == (wrong, "Problem", wrong)
