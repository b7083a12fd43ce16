"""The lab: twenty seeds decide whether a change of a training helps."""
