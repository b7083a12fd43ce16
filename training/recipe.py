"""What a recipe is: everything that decides what an agent becomes, checked as it is written."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from app.tictactoe.views import Worth
from training.environment import Progress

SHARES = {"alpha", "epsilon", "gamma"}  # these parameters lie within 0 and 1
SETTING = {"game", "rng", "next_stop", "opponents"}  # what an algorithm takes besides parameters

Parameter = bool | int | float | str


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How one agent is made; the same recipe and seed make the same agent bit for bit.

    Raises ValueError if a parameter is out of its range or not one of the algorithm's, if a
    number of iterations is not positive, or if the seed is negative.
    """

    id: str
    title: str
    origin: str  # whose idea it was
    reported: str  # what was said of it there
    algorithm: Callable[..., Iterator[Progress]]
    algorithm_name: str
    parameters: Mapping[str, Parameter]
    opponents: Mapping[str, int]  # for how many iterations against whom, one after the other
    seed: int = 0
    worth: Worth = field(default_factory=Worth)
    packages: tuple[str, ...] = ("numpy", "numba")  # what computes it, for its card

    def __post_init__(self) -> None:
        takes = inspect.signature(self.algorithm).parameters.keys() - SETTING
        if takes != self.parameters.keys():
            self._refuse(f"the parameters are {_listed(takes)}, not {_listed(self.parameters)}")
        for name in sorted(SHARES & self.parameters.keys()):
            share = self.parameters[name]
            if isinstance(share, str) or not 0 <= share <= 1:
                self._refuse(f"{name} lies within 0 and 1, not {share}")
        if not self.opponents:
            self._refuse("there is no opponent")
        for opponent, iterations in self.opponents.items():
            if iterations < 1:
                self._refuse(f"iterations against {opponent} are at least 1, not {iterations}")
        if self.seed < 0:
            self._refuse(f"the seed is at least 0, not {self.seed}")

    def _refuse(self, reason: str) -> None:
        raise ValueError(f"recipe {self.id}: {reason}")

    def card_parameters(self) -> dict[str, Parameter]:
        """List the parameters with the number of iterations against each opponent."""
        lengths = {f"iterations_vs_{name}": number for name, number in self.opponents.items()}
        return {**self.parameters, **lengths}


def _listed(names: object) -> str:
    return ", ".join(sorted(names)) or "none"  # type: ignore[call-overload]
