"""What is true of the game: positions, policies, exact values, agents on disk."""
