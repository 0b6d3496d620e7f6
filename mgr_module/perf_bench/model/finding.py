"""What the watch sees, how it is looked at, and what is found: frames, detectors, findings.

A part that looks for problems (a detector, the doctor, the schedules) tells what it looked at as a
``Look``; the watch collects them all (``Watch.coverage``). Each view that says "nothing" says what
of, from there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, IntFlag
from functools import cached_property
from typing import Any, NamedTuple, Optional, Protocol

from ..errors import InvalidValue
from .hardware import ORCHESTRATOR, STALE_SECONDS, HostFacts
from .json_fields import Moment
from .phrases import listed, plural

# The kind of target that regressions are about.
PROFILE = "profile"
# Characters of an acknowledgement's text, and of the name of who wrote it.
ACK_TEXT, ACK_NAME = 500, 100
# Closed findings are kept for so many seconds.
CLOSED_KEPT_SECONDS = 90 * 86400.0


class Severity(str, Enum):
    """How bad. INFO is never a health warning."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class FindingState(str, Enum):
    """OPEN until its cause is gone; MUTED is open without being shown in health."""

    OPEN = "open"
    MUTED = "muted"
    CLOSED = "closed"


@dataclass(frozen=True)
class Target:
    """What it is about.

    ``kind`` is osd, host, enclosure, rack, cohort, pool, profile, mgr, part (of this module) or
    cluster.
    """

    kind: str
    id: str

    def __str__(self) -> str:
        return f"osd.{self.id}" if self.kind == "osd" and self.id.isdigit() else self.id


@dataclass(frozen=True)
class Claim:
    """What a detector holds to be true now. ``since`` is unix seconds.

    ``message`` is one sentence that names the target and the figure. ``evidence`` is JSON-ready
    and has the figures behind it. One (code, target) is claimed once.
    """

    code: str
    severity: Severity
    target: Target
    message: str
    evidence: Mapping[str, Any]
    since: float

    @property
    def key(self) -> tuple[str, str, str]:
        return (self.code, self.target.kind, self.target.id)


@dataclass(frozen=True)
class Acknowledgement:
    """What an operator noted on a finding.

    by -- Who noted it; null: not named, as ceph-mgr does not tell modules whose key a command came
        with.
    """

    text: str
    at: Moment
    by: Optional[str] = None

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Finding:
    """A claim with its life; ``id`` 0 means not stored yet.

    acknowledged -- What an operator noted on it; null: nothing.
    """

    id: int
    code: str
    severity: Severity
    target: Target
    message: str
    evidence: Mapping[str, Any] = field(default_factory=dict)
    first_seen: Moment = 0.0
    last_seen: Moment = 0.0
    state: FindingState = FindingState.OPEN
    muted_until: Optional[Moment] = None
    closed_at: Optional[Moment] = None
    acknowledged: Optional[Acknowledgement] = None

    @property
    def key(self) -> tuple[str, str, str]:
        return (self.code, self.target.kind, self.target.id)


# --- What happened around a finding: changes of the configuration ---


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


# --- A frame: the figures of all OSDs in one short span of time ---


# The latencies that are watched, each a channel. Their sources: watch/collect/.
COMMIT = "commit"  # BlueStore: a transaction until it is committed (replica writes count too)
READ = "read"  # BlueStore: a read
QUEUE = "queue"  # OSD: a client's operation until it is taken from the queue
CLIENT_READ = "client_read"  # OSD: a client's whole read
CLIENT_WRITE = "client_write"  # OSD: a client's whole write, with its replicas
CHECKSUM = "checksum"  # BlueStore: verifying the checksums of a read; 17 and later send it
# Of checksums the share of the op threads' time is told (hardware/checksums.py), not the latency.
CHANNELS = (COMMIT, READ, QUEUE, CLIENT_READ, CLIENT_WRITE)
# A primary waits for its replicas, so client_write is high on the victims of a slow OSD: it is
# shown, but not judged. client_read is the sum of read and queue, both judged.
JUDGED = (COMMIT, READ, QUEUE)


def check_channel(name: Optional[str]) -> None:
    """Raise InvalidValue if this is given and no kind of operation."""
    if name is not None and name not in CHANNELS:
        raise InvalidValue(f"channel {name}: one of {', '.join(CHANNELS)}", field="channel")


