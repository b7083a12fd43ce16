"""Claims as data, the engine of the experiments, and the stored summaries."""

import re
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from app.experiments import (
    ClaimSummary,
    Histogram,
    Series,
    compute_sign_test,
    load_summaries,
    summarize_seeds,
)
from app.recipes import MAX_NAME_LENGTH, SHIPPED, parse_recipe
from app.sources import SOURCES
from app.tictactoe.game import Game
from app.tictactoe.policy import policy_from_values
from app.tictactoe.report import find_lost_game
from app.web.formatting import format_with_unit
from training.experiments import CLAIMS_FOLDER, ClaimError, list_claims
from training.experiments.claim import Claim, Sweep, load_claim, load_claims
from training.experiments.claims.menace import count_lost_games
from training.experiments.engine import (
    ExperimentRun,
    compute_digest,
    open_store,
    run_experiment,
    update_texts,
)
from training.experiments.quantities import QUANTITIES, build_single_quantity, parse_quantity
from training.experiments.results import (
    Results,
    Statistic,
    compute_wilson_interval,
    name_with_seed,
)
from training.experiments.rules import VerdictRules
from training.learners import learn
from training.measures import CHECKPOINTS_MEASURE, END_MEASURE, Measure, MeasuredRun, make_run_key

ROOT = Path(__file__).parents[2]
SUMMARIES = ROOT / "models/experiments"
WRITTEN = load_summaries(SUMMARIES)
RUNNING_SUM = load_claims()["running-sum"]

# A process that ends itself, as `kill -9` would, once two batches of runs are kept.
STOPPED = """
import os, signal, sys
from pathlib import Path
from training.experiments.engine import RunStore, open_store, run_experiment
from training.experiments.claim import load_claims

class Mortal(RunStore):
    left = 2
    def write(self, values):
        super().write(values)
        self.left -= 1
        if not self.left:
            os.kill(os.getpid(), signal.SIGKILL)

with open_store(Path(sys.argv[1])) as store:
    claim = load_claims()["running-sum"]
    run_experiment(claim, Mortal(store.connection), max_seeds=int(sys.argv[2]))
"""


def without_times(summary: ClaimSummary) -> ClaimSummary:
    return msgspec.structs.replace(summary, seconds=0.0, date="2000-01-01")


def carried_out(experiment: Claim, folder: Path, seeds: int) -> ExperimentRun:
    with open_store(folder) as store:
        return run_experiment(experiment, store, max_seeds=seeds)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> ExperimentRun:
    return carried_out(RUNNING_SUM, tmp_path_factory.mktemp("undisturbed"), 15)


def test_every_claim_has_an_experiment_and_its_words() -> None:
    assert load_claims().keys() == {*list_claims()}
    for experiment in load_claims().values():
        assert len(experiment.table.title) <= 60
        assert {*experiment.table.sources} <= SOURCES.keys()
        assert experiment.table.sources
        assert set(experiment.table.agents) <= SHIPPED.keys()
        labels = [label for sweep in experiment.sweeps for label in sweep.recipe_by_label]
        assert len(labels) == len(set(labels))
        for sweep in experiment.sweeps:
            for recipe in sweep.recipe_by_label.values():
                assert parse_recipe(recipe).seed == 0
                assert len(name_with_seed(recipe, 9_999)) <= MAX_NAME_LENGTH


@pytest.mark.parametrize("claim", WRITTEN)
def test_a_summary_is_what_the_claim_says_and_small(claim: str) -> None:
    summary, experiment = WRITTEN[claim], load_claims()[claim]
    assert update_texts(experiment, summary) == summary  # if not, run `experiment --words`
    few = ("fewer than 1,000 seeds" in summary.limits, "only three seeds" in summary.limits)
    assert any(few) == any(sweep.default_seeds < 1_000 for sweep in experiment.sweeps)
    assert summary.seeds == max((sweep.default_seeds for sweep in experiment.sweeps), default=0)
    assert (SUMMARIES / f"{claim}.json").stat().st_size < 200_000
    assert len(summary.numbers.rows) <= 11
    seeds: Counter[str] = Counter()  # number of seeds by measure and recipe; equal runs count once
    for sweep in experiment.sweeps:
        for recipe in sweep.recipe_by_label.values():
            run = make_run_key(sweep.measure, parse_recipe(recipe))
            seeds[run] = max(seeds[run], min(sweep.default_seeds, summary.seeds))
    assert summary.runs == seeds.total()


