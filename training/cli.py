"""The command line: `list`, `train`, `check`, `judge`, `evaluate`, `play` and other commands.

A command imports what it needs when it runs. So `list` does not wait for a compiler, and `train`
does not wait for libraries that print tables.
"""

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec

from app.project import PACKAGE_PREFIX, ROOT, TRAINING_COMMAND, read_version
from app.recipes import (
    ALGORITHMS,
    SHIPPED,
    Recipe,
    RecipeError,
    name_recipe,
    parse_recipe,
)
from app.recipes.faults import FAULTS_FOLDER
from app.recipes.names import suggest_word
from app.recipes.parameters import describe_range, format_value, get_parameters
from app.tables.options import OPTION_QUESTIONS, TableOptions
from app.tictactoe.agents import (
    Agent,
    ModelError,
    list_agent_ids,
    load_agent,
    load_agent_without_figures,
    load_agents,
    save_card,
)
from app.tictactoe.game import GAME
from training.experiments import list_claims

Command = TypeVar("Command", bound=Callable[..., Any])
LOCAL_MODELS_FOLDER = Path("models")
INTERRUPTED_EXIT_CODE = 130
EXTRA_BY_PACKAGE = {
    "jax": "dqn",
    "jaxlib": "dqn",
    "optax": "dqn",
    "distributed": "cluster",
}
NETWORK_IDS = [one for one, agent in SHIPPED.items() if agent.recipe.is_network]
TABLE_IDS = [one for one in SHIPPED if one not in NETWORK_IDS]


@dataclass(frozen=True)
class NamedRecipe:
    """A recipe from the command line, and the id of the agent that it trains."""

    agent_id: str
    recipe: Recipe


def parse_agent(text: str) -> NamedRecipe:
    """Read an agent from the command line: the id of a shipped agent, or a recipe.

    Raises BadParameter for any other text, and suggests the most similar id.
    """
    if text in SHIPPED:
        return NamedRecipe(text, SHIPPED[text].recipe)
    slug, *settings = text.split(",")
    if slug not in ALGORITHMS:
        known = ALGORITHMS if settings else [*SHIPPED, *ALGORITHMS]
        raise click.BadParameter(
            f"there is no agent {slug!r}{suggest_word(slug, known)}; "
            f"`{TRAINING_COMMAND} list` shows all of them"
        )
    try:
        recipe = parse_recipe(text)
    except RecipeError as error:
        raise click.BadParameter(f"{text!r}: {error}") from None
    from training.run import make_agent_id  # noqa: PLC0415

    return NamedRecipe(make_agent_id(recipe), recipe)


def parse_judged_agent(text: str) -> str | NamedRecipe:
    """Read an argument of `judge`: an agent, or the text that names a table, a link or a function.

    Raises BadParameter for a file that cannot be judged, and for an unknown agent.
    """
    from training.external_agents import find_agent_form  # noqa: PLC0415

    if find_agent_form(text):
        return text
    # `Path.is_file` would raise OSError for a text that is too long for a path.
    if os.path.isfile(text) and text not in SHIPPED:
        endings = ".npz, .npy, .json, .csv, .tsv and .txt"
        raise click.BadParameter(f"{text}: the files that can be judged are {endings}")
    return parse_agent(text)


def check_claims(
    ctx: click.Context, param: click.Parameter, claims: tuple[str, ...]
) -> tuple[str, ...]:
    """Check the ids of claims; raises BadParameter, with a similar id, if one is unknown."""
    for claim in claims:
        if claim not in list_claims():
            raise click.BadParameter(
                f"there is no claim {claim!r}{suggest_word(claim, list_claims())}; "
                f"`{TRAINING_COMMAND} experiment` shows all of them"
            )
    return claims


def find_models_folder() -> Path:
    """Return models/ in the current folder if it has agents, otherwise models/ of the project."""
    has_agents = any(LOCAL_MODELS_FOLDER.glob("*.npz"))
    return LOCAL_MODELS_FOLDER if has_agents else ROOT / "models"


