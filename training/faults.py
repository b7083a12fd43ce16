"""Train the agents of the page /faults into models/faults: `python -m training.faults`."""

from pathlib import Path

from app.recipes.faults import CORRECT_RECIPES, FAULTS_FOLDER, FAULTY_RECIPES
from app.tictactoe.agents import save_agent
from app.tictactoe.game import tic_tac_toe
from training.run import MODELS, train


def train_faulty_agents(folder: Path = MODELS / FAULTS_FOLDER) -> None:
    """Train and save the agent of each fault, and the correct agents for comparison."""
    folder.mkdir(exist_ok=True)
    game = tic_tac_toe()
    for name, recipe in {**CORRECT_RECIPES, **FAULTY_RECIPES}.items():
        save_agent(folder, game, train(name, recipe, game, lambda _: None))
        print(name, flush=True)


if __name__ == "__main__":
    train_faulty_agents()
