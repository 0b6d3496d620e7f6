"""Compute when schedules are due: cron, windows and time zones. Pure."""
