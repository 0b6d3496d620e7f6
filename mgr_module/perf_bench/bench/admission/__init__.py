"""Whether a round may start: a pure decision with every reason against it."""
