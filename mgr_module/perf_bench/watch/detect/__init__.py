"""Detectors of slow, laggy and flapping parts: pure decisions on collected data."""
