"""The command line: list, train, check, judge, evaluate, play, code, seeds, experiment, bench.

What a command needs is imported when it runs: listing the agents does not wait for a compiler, nor
training one for what draws tables.
"""

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec

from app.recipes import (
    ALGORITHMS,
    SHIPPED,
    Recipe,
    RecipeError,
    name_recipe,
    parse_recipe,
)
from app.recipes.parameters import describe_range, format_value, get_parameters
from app.tables.options import QUESTIONS, Options
from app.tictactoe.agents import (
    ModelError,
    ids_of,
    load,
    load_all,
    load_without_figures,
    save_card,
)
from app.tictactoe.game import tic_tac_toe

Command = TypeVar("Command", bound=Callable[..., Any])
MODELS = Path("models")
INTERRUPTED = 130
NETWORKS = [one for one, agent in SHIPPED.items() if agent.recipe.is_network]
TABLES = [one for one in SHIPPED if one not in NETWORKS]


@dataclass(frozen=True)
class Wanted:
    """The agent that a command is about."""

    id: str
    recipe: Recipe


class IdOrRecipe(click.ParamType[Wanted]):
    """The id of an agent, or the name of a recipe."""

    name_recipe = "agent"

    def convert(self, value: Any, param: Any, ctx: Any) -> Wanted:
        """Read either, or say what there is."""
        if value in SHIPPED:
            return Wanted(value, SHIPPED[value].recipe)
        try:
            recipe = parse_recipe(value)
        except RecipeError as error:
            agents = ", ".join(map(repr, SHIPPED))
            self.fail(f"{value!r}: {error}. Agents: {agents}", param, ctx)
        from training.run import agent_id  # noqa: PLC0415

        return Wanted(agent_id(recipe), recipe)


class ForeignIdOrRecipe(click.ParamType["str | Wanted"]):
    """An agent of others, as `training.judging` reads them, or what `IdOrRecipe` reads."""

    name_recipe = "agent"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Read an id or a recipe; a text that has a form of an agent of others stays as it is."""
        from training.judging import form_of  # noqa: PLC0415

        if form_of(value):
            return value
        if (
            os.path.isfile(value) and value not in SHIPPED
        ):  # of any length, unlike a Path
            endings = ".npz, .json, .csv, .tsv and .txt"
            self.fail(
                f"{value}: the files that can be judged are {endings}", param, ctx
            )
        return IdOrRecipe().convert(value, param, ctx)


def folder(
    flag: str, default: Path | None, meaning: str
) -> Callable[[Command], Command]:
    """Make an option that names a folder."""
    kind = click.Path(path_type=Path, file_okay=False)
    return click.option(flag, default=default, type=kind, help=meaning)


def number(
    flag: str, default: int, least: int, meaning: str
) -> Callable[[Command], Command]:
    """Make an option that is a whole number."""
    kind = click.IntRange(min=least)
    return click.option(
        flag, default=default, show_default=True, type=kind, help=meaning
    )


def how_tables_are_read(command: Command) -> Command:
    """Add an option for each of the ways in which a table can be read."""
    for flag, (question, answers) in reversed(QUESTIONS.items()):
        meanings = ", ".join(f"{value}: {answer}" for value, answer in answers.items())
        command = click.option(
            f"--{flag}",
            type=click.Choice([*answers]),
            default=next(iter(answers)),
            help=f"{question} ... {meanings}.",
        )(command)
    return command


one_agent = click.argument("agent", metavar="ID|RECIPE", type=IdOrRecipe())
wanted = click.argument("agents", nargs=-1, metavar="[ID|RECIPE]...", type=IdOrRecipe())
models = folder("--models", MODELS, "Where they are; default models/.")
jobs = number("--jobs", 2, 1, "How many processes.")


class Commands(click.Group):
    """Commands that end in one line where something cannot be, or with Ctrl-C."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; what raises ValueError or OSError says so in a sentence."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise  # the reader of a pipe has read enough
        except (ValueError, OSError) as error:
            raise click.ClickException(str(error)) from error
        except KeyboardInterrupt:
            click.echo("Interrupted: every model is as it was, or finished.", err=True)
            ctx.exit(INTERRUPTED)


