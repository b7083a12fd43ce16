"""`python -m training`."""

import sys

try:
    from training.cli import main
except KeyboardInterrupt:
    sys.exit(130)
except ModuleNotFoundError as error:
    if (error.name or "").split(".")[0] in {"app", "training"}:
        raise
    sys.exit(f"Training needs {error.name}: run `make install-training` first.")

main(prog_name="python -m training")
