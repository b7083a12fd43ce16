"""How often docs/doctor.py finds each planted fault, and how often it errs on correct learners.

    nice .venv/bin/python -m tests.doctor.sweep --seeds 1000 [--first 0] [NAME ...]

prints a row of a table of Markdown for each: the seeds, the share found, and every other answer.
"""

import argparse
from collections import Counter
from collections.abc import Callable
from typing import Any

from tests.doctor.loading import doctor, examine_correct, examine_fault
from tests.doctor.students import CORRECT, PLANTED, STYLES


def count_answers(examine: Callable[[str, int], Any], name: str, seeds: range) -> Counter[str]:
    """Count the faults that are named, "-" for none."""
    answers: Counter[str] = Counter()
    for seed in seeds:
        try:
            found = examine(name, seed)
            answers[found.fault or ("-" if found.status == 0 else "not recognised")] += 1
        except doctor.TraceError as error:
            answers[f"refused: {error}"] += 1
    return answers


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="planted faults or kinds; all if there are none")
    parser.add_argument("--seeds", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    asked = parser.parse_args()
    seeds = range(asked.first, asked.first + asked.seeds)
    wanted = {**PLANTED, **dict.fromkeys([*STYLES, *CORRECT], "-")}
    print("| learner | seeds | right | other answers |\n|---|---|---|---|")
    for name in asked.names or wanted:
        examine = examine_fault if name in PLANTED else examine_correct
        answers = count_answers(examine, name, seeds)
        right = answers.pop(wanted[name], 0)
        others = ", ".join(f"{answer} {number}" for answer, number in answers.items())
        print(f"| {name} | {len(seeds)} | {100 * right / len(seeds):.1f}% | {others} |", flush=True)


if __name__ == "__main__":
    main()
