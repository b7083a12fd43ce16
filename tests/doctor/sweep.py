"""Measurement of app/doctor.py: the share of planted faults found, and errors on correct learners.

    nice .venv/bin/python -m tests.doctor.sweep answers.jsonl --seeds 1000 [--only NAME ...]
    .venv/bin/python -m tests.doctor.sweep answers.jsonl --table

The file gets one line for each learner and block of seeds, so that a stopped sweep goes on where it
stopped; two processes may write to files of their own, for other seeds.  `--table` prints the
answers of the files as Markdown.
"""

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.doctor.loading import doctor, examine_correct, examine_fault
from tests.doctor.students import CORRECT, PLANTED, STYLES

BLOCK = 10  # seeds of a line
WANTED = {**PLANTED, **dict.fromkeys([*STYLES, *CORRECT], "nothing found")}


def name_answer(name: str, seed: int) -> str:
    """Return the fault that is named for a learner, or another short answer."""
    try:
        found = (examine_fault if name in PLANTED else examine_correct)(name, seed)
    except doctor.TraceError as error:
        return f"refused: {error}"
    if found.fault or found.status:
        return str(found.fault or "no rule recognised")
    if PLANTED.get(name) in found.not_excluded:
        return "makes no difference yet"
    return "nothing found"


def read_blocks(files: list[Path]) -> Iterator[tuple[str, int, Counter[str]]]:
    """Yield (learner, first seed, answers) of each finished block."""
    for file in files:
        for line in file.read_text().splitlines() if file.exists() else ():
            block = json.loads(line)
            yield block["learner"], block["first"], Counter(block["answers"])


def run_sweep(file: Path, names: list[str], seeds: range) -> None:
    """Append the blocks that the file does not have: first all learners with the first seeds."""
    done = {(name, first) for name, first, _ in read_blocks([file])}
    started = time.monotonic()
    for first in range(seeds.start, seeds.stop, BLOCK):
        for name in names:
            if (name, first) in done:
                continue
            answers = Counter(name_answer(name, seed) for seed in range(first, first + BLOCK))
            with file.open("a") as lines:
                print(json.dumps({"learner": name, "first": first, "answers": answers}), file=lines)
        minutes = (time.monotonic() - started) / 60
        print(f"seeds below {first + BLOCK} after {minutes:.1f} minutes", file=sys.stderr)


def print_table(files: list[Path], names: list[str]) -> None:
    """Print a table of the answers in all files, with one row for each learner."""
    total: dict[str, Counter[str]] = {name: Counter() for name in names}
    for name, _, answers in read_blocks(files):
        total[name] += answers
    print("| learner | seeds | right answer | given | others |\n|---|---|---|---|---|")
    for name, answers in total.items():
        seeds, right = answers.total(), answers.pop(WANTED[name], 0)
        others = ", ".join(f"{answer}: {number}" for answer, number in answers.most_common())
        print(f"| {name} | {seeds} | {WANTED[name]} | {right / seeds:.1%} | {others or '-'} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, nargs="+", help="more than one for --table")
    parser.add_argument("--only", nargs="*", default=list(WANTED), choices=list(WANTED))
    parser.add_argument("--seeds", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--table", action="store_true")
    asked = parser.parse_args()
    if asked.table:
        print_table(asked.file, asked.only)
    else:
        run_sweep(asked.file[0], asked.only, range(asked.first, asked.first + asked.seeds))


if __name__ == "__main__":
    main()
