"""The game of tic-tac-toe: its positions, policies and exact values, and agents saved in files."""
