"""Every learner once more in plain Python: what the compiled ones are held to and measured by."""