def load_agent_from_folders(
    models: Path, agent_id: str, recipe: Recipe | None
) -> Agent:
    """Load an agent from `models`; if that is the current folder's models/, also try the project's.

    Raises ModelError if no folder has the agent, or if its files are invalid.
    """
    folders = [models, ROOT / "models"] if models == LOCAL_MODELS_FOLDER else [models]
    for folder in folders:
        if (folder / f"{agent_id}.npz").exists():
            return load_agent(folder, GAME, agent_id)
    name = name_recipe(recipe) if recipe else agent_id
    raise ModelError(
        f"{models}/ has no agent {agent_id}: `{TRAINING_COMMAND} train {name}` trains it"
    )


def folder_option(
    *flags: str, default: Path | Callable[[], Path] | None, meaning: str
) -> Callable[[Command], Command]:
    kind = click.Path(path_type=Path, file_okay=False)
    return click.option(*flags, default=default, type=kind, help=meaning)


def number_option(
    *flags: str, default: int, minimum: int, meaning: str
) -> Callable[[Command], Command]:
    kind = click.IntRange(min=minimum)
    return click.option(
        *flags, default=default, show_default=True, type=kind, help=meaning
    )


def json_flag(meaning: str) -> Callable[[Command], Command]:
    return click.option("--json", "as_json", is_flag=True, help=meaning)


def table_options(command: Command) -> Command:
    """Add the options for ambiguous tables, such as `--view` and `--begins`, to a command."""
    for flag, (question, answers) in reversed(OPTION_QUESTIONS.items()):
        meanings = ", ".join(f"{value}: {answer}" for value, answer in answers.items())
        command = click.option(
            f"--{flag}",
            type=click.Choice([*answers]),
            default=next(iter(answers)),
            help=f"{question} {meanings}.",
        )(command)
    return command


agent_argument = click.argument("agent", metavar="ID|RECIPE", type=parse_agent)
agents_argument = click.argument(
    "agents", nargs=-1, metavar="[ID|RECIPE]...", type=parse_agent
)
models_option = folder_option(
    "--models",
    default=find_models_folder,
    meaning="The folder of the agents; default: models/ of the current folder if it has agents, "
    "else the models/ of the project.",
)


def jobs_option(default: int) -> Callable[[Command], Command]:
    return number_option(
        "-j", "--jobs", default=default, minimum=1, meaning="The number of processes."
    )


