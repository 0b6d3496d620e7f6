"""Watch checksums and errors: what OSDs spend on checksums, and what links and media count.

Counters of links and disks come with the facts of hosts. The time that OSDs spend on checksums is
a channel of the watch's frames; what OSDs do not send is asked for (``osd_asker.py``).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Optional, Protocol

from ..core.clock import Clock
from ..model.cluster import BenchSpans, Members
from ..model.coverage import Gap, Look, facts_gaps, gap
from ..model.detector import Detector, WatchTick
from ..model.facts import HostFacts
from ..model.finding import Claim
from ..model.finding_kinds import CRC_HOTSPOT, LINK_ERRORS, MEDIA_ERRORS
from ..model.frame import CHECKSUM, Frame, Mark, Watched
from ..model.hardware import (
    DAY,
    EIO,
    HOT_SHARE,
    RETRIES,
    ChecksumAnswer,
    CounterTrend,
    Drives,
    Enclosure,
    Errors,
    HostChecksums,
    OsdChecksums,
    OsdsOnDrive,
    Share,
)
from ..model.osd import Member, Osd
from ..model.pacing import Every, Memo
from .enclosures import EnclosureInventory
from .host_facts import HostFactsRegistry, StoredFacts
from .rules.checksums import Hotspots, checksum_claims, rate_between
from .rules.errors import NOWHERE, errors_told, link_claims, media_claims, placed, silent_disks

_JUDGED_EVERY = 15.0
_MEMBERS_AGE = 15.0
_MAPS_AGE = 600.0
_MOST_ANSWERS = 20_000
# Seconds: of two answers that are less apart, the time between them is no measure.
_LEAST_APART = 9.0
# Seconds after a bench during which answers may still show it.
_LATE = 10.0
# Seconds for which a rate counts: OSDs of a large cluster are asked once in 83 min.
_RATE_SECONDS = 7200.0
_RESTARTED = int(Mark.RESTARTED)
# The most errors of a kind in one answer.
_MOST_ERRORS = 500
_UNREAD = (Gap("unread", "the watch has not read the counters yet", "wait a minute"),)


class OpThreads(Protocol):
    """The number of op threads of each OSD."""

    def of(self, osd: Osd) -> Optional[int]:
        """Shards times threads per shard, as configured; None if unknown."""

    def forget(self, osd: int) -> None:
        """The OSD has restarted and uses the options set by now."""


class OsdSources(NamedTuple):
    """What is known of the OSDs without asking them."""

    members: Members
    threads: OpThreads
    benched: BenchSpans


@dataclass(frozen=True)
class ChecksumSnapshot:
    """The state of all checksums at ``now``; ``peaks`` has the highest share of a day, and when.

    ``rates`` are bytes per second.
    """

    now: float
    members: Sequence[Member] = ()
    hotspots: Hotspots = field(default_factory=Hotspots)
    peaks: Mapping[int, tuple[float, float]] = field(default_factory=dict)
    rates: Mapping[int, float] = field(default_factory=dict)
    errors: Sequence[Errors] = ()
    facts: Mapping[str, HostFacts] = field(default_factory=dict)


class ChecksumMonitor(Detector):
    """Ticks on the watch's thread; ``take_answer`` and ``read`` may be called from any."""

    name = "crc"
    while_off = True

    def __init__(
        self,
        osds: OsdSources,
        hosts: HostFactsRegistry,
        inventory: EnclosureInventory,
        clock: Clock,
        hot_share: Callable[[], float] = lambda: HOT_SHARE,
    ) -> None:
        """``hot_share``: the share of op threads' time from which on an OSD is a hotspot."""
        self._roster, self._threads, self._benched = osds
        self._hosts = hosts
        self._inventory = inventory
        self._clock = clock
        self._hot_share = hot_share
        self._judgements = Every(_JUDGED_EVERY)
        self._answers: deque[ChecksumAnswer] = deque(maxlen=_MOST_ANSWERS)
        self._on = False
        self._members: Sequence[Member] = ()
        self._by_osd: Mapping[int, Osd] = {}
        # By OSD its newest answer, and its share by those that came since the last judgement.
        self._newest: dict[int, ChecksumAnswer] = {}
        self._asked: dict[int, Share] = {}
        # These are replaced and never changed, because other threads read them.
        self._hotspots = Hotspots()
        self._peaks: Mapping[int, tuple[float, float]] = {}
        # By OSD when it answered, and how fast it was since its answer before.
        self._rates: Mapping[int, tuple[float, float]] = {}
        # By OSD and kind its count of failed reads.
        self._trends: Mapping[tuple[int, str], CounterTrend] = {}
        self._told = Memo(_told)
        # The OSDs that restarted a moment ago, and those whose share the frames have.
        self._restarted: frozenset[int] = frozenset()
        self._senders: Collection[int] = ()
        self._claims: Sequence[Claim] = ()

    # --- the watch's thread ------------------------------------------------------------------

    def tick(self, tick: WatchTick) -> None:
        """While the watch is off only the facts of hosts are judged."""
        now = self._clock.now()
        self._on = tick.on
        if tick.on:
            self._take_members()
        if tick.replaced:
            self._forget(tick.replaced)
        self._take_answers()
        for frame in tick.frames:
            shares = self._shares(frame)
            self._senders = shares.keys()
            self._judge_shares(shares, now)
        if self._judgements.is_due(self._clock.monotonic()):
            asked, self._asked = self._asked, {}
            if asked or not tick.frames:
                self._judge_shares(asked, now)
            self._judge(tick.members, now)

    def claims(self) -> Sequence[Claim]:
        """The claims of the newest judgement."""
        return self._claims

    def _take_members(self) -> None:
        seen = self._roster.members(_MEMBERS_AGE)
        if seen is self._members:
            return
        self._members, self._by_osd = seen, {member.osd.id: member.osd for member in seen}
        for member in seen:
            if not member.osd.up:
                self._threads.forget(member.osd.id)
        self._forget((self._newest.keys() | {osd for osd, _ in self._trends}) - self._by_osd.keys())

    def _forget(self, osds: Collection[int]) -> None:
        """Forget what these OSDs did and counted: they are gone, or others have their IDs."""
        self._hotspots = self._hotspots.without(osds)
        self._trends = {key: one for key, one in self._trends.items() if key[0] not in osds}
        self._peaks = {osd: one for osd, one in self._peaks.items() if osd not in osds}
        self._newest = {osd: one for osd, one in self._newest.items() if osd not in osds}
        self._rates = {osd: one for osd, one in self._rates.items() if osd not in osds}
        self._asked = {osd: one for osd, one in self._asked.items() if osd not in osds}

    def _take_answers(self) -> None:
        if not self._answers:
            return
        trends, rates = dict(self._trends), dict(self._rates)
        while self._answers:
            answer = self._answers.popleft()
            osd = self._by_osd.get(answer.osd)
            if osd is not None:
                for kind, count in ((EIO, answer.errors), (RETRIES, answer.retries)):
                    if count is not None:
                        known = trends.get((osd.id, kind))
                        trends[osd.id, kind] = _counted(known, count, answer.at)
                self._take_time(osd, answer, rates)
        self._trends, self._rates = trends, rates

    def _take_time(
        self, osd: Osd, answer: ChecksumAnswer, rates: dict[int, tuple[float, float]]
    ) -> None:
        """Compare the answer with the one before: its share, and its rate."""
        before = self._newest.get(osd.id)
        if before is not None and 0 <= answer.at - before.at < _LEAST_APART:
            return
        self._newest[osd.id] = answer
        if before is None or answer.at <= before.at:
            return
        spent = answer.seconds - before.seconds
        if spent < 0:  # it has restarted
            self._threads.forget(osd.id)
            return
        rate = rate_between(spent, answer.bytes - before.bytes)
        if rate is not None:
            rates[osd.id] = answer.at, rate
        threads = self._threads.of(osd)
        ours = self._benched.during(before.at - _LATE, answer.at)
        if threads and osd.id not in ours and osd.id not in self._senders:
            share = spent / ((answer.at - before.at) * threads)
            self._asked[osd.id] = Share(before.at, answer.at, share, threads)

    def _shares(self, frame: Frame) -> dict[int, Share]:
        """The shares of a frame, without OSDs that ran a bench in it."""
        means, ops = frame.latency.get(CHECKSUM, ()), frame.ops.get(CHECKSUM, ())
        marked = zip(frame.roster.members, frame.marks)
        restarted = frozenset(one.osd for one, mark in marked if mark & _RESTARTED)
        for number in restarted - self._restarted:
            self._threads.forget(number)
        self._restarted = restarted
        found = {}
        for one, mean, count in zip(frame.roster.members, means, ops):
            osd = self._by_osd.get(one.osd)
            if osd is None or count != count:  # noqa: PLR0124 - NaN: not known
                continue
            threads = self._threads.of(osd)
            if threads:
                spent = mean * count if count else 0.0
                share = spent / ((frame.end - frame.start) * threads)
                found[one.osd] = Share(frame.start, frame.end, share, threads)
        return found

    def _judge_shares(self, new: Mapping[int, Share], now: float) -> None:
        self._hotspots = self._hotspots.after(new, self._by_osd, self._hot_share(), now)
        peaks = dict(self._peaks)
        for osd, one in new.items():
            before = peaks.get(osd)
            if before is None or one.share >= before[0] or one.end - before[1] > DAY:
                peaks[osd] = one.share, one.end
        self._peaks = peaks

    def _judge(self, members: Sequence[Watched], now: float) -> None:
        errors = self._all_errors()
        claims: list[Claim] = []
        if self._on:
            claims += checksum_claims(self._hotspots, self._by_osd, members, now)
        self._claims = [*claims, *link_claims(errors, now), *media_claims(errors, now)]

    def _facts(self) -> Mapping[str, HostFacts]:
        return {host: one.facts for host, one in (self._hosts.cached() or {}).items()}

    def _all_errors(self) -> list[Errors]:
        """The errors in the facts of hosts, and those that OSDs count."""
        known = self._hosts.cached()
        if known is None:
            return self._osd_errors(())
        snapshot = self._inventory.view(_MAPS_AGE)
        told = self._told(known, snapshot.enclosures, snapshot.drives)
        return [*told, *self._osd_errors(snapshot.enclosures)]

    def _osd_errors(self, enclosures: Sequence[Enclosure]) -> list[Errors]:
        places = placed(enclosures)
        by_osd = {member.osd.id: member.osd for member in self._members if self._on}
        errors = []
        for (number, kind), trend in sorted(self._trends.items()):
            osd = by_osd.get(number)
            if osd is None or not (trend.count or trend.grew):
                continue
            enclosure, slot = places.get(number, NOWHERE)
            errors.append(
                Errors(
                    osd.host,
                    kind,
                    trend,
                    disk=osd.name,
                    on=OsdsOnDrive((number,)),
                    device=osd.own_device,
                    enclosure=enclosure,
                    slot=slot,
                )
            )
        return errors

    def looks(self) -> Sequence[Look]:
        """Shares by OSD; errors by host, of which those that OSDs count are known anyway."""
        osds, now = [one.osd for one in self._members], self._clock.now()
        stored = self._hosts.cached()
        facts = None if stored is None else {host: one.facts for host, one in stored.items()}
        # The maps are known also while the watch is off and has read no counters.
        hosts = {osd.host for osd in osds} or self._inventory.hosts()
        down = [osd.name for osd in osds if not osd.up]
        silent = [osd.name for osd in osds if osd.up and self._hotspots.fresh(osd.id, now) is None]
        gaps = [
            gap("down", "they are down", down, "see 'ceph osd tree down'"),
            gap(
                "unread",
                "they have not sent the time of their checksums: those of Ceph 16 never do",
                silent,
                "'ceph perf-bench crc ls' asks them",
            ),
        ]
        return [
            Look(
                "checksums",
                "time that OSDs spend on checksums",
                "OSD",
                len(osds),
                (CRC_HOTSPOT.code,),
                tuple(one for one in gaps if one.count) if osds else _UNREAD,
            ),
            Look(
                "link_errors",
                "error counters of links to disks",
                "host",
                len(hosts),
                (LINK_ERRORS.code,),
                facts_gaps(hosts, facts, now, _tells_no_links, "any counters of links"),
            ),
            Look(
                "media_errors",
                "media errors (of OSDs everywhere, of disks)",
                "host",
                len(hosts),
                (MEDIA_ERRORS.code,),
                facts_gaps(hosts, facts, now, _tells_not_all_smart, "SMART counters", partly=True),
            ),
        ]

    # --- saved state -------------------------------------------------------------------------

    def save(self) -> Mapping[str, Any]:
        """The counts; an open finding about a hotspot stays until new frames were judged."""
        return {
            # An OSD that restarted counts from 0 again: what had grown before is of the last day.
            "growths": [
                [*key, one.to_json()] for key, one in self._trends.items() if one.count or one.grew
            ]
        }

    def restore(self, state: Mapping[str, Any], now: float) -> None:  # noqa: ARG002
        """Add what was saved to what was seen since."""
        trends = {
            (osd, kind): CounterTrend.from_json(one) for osd, kind, one in state.get("growths", ())
        }
        for key, newer in self._trends.items():
            before = trends.get(key)
            trends[key] = (
                newer if before is None else before.read(newer.count, newer.at, begins_at=0)
            )
        self._trends = trends

    # --- from other threads ------------------------------------------------------------------

    def take_answer(self, answer: ChecksumAnswer) -> None:
        """Queue the answer of an OSD for the next tick."""
        self._answers.append(answer)

    def roster(self) -> Sequence[Member]:
        """The OSDs that may be asked; none while the watch is off."""
        return self._members if self._on else ()

    def unknown(self) -> list[int]:
        """The OSDs that are up and run no bench, and whose share is not known."""
        now, hotspots, busy = self._clock.now(), self._hotspots, self.busy()
        up = [member.osd.id for member in self.roster() if member.osd.up]
        return [osd for osd in up if osd not in busy and hotspots.fresh(osd, now) is None]

    def busy(self) -> set[int]:
        """The OSDs that run a bench, which would answer late."""
        now = self._clock.now()
        return self._benched.during(now, now + 1)

    def read(self) -> ChecksumSnapshot:
        """The present state. Raises StoreUnavailable until the facts are read."""
        self._hosts.known()
        now, members = self._clock.now(), self._members
        known = self._rates
        fresh = {osd: rate for osd, (at, rate) in known.items() if now - at < _RATE_SECONDS}
        rates = {one.osd.id: fresh[one.osd.id] for one in members if one.osd.id in fresh}
        return ChecksumSnapshot(
            now,
            members,
            self._hotspots,
            self._peaks,
            rates,
            self._all_errors(),
            self._facts(),
        )


