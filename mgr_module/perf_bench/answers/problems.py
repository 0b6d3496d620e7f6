"""Everything that is wrong now in one list, and what it does to the cluster's clients.

A part of ``status``: the overview and the page of what is wrong show the same list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from statistics import median
from typing import Literal, Optional

from ..core.clock import Clock
from ..doctor.service import Doctor
from ..errors import StoreUnavailable
from ..hardware.enclosures import EnclosureInventory, condition
from ..model import finding_kinds
from ..model.doctor_snapshot import Advice
from ..model.finding import CLIENT_READ, CLIENT_WRITE, FindingState, Severity, Target
from ..model.finding import Finding as Found
from ..model.finding_kinds import BY_CODE
from ..model.history import ALL_OSDS, HOUR, WORK, ClusterSpan
from ..model.phrases import plural
from ..watch.service import Watch
from .findings import RANK, FindingTarget, began
from .kept_answers import KeptAnswers
from .paging import MAPS_AGE
from .shape import Stamp, copied
from .text import iso, number

# Seconds: the clients' figures of now are the mean of the newest minutes, those of before of the
# hour before it began.
_NOW, _BEFORE = 300.0, 1.0 * HOUR
# A minute that began after the finding did has ended by then.
_FIRST = 120.0
# Findings whose figures of before are kept: before does not change.
_KEPT = 64
# The list is made anew after so many seconds, and has at most so many lines. The first ones say
# what they do to clients: with thousands of findings all would take a second.
_FRESH, _MOST, _HARMFUL = 5.0, 100, 20
_CHANNELS = ((CLIENT_READ, "reads"), (CLIENT_WRITE, "writes"))

Kind = Literal["slow", "laggy", "hardware", "advice", "operation"]
# What the kinds of findings are about; one that is not here is about slowness.
_KINDS: dict[str, Kind] = {
    finding_kinds.LAGGY_PGS.code: "laggy",
    finding_kinds.CRC_HOTSPOT.code: "hardware",
    finding_kinds.LINK_ERRORS.code: "hardware",
    finding_kinds.MEDIA_ERRORS.code: "hardware",
    finding_kinds.ENCLOSURE_FAULT.code: "hardware",
    finding_kinds.MULTIPATH_DEGRADED.code: "hardware",
    finding_kinds.OSD_FLAPPING.code: "hardware",
    finding_kinds.CONFIG_RISK.code: "advice",
    finding_kinds.ROUND_FAILED.code: "operation",
    finding_kinds.RESTORE_PENDING.code: "operation",
    finding_kinds.STANDBY_MGR.code: "operation",
    finding_kinds.WATCH_FAILED.code: "operation",
    finding_kinds.STORE.code: "operation",
}
# Kinds of findings that slow clients down.
_HURTING = ("slow", "laggy", "hardware")
# How bad a state of enclosures and paths is; others are no problem, or are not known.
_BAD = {
    "failed": Severity.ERROR,
    "fault": Severity.ERROR,
    "degraded": Severity.WARNING,
    "flapping": Severity.WARNING,
    "bare": Severity.WARNING,
}


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong now.

    page -- What says more of it.
    finding -- The ID of the finding; null: it is none, or none yet.
    since -- Null: not known.
    muted -- Whether it is left out of health.
    harm -- What the cluster's clients get now, and got before; null: not known, or nothing.
    action -- What to do.
    """

    kind: Kind
    page: Literal["finding", "laggy", "enclosure", "paths", "doctor"]
    finding: Optional[int]
    severity: Severity
    target: FindingTarget
    text: str
    since: Optional[Stamp]
    muted: bool
    harm: Optional[str]
    action: str


# --- what it does to clients ---------------------------------------------------------------------

Spans = Callable[[float, float], Sequence[ClusterSpan]]


