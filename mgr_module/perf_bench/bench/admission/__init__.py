"""Decide whether a round may start, with every reason against it. Pure."""
