"""An option of the module, ``mgr/perf_bench/…``, and a threshold of the detector."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Union

Value = Union[bool, int, str]


@dataclass(frozen=True)
class ModuleOption:
    """An option with its present value.

    kind -- "bool", "int" or "str"; least, most -- bounds of an "int".
    at_once -- whether a change takes effect at once; else when a mgr becomes active.
    """

    name: str
    kind: str
    value: Value
    default: Value
    help: str
    least: Optional[int] = None
    most: Optional[int] = None
    at_once: bool = True


@dataclass(frozen=True)
class Threshold:
    """A threshold of the detector of slow OSDs, as it is in effect."""

    name: str
    value: float
    default: float
