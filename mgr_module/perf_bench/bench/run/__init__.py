"""Run a round's plan, guard the cluster meanwhile, and hold its settings."""