@click.group(cls=Commands)
def main() -> None:
    """Make the agents of models/ and judge them.

    Where an agent is wanted, a recipe will do: `q-learning,alpha=0.5,games=20000,seed=7` is an
    algorithm and what differs from its defaults, which `list --parameters` shows.  Its files are
    named by it: `q-learning-alpha-0-5-games-20000-seed-7`.

    Results go to the standard output, progress and errors to the error stream. The exit status is 0
    if all was done, 1 if something could not be or differs from what it was to be, 2 for arguments
    that cannot be meant, 130 after Ctrl-C.
    """


@main.command("list")
@click.option(
    "--parameters", is_flag=True, help="List the algorithms and their parameters."
)
def list_agents(parameters: bool) -> None:
    """List the agents of models/ with their recipes, or what recipes there can be."""
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
@wanted
@click.option(
    "--all", "everything", is_flag=True, help="Train every agent that is a table."
)
@folder("--out", MODELS, "Where to; default models/.")
@click.option("--seed", type=click.IntRange(min=0), help="Instead of the recipe's own.")
@click.option(
    "--progress",
    type=click.Choice(["bars", "none"]),
    default="bars",
    show_default=True,
    help="What is shown meanwhile, on the error stream.",
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print the card of each, a line each."
)
def train(
    agents: tuple[Wanted, ...],
    everything: bool,
    out: Path,
    seed: int | None,
    progress: str,
    as_json: bool,
) -> None:
    """Train agents and save each when it is finished."""
    if everything == bool(agents):
        raise click.UsageError("Name the agents to train, or say --all.")
    from training.progress import progress_bars  # noqa: PLC0415
    from training.run import train_all  # noqa: PLC0415

    if everything:
        agents = tuple(Wanted(one, SHIPPED[one].recipe) for one in TABLES)
    recipes = {one.id: one.recipe.with_seed(seed) for one in agents}
    with progress_bars(shown=progress == "bars") as line:
        train_all(recipes, out, line)
    for one in recipes if as_json else ():
        click.echo(msgspec.json.encode(load(out, tic_tac_toe(), one).card))


@main.command()
@wanted
@models
def check(agents: tuple[Wanted, ...], models: Path) -> None:
    """Train agents again from their cards' recipes and compare bit for bit."""
    from training.run import differences, verdict  # noqa: PLC0415
    from training.run import train as train_agent  # noqa: PLC0415

    game, failed = tic_tac_toe(), False
    for agent_id in [one.id for one in agents] or TABLES:
        try:
            saved = load(models, game, agent_id)
        except ModelError as error:
            click.echo(error)
            failed = True
            continue
        recipe = parse_recipe(saved.card.recipe)
        rebuilt = train_agent(agent_id, recipe, game, lambda progress: None)
        click.echo(f"{agent_id}: {verdict(saved, rebuilt)}")
        failed |= bool(differences(saved, rebuilt))
    sys.exit(failed)


@main.command()
@click.argument(
    "agents",
    nargs=-1,
    metavar="[FILE|LINK|MODULE:FUNCTION|ID|RECIPE]...",
    type=ForeignIdOrRecipe(),
)
@models
@click.option(
    "--site",
    default="http://127.0.0.1:8000",
    show_default=True,
    help="The site that the links to judgements of others lead to.",
)
@how_tables_are_read
def judge(
    agents: tuple[str | Wanted, ...], models: Path, site: str, **how_it_is_read: str
) -> None:
    """Judge agents of others, or write the figures of cards anew.

    A FILE is a table in any form that the page /judge reads: JSON, CSV, npz, or what Python prints
    of a dict, with boards and the values of their moves or the move that is played. Nothing in it
    is executed.  A LINK is one of /judge, or its moves alone.  A FUNCTION of a MODULE is given
    board and player, as docs/judge.py explains it, and returns a move.  What they play is judged
    exactly, and nothing is written.

    Of an ID or a RECIPE, or of all agents where none is named, the figures of the card are written
    anew from its table, without any training.
    """
    from training.judging import judge_foreign  # noqa: PLC0415
    from training.run import judged  # noqa: PLC0415

    game = tic_tac_toe()
    named = [one for one in agents if isinstance(one, Wanted)]
    for text in agents:
        if isinstance(text, str):
            for line in judge_foreign(game, text, Options(**how_it_is_read), site):
                click.echo(line)
    for agent_id in [one.id for one in named] or ([] if agents else ids_of(models)):
        save_card(
            models, game, judged(game, load_without_figures(models, game, agent_id))
        )
        click.echo(f"{agent_id}: judged")