# The span of one frame in seconds; an OSD that is slow for 30 s fills at least one.
FRAME_SECONDS = 15.0


class Mark(IntFlag):
    """Conditions of an OSD in a frame that make its figures less comparable."""

    DOWN = 1  # down or out
    RESTARTED = 2  # started less than 5 minutes ago
    NEW = 4  # of older recordings, as the next two but one: nothing follows from them
    RECOVERING = 8  # recovery or backfill moves its data
    SCRUBBING = 16
    REWEIGHTED = 32
    BENCHED = 64  # a bench ran on it in this frame: its figures are not used
    DISTURBED = 128  # a bench ran on another OSD of its host
    STALE = 256  # it has stopped reporting


# With one of these an OSD has no figures, or only those of a bench.
NO_FIGURES = Mark.DOWN | Mark.STALE | Mark.BENCHED


@dataclass(frozen=True)
class Watched:
    """One OSD as the watch compares it.

    ``cohort`` names its peers, which should perform alike: device class, model, role. ``device``
    names the physical device, which several OSDs may share.
    """

    osd: int
    name: str
    host: str
    cohort: str
    rack: Optional[str] = None
    enclosure: Optional[str] = None
    device: Optional[str] = None


@dataclass(frozen=True)
class Roster:
    """The watched OSDs in a fixed order, ascending by ID; a change makes a new roster."""

    members: tuple[Watched, ...]


@dataclass(frozen=True)
class Frame:
    """All OSDs over one span; each list is in the order of the roster.

    ``latency`` has by channel the means in seconds, ``ops`` the numbers of operations. NaN means no
    data, and never zero; a channel without any data is left out. ``ops`` is NaN if only the mean is
    known. ``load`` is bytes/s, NaN if unknown. ``marks`` are ``Mark`` bits. ``start`` and ``end``
    are unix seconds.
    """

    start: float
    end: float
    roster: Roster
    latency: Mapping[str, Sequence[float]]
    ops: Mapping[str, Sequence[float]]
    load: Sequence[float]
    marks: Sequence[int]


# With fewer operations of clients in a frame, their mean latency is not meaningful.
_FEW = 100.0


def client_seconds(frame: Frame) -> Optional[float]:
    """Clients' mean latency over all OSDs in seconds; None with fewer than 100 operations."""
    total = count = 0.0
    for channel in (CLIENT_READ, CLIENT_WRITE):
        for mean, ops in zip(frame.latency.get(channel, ()), frame.ops.get(channel, ())):
            if not (math.isnan(mean) or math.isnan(ops)):
                total += mean * ops
                count += ops
    return total / count if count >= _FEW else None


# --- What was looked at, and what could not be ---


# The code of a gap of hosts whose facts lack a section.
NO_SECTION = "no-section"
# That of hosts whose facts tell a part of one, as where a program's output ended in the middle:
# what was bad before may still be.
TOLD_IN_PART = "told-in-part"
PUSH = "ceph-perf-bench facts --push"
# The name of the look at latencies.
SLOW_OSDS = "slow_osds"
# Units of a gap that an answer names.
_NAMED = 20


@dataclass(frozen=True)
class Gap:
    """Units that could not be looked at, for one reason.

    count -- How many; units names some of them.
    command -- A command that completes it if it is run on each of the hosts of 'on'.
    help -- What would help, "" if nothing but time does.
    since -- The earliest time from which on it holds; null: not known.
    partly -- They were looked at in part.

    ``code`` names the reason for programs, ``why`` follows "3 OSDs: " in a sentence. ``units`` are
    names of all, or empty.
    """

    KEYS = (
        "code", "count", ("units", "some"), "why", "command", "on", ("help", "remedy"), "since",
        "partly",
    )  # fmt: skip
    code: str
    why: str
    help: str = ""
    units: tuple[str, ...] = ()
    count: int = 0
    since: Optional[Moment] = None
    partly: bool = False
    command: Optional[str] = None
    on: tuple[str, ...] = ()

    def of(self, units: Sequence[str]) -> Gap:
        """The same reason, of these units; a command is to be run on each of them."""
        on = tuple(units) if self.command else ()
        return replace(self, units=tuple(units), count=len(units), on=on)

    @property
    def some(self) -> Sequence[str]:
        return self.units[:_NAMED]

    @property
    def remedy(self) -> str:
        """What would help, with the hosts of a command."""
        return f"run '{self.command}' on {listed(self.on)}" if self.command else self.help

    @cached_property
    def named(self) -> frozenset[str]:
        """The units, made once: thousands of findings may close in a tick."""
        return frozenset(self.units)


