"""What a round will do: waves of OSDs, sizes and an estimate. Pure."""
