"""Advice on settings and hardware, and what is done about mClock's capacities."""
