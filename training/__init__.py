"""Train and evaluate the agents in `models/`; the web app never imports this package."""
