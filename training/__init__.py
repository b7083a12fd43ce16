"""Training of the agents in `models/`; the web app never imports this package."""
