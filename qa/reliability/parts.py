"""The parts of `make reliability`, in the order in which they run."""

from __future__ import annotations

from detector_trials import part as detection

from .crash import part as crash
from .mutants import part as mutants
from .soak import part as soak
from .thrash import part as thrash
from .trials import Part

# Not in the short form: what needs recordings, what grows over hours, and what has to be read.
PARTS = (
    Part("crash", "every fault at every step of rounds and of the watch", crash.run, 5),
    Part("thrash", "random faults and an operator, while rounds and users go on", thrash.run, 5),
    Part(
        "detection",
        "the slow-OSD detector on labelled recordings, and on faults put into them",
        detection.run,
    ),
    Part(
        "soak",
        "hours of ordinary work on 24 OSDs, in which nothing may grow and nothing is found",
        soak.run,
    ),
    Part(
        "mutants",
        "small changes to the code that decides, which the unit tests have to notice",
        mutants.run,
    ),
)
