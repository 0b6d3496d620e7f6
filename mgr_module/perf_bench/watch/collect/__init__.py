"""Counters of OSDs → frames of one width."""
