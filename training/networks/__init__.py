"""Deep Q-networks, stored as tables like all other agents; only this package imports JAX."""
