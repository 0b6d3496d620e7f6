"""Hours of ordinary work, in which nothing may grow: the part `soak`."""
