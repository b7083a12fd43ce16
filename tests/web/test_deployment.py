"""Environment variables of the site."""

import json
import re
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.project import ROOT
from app.tictactoe.agents import ModelError
from app.web import create_app
from app.web.service.deployment import SettingError

HSTS = "Strict-Transport-Security"
FORWARDED = {"X-Forwarded-Proto": "https", "X-Forwarded-Host": "play.example"}


@pytest.fixture
def environment(start: Callable[..., Flask]) -> Callable[..., FlaskClient]:
    return lambda **variables: start(**variables).test_client()


def test_nobody_is_believed_that_a_request_came_by_https(environment) -> None:
    assert HSTS not in environment().get("/", headers=FORWARDED).headers


def test_a_trusted_proxy_is(environment) -> None:
    client = environment(TRUSTED_PROXIES="1")
    assert HSTS in client.get("/", headers=FORWARDED).headers
    assert HSTS not in client.get("/").headers


def test_who_is_told_of_a_weakness_is_said_if_anybody_is(environment) -> None:
    """RFC 9116: the file must have an expiry date, and it should be within a year."""
    path = "/.well-known/security.txt"
    assert environment().get(path).status_code == 404
    text = environment(SECURITY_CONTACT="mailto:me@example.org").get(path).text
    assert text.startswith("Contact: mailto:me@example.org\nExpires: ")
    expires = text.split()[-1]
    assert 0 < (datetime.fromisoformat(expires) - datetime.now(UTC)).days < 365
    with pytest.raises(SettingError, match="SECURITY_CONTACT"):
        environment(SECURITY_CONTACT="me@example.org")


@pytest.mark.parametrize("host", ["Play.Example:80", "PLAY.example:443"])
def test_the_name_of_the_site_is_read_as_browsers_write_it(environment, host: str) -> None:
    client = environment(CANONICAL_HOST=host)
    for asked in ("play.example", "Play.Example", "play.example:80"):
        assert client.get("/arena", headers={"Host": asked}).status_code == 200, asked
    assert client.get("/arena").headers["Location"] == "http://play.example/arena"
    assert client.get("/healthz").status_code == 200


def test_who_is_led_to_its_name_is_led_to_the_same_address(environment) -> None:
    client = environment(CANONICAL_HOST="play.example")
    for path in ("/x%0a", "/x%0d%0aset-cookie:%20a=b", "/x?a=%0a&b=%e4", "/play/4?o=human"):
        response = client.get(path)
        assert response.status_code == 308
        assert response.headers["Location"].lower() == f"http://play.example{path}"
        assert response.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    "host", ["https://play.example", "a b", "a..b", "a:b", "x:99999", "-", "ä", "::1", "[1::2::3]"]
)
def test_what_is_no_name_of_a_site_is_named(environment, host: str) -> None:
    with pytest.raises(SettingError, match="CANONICAL_HOST is a name like"):
        environment(CANONICAL_HOST=host)


def test_the_host_that_a_trusted_proxy_was_asked_for_counts_if_it_says_so(environment) -> None:
    client = environment(CANONICAL_HOST="play.example", TRUSTED_PROXIES="1")
    assert client.get("/", headers=FORWARDED).status_code == 308
    client = environment(FORWARDED_HOST="1")
    assert client.get("/", headers=FORWARDED).status_code == 200


def test_a_scheme_is_http_or_https(environment) -> None:
    client = environment(TRUSTED_PROXIES="1", CANONICAL_HOST="play.example")
    response = client.get("/", headers={"X-Forwarded-Proto": "javascript"})
    assert response.headers["Location"] == "http://play.example/"


@pytest.mark.parametrize("proxies", ["-1", "many", "10", "1_0", "²"])
def test_a_wrong_number_of_proxies_is_named(environment, proxies: str) -> None:
    with pytest.raises(SettingError, match="TRUSTED_PROXIES is a number from 0 to 9"):
        environment(TRUSTED_PROXIES=proxies)


@pytest.mark.parametrize("variable", ["LAB", "CORS_ORIGINS", "FORWARDED_HOST", "CANONICAL_HOST"])
def test_settings_are_checked_before_the_models(environment, tmp_path: Path, variable: str) -> None:
    (tmp_path / "nobody.npz").write_bytes(b"")
    with pytest.raises(SettingError, match=variable):
        environment(MODELS=str(tmp_path), **{variable: "a b"})


def test_the_models_are_where_the_environment_says(environment, tmp_path: Path) -> None:
    (tmp_path / "nobody.npz").write_bytes(b"")
    with pytest.raises(ModelError, match=str(tmp_path)):
        environment(MODELS=str(tmp_path))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"recipe": "q-table," + "x" * 100_000}, "characters"),
        ({"recipe": "q-table\0"}, "there is no algorithm"),
        ({"recipe": "q-table,alpha=9"}, "alpha"),
        ({"algorithm": "double-q"}, "algorithm is 'double-q', and 'q-table' in its recipe"),
        ({"worth": None}, "worth is None"),
        ({"seed": 8}, "seed is 8, and 0 in its recipe"),
        ({"title": "q\u202etable"}, "title"),
    ],
)
def test_a_card_that_is_not_its_recipes_is_named(
    tmp_path: Path, change: dict[str, object], said: str
) -> None:
    for ending in ("json", "npz"):
        shutil.copy(ROOT / f"models/q-table.{ending}", tmp_path)
    card = tmp_path / "q-table.json"
    card.write_text(json.dumps(json.loads(card.read_text()) | change))
    with pytest.raises(ModelError, match=re.escape(f"{card}: ")) as refused:
        create_app(tmp_path)
    assert said in str(refused.value)
    assert len(str(refused.value)) < 1000
