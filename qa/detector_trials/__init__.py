"""The detector on recorded and simulated data: qa/replay, the simulator, other systems' rules."""
