"""A user's request for a round, not checked yet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Optional

# The options that rounds of some profiles have and others not.
_OF_PROFILES = (
    *("osds", "repeats", "max_repeats", "size", "rest", "rests", "solo"),
    *("pool", "foreign_pool", "clients", "threads", "seconds", "workers"),
)


@dataclass(frozen=True)
class Request:
    """The arguments of ``round start`` as typed.

    ``may_raise``: the round may raise the ``osd_bench_*`` options, where the option ``quiesce``
    lets it; False for a user of the dashboard who may not change the configuration.
    """

    profile: str
    osds: Optional[str] = None
    repeats: Optional[int] = None
    size: Optional[str] = None
    label: Optional[str] = None
    force: bool = False
    max_repeats: Optional[int] = None
    rest: Optional[str] = None
    rests: Optional[int] = None
    solo: Optional[str] = None
    pool: Optional[str] = None
    clients: Optional[int] = None
    threads: Optional[int] = None
    seconds: Optional[int] = None
    foreign_pool: bool = False
    workers: Optional[str] = None
    may_raise: bool = True

    @property
    def given(self) -> Sequence[str]:
        """Its options that not all profiles have."""
        return [name for name in _OF_PROFILES if getattr(self, name) not in (None, False)]
