"""The lab: does one change of a training help, over twenty seeds?"""
