"""Watch checksums: time shares, rates and errors, judged every 15 s.

Counters of links and disks come with the facts of hosts; counters of OSDs are read here.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Optional, TypeVar

from ..core.clock import Clock
from ..model.checksum import EIO, HOT_SHARE, RETRIES, ChecksumAnswer, Errors
from ..model.counter_trend import CounterTrend
from ..model.coverage import Gap, Look, facts_gaps, gap
from ..model.detector import Detector, WatchTick
from ..model.drive import OsdsOnDrive
from ..model.enclosure import Enclosure
from ..model.facts import HostFacts
from ..model.finding import Claim
from ..model.finding_kinds import CRC_HOTSPOT, LINK_ERRORS, MEDIA_ERRORS
from ..model.osd import Member
from ..model.pacing import Every
from ..model.said import say
from .checksum_counters import RETRIES as RETRIES_SENT
from .checksum_counters import ChecksumCollector
from .enclosures import EnclosureInventory
from .host_facts import HostFactsRegistry
from .rules.checksum_claims import ChecksumEvidence, checksum_claims
from .rules.checksum_rates import Rate, slow_rates
from .rules.checksum_share import Hotspots, OsdHistory
from .rules.error_claims import link_claims, media_claims
from .rules.error_counters import NOWHERE, errors_told, placed, silent_disks

_EVERY = 5.0
# Comparing all OSDs with their peers takes 150 ms at 10,000 OSDs.
_JUDGED_EVERY = 15.0
_MAPS_AGE = 600.0
_MOST_ANSWERS = 1000
_UNREAD = (
    Gap(
        "unread",
        say("counters-unread", "the watch has not read the counters yet"),
        say("wait-minute", "wait a minute"),
    ),
)
T = TypeVar("T")


@dataclass(frozen=True)
class ChecksumSnapshot:
    """The state of all checksums at ``now``; ``threads`` has the op threads by OSD."""

    now: float
    members: Sequence[Member] = ()
    histories: Mapping[int, OsdHistory] = field(default_factory=dict)
    rates: Mapping[int, Rate] = field(default_factory=dict)
    threads: Mapping[int, int] = field(default_factory=dict)
    errors: Sequence[Errors] = ()
    facts: Mapping[str, HostFacts] = field(default_factory=dict)


class ChecksumMonitor(Detector):
    """Ticks on the watch's thread; answers come from the poller's; ``read`` is thread-safe."""

    name = "crc"
    while_off = True

    def __init__(
        self,
        collector: ChecksumCollector,
        hosts: HostFactsRegistry,
        inventory: EnclosureInventory,
        clock: Clock,
        hot_share: Callable[[], float] = lambda: HOT_SHARE,
    ) -> None:
        """``hot_share``: the share of op threads' time from which on an OSD is a hotspot."""
        self._collector = collector
        self._hosts = hosts
        self._inventory = inventory
        self._clock = clock
        self._hot_share = hot_share
        self._lock = threading.Lock()
        self._answers: deque[ChecksumAnswer] = deque(maxlen=_MOST_ANSWERS)
        self._ticks, self._judgements = Every(_EVERY), Every(_JUDGED_EVERY)
        self._hotspots = Hotspots()
        self._pending: dict[int, list[Any]] = {}
        self._rates: dict[int, Rate] = {}
        # By OSD and kind its count of failed reads.
        self._trends: dict[tuple[int, str], CounterTrend] = {}
        # The errors in facts, with the facts and enclosures that they were computed from.
        self._errors: tuple[object, object, Sequence[Errors]] = (None, None, ())
        self._claims: Sequence[Claim] = ()

    # --- the watch's thread ------------------------------------------------------------------

    def tick(self, tick: WatchTick) -> None:
        """While the watch is off only the facts of hosts are judged."""
        now = self._clock.monotonic()
        if tick.replaced:
            with self._lock:
                self._forget(tick.replaced)
        if not self._ticks.is_due(now):
            return
        with self._lock:
            if tick.on:
                self._collect()
            if self._judgements.is_due(now):
                self._judge(tick.on)

    def _forget(self, osds: Collection[int]) -> None:
        """Forget what these OSDs did and counted: it was of others with their IDs."""
        for osd in osds:
            self._pending.pop(osd, None)
            self._rates.pop(osd, None)
            self._hotspots.histories.pop(osd, None)
        self._trends = {key: one for key, one in self._trends.items() if key[0] not in osds}

    def claims(self) -> Sequence[Claim]:
        """The claims of the newest judgement."""
        return self._claims

    def _collect(self) -> None:
        now = self._clock.now()
        windows, retries = self._collector.tick()
        for osd, new in windows.items():
            self._pending.setdefault(osd, []).extend(new)
        for osd, count in retries.items():
            self._count(osd, RETRIES, count, now)
        while self._answers:
            self._take(self._answers.popleft())

    def _take(self, answer: ChecksumAnswer) -> None:
        self._rates.setdefault(answer.osd, Rate()).take(answer)
        window = self._collector.answered(answer)
        if window is not None:
            self._pending.setdefault(answer.osd, []).append(window)
        if answer.errors is not None:
            self._count(answer.osd, EIO, answer.errors, answer.at)
        # Use one source only: reports lag behind answers, and a smaller count looks like a restart.
        if answer.retries is not None and not self._collector.sends(answer.osd, RETRIES_SENT):
            self._count(answer.osd, RETRIES, answer.retries, answer.at)

    def _count(self, osd: int, kind: str, count: int, read_at: float) -> None:
        known = self._trends.get((osd, kind))
        self._trends[osd, kind] = (
            CounterTrend.first(count, read_at)
            if known is None
            else known.read(count, read_at, begins_at=0)  # an OSD counts from 0 when it starts
        )

    def _judge(self, on: bool) -> None:
        self._hotspots.threshold = self._hot_share()
        now = self._clock.now()
        members = self._collector.members if on else ()
        by_osd = {member.osd.id: member for member in members}
        claims: list[Claim] = []
        if by_osd:
            classes = {osd: one.osd.device_class or "" for osd, one in by_osd.items()}
            pending = {osd: windows for osd, windows in self._pending.items() if osd in by_osd}
            self._hotspots.step(pending, classes, now)
            self._pending = {}
            self._rates = {osd: rate for osd, rate in self._rates.items() if osd in by_osd}
            self._trends = {key: one for key, one in self._trends.items() if key[0] in by_osd}
            hosts = {osd: one.osd.host for osd, one in by_osd.items()}
            slow = slow_rates(self._rates, hosts, cpus_of(members, self._facts()), now)
            claims += checksum_claims(
                self._hotspots, slow, ChecksumEvidence(hosts, self._collector.threads), now
            )
        errors = self._all_errors(by_osd)
        claims += [*link_claims(errors, now), *media_claims(errors, now)]
        self._claims = claims

    def _facts(self) -> Mapping[str, HostFacts]:
        return {host: one.facts for host, one in (self._hosts.cached() or {}).items()}

    def _all_errors(self, by_osd: Mapping[int, Member]) -> list[Errors]:
        """The errors in the facts of hosts, and those that OSDs count."""
        known = self._hosts.cached()
        if known is None:
            return self._osd_errors(by_osd, ())
        snapshot = self._inventory.view(_MAPS_AGE).snapshot
        source = known, snapshot.enclosures
        if self._errors[0] is not source[0] or self._errors[1] is not source[1]:
            reported = errors_told(
                snapshot.facts, snapshot.memories, snapshot.enclosures, snapshot.drives
            )
            self._errors = *source, reported
        return [*self._errors[2], *self._osd_errors(by_osd, snapshot.enclosures)]

    def _osd_errors(
        self, by_osd: Mapping[int, Member], enclosures: Sequence[Enclosure]
    ) -> list[Errors]:
        places = placed(enclosures)
        errors = []
        for (osd, kind), trend in sorted(self._trends.items()):
            if osd not in by_osd or not (trend.count or trend.grew):
                continue
            enclosure, slot = places.get(osd, NOWHERE)
            one = by_osd[osd].osd
            errors.append(
                Errors(
                    one.host,
                    kind,
                    trend,
                    disk=one.name,
                    on=OsdsOnDrive((osd,)),
                    device=one.own_device,
                    enclosure=enclosure,
                    slot=slot,
                )
            )
        return errors

    def looks(self) -> Sequence[Look]:
        """Shares by OSD; errors by host, of which those that OSDs count are known anyway."""
        with self._lock:
            members = [one.osd for one in self._collector.members]
            now = self._clock.now()
            told = {
                osd for osd, one in self._hotspots.histories.items() if one.fresh(now) is not None
            }
        stored = self._hosts.cached()
        facts = None if stored is None else {host: one.facts for host, one in stored.items()}
        # The maps are known also while the watch is off and has read no counters.
        hosts = {osd.host for osd in members} or self._inventory.hosts()
        down = [osd.name for osd in members if not osd.up]
        silent = [osd.name for osd in members if osd.up and osd.id not in told]
        gaps = [
            gap(
                "down",
                say("osds-are-down", "they are down"),
                down,
                say("see-command", "see '{command}'", command="ceph osd tree down"),
            ),
            gap(
                "unread",
                say(
                    "checksums-unread",
                    "their checksum counters are not known yet: OSDs that do not send them are "
                    "asked in turn",
                ),
                silent,
                say(
                    "checksums-help",
                    "the option {option} sets how many every 5 s",
                    option="mgr/perf_bench/crc_asked",
                ),
            ),
        ]
        return [
            Look(
                "checksums",
                say("look-checksums", "time that OSDs spend on checksums"),
                "OSD",
                len(members),
                (CRC_HOTSPOT.code,),
                tuple(one for one in gaps if one.count) if members else _UNREAD,
            ),
            Look(
                "link_errors",
                say("look-links", "error counters of links to disks"),
                "host",
                len(hosts),
                (LINK_ERRORS.code,),
                facts_gaps(
                    hosts,
                    facts,
                    now,
                    _tells_no_links,
                    say("section-links", "any counters of links"),
                ),
            ),
            Look(
                "media_errors",
                say("look-media", "media errors (of OSDs everywhere, of disks)"),
                "host",
                len(hosts),
                (MEDIA_ERRORS.code,),
                facts_gaps(
                    hosts,
                    facts,
                    now,
                    _tells_not_all_smart,
                    say("section-smart", "SMART counters"),
                    partly=True,
                ),
            ),
        ]

    # --- saved state -------------------------------------------------------------------------

    def save(self) -> Mapping[str, Any]:
        with self._lock:
            # An OSD that restarted counts from 0 again: what had grown before is of the last day.
            trends = [
                [*key, one.to_json()] for key, one in self._trends.items() if one.count or one.grew
            ]
            return {**self._hotspots.save(self._clock.now()), "growths": trends}

    def restore(self, state: Mapping[str, Any], now: float) -> None:
        """Add what was saved to what was seen since."""
        trends = [
            ((osd, kind), CounterTrend.from_json(one))
            for osd, kind, one in state.get("growths", ())
        ]
        with self._lock:
            self._hotspots.restore(state, now)
            for key, before in trends:
                newer = self._trends.get(key)
                self._trends[key] = (
                    before if newer is None else before.read(newer.count, newer.at, begins_at=0)
                )

    # --- from other threads ------------------------------------------------------------------

    def take_answer(self, answer: ChecksumAnswer) -> None:
        """Queue the answer of a polled OSD for the next tick."""
        self._answers.append(answer)

    def started(self) -> Iterator[int]:
        """The OSDs that have restarted since the last call."""
        restarted = self._collector.started
        while restarted:
            yield restarted.popleft()

    def roster(self) -> Sequence[Member]:
        """The OSDs that may be polled."""
        return self._collector.members

    def read(self, what: Callable[[ChecksumSnapshot], T]) -> T:
        """Call ``what`` with the present state, under the lock; returns its result.

        Raises StoreUnavailable until the facts are read.
        """
        self._hosts.known()
        with self._lock:
            members = self._collector.members
            by_osd = {member.osd.id: member for member in members}
            return what(
                ChecksumSnapshot(
                    self._clock.now(),
                    members,
                    self._hotspots.histories,
                    self._rates,
                    self._collector.threads,
                    self._all_errors(by_osd),
                    self._facts(),
                )
            )


def _tells_no_links(facts: HostFacts) -> bool:
    of_disks = any(one.udma_crc_errors is not None for one in facts.smart or ())
    return facts.phys is None and facts.pcie is None and not of_disks


def _tells_not_all_smart(facts: HostFacts) -> bool:
    """Whether a disk of an OSD tells none, as one that hangs."""
    used = set(facts.devices_by_osd().values())
    return facts.smart is None or any(used & set(names) for names in silent_disks(facts).values())


def cpus_of(members: Sequence[Member], facts: Mapping[str, HostFacts]) -> dict[str, Optional[str]]:
    """By host the name of its processor, from the OSDs' metadata, else from facts."""
    cpus = {member.osd.host: member.cpu for member in members}
    for host, one in facts.items():
        if host in cpus and not cpus[host] and one.cpu is not None:
            cpus[host] = one.cpu.model
    return cpus
