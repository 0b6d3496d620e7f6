"""The detector on recorded data: qa/replay, faults put into recordings, fleets made of them."""
