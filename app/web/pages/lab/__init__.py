"""The lab: any recipe as an agent, and what a change of one number does."""
