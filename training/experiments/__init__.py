"""The claims, as data, a file each or a family a file, and the engine that checks them."""

from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING

from app.experiments import ORDER

if TYPE_CHECKING:
    from training.experiments.claim import Experiment

__all__ = ["FILES", "ORDER", "find"]

# The file of each claim that is not called by its id.  It is imported where it is needed: a
# claim about tables does not wait for JAX.
FAMILIES = MappingProxyType({f"sutton-barto-{n}": "sutton_barto" for n in range(1, 6)})
FILES = MappingProxyType({one: FAMILIES.get(one, one.replace("-", "_")) for one in ORDER})


def find(claim: str) -> "Experiment":
    """Return the experiment of a claim: its file's `EXPERIMENT`, or the one among `EXPERIMENTS`.

    Raises KeyError if there is no such claim.
    """
    module = import_module(f"training.experiments.{FILES[claim]}")
    every = module.EXPERIMENTS if claim in FAMILIES else [module.EXPERIMENT]
    experiment: Experiment = next(one for one in every if one.id == claim)
    return experiment
