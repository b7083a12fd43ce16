"""Find its mistake: positions in which an agent errs, to predict before they are opened."""