@pytest.mark.parametrize("seed", [226, 612])  # stored with five digits they were rounded twice
def test_a_figure_is_stored_as_its_run_has_it(seed: int) -> None:
    run = END_MEASURE.compute(parse_recipe(f"q-table,seed={seed}"))
    figures = WRITTEN["better-than-minimax"].figures
    against = run.figures.outcome_chances_by_baseline["random"]
    for figure, chances in zip(figures[:2], (against.x, against.o), strict=True):
        assert isinstance(figure, Histogram)
        won, stored = 100 * chances[-1][0], figure.groups[0].values[seed]
        assert stored == pytest.approx(won, rel=1e-11)
        assert format_with_unit(stored, "%") == f"{won:.2f}%"


def test_lost_games_are_counted_until_hardly_any_is_lost() -> None:
    nothing = [0.0] * 4
    lines = dict.fromkeys(("low", "high", "least", "most"), nothing)
    # 2 games lost, 8 x 0.75, 10 x 0.2525: of both seats together.
    line = Series("", "", [2, 10, 20, 40], [100, 50, 0.5, 0], **lines, seed_count=1, typical_seed=0)
    assert count_lost_games(line) == pytest.approx((2 + 6 + 2.525) / 2)
    never = msgspec.structs.replace(line, median=[100, 50, 20, 20])
    assert count_lost_games(never) is None


def checked() -> list[tuple[str, str, str]]:
    """Return each run with a digest in a summary, once: claim, measure, recipe.

    Only the first run of networks, because each takes seconds.
    """
    runs = {
        (check.measure, check.recipe): claim
        for claim, summary in WRITTEN.items()
        for check in summary.checks
    }
    networks = [run for run in runs if run[1].startswith("dqn")]
    return [(claim, *run) for run, claim in runs.items() if run not in networks[1:]]


@pytest.mark.long
@pytest.mark.parametrize(("claim", "name", "recipe"), checked())
def test_a_run_made_again_is_what_it_was(claim: str, name: str, recipe: str) -> None:
    """The digest of all results is equal, in every claim that uses the run."""
    measure = {sweep.measure.name: sweep.measure for sweep in load_claims()[claim].sweeps}[name]
    (found,) = measure.measure_as_json([recipe])
    digests = {
        check.result_digest
        for summary in WRITTEN.values()
        for check in summary.checks
        if (check.measure, check.recipe) == (name, recipe)
    }
    assert digests == {compute_digest(found)}


@pytest.mark.parametrize("claim", ["running-sum", "bad-runs", "trained-on-minimax"])
def test_the_first_seeds_are_those_of_the_committed_figures(claim: str, tmp_path: Path) -> None:
    again = carried_out(load_claims()[claim], tmp_path, 2).summary
    for figure, committed in zip(again.figures, WRITTEN[claim].figures, strict=False):
        if isinstance(figure, Histogram) and isinstance(committed, Histogram):
            for group, other in zip(figure.groups, committed.groups, strict=True):
                assert group.recipe == other.recipe
                assert group.values == other.values[:2]


@pytest.mark.long
def test_a_killed_sweep_goes_on_where_it_stopped(
    tmp_path: Path, undisturbed: ExperimentRun
) -> None:
    stopped = subprocess.run(
        [sys.executable, "-c", STOPPED, str(tmp_path), "15"], cwd=ROOT, check=False
    )
    assert stopped.returncode == -signal.SIGKILL
    with open_store(tmp_path) as store:
        there = len(store)
    assert 0 < there < undisturbed.trained_count == 30
    again = carried_out(RUNNING_SUM, tmp_path, 15)
    assert (again.trained_count, again.stored_count) == (30 - there, there)
    assert without_times(again.summary) == without_times(undisturbed.summary)
    third = carried_out(RUNNING_SUM, tmp_path, 15)
    assert (third.trained_count, third.stored_count) == (0, 30)
    assert third.summary.seconds == again.summary.seconds


@pytest.mark.long
def test_two_processes_find_what_one_does(tmp_path: Path, undisturbed: ExperimentRun) -> None:
    with open_store(tmp_path) as store:
        both = run_experiment(RUNNING_SUM, store, max_seeds=15, jobs=2)
    assert without_times(both.summary) == without_times(undisturbed.summary)


