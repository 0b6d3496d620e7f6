"""The bench journey: admission → plan → run → record → compare, one round at a time."""
