"""What came of a fault, as all scenarios tell it."""

from typing import NamedTuple


class Finding(NamedTuple):
    """What was done, what must hold then, and what was seen."""

    done: str
    must: str
    seen: str
    ok: bool
