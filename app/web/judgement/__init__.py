"""What an agent does wrong, and whether it can be beaten."""
