"""The lab: does a change of a training help? Runs with twenty seeds decide."""
