"""Settings of a cluster, the journal of what a round changed in them, and the heir."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Optional

from perf_bench.errors import NotFound


class FakeSettings:
    """The RoundSettings and JournalKeeper of run/quiesce. ``fault`` is raised by the next calls."""

    def __init__(self) -> None:
        self.values: dict[str, Optional[str]] = {
            "flag/noscrub": "unset",
            "flag/nodeep-scrub": "unset",
            "balancer": None,
            "pool/3/pg_autoscale_mode": "on",
        }
        self.moving: list[int] = []
        self.journal: Optional[str] = None
        self.fault: Optional[Exception] = None

    def read(self, what: str) -> Optional[str]:
        self._may_fail()
        if what.startswith("config/"):
            return self.values.get(what)
        if what not in self.values:
            raise NotFound(f"no {what}")
        return self.values[what]

    def set(self, what: str, value: Optional[str]) -> None:
        self.read(what)
        self.values[what] = value

    def moving_pools(self) -> Sequence[int]:
        self._may_fail()
        return self.moving

    def load(self) -> Optional[Mapping[str, Any]]:
        self._may_fail()
        return None if self.journal is None else json.loads(self.journal)

    def save(self, journal: Optional[Mapping[str, Any]]) -> None:
        self._may_fail()
        self.journal = None if journal is None else json.dumps(journal)

    def _may_fail(self) -> None:
        if self.fault is not None:
            raise self.fault


class FakeWill:
    """An heir that counts."""

    alive = 0

    def __init__(self, **_where: str) -> None:
        type(self).alive += 1

    def dismiss(self) -> None:
        type(self).alive -= 1