class Harm:
    """What the cluster's clients get now, against the hour before a finding began.

    Latencies are those of the median OSD: of many OSDs one that is slow does not change them.
    """

    def __init__(self, watch: Watch, spans: Spans, clock: Clock) -> None:
        """``spans`` returns the cluster's spans between two times; may raise StoreUnavailable."""
        self._watch = watch
        self._spans = spans
        self._clock = clock
        # By finding and its begin the spans of before.
        self._before_of: dict[tuple[int, float], Sequence[ClusterSpan]] = {}

    def told(self, finding: Found) -> Optional[str]:
        """A sentence; None for a finding that slows nobody down. May read the database."""
        if not _hurts(finding):
            return None
        before = self._before(finding, self._watch.cluster_minutes)
        if not before:
            with suppress(StoreUnavailable):
                before = self._before(finding, self._spans)
        return self._sentence(finding, before)

    def known(self, finding: Found) -> Optional[str]:
        """The same without reading the database; None where it would be needed."""
        if not _hurts(finding):
            return None
        before = self._before(finding, self._watch.cluster_minutes)
        return self._sentence(finding, before) if before else None

    def _sentence(self, finding: Found, before: Sequence[ClusterSpan]) -> str:
        now, begin = self._clock.now(), began(finding)
        newest = self._watch.cluster_minutes(max(now - _NOW, begin), now)
        if not newest and now < begin + _FIRST:
            return "not known yet: it began less than two minutes ago"
        return _harm(newest, before)

    def _before(self, finding: Found, spans: Spans) -> Sequence[ClusterSpan]:
        key = finding.id, began(finding)
        found = self._before_of.get(key) or spans(key[1] - _BEFORE, key[1])
        if found:
            # A new mapping, as other threads read this one.
            newest = list(self._before_of.items())[-_KEPT:]
            self._before_of = {**dict(newest), key: found}
        return found


def _hurts(finding: Found) -> bool:
    return finding.state is not FindingState.CLOSED and _kind(finding) in _HURTING


def _harm(now: Sequence[ClusterSpan], before: Sequence[ClusterSpan]) -> str:
    parts = [
        _change(f"client {words}", _latency(now, name), _latency(before, name), " ms")
        for name, words in _CHANNELS
    ]
    parts.append(_change("client operations", _operations(now), _operations(before), "/s"))
    told = "; ".join(part for part in parts if part)
    return told or "not known: no operation of a client was seen"


def _change(what: str, now: Optional[float], before: Optional[float], unit: str) -> str:
    """As "client writes: 30 ms, before it began 6.0 ms"; empty where neither is known."""
    if now is None and before is None:
        return ""
    return f"{what}: {_figure(now, unit)}, before it began {_figure(before, unit)}"


def _figure(value: Optional[float], unit: str) -> str:
    if value is None:
        return "not known"
    return f"{number(value, 0 if value >= 10 else 1)}{unit}"


def _latency(spans: Sequence[ClusterSpan], channel: str) -> Optional[float]:
    """The median OSD's mean latency in milliseconds."""
    found = [
        1000 * middle
        for span in spans
        for group, name, _osds, middle, *_ in span.latency
        if group == ALL_OSDS and name == channel
    ]
    return median(found) if found else None


def _operations(spans: Sequence[ClusterSpan]) -> Optional[float]:
    """Operations a second of all clients, the mean of the time."""
    known = [span.work for span in spans if len(span.work) == len(WORK)]
    places = WORK.index("read_ops"), WORK.index("write_ops")
    found = [sum(work[place] or 0.0 for place in places) for work in known]
    return sum(found) / len(found) if found else None


# --- the list ------------------------------------------------------------------------------------


