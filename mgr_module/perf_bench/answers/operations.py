"""Advice, mClock, held settings, options."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Optional, Union


@dataclass(frozen=True)
class ModuleOption:
    """An option of the module, mgr/perf_bench/NAME.

    min and max are bounds of an int, at_once: a change needs no other mgr to become active.
    """

    name: str
    group: Literal["watch", "thresholds", "rounds", "history", "metrics", "health"]
    type: Literal["bool", "int", "str"]
    value: Union[bool, int, str]
    default: Union[bool, int, str]
    min: Optional[int]
    max: Optional[int]
    help: str
    at_once: bool


@dataclass(frozen=True)
class Threshold:
    """A threshold of the detector of slow OSDs."""

    name: str
    value: float
    default: float
