"""Every fault at every step of every kind of work: the part `crash`."""