class Problems:
    """Findings, and what is no finding (yet): PGs, enclosures and paths, advice."""

    def __init__(
        self, watch: Watch, doctor: Doctor, inventory: EnclosureInventory, harm: Harm, clock: Clock
    ) -> None:
        self._watch = watch
        self._doctor = doctor
        self._inventory = inventory
        self._harm = harm
        self._kept = KeptAnswers(clock, 1)

    def ls(self) -> tuple[list[Problem], int]:
        """The problems, worst first and of these the newest, and how many are left out."""
        found = self._kept.of("problems", _FRESH, self._all)
        return found[:_MOST], max(0, len(found) - _MOST)

    def _all(self) -> list[Problem]:
        findings = [
            one for one in self._watch.findings() if one.state is not FindingState.CLOSED and one.id
        ]
        told = [self._of_finding(one) for one in findings]
        # A finding says more than the state that it was made of.
        named = {(one.kind, one.target) for one in told}
        states = [*self._laggy(told), *self._hardware(findings)]
        told += [one for one in states if (one.kind, one.target) not in named]
        risks = {
            (code, one.target)
            for one in findings
            for code in one.evidence.get("advice", ())
            if one.code == finding_kinds.CONFIG_RISK.code
        }
        told += [
            _of_advice(one) for one in self._doctor.newest() if (one.code, one.target) not in risks
        ]
        # First by time, newest first, as sorting keeps the order of equals.
        told.sort(key=lambda one: one.since or "", reverse=True)
        told.sort(key=lambda one: (one.muted, RANK[one.severity]))
        of = {one.id: one for one in findings}
        first = [
            one if one.finding is None else replace(one, harm=self._harm.known(of[one.finding]))
            for one in told[:_HARMFUL]
        ]
        return [*first, *told[_HARMFUL:]]

    def _of_finding(self, one: Found) -> Problem:
        kind = BY_CODE.get(one.code)
        return Problem(
            kind=_kind(one),
            page="finding",
            finding=one.id,
            severity=one.severity,
            target=copied(FindingTarget, one.target),
            text=one.message,
            since=iso(began(one)),
            muted=one.state is FindingState.MUTED,
            harm=None,
            action=kind.action if kind else "",
        )

    def _laggy(self, told: Sequence[Problem]) -> Iterator[Problem]:
        """PGs that are laggy in this minute; a finding is made of them only when they last."""
        now, *_ = self._watch.laggy_groups()
        if not (now.laggy or now.wait) or any(one.kind == "laggy" for one in told):
            return
        text = f"{plural(now.laggy, 'PG')} laggy and {now.wait} waiting, of {now.pgs}"
        yield _state("laggy", "laggy", Severity.WARNING, Target("cluster", ""), text, now.at)

    def _hardware(self, findings: Sequence[Found]) -> Iterator[Problem]:
        """Enclosures and paths that are bad; of paths those that no finding names."""
        with suppress(StoreUnavailable):  # until the facts are read
            view = self._inventory.view(MAPS_AGE)
            for one in view.enclosures:
                word, why = condition(view, one)
                if word in _BAD:
                    text = f"enclosure {one.id} is {word}: {'; '.join(why[:1])}"
                    target = Target("enclosure", one.id)
                    yield _state("hardware", "enclosure", _BAD[word], target, text)
            lost = {
                osd
                for one in findings
                if one.code == finding_kinds.MULTIPATH_DEGRADED.code
                for osd in one.evidence.get("osds", ())
            }
            for path in view.multipaths:
                word, osd = path.state, path.on.first
                if word not in _BAD or (word in ("degraded", "failed") and osd in lost):
                    continue
                of = path.expected or len(path.paths)
                text = f"{path.name} on {path.host} is {word}: {path.active} of {of} paths active"
                target = Target("host", path.host) if osd is None else Target("osd", str(osd))
                yield _state("hardware", "paths", _BAD[word], target, text)


def _kind(finding: Found) -> Kind:
    return _KINDS.get(finding.code, "slow")


def _state(
    kind: Kind,
    page: Literal["laggy", "enclosure", "paths"],
    severity: Severity,
    target: Target,
    text: str,
    since: Optional[float] = None,
) -> Problem:
    """Something that is bad now and that no finding was made of."""
    command = {
        "laggy": "ceph perf-bench laggy ls",
        "enclosure": f"ceph perf-bench enclosure show {target.id}",
        "paths": "ceph perf-bench multipath ls",
    }[page]
    return Problem(
        kind=kind,
        page=page,
        finding=None,
        severity=severity,
        target=copied(FindingTarget, target),
        text=text,
        since=iso(since),
        muted=False,
        harm=None,
        action=f"'{command}' says more.",
    )


def _of_advice(one: Advice) -> Problem:
    return Problem(
        kind="advice",
        page="doctor",
        finding=None,
        severity=one.severity,
        target=copied(FindingTarget, one.target),
        text=one.message,
        since=None,
        muted=False,
        harm=None,
        action=one.fix,
    )