@dataclass(frozen=True)
class Look:
    """One thing that is looked at: looked units of total, for findings with these codes.

    gaps -- What of it could not be looked at; sentences say it in words.

    ``what`` says what is looked at, of ``total`` units ("OSD", "host", …); each unit is in at most
    one gap.
    """

    KEYS = (
        "name", "what", "unit", "total", "looked", "partly", "complete", "codes", "gaps", "summary",
        "sentences",
    )  # fmt: skip
    name: str
    what: str
    unit: str
    total: int
    codes: tuple[str, ...]
    gaps: tuple[Gap, ...] = ()

    @property
    def looked(self) -> int:
        """The units that were looked at, at least in part."""
        return max(0, self.total - sum(gap.count for gap in self.gaps if not gap.partly))

    @property
    def partly(self) -> int:
        """The units that were looked at only in part."""
        return sum(gap.count for gap in self.gaps if gap.partly)

    @property
    def complete(self) -> bool:
        return not self.gaps

    @property
    def summary(self) -> str:
        """How much was looked at, as "3 of 6 OSDs" or "all 6 OSDs"."""
        units = plural(self.total, self.unit)
        if not self.total:
            return units
        if self.looked == self.total:
            return f"the {units}" if self.total == 1 else f"all {units}"
        return f"{self.looked} of {units}"

    @property
    def sentences(self) -> Sequence[str]:
        return gap_sentences([self])


def why_unseen(code: str, names: Collection[str], looks: Iterable[Look]) -> Optional[str]:
    """Why all of these units cannot be looked at now for findings of this kind; None if they are.

    Units that a gap counts without naming them are taken for seen, unless it counts all.
    """
    return next(
        (
            found.why
            for look in looks
            if code in look.codes
            for found in look.gaps
            if not found.partly
            and (found.count == look.total or (names and found.named.issuperset(names)))
        ),
        None,
    )


def away(look: Look, code: str, why: str, help_: str = "") -> Look:
    """The same look, of which nothing could be looked at."""
    return replace(look, gaps=(Gap(code, why, help_, count=look.total),))


def facts_gaps(
    hosts: Iterable[str],
    facts: Optional[Mapping[str, HostFacts]],
    now: float,
    lacks: Callable[[HostFacts], bool],
    section: str,
    partly: bool = False,
) -> tuple[Gap, ...]:
    """The gaps of hosts without facts, with old facts, and with facts that lack a section.

    ``facts`` is None while those in the database are not read.
    """
    names = sorted(set(hosts))
    if not names:
        return ()
    if facts is None:
        why = "the facts of hosts are not read from the database yet"
        return (Gap("not-read", why, partly=partly).of(names),)
    none = [name for name in names if name not in facts]
    old = [name for name in names if name in facts and not facts[name].is_fresh(now)]
    fresh = [name for name in names if name in facts and facts[name].is_fresh(now)]
    without = [name for name in fresh if lacks(facts[name])]
    missing = Gap(NO_SECTION, f"the facts of the host do not tell {section}", command=PUSH)
    if any(facts[name].source != ORCHESTRATOR for name in without):
        programs = "docs/host-facts.md lists the programs that collect them"
        missing = replace(missing, command=None, help=programs)
    days = plural(round(STALE_SECONDS / 86400), "day")
    since = min((facts[name].collected_at for name in old), default=None)
    found = (
        Gap("no-facts", "no facts of the host are known", command=PUSH).of(none),
        Gap("old-facts", f"the facts are older than {days}", since=since, command=PUSH).of(old),
        missing.of(without),
    )
    return tuple(replace(one, partly=partly) for one in found if one.count)


# --- as sentences ----------------------------------------------------------------------------


def gap_sentences(looks: Iterable[Look]) -> list[str]:
    """Everything that could not be looked at, a sentence each; what has one reason is joined.

    As "latencies …: 2 of 6 OSDs (osd.0 and osd.1) not looked at: why; help".
    """
    by_reason: dict[tuple[Gap, str, int], list[str]] = {}
    for look in looks:
        for one in look.gaps:
            by_reason.setdefault((one, look.unit, look.total), []).append(look.what)
    return [
        f"{', '.join(whats)}: {_missing(one, unit, total)}"
        for (one, unit, total), whats in by_reason.items()
    ]


