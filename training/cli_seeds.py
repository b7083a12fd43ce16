"""The commands that repeat a training over many seeds."""

from functools import partial

import click

from training import agent_seeds, champion_seeds
from training.over_seeds import over_seeds
from training.recipes import RECIPES

first = click.option(
    "--first", default=0, show_default=True, type=click.IntRange(min=0), help="The first seed."
)
jobs = click.option(
    "--jobs", default=2, show_default=True, type=click.IntRange(min=1), help="How many processes."
)


def how_many(seeds: int):  # type: ignore[no-untyped-def]
    """Offer a number of seeds."""
    return click.option(
        "--seeds", default=seeds, show_default=True, type=click.IntRange(min=1), help="How many."
    )


@click.command("seeds")
@click.argument("agent_id", metavar="ID", type=click.Choice(list(RECIPES)))
@how_many(100)
@first
@jobs
def seeds_of_agent(agent_id: str, seeds: int, first: int, jobs: int) -> None:
    """Train an agent with many seeds and say how good it becomes, exactly."""
    measure = partial(agent_seeds.standing, agent_id)
    results = over_seeds(measure, range(first, first + seeds), jobs)
    click.echo(f"{agent_id}, seeds {first} to {first + seeds - 1}")
    for line in agent_seeds.distribution(results):
        click.echo(line)


@click.command("champion-seeds")
@how_many(1000)
@first
@jobs
def seeds_of_champion(seeds: int, first: int, jobs: int) -> None:
    """Count the games of self-play after which the champion is proved unbeatable."""
    results = over_seeds(champion_seeds.games_needed, range(first, first + seeds), jobs)
    click.echo(f"champion, seeds {first} to {first + seeds - 1}")
    for line in champion_seeds.distribution(results):
        click.echo(line)