class Commands(click.Group):
    """A group of commands that turn every expected error into one sentence and an exit status."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            # A reader such as `head` has closed the pipe; click exits silently.
            raise
        except ModuleNotFoundError as error:
            package = (error.name or "").partition(".")[0]
            if package not in EXTRA_BY_PACKAGE:
                raise
            raise click.ClickException(describe_missing_package(package)) from error
        except (ValueError, OSError) as error:
            raise click.ClickException(str(error)) from error
        except KeyboardInterrupt:
            click.echo("Interrupted: every model is as it was, or finished.", err=True)
            ctx.exit(INTERRUPTED_EXIT_CODE)
        # At a prompt, click raises it after Ctrl-C, and at the end of the input.
        except click.Abort as error:
            click.echo("", err=True)
            is_interrupt = isinstance(error.__context__, KeyboardInterrupt)
            ctx.exit(INTERRUPTED_EXIT_CODE if is_interrupt else 1)


def describe_missing_package(package: str) -> str:
    if PACKAGE_PREFIX:
        return f"this needs {package}: install q-tac-toe[{EXTRA_BY_PACKAGE[package]}]"
    return f"this needs {package}: run `make install-training` first"


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(
    read_version(), prog_name="q-tac-toe", message="%(prog)s %(version)s"
)
def main() -> None:
    """Train tic-tac-toe agents, evaluate them exactly, and serve them.

    An agent is the ID of a shipped agent, as `list` shows it, or a RECIPE: an algorithm and the
    parameters that differ from its defaults, as in `q-learning,alpha=0.5,games=20000,seed=7`.
    `list --parameters` shows all parameters.  The files of a recipe are named after it:
    `q-learning-alpha-0-5-games-20000-seed-7`.

    Results go to the standard output, progress and errors to the standard error.  The exit status
    is 0 for success, 1 if something failed or differs from what was expected, 2 for wrong
    arguments, and 130 after Ctrl-C.
    """


@main.command("list")
@click.option(
    "--parameters", is_flag=True, help="List the algorithms and their parameters."
)
def list_agents(parameters: bool) -> None:
    """List the shipped agents and their recipes, or all algorithms and their parameters."""
    if not parameters:
        for agent in SHIPPED.values():
            click.echo(f"{agent.id:<20} {name_recipe(agent.recipe)}")
        return
    for slug, algorithm in ALGORITHMS.items():
        click.echo(slug)
        for one in get_parameters(algorithm).values():
            default = format_value(one.default)
            click.echo(
                f"  {one.name:<13} {one.meaning} It {describe_range(one)}; default {default}."
            )


@main.command()
@agents_argument
@click.option(
    "--all",
    "selects_all",
    is_flag=True,
    help="Train every agent that is not a neural network.",
)
@folder_option(
    "-o",
    "--out",
    "output_folder",
    default=LOCAL_MODELS_FOLDER,
    meaning="The folder to write to; default: models/ of the current folder.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    help="The seed to train with; default: the seed of the recipe.",
)
@jobs_option(os.cpu_count() or 1)
@click.option("-q", "--quiet", is_flag=True, help="Show no progress.")
@json_flag("Print the card of each agent as JSON, one line each.")
def train(
    agents: tuple[NamedRecipe, ...],
    selects_all: bool,
    output_folder: Path,
    seed: int | None,
    jobs: int,
    quiet: bool,
    as_json: bool,
) -> None:
    """Train agents and save each one when it is finished."""
    if selects_all == bool(agents):
        raise click.UsageError("Name the agents to train, or use --all.")
    from training.progress import show_training_bars  # noqa: PLC0415
    from training.run import train_all  # noqa: PLC0415

    if selects_all:
        agents = tuple(NamedRecipe(one, SHIPPED[one].recipe) for one in TABLE_IDS)
    recipes = {one.agent_id: one.recipe.with_seed(seed) for one in agents}
    with show_training_bars(is_shown=not quiet) as line:
        train_all(recipes, output_folder, line, jobs)
    for one in recipes if as_json else ():
        click.echo(msgspec.json.encode(load_agent(output_folder, GAME, one).card))


@main.command()
@agents_argument
@models_option
def check(agents: tuple[NamedRecipe, ...], models: Path) -> None:
    """Train agents again from the recipes on their cards, and compare old and new bit for bit."""
    from training import run  # noqa: PLC0415

    failed = False
    for agent_id in [one.agent_id for one in agents] or TABLE_IDS:
        try:
            saved = load_agent(models, GAME, agent_id)
        except ModelError as error:
            click.echo(error)
            failed = True
            continue
        recipe = parse_recipe(saved.card.recipe)
        rebuilt = run.train(agent_id, recipe, GAME, lambda progress: None)
        click.echo(f"{agent_id}: {run.compare_agents(saved, rebuilt)}")
        failed |= bool(run.list_differences(saved, rebuilt))
    sys.exit(failed)


@main.command()
@click.argument(
    "agents",
    nargs=-1,
    metavar="[FILE|LINK|MODULE:FUNCTION|ID|RECIPE]...",
    type=parse_judged_agent,
)
@models_option
@click.option(
    "--site",
    default="http://127.0.0.1:8000",
    show_default=True,
    help="The URL of the site for links to the results.",
)
@json_flag("Print each judgement as JSON, one line each; write nothing.")
@table_options
def judge(
    agents: tuple[str | NamedRecipe, ...],
    models: Path,
    site: str,
    as_json: bool,
    **answers: str,
) -> None:
    """Judge agents of other programs, or compute the results of trained agents again.

    A FILE is a table in any form that the page /judge reads: JSON, CSV, npz, npy, or a dict as
    Python prints it, with boards and the values of their moves or the move that is played. Nothing
    in it is executed. A LINK is a link of the page /judge, or only the moves in it. A FUNCTION of a
    MODULE gets a board and a player and returns a move, as docs/judge.py explains. The play is
    evaluated exactly, and nothing is written. If rows of a table cannot be read, the others are
    judged, the unreadable rows are listed, and the exit status is 1.

    For an ID or a RECIPE, or for all agents if you name none, the results on the agent's card (its
    JSON file) are computed again from its table and written, without any training.
    """
    from training.external_agents import (  # noqa: PLC0415
        describe_external_agent,
        describe_shipped_agent,
        judge_external_agent,
    )
    from training.run import recompute_figures  # noqa: PLC0415

    options = TableOptions(**answers)
    has_faults = False
    for text in (one for one in agents if isinstance(one, str)):
        if as_json:
            record = describe_external_agent(text, options, site)
            click.echo(msgspec.json.encode(record))
            has_faults |= "unread" in record
        else:
            for line in judge_external_agent(text, options, site):
                click.echo(line)
    if has_faults:
        sys.exit(1)
    ids = {one.agent_id: one.recipe for one in agents if not isinstance(one, str)}
    # The agents with planted faults have a folder of their own, and the site reads their cards too.
    faults = models / FAULTS_FOLDER
    folders = [models] if agents or not faults.is_dir() else [models, faults]
    for folder in folders:
        for agent_id in ids if agents else list_agent_ids(folder):
            if as_json:
                agent = load_agent_from_folders(folder, agent_id, ids.get(agent_id))
                click.echo(msgspec.json.encode(describe_shipped_agent(agent)))
            else:
                agent = load_agent_without_figures(folder, GAME, agent_id)
                save_card(folder, GAME, recompute_figures(GAME, agent))
                click.echo(f"{agent_id}: judged")


@main.command()
@agents_argument
@models_option
@click.option("--markdown", is_flag=True, help="Print the table as Markdown.")
@json_flag("Print the results of each agent as JSON, one line each.")
@click.option(
    "--documents",
    "documents_folder",
    metavar="FOLDER",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Write the tables into docs/results.md of this folder, between their markers.",
)
def evaluate(
    agents: tuple[NamedRecipe, ...],
    models: Path,
    markdown: bool,
    as_json: bool,
    documents_folder: Path | None,
) -> None:
    """Print the exact results of trained agents."""
    from app.experiments import load_summaries  # noqa: PLC0415
    from training.evaluate import format_results, print_table, write_document  # noqa: PLC0415
    from training.external_agents import describe_shipped_agent  # noqa: PLC0415

    loaded = [
        load_agent_from_folders(models, one.agent_id, one.recipe) for one in agents
    ]
    loaded = loaded or list(load_agents(models, GAME).values())
    if documents_folder:
        claims = load_summaries(models / "experiments").values()
        write_document(documents_folder, loaded, claims)
    elif as_json:
        for agent in loaded:
            click.echo(msgspec.json.encode(describe_shipped_agent(agent)))
    elif markdown:
        click.echo(format_results(loaded), nl=False)
    else:
        print_table(loaded)


@main.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option(
    "--mistakes", is_flag=True, help="Write the updates that made blunders of agents."
)
@models_option
def updates(names: tuple[str, ...], mistakes: bool, models: Path) -> None:
    """Write the example updates that pages show step by step, of all algorithms or of some.

    With --mistakes, NAME is the id of a shipped agent.
    """
    from training.blunder_updates import RECORDED_AGENTS, write_blunder_updates  # noqa: PLC0415
    from training.updates import EXAMPLE_SLUGS, NETWORK_SLUG, write_examples  # noqa: PLC0415

    known = RECORDED_AGENTS if mistakes else (*EXAMPLE_SLUGS, NETWORK_SLUG)
    write = write_blunder_updates if mistakes else write_examples
    for name in names or known:
        if name not in known:
            raise click.UsageError(
                f"{name} has no updates to write. There are: {', '.join(known)}"
            )
        click.echo(write(models, name))


@main.command()
@agent_argument
@number_option(
    "--seeds", "seed_count", default=100, minimum=1, meaning="The number of seeds."
)
@number_option("--first", "first_seed", default=0, minimum=0, meaning="The first seed.")
@jobs_option(2)
@json_flag("Print the results of each seed as JSON, one line each.")
def seeds(
    agent: NamedRecipe, seed_count: int, first_seed: int, jobs: int, as_json: bool
) -> None:
    """Train a recipe with many seeds, and print how the agents' exact results are distributed.

    For the champion, also print the number of games until no opponent can beat it.
    """
    from training.seeds import evaluate_seeds, report_over_seeds  # noqa: PLC0415

    chosen = range(first_seed, first_seed + seed_count)
    try:
        if as_json:
            for result in evaluate_seeds(agent.recipe, chosen, jobs):
                click.echo(msgspec.json.encode(result))
            return
        click.echo(
            f"{agent.agent_id}, seeds {first_seed} to {first_seed + seed_count - 1}"
        )
        for text in report_over_seeds(agent.recipe, chosen, jobs):
            click.echo(text)
    # If a recipe has recorded games of a person, the agent may answer them differently with another
    # seed. Then a recorded move may be on an occupied cell.
    except ValueError as error:
        raise click.ClickException(f"with one of these seeds {error}") from error


@main.command()
@click.argument("claims", nargs=-1, metavar="[ID]...", callback=check_claims)
@click.option("--all", "selects_all", is_flag=True, help="Check every claim.")
@click.option(
    "--seeds",
    "max_seeds",
    type=click.IntRange(min=1),
    help="The maximum number of seeds of each recipe; default: all.",
)
@jobs_option(2)
@click.option(
    "--dask",
    "scheduler_address",
    metavar="ADDRESS",
    help="Train on the dask cluster with this scheduler address.",
)
@folder_option(
    "--store",
    "store_folder",
    default=None,
    meaning="The folder in which runs are stored; default: a folder in the user's cache.",
)
@folder_option(
    "-o",
    "--out",
    "output_folder",
    default=LOCAL_MODELS_FOLDER / "experiments",
    meaning="The folder for the summaries; default: models/experiments/.",
)
@click.option(
    "--words",
    "only_texts",
    is_flag=True,
    help="Only update the texts of the summaries; train nothing.",
)
def experiment(
    claims: tuple[str, ...], selects_all: bool, only_texts: bool, **options: Any
) -> None:
    """Check claims: train all missing seeds, keep every run, and write the summaries.

    Without an ID, list the claims and their verdicts.  You can stop it at any time: run the same
    command again to continue.
    """
    from training.experiments import engine  # noqa: PLC0415

    if only_texts:
        lines = engine.update_all_texts(claims, options["output_folder"])
    elif selects_all or claims:
        lines = engine.run_experiments(claims, **options)
    else:
        lines = engine.list_verdicts(options["output_folder"])
    try:
        for text in lines:
            click.echo(text)
    except ConnectionError as error:
        raise click.ClickException(
            f"{error}; what was trained before is kept"
        ) from error


@main.command()
@agent_argument
@models_option
@click.option(
    "--seat", type=click.Choice(["x", "o"]), default="x", help="Your side; default: x."
)
@click.option(
    "--seed", type=click.IntRange(min=0), help="The seed of the agent's random moves."
)
def play(agent: NamedRecipe, models: Path, seat: str, seed: int | None) -> None:
    """Play a game in the terminal; each empty cell shows the agent's value of a move there."""
    from training.play import play_in_terminal  # noqa: PLC0415
    from training.run import load_or_train_agent  # noqa: PLC0415

    opponent = load_or_train_agent(GAME, name_recipe(agent.recipe), models)
    play_in_terminal(opponent, seat, seed, lambda text: click.prompt(text, type=str))


