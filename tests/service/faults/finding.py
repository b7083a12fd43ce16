"""The result of a scenario, and the scenarios by name."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from tests.service.server import Server, serving


class Finding(NamedTuple):
    """The action, the requirement, and the observation."""

    done: str
    must: str
    seen: str
    ok: bool


Scenario = Callable[..., Iterator[Finding]]
OnAServer = Callable[[Server], Iterator[Finding]]
SCENARIOS: dict[str, Scenario] = {}


def fault(name: str) -> Callable[[Scenario], Scenario]:
    """Register a scenario under this name, which the table shows."""

    def add(scenario: Scenario) -> Scenario:
        SCENARIOS[name] = scenario
        return scenario

    return add


def on_a_server(name: str, **settings: str) -> Callable[[OnAServer], OnAServer]:
    """Register a scenario that runs on its own server with these settings."""

    def add(scenario: OnAServer) -> OnAServer:
        @fault(name)
        def alone() -> Iterator[Finding]:
            with serving(**settings) as server:
                yield from scenario(server)

        return scenario

    return add
