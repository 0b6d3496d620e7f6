"""Rules over facts and counters of hosts; each returns claims. Pure functions."""
