"""The game: positions, policies, exact values, agents on disk."""
