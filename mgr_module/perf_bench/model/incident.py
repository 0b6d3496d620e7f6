"""What happened around a finding: changes of the configuration, and what is placed on OSDs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Optional


class ConfigChange(NamedTuple):
    """One change in the monitors' log of the configuration. ``at`` is unix seconds.

    ``name`` is "SECTION/OPTION"; None is no value.
    """

    at: float
    name: str
    before: Optional[str]
    after: Optional[str]


class ConfigLog(NamedTuple):
    """The newest changes, newest first; ``begins`` is since when they are known (unix seconds).

    None: all are.
    """

    changes: Sequence[ConfigChange] = ()
    begins: Optional[float] = None


class Placed(NamedTuple):
    """What is placed on one OSD: its number of placement groups, and the pools with data on it."""

    pgs: int
    pools: tuple[str, ...]