@main.command()
@wanted
@models
@click.option("--markdown", is_flag=True, help="Print the table as Markdown.")
@click.option(
    "--documents",
    metavar="FOLDER",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Write the tables of this folder's README.md and docs/results.md, between their markers.",
)
def evaluate(
    agents: tuple[Wanted, ...], models: Path, markdown: bool, documents: Path | None
) -> None:
    """Print the exact results of the agents that are trained."""
    from app.experiments import load_summaries as load_claims  # noqa: PLC0415
    from training.evaluate import markdown_table, print_table, write_documents  # noqa: PLC0415

    game = tic_tac_toe()
    loaded = [load(models, game, one.id) for one in agents]
    loaded = loaded or list(load_all(models, game).values())
    if documents:
        claims = load_claims(models / "experiments").values()
        write_documents(documents, game, loaded, claims)
    elif markdown:
        click.echo(markdown_table(game, loaded), nl=False)
    else:
        print_table(game, loaded)


@main.command()
@one_agent
@number("--seeds", 100, 1, "How many.")
@number("--first", 0, 0, "The first seed.")
@jobs
def seeds(agent: Wanted, seeds: int, first: int, jobs: int) -> None:
    """Train an agent with many seeds and say how good it becomes, exactly.

    Of the champion also after how many games no opponent can beat it.
    """
    from training.seeds import report_over_seeds  # noqa: PLC0415

    click.echo(f"{agent.id}, seeds {first} to {first + seeds - 1}")
    try:
        for text in report_over_seeds(agent.recipe, range(first, first + seeds), jobs):
            click.echo(text)
    except ValueError as error:  # with another seed a person's answers may not fit
        raise click.ClickException(f"with one of these seeds {error}") from error


@main.command()
@click.argument("claims", nargs=-1, metavar="[ID]...")
@click.option("--all", "everything", is_flag=True, help="Check every claim.")
@click.option(
    "--seeds",
    type=click.IntRange(min=1),
    help="At most so many of each recipe; default: all.",
)
@jobs
@click.option(
    "--dask", metavar="ADDRESS", help="Train on the cluster of this scheduler instead."
)
@folder("--store", None, "Where runs are kept; default: a folder of the user's cache.")
@folder(
    "--out", MODELS / "experiments", "Where summaries go; default models/experiments/."
)
@click.option(
    "--words", is_flag=True, help="Only write the words of the summaries anew."
)
def experiment(
    claims: tuple[str, ...], everything: bool, words: bool, **options: Any
) -> None:
    """Check claims: train what is missing, keep every run, write what all of them say.

    Whatever stops it, the same command goes on from there.
    """
    from training.experiments import engine  # noqa: PLC0415

    if words:
        lines = engine.write_words(claims, options["out"])
    elif everything or claims:
        lines = engine.carry_out_all(claims, **options)
    else:
        lines = engine.list_claims(options["out"])
    try:
        for text in lines:
            click.echo(text)
    except ConnectionError as error:
        raise click.ClickException(
            f"{error}; what was trained before is kept"
        ) from error


@main.command()
@one_agent
@models
@click.option(
    "--seat", type=click.Choice(["x", "o"]), default="x", help="Yours; default x."
)
@click.option(
    "--seed", type=click.IntRange(min=0), help="Of the moves that the agent draws."
)
def play(agent: Wanted, models: Path, seat: str, seed: int | None) -> None:
    """Play a game in the terminal; on each cell stands what the agent expects of it."""
    from training.play import play_in_terminal  # noqa: PLC0415
    from training.run import agent_called  # noqa: PLC0415

    game = tic_tac_toe()
    opponent = agent_called(game, name_recipe(agent.recipe), models)
    play_in_terminal(
        game, opponent, seat, seed, lambda text: click.prompt(text, type=str)
    )


@main.command()
@one_agent
def code(agent: Wanted) -> None:
    """Print a training as one file of plain Python, which needs nothing but Python 3.11.

    Run, it writes the same table as train does, bit for bit, as CSV.
    """
    from training.export_script import build_script  # noqa: PLC0415

    click.echo(build_script(agent.recipe), nl=False)


@main.command()
def bench() -> None:
    """Measure how fast the game is solved and the agents learn."""
    from training.bench import benchmark  # noqa: PLC0415

    for text in benchmark():
        click.echo(text)
