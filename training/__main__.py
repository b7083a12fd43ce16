"""Start the command line: `python -m training`, or `q-tac-toe` where the project is installed."""

import sys

from app.project import TRAINING_COMMAND

INTERRUPTED_EXIT_CODE = 130


def main() -> None:
    """Run the command line; exit with the status 130 if Ctrl-C interrupts its import."""
    try:
        from training import cli  # noqa: PLC0415
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED_EXIT_CODE)
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] in {"app", "training", "q_tac_toe"}:
            raise
        sys.exit(f"{TRAINING_COMMAND} needs {error.name}: run `make install` first.")
    cli.main(prog_name=TRAINING_COMMAND)


if __name__ == "__main__":
    main()
