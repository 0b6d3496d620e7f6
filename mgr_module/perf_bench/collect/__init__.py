"""Cluster → frames: counters become latencies in bins of one width, each with its marks."""
