"""The loop that owns all state that decides, and what waits beside it.

One thread runs coroutines (`loop`). What waits runs elsewhere and is answered by a future: SQLite
on RADOS (`database`), monitors, OSDs and processes (`workers`). `reconcile` calls what compares
what should be with what is; `state` is what all other threads read.
"""
