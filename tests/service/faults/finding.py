"""What came of a fault, as all scenarios tell it, and the scenarios by their names."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from tests.service.server import Server, serving


class Finding(NamedTuple):
    """What was done, what must hold then, and what was seen."""

    done: str
    must: str
    seen: str
    ok: bool


Scenario = Callable[..., Iterator[Finding]]
OnAServer = Callable[[Server], Iterator[Finding]]
SCENARIOS: dict[str, Scenario] = {}


def fault(name: str) -> Callable[[Scenario], Scenario]:
    """Have a scenario tried by this name, by which the table knows it too."""

    def add(scenario: Scenario) -> Scenario:
        SCENARIOS[name] = scenario
        return scenario

    return add


def on_a_server(name: str, **settings: str) -> Callable[[OnAServer], OnAServer]:
    """Have a scenario tried by this name on a server of its own, started with these settings."""

    def add(scenario: OnAServer) -> OnAServer:
        @fault(name)
        def alone() -> Iterator[Finding]:
            with serving(**settings) as server:
                yield from scenario(server)

        return scenario

    return add