def _missing(one: Gap, unit: str, total: int) -> str:
    why = f"{one.why}; {one.remedy}" if one.remedy else one.why
    looked = _NOT_LOOKED[unit == "check", one.partly]
    if not one.count:
        return f"{looked}: {why}"
    many = f"{one.count} of {plural(total, unit)}"
    if one.units and one.count < total:
        many = f"{many} ({listed(one.units)})"
    return f"{many} {looked}: {why}"


# By whether it is a check, which looks itself, and whether it could in part.
_NOT_LOOKED = {
    (True, True): "could look in part",
    (True, False): "could not look",
    (False, True): "looked at only in part",
    (False, False): "not looked at",
}


# --- A detector: it looks at every tick of the watch and says what is wrong ---


@dataclass(frozen=True)
class WatchTick:
    """What the watch hands to every detector at a tick.

    ``now`` is unix seconds. While the watch is off (``on`` is False) nothing is collected.
    ``frames`` are those that are new since the tick before, oldest first. ``members`` are all OSDs
    by ID, ``stale`` those whose reports stand still, ``running_round`` the ID of the bench round
    that runs now. ``clock_step`` is by how many seconds the clock was set since the tick before.
    ``replaced`` are the OSDs that were made anew under the ID of another one, since the tick before
    or the saved state: what is known of that one is not theirs. ``offset`` is ``now`` less the
    steady time, which is unix seconds as if the clock had not been set since this mgr began.
    """

    now: float
    on: bool = True
    frames: Sequence[Frame] = ()
    members: Sequence[Watched] = ()
    stale: Collection[int] = ()
    running_round: Optional[int] = None
    clock_step: float = 0.0
    replaced: Collection[int] = ()
    offset: float = 0.0

    @property
    def steady(self) -> float:
        """For durations; ``offset`` makes unix seconds of it, to tell or to save them."""
        return self.now - self.offset


class Gauge(NamedTuple):
    """A metric of a detector: ``name`` without the prefix, samples as labels and value.

    ``per_osd`` says that it may have a series for every OSD.
    """

    name: str
    help: str
    samples: Sequence[tuple[Mapping[str, str], float]]
    per_osd: bool = False


class Detector(Protocol):
    """One kind of fault, or a few that are seen from the same figures.

    All methods are called on the watch's thread. What raises is logged and told in
    ``status``; the other detectors go on, and the claims of the tick before stay.
    """

    # The name of its saved state in the store.
    name: str
    # Whether it looks also while the watch is off.
    while_off: bool = False

    def tick(self, tick: WatchTick) -> None:
        """Look once; every few seconds."""

    def claims(self) -> Sequence[Claim]:
        """What is wrong as of the newest tick."""

    def knows(self, finding: Finding) -> bool:  # noqa: ARG002 - most need data of minutes
        """Whether a restored finding without a claim is over, and not only not seen again yet.

        It counts only for findings of the kinds that ``looks`` tells.
        """
        return False

    def looks(self) -> Sequence[Look]:
        """What it looks at, and what of that it cannot look at now; every kind of its findings.

        Asked once a minute. The watch itself tells that it is off, and that the detector failed.
        """
        return ()

    def save(self) -> Mapping[str, Any]:
        """What must survive the mgr, JSON-ready; empty for nothing.

        Saved every 5 minutes, and at once where a finding opens or closes.
        """
        return {}

    def restore(self, state: Mapping[str, Any], now: float) -> None:  # noqa: ARG002
        """Take over what another mgr saved; ``now`` is unix seconds.

        It may come after the first ticks, where the database was away: then it adds to what was
        seen since, or leaves it. A KeyError, TypeError, ValueError or IndexError says that the
        state cannot be read; nothing has been taken then.
        """
        return

    def explain(self, osd: int) -> Sequence[str]:  # noqa: ARG002 - most have nothing to say
        """What it thinks of one OSD, in sentences for ``osd show``; empty for nothing."""
        return ()

    def metrics(self) -> Sequence[Gauge]:
        """Figures for Prometheus beside the findings."""
        return ()
