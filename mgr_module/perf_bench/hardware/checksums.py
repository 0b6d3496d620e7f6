"""Watch checksums and errors: what OSDs spend on checksums, and what links and media count.

Counters of links and disks come with the facts of hosts. The time that OSDs spend on checksums is
a channel of the watch's frames; what OSDs do not send is asked for (``osd_asker.py``).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Optional, Protocol

from ..core.clock import Clock
from ..model.cluster import BenchSpans, Every, Members, Memo
from ..model.finding import (
    CHECKSUM,
    Claim,
    Detector,
    Frame,
    Gap,
    Look,
    Mark,
    Watched,
    WatchTick,
    facts_gaps,
)
from ..model.finding_kinds import CRC_HOTSPOT, LINK_ERRORS, MEDIA_ERRORS
from ..model.hardware import (
    DAY,
    EIO,
    HOT_SHARE,
    RETRIES,
    ChecksumAnswer,
    CounterTrend,
    Enclosure,
    Errors,
    HostFacts,
    OsdChecksums,
    OsdsOnDrive,
    Share,
)
from ..model.json_fields import decode
from ..model.osd import Member, Osd
from .enclosures import EnclosureInventory, look_at_hosts
from .host_facts import HostFactsRegistry
from .rules.checksums import Hot, checksum_claims, hot_after, peers_of, rate_between
from .rules.errors import NOWHERE, errors_told, link_claims, media_claims, placed, silent_disks

_JUDGED_EVERY = 15.0
_MEMBERS_AGE = 15.0
_MAPS_AGE = 600.0
_MOST_ANSWERS = 20_000
# Seconds: of two answers that are less apart, the time between them is no measure.
_LEAST_APART = 9.0
# Seconds after a bench during which answers may still show it.
_LATE = 10.0
# Seconds after which a share tells nothing of now.
_FRESH = 300.0
# Seconds for which a rate counts: OSDs of a large cluster are asked once in 83 min.
_RATE_SECONDS = 7200.0
_RESTARTED = int(Mark.RESTARTED)
# The most errors of a kind in one answer.
_MOST_ERRORS = 500
_OF_LINKS = "error counters of links to disks"
_OF_MEDIA = "media errors (of OSDs everywhere, of disks)"
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
    """The state of all checksums and errors at ``now``; OSDs in the order of the map."""

    now: float
    osds: Sequence[OsdChecksums] = ()
    errors: Sequence[Errors] = ()


@dataclass
class _Known:
    """What is known of one OSD. The watch's thread changes it, others read single fields.

    ``peak`` is the highest share of a day and when it was, ``rate`` in bytes/s with its time,
    ``trends`` has by kind its count of failed reads.
    """

    answer: Optional[ChecksumAnswer] = None
    share: Optional[Share] = None
    hot: Optional[Hot] = None
    peak: tuple[Optional[float], Optional[float]] = (None, None)
    rate: Optional[tuple[float, float]] = None
    trends: Mapping[str, CounterTrend] = field(default_factory=dict)

    def fresh(self, now: float) -> Optional[Share]:
        """The share, unless it is so old that it tells nothing of now."""
        return self.share if self.share and 0 <= now - self.share.end < _FRESH else None

    def take(self, new: Share, threshold: float) -> None:
        """Take a newer share; from ``threshold`` on it is hot."""
        highest, at = self.peak
        if highest is None or at is None or new.share >= highest or new.end - at > DAY:
            self.peak = new.share, new.end
        self.share = new
        self.hot = hot_after(self.hot, new, threshold)


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
        # These are replaced and never changed, because other threads read them.
        self._members: Sequence[Member] = ()
        self._by_osd: Mapping[int, Osd] = {}
        self._known: Mapping[int, _Known] = {}
        self._told = Memo(errors_told)
        self._claims: Sequence[Claim] = ()

    # --- the watch's thread ------------------------------------------------------------------

    def tick(self, tick: WatchTick) -> None:
        """While the watch is off only the facts of hosts are judged."""
        self._on = tick.on
        if tick.on:
            self._take_members()
        if tick.replaced:  # what is known is of others that had these IDs
            self._known = {
                osd: _Known() if osd in tick.replaced else one for osd, one in self._known.items()
            }
        threshold = self._hot_share()
        while self._answers:
            answer = self._answers.popleft()
            if answer.osd in self._by_osd:
                self._take(self._known[answer.osd], self._by_osd[answer.osd], answer, threshold)
        for frame in tick.frames:
            self._take_frame(frame, threshold)
        if self._judgements.is_due(self._clock.monotonic()):
            self._claims = self._judge(tick.members)

    def claims(self) -> Sequence[Claim]:
        """The claims of the newest judgement."""
        return self._claims

    def _take_members(self) -> None:
        seen = self._roster.members(_MEMBERS_AGE)
        if seen is not self._members:
            self._members, self._by_osd = seen, {member.osd.id: member.osd for member in seen}
            self._known = {osd: self._known.get(osd) or _Known() for osd in self._by_osd}

    def _take(self, known: _Known, osd: Osd, answer: ChecksumAnswer, threshold: float) -> None:
        """Compare an answer with the one before: errors, the rate, and the share if not sent."""
        trends = dict(known.trends)
        for kind, count in ((EIO, answer.errors), (RETRIES, answer.retries)):
            if count is not None:
                trends[kind] = _counted(trends.get(kind), count, answer.at)
        known.trends = trends
        before = known.answer
        if before is not None and 0 <= answer.at - before.at < _LEAST_APART:
            return
        known.answer = answer
        spent = answer.seconds - before.seconds if before is not None else 0.0
        if before is None or answer.at <= before.at or spent < 0:  # it has restarted
            return
        rate = rate_between(spent, answer.bytes - before.bytes)
        if rate is not None:
            known.rate = answer.at, rate
        threads = self._threads.of(osd)
        ours, fresh = self._benched.during(before.at - _LATE, answer.at), known.fresh(answer.at)
        if threads and osd.id not in ours and (fresh is None or fresh.asked):
            share = spent / ((answer.at - before.at) * threads)
            known.take(Share(before.at, answer.at, share, threads, asked=True), threshold)

    def _take_frame(self, frame: Frame, threshold: float) -> None:
        """Take the shares of a frame, without OSDs that ran a bench in it."""
        means, ops = frame.latency.get(CHECKSUM, ()), frame.ops.get(CHECKSUM, ())
        for one, mark in zip(frame.roster.members, frame.marks):
            if mark & _RESTARTED:
                self._threads.forget(one.osd)
        for one, mean, count in zip(frame.roster.members, means, ops):
            osd = self._by_osd.get(one.osd)
            if osd is None or count != count:  # noqa: PLR0124 - NaN: not known
                continue
            threads = self._threads.of(osd)
            if threads:
                spent = mean * count if count else 0.0
                share = spent / ((frame.end - frame.start) * threads)
                new = Share(frame.start, frame.end, share, threads)
                self._known[one.osd].take(new, threshold)

    def _judge(self, members: Sequence[Watched]) -> Sequence[Claim]:
        now, errors = self._clock.now(), self._all_errors()
        claims = [*link_claims(errors, now), *media_claims(errors, now)]
        if self._on:
            fresh, hot = self._fresh(now), self._hot(now)
            claims = [*checksum_claims(hot, fresh, self._by_osd, members), *claims]
        return claims

    def _fresh(self, now: float) -> dict[int, Share]:
        known = {osd: one.fresh(now) for osd, one in self._known.items()}
        return {osd: share for osd, share in known.items() if share is not None}

    def _hot(self, now: float) -> dict[int, Hot]:
        """The OSDs that are hot for long enough."""
        threshold = self._hot_share()
        hot = {osd: one.hot for osd, one in self._known.items() if one.hot}
        return {osd: one for osd, one in hot.items() if one.is_told(threshold, now)}

    def _all_errors(self) -> list[Errors]:
        """The errors in the facts of hosts, and those that OSDs count."""
        known = self._hosts.cached()
        if known is None:
            return list(self._osd_errors(()))
        snapshot = self._inventory.view(_MAPS_AGE)
        told = self._told(known, snapshot.enclosures, snapshot.drives)
        return [*told, *self._osd_errors(snapshot.enclosures)]

    def _osd_errors(self, enclosures: Sequence[Enclosure]) -> Iterator[Errors]:
        places, by_osd = placed(enclosures), self._by_osd if self._on else {}
        for number, osd in sorted(by_osd.items()):
            on, place = OsdsOnDrive((number,)), places.get(number, NOWHERE)
            for kind, trend in sorted(self._known.get(number, _Known()).trends.items()):
                if trend.newest or trend.grew:
                    yield Errors(osd.host, kind, trend, osd.name, on, osd.own_device, None, *place)

    def looks(self) -> Sequence[Look]:
        """Shares by OSD; errors by host, of which those that OSDs count are known anyway."""
        osds, now = [one.osd for one in self._members], self._clock.now()
        fresh, stored = self._fresh(now), self._hosts.cached()
        facts = None if stored is None else {host: one.facts for host, one in stored.items()}
        # The maps are known also while the watch is off and has read no counters.
        hosts = {osd.host for osd in osds} or self._inventory.hosts()
        down = [osd.name for osd in osds if not osd.up]
        silent = [osd.name for osd in osds if osd.up and osd.id not in fresh]
        unsent = "they have not sent the time of their checksums: those of Ceph 16 never do"
        gaps = (
            Gap("down", "they are down", "see 'ceph osd tree down'").of(down),
            Gap("unread", unsent, "'ceph perf-bench crc ls' asks them").of(silent),
        )
        links = facts_gaps(hosts, facts, now, _tells_no_links, "any counters of links")
        media = facts_gaps(hosts, facts, now, _tells_not_all_smart, "SMART counters", partly=True)
        told = tuple(one for one in gaps if one.count) if osds else _UNREAD
        what, codes = "time that OSDs spend on checksums", (CRC_HOTSPOT.code,)
        return [
            Look("checksums", what, "OSD", len(osds), codes, told),
            look_at_hosts("link_errors", _OF_LINKS, hosts, LINK_ERRORS, links),
            look_at_hosts("media_errors", _OF_MEDIA, hosts, MEDIA_ERRORS, media),
        ]

    # --- saved state -------------------------------------------------------------------------

    def save(self) -> Mapping[str, Any]:
        """The counts; an open finding about a hotspot stays until new frames were judged."""
        return {
            # An OSD that restarted counts from 0 again: what had grown before is of the last day.
            "growths": [
                [osd, kind, one]
                for osd, known in self._known.items()
                for kind, one in known.trends.items()
                if one.newest or one.grew
            ]
        }

    def restore(self, state: Mapping[str, Any], now: float) -> None:  # noqa: ARG002
        """Add what was saved to what was seen since."""
        saved = [
            (osd, kind, decode(CounterTrend, one)) for osd, kind, one in state.get("growths", ())
        ]
        known = dict(self._known)
        for osd, kind, before in saved:
            trends = known.setdefault(osd, _Known()).trends
            newer = trends.get(kind)
            since = before if newer is None else before.read(newer.newest, newer.at, begins_at=0)
            known[osd].trends = {**trends, kind: since}
        self._known = known

    # --- from other threads ------------------------------------------------------------------

    def take_answer(self, answer: ChecksumAnswer) -> None:
        """Queue the answer of an OSD for the next tick."""
        self._answers.append(answer)

    def roster(self) -> Sequence[Member]:
        """The OSDs that may be asked; none while the watch is off."""
        return self._members if self._on else ()

    def unknown(self) -> list[int]:
        """The OSDs that are up and run no bench, and whose share is not known."""
        fresh, busy = self._fresh(self._clock.now()), self.busy()
        up = [member.osd.id for member in self.roster() if member.osd.up]
        return [osd for osd in up if osd not in busy and osd not in fresh]

    def busy(self) -> set[int]:
        """The OSDs that run a bench, which would answer late."""
        now = self._clock.now()
        return self._benched.during(now, now + 1)

    def read(self) -> ChecksumSnapshot:
        """The present state. Raises StoreUnavailable until the facts are read."""
        self._hosts.known()
        now = self._clock.now()
        fresh, hot, members, by_osd = self._fresh(now), self._hot(now), self._members, self._by_osd
        shares = {osd: one.share for osd, one in fresh.items() if osd in by_osd}
        peers, found = peers_of(shares, by_osd), []
        for osd in (member.osd for member in members):
            known = self._known.get(osd.id) or _Known()
            share, rate = fresh.get(osd.id), known.rate
            found.append(
                OsdChecksums(
                    osd=osd,
                    share=share.share if share else None,
                    seconds=share.end - share.begin if share else None,
                    threads=known.share.threads if known.share else None,
                    peers=peers.get(osd.id),
                    rate=rate[1] if rate and now - rate[0] < _RATE_SECONDS else None,
                    hot_since=hot[osd.id].begin if osd.id in hot else None,
                    peak=known.peak[0],
                    peak_at=known.peak[1],
                    asked=share is not None and share.asked,
                )
            )
        return ChecksumSnapshot(now, found, self._all_errors())


def _counted(known: Optional[CounterTrend], count: int, at: float) -> CounterTrend:
    """The trend with another count; an OSD counts from 0 when it starts."""
    return known.read(count, at, begins_at=0) if known else CounterTrend.first(count, at)


def _tells_no_links(facts: HostFacts) -> bool:
    of_disks = any(one.udma_crc_errors is not None for one in facts.smart or ())
    return facts.phys is None and facts.pcie is None and not of_disks


def _tells_not_all_smart(facts: HostFacts) -> bool:
    """Whether a disk of an OSD tells none, as one that hangs."""
    used = set(facts.devices_by_osd().values())
    return facts.smart is None or any(used & set(names) for names in silent_disks(facts).values())


def worst_errors(view: ChecksumSnapshot, kinds: Collection[str]) -> tuple[list[Errors], int]:
    """At most 500 error counters of these kinds, the fastest first; how many there are."""
    found = [one for one in view.errors if one.kind in kinds]
    found.sort(key=lambda one: (-(one.growth.per_day(view.now) or 0), -one.growth.newest))
    return found[:_MOST_ERRORS], len(found)
