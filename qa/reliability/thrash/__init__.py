"""Random faults from a seed while rounds and users go on: the part `thrash`."""
