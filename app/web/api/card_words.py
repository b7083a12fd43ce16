"""What the fields of a card mean: a card is described where it is written, but for Python only."""

CARD_WORDS = {
    "Card": {
        "id": "The agent's name in addresses.",
        "title": "Its name for people.",
        "origin": "Where its kind was found.",
        "reported": "What was reported of it there.",
        "algorithm": "How it learned.",
        "parameters": "The settings of the algorithm.",
        "opponents": "Who it was trained against.",
        "seed": "With it the training gives the same table again.",
        "games": "Games of the training.",
        "updates": "Updates of the table in training.",
        "seconds": "How long the training took.",
        "versions": "What it was trained with.",
        "numbering": "SHA-256 of the codes of all positions, as little-endian int32, in the order "
        "of the table.",
        "arrays": "SHA-256 of the file with its arrays.",
        "worth": "What its rewards mean.",
        "figures": "What is exactly true of it.",
        "win_rate": "Share of training games won, exploring, epoch by epoch; left out where "
        "it was not recorded.",
    },
    "Worth": {
        "x": "What a loss, a draw and a win are worth to it as X.",
        "o": "The same as O.",
    },
    "Figures": {
        "updates": "Updates made by each snapshot of the training; the last one is the agent.",
        "vs": "Chances against each baseline.",
        "best_response": "Chances against the agent's best responder.",
        "nash_conv": "What the best responders of both seats gain together; 0 where none can.",
        "blunders": "Decisions in which its move can give away the value of the game.",
        "reachable_blunders": "Those of them that its own play can meet.",
        "classes_right": "Share of its values that are nearest to the true outcome.",
    },
    "ChancesBySeat": {
        "x": "Win, draw, loss from the agent's own side, as X, for each snapshot.",
        "o": "The same as O.",
    },
    "CountsBySeat": {"x": "As X, for each snapshot.", "o": "As O, for each snapshot."},
    "RatesBySeat": {"x": "As X, for each epoch.", "o": "As O, for each epoch."},
}
