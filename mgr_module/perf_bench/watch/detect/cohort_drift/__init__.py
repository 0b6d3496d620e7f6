"""Detects cohorts that became slower than they were before, at equal load."""
