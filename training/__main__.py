"""`python -m training`."""

import sys

try:
    from training.cli import main
except KeyboardInterrupt:
    sys.exit(130)

main(prog_name="python -m training")
