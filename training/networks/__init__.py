"""Deep Q-networks, shipped as tables like all others; only here is JAX imported."""
