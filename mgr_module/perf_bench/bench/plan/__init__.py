"""Plan a round: waves of OSDs, sizes and an estimate. Pure."""
