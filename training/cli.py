"""The command line: list, train, check, evaluate, bench, and what `cli_seeds` adds."""

import sys
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from app.tictactoe.agents import Agent, ModelError, load, load_all
from app.tictactoe.game import connect
from training.bench import benchmark
from training.check import differences
from training.cli_seeds import seeds_of_agent, seeds_of_champion
from training.evaluate import markdown_table, put_into, terminal_table
from training.networks import NETWORKS
from training.progress import progress_bars
from training.recipes import RECIPES
from training.run import train as train_agent
from training.several import train_several

MODELS = Path("models")
INTERRUPTED = 130
EVERY = RECIPES | NETWORKS

agent_ids = click.argument("ids", nargs=-1, metavar="[ID]...", type=click.Choice(list(EVERY)))
models = click.option(
    "--models",
    default=MODELS,
    type=click.Path(path_type=Path, file_okay=False),
    help="Where they are; default models/.",
)


class Interruptible(click.Group):
    """Commands that Ctrl-C ends with one line and the status that shells expect."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("Interrupted: every model is as it was, or finished.", err=True)
            ctx.exit(INTERRUPTED)


@click.group(cls=Interruptible)
def main() -> None:
    """Make the agents of models/ and judge them."""


@main.command("list")
def list_recipes() -> None:
    """List the agents that can be trained."""
    for recipe in EVERY.values():
        opponents = ", ".join(f"{n:,} against {who}" for who, n in recipe.opponents.items())
        click.echo(f"{recipe.id:<20} {recipe.algorithm_name}: {opponents}")


@main.command()
@agent_ids
@click.option("--all", "everything", is_flag=True, help="Train every agent that is a table.")
@click.option(
    "--out",
    default=MODELS,
    type=click.Path(path_type=Path, file_okay=False),
    help="Where to; default models/.",
)
@click.option("--seed", type=click.IntRange(min=0), help="Instead of the recipe's own.")
def train(ids: tuple[str, ...], everything: bool, out: Path, seed: int | None) -> None:
    """Train agents and save each when it is finished."""
    if everything == bool(ids):
        raise click.UsageError("Name the agents to train, or say --all.")
    try:
        with progress_bars() as line:
            train_several([EVERY[i] for i in ids or RECIPES], seed, out, line)
    except ModelError as error:
        raise click.ClickException(str(error)) from error
    except OSError as error:
        raise click.ClickException(f"{out}: {error}") from error


@main.command()
@agent_ids
@models
def check(ids: tuple[str, ...], models: Path) -> None:
    """Train agents again from their cards' seeds and compare bit for bit."""
    game, failed = connect(), False
    for agent_id in ids or RECIPES:
        try:
            saved = load(models, game, agent_id)
        except ModelError as error:
            click.echo(error)
            failed = True
            continue
        rebuilt = train_agent(EVERY[agent_id], game, saved.card.seed, lambda progress: None)
        found = differences(saved, rebuilt)
        click.echo(f"{agent_id}: {_verdict(saved, rebuilt, found)}")
        failed |= bool(found)
    sys.exit(failed)


@main.command()
@agent_ids
@models
@click.option("--markdown", is_flag=True, help="Print the table as Markdown.")
@click.option(
    "--readme",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Put the table into this file, between its markers.",
)
def evaluate(ids: tuple[str, ...], models: Path, markdown: bool, readme: Path | None) -> None:
    """Print the exact results of the agents that are trained."""
    game = connect()
    try:
        agents = [load(models, game, i) for i in ids] or list(load_all(models, game).values())
        if readme:
            put_into(readme, markdown_table(game, agents))
        elif markdown:
            click.echo(markdown_table(game, agents), nl=False)
        else:
            Console().print(terminal_table(game, agents))
    except ValueError as error:
        raise click.ClickException(str(error)) from error


@main.command()
def bench() -> None:
    """Measure how fast the game is solved and the agents learn."""
    for line in benchmark():
        click.echo(line)


main.add_command(seeds_of_agent)
main.add_command(seeds_of_champion)


def _verdict(saved: Agent, rebuilt: Agent, found: list[str]) -> str:
    if not found:
        return "the same, bit for bit"
    made_with, here = (
        ", ".join(f"{name} {version}" for name, version in agent.card.versions.items())
        for agent in (saved, rebuilt)
    )
    return f"{', '.join(found)} differ (made with {made_with}; here {here})"
