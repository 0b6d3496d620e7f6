"""Hostile and damaged inputs to everything that reads what others wrote."""
