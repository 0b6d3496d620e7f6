"""bench, stage 4: what the figures say. Pure."""
