"""Deep Q-networks, saved as tables like all other agents; only this package imports JAX."""
