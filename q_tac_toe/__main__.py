"""`q-tac-toe`, and `python -m q_tac_toe`: the command line."""

from training.__main__ import main

if __name__ == "__main__":
    main()
