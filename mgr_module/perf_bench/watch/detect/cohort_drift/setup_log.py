"""Notes the setup of a cohort, and what has changed in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Optional

from ....model.cohort_setup import CohortSetup, SetupChange, changes, remembered

# Kept for the newest changes, and that long.
_MOST = 64
_KEPT_SECONDS = 400 * 86400.0
# Characters of a value, such as the options of RocksDB.
_WIDTH = 200


class SetupLog:
    """The setup of one cohort since ``since`` (unix seconds, None before the first)."""

    def __init__(self) -> None:
        self.since: Optional[float] = None
        self._setup = CohortSetup(0)
        self._changes: list[SetupChange] = []

    def add(self, setup: CohortSetup, now: float) -> None:
        """Note the setup as it is now."""
        if self.since is None:
            self.since, self._setup = now, setup
            return
        found = [
            change._replace(was=change.was[:_WIDTH], now=change.now[:_WIDTH])
            for change in changes(self._setup, setup, now)
        ]
        self._setup = remembered(self._setup, setup)
        kept = [one for one in self._changes if now - _KEPT_SECONDS <= one.at <= now]
        self._changes = [*kept, *found][-_MOST:]

    def after(self, begin: float) -> Sequence[SetupChange]:
        """What has changed from ``begin`` on, in order."""
        return [change for change in self._changes if change.at >= begin]

    def save(self) -> dict[str, Any]:
        return {
            "since": self.since,
            "setup": {**asdict(self._setup), "words": dict(self._setup.words)},
            "changes": [list(change) for change in self._changes],
        }

    @classmethod
    def restored(cls, state: Mapping[str, Any], now: float) -> SetupLog:
        made = cls()
        made.since = None if state["since"] is None else min(float(state["since"]), now)
        setup = state["setup"]
        fill = setup["fill_percent"]
        made._setup = CohortSetup(
            int(setup["osds"]),
            None if fill is None else float(fill),
            {str(name): str(value) for name, value in setup["words"].items()},
        )
        made._changes = [
            SetupChange(min(float(at), now), str(name), str(was), str(is_))
            for at, name, was, is_ in state["changes"][-_MOST:]
        ]
        return made
