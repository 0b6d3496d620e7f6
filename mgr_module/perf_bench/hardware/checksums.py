"""Checksums as a mgr watches them: shares, rates and errors, looked at every 15 s.

What links and disks count comes with the facts of hosts; what OSDs count is read and asked here.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Optional, TypeVar

from ..model.checksum import EIO, HOT_SHARE, RETRIES, ChecksumAnswer, Errors
from ..model.counter_trend import CounterTrend
from ..model.drive import OsdsOnDrive
from ..model.enclosure import Enclosure
from ..model.facts import HostFacts
from ..model.finding import Claim
from ..model.osd import Member
from ..ports import Clock
from ..ports.detector import Detector, WatchTick
from .checksum_counters import RETRIES as RETRIES_SENT
from .checksum_counters import ChecksumCollector
from .enclosures import EnclosureInventory
from .host_facts import HostFactsRegistry
from .rules.checksum_claims import ChecksumEvidence, checksum_claims
from .rules.checksum_rates import Rate, slow_rates
from .rules.checksum_share import Hotspots, OsdHistory
from .rules.error_claims import link_claims, media_claims
from .rules.error_counters import NOWHERE, errors_told, placed

_EVERY = 5.0
# Comparing everybody with his peers costs 150 ms at 10,000 OSDs.
_JUDGED_EVERY = 15.0
_MAPS_AGE = 600.0
_MOST_ANSWERS = 1000
T = TypeVar("T")


@dataclass(frozen=True)
class ChecksumSnapshot:
    """Everything at one moment; ``threads`` are the op threads of OSDs."""

    now: float
    members: Sequence[Member] = ()
    spots: Mapping[int, OsdHistory] = field(default_factory=dict)
    rates: Mapping[int, Rate] = field(default_factory=dict)
    threads: Mapping[int, int] = field(default_factory=dict)
    errors: Sequence[Errors] = ()
    facts: Mapping[str, HostFacts] = field(default_factory=dict)


class ChecksumMonitor(Detector):
    """Ticks on the watch's thread; asks on its own; may be asked from any."""

    name = "crc"
    while_off = True

    def __init__(
        self,
        collector: ChecksumCollector,
        hosts: HostFactsRegistry,
        shelves: EnclosureInventory,
        clock: Clock,
        hot_share: Callable[[], float] = lambda: HOT_SHARE,
    ) -> None:
        """``hot_share``: the share of op threads' time from which on an OSD is a hotspot."""
        self._collector = collector
        self._hosts = hosts
        self._shelves = shelves
        self._clock = clock
        self._hot_share = hot_share
        self._lock = threading.Lock()
        self._answers: deque[ChecksumAnswer] = deque(maxlen=_MOST_ANSWERS)
        self._due = self._judge_due = 0.0
        self._hotspots = Hotspots()
        self._pending: dict[int, list[Any]] = {}
        self._rates: dict[int, Rate] = {}
        # By OSD and kind what it counts of reads that went wrong.
        self._growths: dict[tuple[int, str], CounterTrend] = {}
        # What facts tell, with what it was made of.
        self._errors: tuple[object, object, Sequence[Errors]] = (None, None, ())
        self._claims: Sequence[Claim] = ()

    # --- the watch's thread ------------------------------------------------------------------

    def tick(self, tick: WatchTick) -> None:
        """While the watch is off only facts are looked at."""
        now, looks = self._clock.monotonic(), tick.on
        if now < self._due:
            return
        self._due = now + _EVERY
        with self._lock:
            if looks:
                self._look()
            if now >= self._judge_due:
                self._judge_due = now + _JUDGED_EVERY
                self._judge(looks)

    def claims(self) -> Sequence[Claim]:
        """What is wrong, as of the newest look."""
        return self._claims

    def _look(self) -> None:
        at = self._clock.now()
        windows, retries = self._collector.tick()
        for osd, those in windows.items():
            self._pending.setdefault(osd, []).extend(those)
        for osd, count in retries.items():
            self._count(osd, RETRIES, count, at)
        while self._answers:
            self._take(self._answers.popleft())

    def _take(self, answer: ChecksumAnswer) -> None:
        self._rates.setdefault(answer.osd, Rate()).take(answer)
        window = self._collector.answered(answer)
        if window is not None:
            self._pending.setdefault(answer.osd, []).append(window)
        if answer.errors is not None:
            self._count(answer.osd, EIO, answer.errors, answer.at)
        # Reports come later than answers: of both, each one behind would look like a restart.
        if answer.retries is not None and not self._collector.sends(answer.osd, RETRIES_SENT):
            self._count(answer.osd, RETRIES, answer.retries, answer.at)

    def _count(self, osd: int, kind: str, count: int, at: float) -> None:
        known = self._growths.get((osd, kind))
        # An OSD counts from 0 when it starts.
        grown = (
            CounterTrend.first(count, at) if known is None else known.read(count, at, begins_at=0)
        )
        self._growths[osd, kind] = grown

    def _judge(self, looks: bool) -> None:
        self._hotspots.bar = self._hot_share()
        now = self._clock.now()
        members = self._collector.members if looks else ()
        there = {member.osd.id: member for member in members}
        found: list[Claim] = []
        if there:
            classes = {osd: one.osd.device_class or "" for osd, one in there.items()}
            pending = {osd: those for osd, those in self._pending.items() if osd in there}
            self._hotspots.step(pending, classes, now)
            self._pending = {}
            self._rates = {osd: rate for osd, rate in self._rates.items() if osd in there}
            self._growths = {key: one for key, one in self._growths.items() if key[0] in there}
            hosts = {osd: one.osd.host for osd, one in there.items()}
            slow = slow_rates(self._rates, hosts, cpus_of(members, self._facts()), now)
            found += checksum_claims(
                self._hotspots, slow, ChecksumEvidence(hosts, self._collector.threads), now
            )
        errors = self._all_errors(there)
        found += [*link_claims(errors, now), *media_claims(errors, now)]
        self._claims = found

    def _facts(self) -> Mapping[str, HostFacts]:
        return {host: one.facts for host, one in (self._hosts.cached() or {}).items()}

    def _all_errors(self, there: Mapping[int, Member]) -> list[Errors]:
        """What the facts of hosts have, and what OSDs count themselves."""
        known = self._hosts.cached()
        if known is None:
            return self._own_errors(there, ())
        floor = self._shelves.view(_MAPS_AGE).floor
        source = known, floor.enclosures
        if self._errors[0] is not source[0] or self._errors[1] is not source[1]:
            told = errors_told(floor.facts, floor.memories, floor.enclosures, floor.drives)
            self._errors = *source, told
        return [*self._errors[2], *self._own_errors(there, floor.enclosures)]

    def _own_errors(
        self, there: Mapping[int, Member], shelves: Sequence[Enclosure]
    ) -> list[Errors]:
        places = placed(shelves)
        found = []
        for (osd, kind), growth in sorted(self._growths.items()):
            if osd not in there or not (growth.count or growth.grew):
                continue
            shelf, slot = places.get(osd, NOWHERE)
            one = there[osd].osd
            found.append(
                Errors(
                    one.host,
                    kind,
                    growth,
                    disk=one.name,
                    on=OsdsOnDrive((osd,)),
                    device=one.device,
                    enclosure=shelf,
                    slot=slot,
                )
            )
        return found

    # --- over a failover ---------------------------------------------------------------------

    def save(self) -> Mapping[str, Any]:
        with self._lock:
            growths = [[*key, one.to_json()] for key, one in self._growths.items() if one.count]
            return {**self._hotspots.save(self._clock.now()), "growths": growths}

    def restore(self, state: Mapping[str, Any], now: float) -> None:  # noqa: ARG002
        """Add what was saved to what was seen since."""
        growths = [
            ((osd, kind), CounterTrend.from_json(one))
            for osd, kind, one in state.get("growths", ())
        ]
        with self._lock:
            self._hotspots.restore(state)
            for key, before in growths:
                newer = self._growths.get(key)
                self._growths[key] = (
                    before if newer is None else before.read(newer.count, newer.at, begins_at=0)
                )

    # --- what it may be asked ----------------------------------------------------------------

    def heard(self, answer: ChecksumAnswer) -> None:
        """An OSD has answered."""
        self._answers.append(answer)

    def started(self) -> Iterator[int]:
        """Those that were started anew since this was asked last; from another thread."""
        those = self._collector.started
        while those:
            yield those.popleft()

    def roster(self) -> Sequence[Member]:
        """The OSDs that may be asked."""
        return self._collector.members

    def read(self, what: Callable[[ChecksumSnapshot], T]) -> T:
        """What is made of all as it is now; nothing changes meanwhile, so it should be quick.

        Raises StoreUnavailable while the facts are not read.
        """
        self._hosts.known()
        with self._lock:
            members = self._collector.members
            there = {member.osd.id: member for member in members}
            return what(
                ChecksumSnapshot(
                    self._clock.now(),
                    members,
                    self._hotspots.spots,
                    self._rates,
                    self._collector.threads,
                    self._all_errors(there),
                    self._facts(),
                )
            )


def cpus_of(members: Sequence[Member], facts: Mapping[str, HostFacts]) -> dict[str, Optional[str]]:
    """By host the name of its processor, as OSDs or facts tell it."""
    found = {member.osd.host: member.cpu for member in members}
    for host, one in facts.items():
        if host in found and not found[host] and one.cpu is not None:
            found[host] = one.cpu.model
    return found
