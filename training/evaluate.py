"""Show the exact results of agents as a table, in a terminal and in the documents."""

from collections.abc import Iterable
from pathlib import Path

from rich.console import Console
from rich.table import Table

from app.experiments import ClaimSummary, format_probability
from app.sources import SOURCES
from app.tictactoe.agents import Agent
from app.tictactoe.game import GAME
from app.tictactoe.report import compute_figures

OPPONENT_TITLES = {"random": "Random", "t-hand": "T-hand"}
SEAT_TITLES = {"x": "X", "o": "O"}
RESULT_HEADINGS = [
    "Agent",
    *(
        f"as {seat}, {name}"
        for name in OPPONENT_TITLES.values()
        for seat in SEAT_TITLES.values()
    ),
    *(f"as {seat}, best responder" for seat in SEAT_TITLES.values()),
    "Blunders",
]
CLAIM_HEADINGS = ["Claim", "Source", "Verdict", "Runs"]
START_MARK, END_MARK = "<!-- results -->", "<!-- /results -->"
# No row of the table is longer, so none is wrapped.
UNWRAPPED_LINE_WIDTH = 1_000
RESULTS_FILE = "docs/results.md"


def build_result_rows(agents: Iterable[Agent]) -> list[list[str]]:
    """Return a row of cells for each agent: its title, its results and its number of blunders.

    The results are computed from the agent's table, and not read from its card.
    """
    return [_build_row(agent) for agent in agents]


def print_table(agents: Iterable[Agent]) -> None:
    """Print a table of the results; lines are wrapped only in a terminal."""
    console = Console()
    if not console.is_terminal:
        console = Console(width=UNWRAPPED_LINE_WIDTH)
    table = Table(title="Percent of games won / drawn / lost, exactly")
    for name in RESULT_HEADINGS:
        table.add_column(name, overflow="fold", no_wrap=name == RESULT_HEADINGS[0])
    for row in build_result_rows(agents):
        table.add_row(*row)
    console.print(table)


def format_results(agents: Iterable[Agent]) -> str:
    return _format_markdown([RESULT_HEADINGS, *build_result_rows(agents)])


def format_claims(claims: Iterable[ClaimSummary]) -> str:
    lines = [CLAIM_HEADINGS]
    for claim in claims:
        title = f"[{claim.title}](../models/experiments/{claim.id}.json)"
        lines.append(
            [title, SOURCES[claim.sources[0]].name, claim.verdict, f"{claim.runs:,}"]
        )
    return _format_markdown(lines)


def write_document(
    project_folder: Path,
    agents: Iterable[Agent],
    claims: Iterable[ClaimSummary],
) -> None:
    """Write the tables of results and of claims into docs/results.md.

    Raises ValueError if the file lacks the markers around them.
    """
    replace_table(
        project_folder / RESULTS_FILE,
        f"{format_results(agents)}\n{format_claims(claims)}",
    )


def replace_table(document_path: Path, table: str) -> None:
    """Replace the text between START_MARK and END_MARK in a file.

    Raises ValueError unless the file has both markers in this order, once each.
    """
    before, start, rest = document_path.read_text().partition(START_MARK)
    _, end, after = rest.partition(END_MARK)
    if not (start and end) or START_MARK in rest or END_MARK in before + after:
        raise ValueError(
            f"{document_path} has not {START_MARK} and then {END_MARK}, once each"
        )
    document_path.write_text(f"{before}{START_MARK}\n{table}{END_MARK}{after}")


def _format_markdown(table_lines: list[list[str]]) -> str:
    header, *others = table_lines
    return "".join(
        f"| {' | '.join(cells)} |\n"
        for cells in [header, ["---"] * len(header), *others]
    )


def _build_row(agent: Agent) -> list[str]:
    card = agent.card
    table = agent.q[GAME.legal][None]
    figures = compute_figures(
        GAME, table, [card.updates], card.reward_scale, card.play_rule
    )
    results = [
        *(
            figures.outcome_chances_by_baseline[opponent]
            for opponent in OPPONENT_TITLES
        ),
        figures.best_response,
    ]
    return [
        card.title,
        *(
            " / ".join(map(format_probability, chances))
            for result in results
            for chances in (result.x[-1], result.o[-1])
        ),
        str(figures.blunders[-1]),
    ]