def _counted(known: Optional[CounterTrend], count: int, at: float) -> CounterTrend:
    """The trend with another count; an OSD counts from 0 when it starts."""
    return known.read(count, at, begins_at=0) if known else CounterTrend.first(count, at)


def _told(
    known: Mapping[str, StoredFacts], enclosures: Sequence[Enclosure], drives: Drives
) -> list[Errors]:
    facts = {host: one.facts for host, one in known.items()}
    memories = {host: one.memory for host, one in known.items()}
    return errors_told(facts, memories, enclosures, drives)


def _tells_no_links(facts: HostFacts) -> bool:
    of_disks = any(one.udma_crc_errors is not None for one in facts.smart or ())
    return facts.phys is None and facts.pcie is None and not of_disks


def _tells_not_all_smart(facts: HostFacts) -> bool:
    """Whether a disk of an OSD tells none, as one that hangs."""
    used = set(facts.devices_by_osd().values())
    return facts.smart is None or any(used & set(names) for names in silent_disks(facts).values())


# --- figures of a snapshot -------------------------------------------------------------------


def osd_checksums(view: ChecksumSnapshot) -> list[OsdChecksums]:
    """Every OSD, in the order of the snapshot."""
    told, found = view.hotspots.told(), []
    for member in view.members:
        osd = member.osd
        share, hot = view.hotspots.fresh(osd.id, view.now), told.get(osd.id)
        peak, peak_at = view.peaks.get(osd.id, (None, None))
        known = view.hotspots.shares.get(osd.id)
        found.append(
            OsdChecksums(
                osd=osd,
                share=share.share if share else None,
                seconds=share.end - share.begin if share else None,
                threads=known.threads if known else None,
                peers=view.hotspots.peers.get(osd.id) if share else None,
                rate=view.rates.get(osd.id),
                hot_since=hot.begin if hot else None,
                peak=peak,
                peak_at=peak_at,
            )
        )
    return found


def worst_errors(view: ChecksumSnapshot, kinds: Collection[str]) -> tuple[list[Errors], int]:
    """At most 500 error counters of these kinds, the fastest first; how many there are."""
    found = [one for one in view.errors if one.kind in kinds]
    found.sort(key=lambda one: (-(one.growth.per_day(view.now) or 0), -one.growth.count))
    return found[:_MOST_ERRORS], len(found)


def host_checksums(view: ChecksumSnapshot) -> list[HostChecksums]:
    """Every host with OSDs, by name."""
    cpus = {member.osd.host: member.cpu for member in view.members}
    for host, facts in view.facts.items():
        if host in cpus and not cpus[host] and facts.cpu is not None:
            cpus[host] = facts.cpu.model
    found = []
    for name in sorted(cpus):
        told = view.facts.get(name)
        core = told.crc32c.bytes_per_second if told and told.crc32c else None
        found.append(HostChecksums(name, cpus[name], core))
    return found
