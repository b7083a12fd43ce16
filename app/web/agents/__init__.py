"""The pages of the agents."""
