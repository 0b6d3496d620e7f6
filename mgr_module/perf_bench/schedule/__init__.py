"""bench, stage 1: what a round will do, and whether it may. Pure."""
