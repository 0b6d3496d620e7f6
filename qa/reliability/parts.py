"""The parts of `make reliability`, in the order in which they run."""

from __future__ import annotations

from .crash import part as crash
from .day import part as day
from .fuzz import part as fuzz
from .load import part as load
from .mutants import part as mutants
from .rest import part as rest
from .soak import part as soak
from .stock import part as stock
from .thrash import part as thrash
from .trials import Part

PARTS = (
    Part(
        "fuzz",
        "hostile and damaged inputs to all that reads what others wrote",
        fuzz.run,
        short_minutes=1.5,
    ),
    Part(
        "rest",
        "requests made from the REST API's description, to a real dashboard",
        rest.run,
        short_minutes=2,
    ),
    Part(
        "crash",
        "every fault at every step of rounds and of the watch",
        crash.run,
        in_pieces=True,
        short_minutes=5,
    ),
    Part(
        "thrash",
        "random faults and an operator, while rounds and users go on",
        thrash.run,
        in_pieces=True,
        short_minutes=5,
    ),
    Part(
        "load",
        "200 REST requests a second and 50 commands at once",
        load.run,
        short_minutes=1,
    ),
    Part(
        "soak",
        "hours of ordinary work on 24 OSDs, in which nothing may grow and nothing is found",
        soak.run,  # not in the short form: what grows shows only after hours
    ),
    Part(
        "day",
        "a day's work on 60 OSDs in an hour, in which one OSD is slow",
        day.run,  # not in the short form: a slow OSD is found after minutes
    ),
    Part(
        "stock",
        "what is not ours, with the module off and on in turn",
        stock.run,  # not in the short form: it needs pairs, and a mgr takes 10 s to start
    ),
    Part(
        "mutants",
        "small changes to the code that decides, which the unit tests have to notice",
        mutants.run,
        in_pieces=True,  # not in the short form: what survives has to be read
    ),
)