def test_a_newer_version_of_a_measure_believes_nothing_older(tmp_path: Path) -> None:
    def about(version: int) -> Claim:
        measure = Measure(END_MEASURE.name, version, END_MEASURE.compute, MeasuredRun)
        sweeps = [Sweep({"averages": "q-table", "running sums": "q-table,update=sum"}, measure)]
        return Claim("running-sum", RUNNING_SUM.table, sweeps)

    assert carried_out(about(1), tmp_path, 1).trained_count == 2
    assert carried_out(about(2), tmp_path, 1).trained_count == 2
    assert carried_out(about(2), tmp_path, 1).trained_count == 0


def test_a_run_is_judged_as_the_card_of_its_agent_is(game: Game) -> None:
    recipe = parse_recipe("q-table,games=300,seed=3")
    end, marks = END_MEASURE.compute(recipe), CHECKPOINTS_MEASURE.compute(recipe)
    assert end.figures.snapshot_updates == marks.figures.snapshot_updates[-1:]
    assert end.figures.blunders == marks.figures.blunders[-1:]
    assert end.snapshot_games == [300]
    assert marks.due_checkpoints[0] == 0
    assert marks.due_checkpoints[-1] == -1
    assert marks.snapshot_games == sorted(marks.snapshot_games)
    assert marks.known_positions[0] == 0
    assert marks.known_positions == sorted(marks.known_positions)
    *_, last = learn(game, recipe)
    policy = policy_from_values(last.q, recipe.plays)
    assert end.is_unbeatable.x == [find_lost_game(game, policy, 1) is None]
    assert end.is_unbeatable.o == [find_lost_game(game, policy, -1) is None]


@pytest.mark.parametrize(
    ("statistic", "number"),
    [("median", 3), ("mean", 5), ("lowest", 1), ("highest", 13), ("range", 12)],
)
def test_a_statistic_is_that_of_its_name(statistic: str, number: float) -> None:
    quantity = build_single_quantity("Games", "games", float)
    results = Results({"all": "q-table"}, {"all": [3, 1, 13, 3]})
    assert Statistic(statistic, quantity).compute(results, "all") == number


def test_wilson_is_the_interval_of_the_textbook() -> None:
    low, high = compute_wilson_interval(15, 25)  # Newcombe (1998): 0.4074 to 0.7660
    assert (round(low, 4), round(high, 4)) == (0.4074, 0.7660)
    assert compute_wilson_interval(0, 10)[0] == 0
    assert compute_wilson_interval(10, 10)[1] == pytest.approx(1)


def test_the_sign_test_counts_how_lopsided_it_is() -> None:
    assert compute_sign_test([1, 1, 1, 1, 1, 5], [0, 0, 0, 0, 0, 5]) == 2 / 2**5
    assert compute_sign_test([1, 0], [0, 1]) == 1
    assert compute_sign_test([3, 3], [3, 3]) == 1


def test_a_curve_has_the_quantiles_of_its_seeds() -> None:
    rows = [[float(seed), float(2 * seed)] for seed in range(11)]
    series = summarize_seeds("all", "q-table", [1, 2], rows)
    assert series.median == [5, 10]
    assert series.low == [1, 2]
    assert series.high == [9, 18]
    assert (series.least, series.most) == ([0, 0], [10, 20])
    assert (series.seed_count, series.typical_seed) == (11, 5)


def test_a_quantity_is_named_as_people_say_it(game: Game) -> None:
    run = END_MEASURE.compute(parse_recipe("q-table,games=300"))
    won, _, lost = run.figures.outcome_chances_by_baseline["minimax"].x[-1]
    as_x, as_o = (
        run.figures.outcome_chances_by_baseline["random"].x,
        run.figures.outcome_chances_by_baseline["random"].o,
    )
    assert parse_quantity("won as x against minimax", QUANTITIES).measure(run) == 100 * won
    assert parse_quantity("lost as x against minimax", {}).measure(run) == 100 * lost
    both = parse_quantity("won against random after the training", {})
    assert both.measure(run) == pytest.approx(50 * (as_x[-1][0] + as_o[-1][0]))
    assert both.title == "Games won against the random player after the training (mean of X and O)"
    condition = parse_quantity("blunders > 0 and won as x against minimax = 0", QUANTITIES)
    assert condition.measure(run)
    assert not parse_quantity("blunders = 0", QUANTITIES).measure(run)


