"""The parts of `make reliability`, in the order in which they run."""

from __future__ import annotations

from .fuzz import part as fuzz
from .rest import part as rest
from .trials import Part

PARTS = (
    Part("fuzz", "hostile and damaged inputs to all that reads what others wrote", fuzz.run),
    Part("rest", "requests made from the REST API's description, to a real dashboard", rest.run),
)
