"""Advice on settings and hardware, and the setting of mClock's capacities."""
