"""How the agents of `models/` are made; the web app never imports this."""