BAD_TABLES = [  # a claim's text, what somebody wrote instead, the line of it, what is said
    ('"dots: blunders after', '"dots: blunderz after', "blunderz", r"'blunderz' \(did you mean"),
    ('"dots: blunders after', '"dotz: blunders after', "dotz", "'dotz', only dots, curves"),
    ('measure = "end"', 'measure = "ends"', "ends", r"measure 'ends' \(did you mean end\?\), only end"),
    ('"q-table,update=sum"', '"q-table,updat=sum"', "updat=", r"no parameter 'updat' \(did you mean"),
    ('recipes = "running sums"', 'recipes = "sums"', 'recipes = "sums"', "no recipe 'sums'"),
    ('statistic = "median won as o', 'statistic = "median winz as o', "winz", "no quantity 'winz as o"),
    ('statistic = "median won as o', 'statistic = "middle won as o', "middle", "only median, mean"),
    ("as o against random", "as o against nobody", "nobody", "no player 'nobody'.*, only random"),
    (', below = "averages"}', "}", 'statistic = "median', "one of above, below, at_least, at_most"),
    ('kind = "compare"', 'kind = "comparison"', "comparison", "'comparison', only compare, sign test"),
    ("not_so = ", "notso = ", "notso", r"`notso` \(did you mean not_so\?\)"),
    ('sources = ["nested-software"]', 'sources = ["nested"]', "nested", "only flesch, nested-software"),
    ("{seeds} seeds", "{sed} seeds", "method = ", r"no sentence 'sed' \(did you mean seeds\?\)"),
    ("title = ", "titel = ", "titel", r"did you mean title"),
    ("partly_reproduced_if = [1]", "partly_reproduced_if = [2]", "[verdict]", "no part 2, only 1 to 1"),
    ("[verdict]", "[verdict", "[verdict", "Expected"),
]  # fmt: skip


@pytest.mark.parametrize(("right", "wrong", "where", "words"), BAD_TABLES)
def test_a_bad_table_is_refused_with_its_line_and_what_would_be_right(
    tmp_path: Path, right: str, wrong: str, where: str, words: str
) -> None:
    text = (CLAIMS_FOLDER / "running-sum.toml").read_text()
    assert right in text
    text = text.replace(right, wrong, 1)
    (tmp_path / "running-sum.toml").write_text(text)
    with pytest.raises(ClaimError, match=words) as error:
        load_claim(tmp_path / "running-sum.toml")
    found = re.search(r"line (\d+)", str(error.value))
    assert found, error.value
    assert where in text.splitlines()[int(found[1]) - 1], error.value


@pytest.mark.parametrize(
    ("claim", "right", "wrong", "words"),
    [
        ("q-table-results", '"estimate_chance_of_no_loss"', '"estimate"', "no function 'estimate'"),
        ("q-table-results", "against minimax = 0", "against minimx = 0", "no player 'minimx'"),
        ("counting", '"count_everything"', '"count_all"', "no function 'count_all'"),
        ("counting", 'O, or one X more", at', 'O", at', "no recipe 'boards with as many X as O'"),
    ],
)
def test_a_quantity_or_fact_that_does_not_exist_is_named_with_its_line(
    tmp_path: Path, claim: str, right: str, wrong: str, words: str
) -> None:
    lines = (CLAIMS_FOLDER / f"{claim}.toml").read_text().splitlines()
    number = next(n for n, line in enumerate(lines) if right in line)
    lines[number] = lines[number].replace(right, wrong, 1)
    (tmp_path / f"{claim}.toml").write_text("\n".join(lines))
    (tmp_path / f"{claim.replace('-', '_')}.py").touch()  # its functions are those of the package
    with pytest.raises(ClaimError, match=f"line {number + 1}: there is {words}"):
        load_claim(tmp_path / f"{claim}.toml")


@pytest.mark.parametrize(
    ("held", "verdict"),
    [
        ([True, True], "reproduced"),
        ([True, False], "partly reproduced"),
        ([False, False], "not reproduced"),
    ],
)
def test_a_claim_is_reproduced_if_all_its_parts_are(held: list[bool], verdict: str) -> None:
    parts: list[Any] = [SimpleNamespace(holds=lambda _, part=part: part) for part in held]
    no_results: Any = None
    assert VerdictRules().judge(no_results, parts) == verdict
