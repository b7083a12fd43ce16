"""Loading of app/doctor.py as a module, and its diagnoses of student learners."""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from tests.doctor.students import CORRECT, STYLES, make_settings

FILE = Path("app/doctor.py")


def load_doctor() -> Any:
    spec = spec_from_file_location("doctor", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules["doctor"] = module
    spec.loader.exec_module(module)
    return module


doctor = load_doctor()


def examine_fault(fault: str, seed: int) -> Any:
    """Return the diagnosis of a learner with a fault; the seed selects style and exploration."""
    examined = doctor.Doctor()
    # without exploration it takes thousands of games until an occupied square changes a value
    explores = fault == "occupied" or seed // 3 % 2 == 0
    settings = make_settings(fault, seed, explores)
    list(STYLES.values())[seed % 3](examined.update, settings)
    return examined.diagnose()


def examine_correct(kind: str, seed: int) -> Any:
    """Return the diagnosis of a correct learner."""
    examined, settings = doctor.Doctor(), make_settings("", seed)
    if kind in STYLES:
        STYLES[kind](examined.update, settings)
    else:
        CORRECT[kind][0](examined.update, settings, kind)
    return examined.diagnose()
