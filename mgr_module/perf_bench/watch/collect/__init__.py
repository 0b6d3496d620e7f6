"""Reads counters of OSDs and makes frames of equal length from them."""
