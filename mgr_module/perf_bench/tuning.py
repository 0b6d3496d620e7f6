"""mClock's capacities, changed on demand: journalled at the monitors before, and reversible."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any, Callable, NamedTuple, Optional

from .doctor.capacities import capacities
from .errors import NotSupported
from .model.capacity import UNUSED, Capacity
from .practice import Practice
from .run.quiesce_ports import JournalKeeper, Settings

# OSDs that one call changes: each order takes some milliseconds, and the client waits.
MOST = 200
# Those that share a journal: a key of the monitors holds 64 KiB.
_SHARD = 500
# By OSD the option, what it was (None: not set), and what we set.
Journal = dict[str, list[Optional[str]]]


class Applied(NamedTuple):
    """``changed`` are OSDs that were changed; ``left`` is how many another call would change."""

    changed: Sequence[int]
    left: int


class Tuning:
    """May be asked from any thread."""

    def __init__(
        self,
        practice: Practice,
        settings: Settings,
        journal: Callable[[int], JournalKeeper],
    ) -> None:
        """``journal`` gives the keeper of a shard of OSDs."""
        self._practice = practice
        self._settings = settings
        self._journal = journal
        self._lock = threading.Lock()

    def capacities(self) -> Sequence[Capacity]:
        """All OSDs that are up. Raises CommandFailed without the monitors."""
        return capacities(self._practice.chart())

    def proposed(self) -> Sequence[Capacity]:
        """Those for which there is a proposal. Raises NotSupported where no OSD uses mClock."""
        found = self.capacities()
        if found and all(one.verdict == UNUSED for one in found):
            raise NotSupported(
                "no OSD uses mClock: osd_op_queue is another scheduler on this release"
            )
        return [one for one in found if one.proposed is not None]

    def apply(self) -> Applied:
        """Set what is proposed, of at most 200 OSDs. What was before is journalled first."""
        with self._lock:
            found = self.proposed()
            now = found[:MOST]
            for shard in sorted({one.osd // _SHARD for one in now}):
                self._apply(shard, [one for one in now if one.osd // _SHARD == shard])
            self._practice.forget()
            return Applied([one.osd for one in now], len(found) - len(now))

    def _apply(self, shard: int, ours: Sequence[Capacity]) -> None:
        journal = self._load(shard)
        for one in ours:
            # What was before the first change is what there is to go back to.
            before = journal.get(str(one.osd))
            was = before[1] if before and before[0] == one.option else one.own
            journal[str(one.osd)] = [one.option, was, str(one.proposed)]
        self._save(shard, journal)
        for one in ours:
            self._settings.set(f"config/osd.{one.osd}/{one.option}", str(one.proposed))

    def restore(self) -> Applied:
        """Put back what was set here; a value that is another by now stays. 200 OSDs a call."""
        with self._lock:
            osds = [one.osd for one in self.capacities()] or [0]
            changed: list[int] = []
            left = 0
            for shard in range(max(osds) // _SHARD + 1):
                journal = self._load(shard)
                mine = sorted(journal, key=int)[: MOST - len(changed)]
                for osd in mine:
                    if self._put_back(osd, journal[osd]):
                        changed.append(int(osd))
                    del journal[osd]
                left += len(journal)
                if mine:
                    self._save(shard, journal)
            self._practice.forget()
            return Applied(changed, left)

    def _put_back(self, osd: str, entry: Sequence[Optional[str]]) -> bool:
        option, was, want = entry
        what = f"config/osd.{osd}/{option}"
        now = self._settings.read(what)
        if now is None or want is None or float(now) != float(want):
            return False
        self._settings.set(what, was)
        return True

    def _load(self, shard: int) -> Journal:
        found: Mapping[str, Any] = self._journal(shard).load() or {}
        return {osd: list(entry) for osd, entry in found.items()}

    def _save(self, shard: int, journal: Journal) -> None:
        self._journal(shard).save(journal or None)