@main.command()
@agent_argument
def code(agent: NamedRecipe) -> None:
    """Print a training as one file of plain Python, which needs nothing but Python 3.11.

    The file writes the same table as `train` does, bit for bit, as CSV.
    """
    from training.export_script import build_script  # noqa: PLC0415

    click.echo(build_script(agent.recipe), nl=False)


@main.command()
@click.option(
    "--host",
    default="127.0.0.1",
    envvar="HOST",
    show_default=True,
    help="The address to listen on.",
)
@click.option(
    "--port",
    default=8000,
    envvar="PORT",
    show_default=True,
    type=click.IntRange(1, 65535),
    help="The port to listen on.",
)
@click.option(
    "--workers",
    default=2,
    envvar="WEB_CONCURRENCY",
    show_default=True,
    type=click.IntRange(1, 64),
    help="The number of server processes.",
)
def serve(host: str, port: int, workers: int) -> None:
    """Serve the site with gunicorn until Ctrl-C; on Windows with waitress, in one process.

    The variables HOST, PORT and WEB_CONCURRENCY set the defaults; docs/serving.md lists all
    variables.
    """
    if not find_spec("gunicorn"):
        from app.web.service.thread_server import serve_with_threads  # noqa: PLC0415

        serve_with_threads(host, port)
        return
    environment = {
        **os.environ,
        "HOST": host,
        "PORT": f"{port}",
        "WORKERS": f"{workers}",
    }
    environment.pop("WEB_CONCURRENCY", None)
    settings = [
        "-c",
        str(ROOT / "gunicorn.conf.py"),
        f"{PACKAGE_PREFIX}app.web:create_app()",
    ]
    command = [sys.executable, "-m", "gunicorn", *settings]
    os.execve(sys.executable, command, environment)
