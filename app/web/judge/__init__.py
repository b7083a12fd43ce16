"""Somebody's own agent, judged exactly: it is named by its moves, which are in the address."""
