"""The detector of slow OSDs: what the engine found, as claims, verdicts, and why there is none."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timezone
from typing import Any, NamedTuple, Optional

from ...model.finding import (
    NO_FIGURES,
    SLOW_OSDS,
    Claim,
    Detector,
    Gap,
    Look,
    Mark,
    Severity,
    Target,
    away,
    gap,
)
from ...model.finding_kinds import SLOW_ENCLOSURE, SLOW_HOST, SLOW_OSD
from ...model.phrases import listed, plural, times_text
from ...model.verdict import CohortReport, OsdState, OsdVerdict
from .cohort import CohortChannel
from .engine import SILENT, Engine
from .judge import (
    ACUTE,
    BURSTS,
    GENERATION,
    INTERMITTENT,
    SUSTAINED,
    Cause,
    SlowEvidence,
)
from .topology import Cohort

# Minutes of data before a cohort's OSDs have verdicts.
_COLD_MINUTES = 5
# So many hits in the last windows make an OSD suspect, although not slow.
_SUSPICIOUS = 2
# Maximum number of OSDs in a claim's evidence.
_LISTED = 100
_CODES = {"host": SLOW_HOST.code, "enclosure": SLOW_ENCLOSURE.code, "rack": SLOW_ENCLOSURE.code}
_UNSEEN = Gap("unread", "the watch has not read the counters yet", "wait a minute")
_TREE = "see 'ceph osd tree'"
_DOWN = Gap("down", "down or out", _TREE)
_SILENT = Gap("silent", "no reports come to the mgr any more", "see the OSD's log")
_PEERS_AWAY = Gap(
    "peers-away",
    "none of its peers has figures to compare it with: they are down, out, silent or measured",
    _TREE,
)
_BENCHED = Gap(
    "benched",
    "a round measures it, or did a minute ago",
    "wait until a minute after the end of the round",
)
_ALONE = Gap(
    "alone",
    "it has no peers of its class, model and release to compare it with",
    "rounds compare it with its own past ('ceph perf-bench round start osd-throughput')",
)
_COLD = Gap(
    "cold",
    f"its cohort has had under {_COLD_MINUTES} minutes with data",
    "wait",
)
_UNSETTLED = (
    "too many of their cohort recover, are new or restarted: only those are found that are at "
    "least twice as slow"
)


class SlowDetector(Engine, Detector):
    """Takes every frame in order; can be queried between frames. Not thread-safe."""

    name = "slow"

    def claims(self) -> list[Claim]:
        """Return one claim for each cause; of two with one target, the larger ratio."""
        claims: dict[tuple[str, str, str], Claim] = {}
        for cause in self.judgement.causes:
            made = self._claim(cause)
            other = claims.get(made.key)
            if other is None or made.evidence["ratio"] > other.evidence["ratio"]:
                claims[made.key] = made
        return list(claims.values())

    def check(self) -> None:
        super().check()
        self.claims()

    def verdicts(self) -> Mapping[int, OsdVerdict]:
        """Return the verdicts by OSD; each is made when it is looked up."""
        return _Verdicts(self)

    def cohorts(self) -> list[CohortReport]:
        """Return for each cohort how small a slowdown is found, in its worst channel."""
        return [self._report(cohort) for cohort in (self.layout.cohorts if self.layout else ())]

    # --- claims -------------------------------------------------------------------------------

    def _claim(self, cause: Cause) -> Claim:
        """Return the claim of a cause: what OSDs of several hosts have in common is no warning."""
        code, target = _target(cause)
        warn = cause.osd is not None or cause.unit is not None
        return Claim(
            code,
            Severity.WARNING if warn else Severity.INFO,
            target,
            self._sentence(cause),
            self._evidence(cause),
            cause.since + self.offset,
        )

    def _sentence(self, cause: Cause) -> str:
        ground, cohort = cause.worst, cause.cohort
        times = times_text(math.exp(ground.flag.facts.excess))
        own, usual = map(_ms, ground.milliseconds)
        figures = f"({ground.channel} {own} against {usual}) since {self._time(cause.since)}"
        if cause.osd is not None:
            host = cohort.members[cohort.place[cause.osd]].host
            peers = plural(ground.flag.facts.members, "peer")
            slow = f"osd.{cause.osd} on {host} is {times} times as slow as its {peers}"
            if ground.path == INTERMITTENT:
                return f"{slow} in bursts, {ground.bursts} of them in 24 h {figures}"
            return f"{slow} {figures}"
        if cause.unit is not None:
            unit = f"{cause.unit.kind} {cause.unit.id} ({plural(len(cause.slow), 'OSD')})"
            return f"{unit} is {times} times as slow as its peers {figures}"
        hosts = len({one.host for one in cohort.members if one.osd in set(cause.slow)})
        if cause.kind == GENERATION:
            total = plural(len({one.host for one in cohort.members}), "host")
            return (
                f"{len(cause.hosts)} of the {total} of {cohort.name} are {times} times as slow "
                f"{figures}: since the first data and as slow as each other, as other hardware is"
            )
        reason = "too many at once for faults of their own"
        if cause.positions:
            reason = (
                f"they are at the same positions ({listed(cause.positions)}), so the cause is not "
                "in the drives"
            )
        how = " in bursts" if cause.kind == BURSTS else ""
        return (
            f"{len(cause.slow)} of the {cohort.size} OSDs of {cohort.name}, on "
            f"{plural(hosts, 'host')}, are slower than their peers{how}, typically {times} times "
            f"{figures}: {reason}"
        )

    def _evidence(self, cause: Cause) -> Mapping[str, Any]:
        """Return the figures behind a cause, JSON-ready."""
        found: dict[str, Any] = {
            **self._figures(cause.worst),
            "cohort": cause.cohort.name,
            # What the rule could see at the moment of these figures.
            "minimum_detectable_ratio": round(math.exp(cause.worst.flag.facts.least), 3),
            "paths": sorted({f"{each.channel} {each.path}" for each in cause.grounds}),
        }
        if cause.osd is None:
            found["osds"] = list(cause.slow[:_LISTED])
            found["members"] = len(cause.slow)
            if cause.positions:
                found["positions"] = list(cause.positions[:_LISTED])
            if cause.hosts:
                found["hosts"] = list(cause.hosts[:_LISTED])
        else:
            found["host"] = cause.cohort.members[cause.cohort.place[cause.osd]].host
        if cause.unit is not None and cause.unit.kind == "device":
            found["device"] = cause.unit.id
        return found

    def _figures(self, ground: SlowEvidence) -> dict[str, Any]:
        """Return the figures of one piece of evidence, JSON-ready."""
        flag, facts = ground.flag, ground.flag.facts
        own, peers = ground.milliseconds
        found: dict[str, Any] = {
            "path": ground.path,
            "channel": ground.channel,
            "ratio": round(math.exp(facts.excess), 3),
            "max_ratio": round(math.exp(min(flag.worst, 50.0)), 3),
            "robust_z": _z(facts.z),
            "latency_ms": _rounded(own),
            "peers_latency_ms": _rounded(peers),
            "peers": facts.members,
            "since": flag.since + self.offset,
            "share_of_time": round(flag.share, 3),
            "explained_by_load": round(math.exp(facts.load), 3),
        }
        if ground.floor:  # in the ratio, not in the latencies
            found["floor_ms"] = _rounded(1000 * ground.floor)
        if ground.bursts:
            found["bursts_24h"] = ground.bursts
        return found

    def _time(self, at: float) -> str:
        return f"{datetime.fromtimestamp(at + self.offset, timezone.utc):%Y-%m-%d %H:%M} UTC"

    # --- verdicts -----------------------------------------------------------------------------

    def verdict(self, osd: int) -> OsdVerdict:
        """Return the verdict on an OSD of the roster."""
        cohort, judgement = self._cohort_of(osd), self.judgement
        at, states = cohort.place[osd], self._states(cohort)
        worst = max(
            (one.worst[at] for one in states if not math.isnan(one.worst[at])), default=None
        )
        found = OsdVerdict(
            osd,
            OsdState.NO_DATA,
            risk=round(max((one.risk[at] for one in states), default=0.0), 2),
            max_ratio=None if worst is None else round(math.exp(worst), 3),
        )
        cause = judgement.accused.get(osd)
        if cause is not None:
            ground = cause.worst
            return replace(
                found,
                state=OsdState.SLOW,
                robust_z=_z(ground.flag.facts.z),
                ratio=round(math.exp(ground.flag.facts.excess), 3),
                since=cause.since + self.offset,
                channel=ground.channel,
                path=ground.path,
                evidence=self._figures(ground),
            )
        seen = self._now(cohort, osd)
        if seen is None:
            return found
        wider = judgement.part_of.get(osd)
        if wider is not None:
            path = wider.unit.kind if wider.unit else "cohort"
            since = wider.since + self.offset
            found = replace(found, since=since, evidence=self._figures(wider.worst))
        else:
            path = _suspicion(states, osd)
        return replace(
            found,
            state=OsdState.SUSPECT if path else OsdState.OK,
            robust_z=_z(seen.z),
            ratio=round(math.exp(seen.excess), 3),
            channel=seen.channel,
            path=path,
        )

    def _cohort_of(self, osd: int) -> Cohort:
        assert self.layout is not None  # noqa: S101
        return self.layout.cohort_of[osd]

    def _states(self, cohort: Cohort) -> list[CohortChannel]:
        """The cohort in all channels."""
        return [by_cohort[cohort.name] for by_cohort in self.channels.values()]

    def _now(self, cohort: Cohort, osd: int) -> Optional[Now]:
        """Return how it is now in the channel with the largest z; None if it cannot be judged."""
        worst: Optional[Now] = None
        at, states = cohort.place[osd], self._states(cohort)
        # One that was slow when its operations ended: nobody knows whether it is well.
        if self.quiet or any(osd in one.unjudged for one in states):
            return None
        for state in states:
            excess = state.now(at)
            if excess is None or not self.now - state.last_data[at] <= SILENT:
                continue
            if state.minutes >= _COLD_MINUTES and not math.isnan(state.minute_scale):
                z = excess / state.minute_scale
                if worst is None or z > worst.z:
                    worst = Now(state.channel, excess, z)
        return worst

    def _report(self, cohort: Cohort) -> CohortReport:
        """Return the report of a cohort, by the channel with the largest detectable ratio."""
        judged = sum(self._now(cohort, member.osd) is not None for member in cohort.members)
        ratios = {one.channel: one.detectable() for one in self._states(cohort)}
        known = [(ratio, name) for name, ratio in ratios.items() if ratio is not None]
        ratio, name = max(known) if known else (None, None)
        return CohortReport(
            cohort.name, cohort.size, judged, name, round(ratio, 3) if ratio else None
        )

    # --- why there is no verdict --------------------------------------------------------------

    def no_data(self, osd: int) -> Optional[Gap]:
        """Why this OSD has no verdict; None if it has one."""
        if self.layout is None or osd not in self.layout.cohort_of:
            return _UNSEEN
        cohort = self._cohort_of(osd)
        if osd in self.judgement.accused or self._now(cohort, osd) is not None:
            return None
        found = _SILENT if self.quiet else self._reason(cohort, osd)
        last = [one.last_data[cohort.place[osd]] for one in self._states(cohort)]
        known = [start for start in last if not math.isnan(start)]
        return replace(found, since=max(known) + 60 + self.offset if known else None)

    def _reason(self, cohort: Cohort, osd: int) -> Gap:
        """Why an OSD without data has none, while some OSDs report."""
        marks, states = self.marks, self._states(cohort)
        for mark, found in ((Mark.DOWN, _DOWN), (Mark.STALE, _SILENT), (Mark.BENCHED, _BENCHED)):
            if marks.get(osd, 0) & mark:
                return found
        if cohort.size < 2:
            return _ALONE
        slow = [state.channel for state in states if osd in state.unjudged]
        least = f"fewer than {self.settings.min_ops:g} operations in each of the last minutes"
        if slow:
            return Gap("idle", f"it was slow ({', '.join(slow)}), and has had {least} since")
        if max((state.minutes for state in states), default=0) < _COLD_MINUTES:
            return _COLD
        others = [member.osd for member in cohort.members if member.osd != osd]
        if all(marks.get(other, 0) & NO_FIGURES for other in others):
            return _PEERS_AWAY
        return Gap("idle", least)

    def looks(self) -> Sequence[Look]:
        """All OSDs: those without a verdict are the gaps, by reason."""
        layout = self.layout
        codes = (SLOW_OSD.code, SLOW_HOST.code, SLOW_ENCLOSURE.code)
        what = "latencies of OSDs against their peers"
        if layout is None:
            unseen = Look(SLOW_OSDS, what, "OSD", 0, codes)
            return [away(unseen, _UNSEEN.code, _UNSEEN.why, _UNSEEN.help)]
        by_reason: dict[tuple[str, str], dict[str, Gap]] = defaultdict(dict)
        resting = []
        for member in layout.roster.members:
            found = self.no_data(member.osd)
            if found is not None:
                by_reason[found.code, found.why][member.name] = found
            elif any(state.resting for state in self._states(layout.cohort_of[member.osd])):
                resting.append(member.name)
        gaps = []
        for (code, why), those in sorted(by_reason.items(), key=lambda item: -len(item[1])):
            since = [one.since for one in those.values() if one.since is not None]
            (help_, *_) = (one.help for one in those.values())
            gaps.append(gap(code, why, list(those), help_, min(since, default=None)))
        if resting:
            gaps.append(gap("unsettled", _UNSETTLED, resting, partly=True))
        return [Look(SLOW_OSDS, what, "OSD", len(layout.cohort_of), codes, tuple(gaps))]

    # --- sentences on one OSD -----------------------------------------------------------------

    def explain(self, osd: int) -> list[str]:
        """Return sentences on an OSD; the first one is the verdict."""
        if self.layout is None or osd not in self.layout.cohort_of:
            return [f"osd.{osd} is not watched."]
        cohort = self._cohort_of(osd)
        sentences = [self._verdict_sentence(osd)]
        for state in self._states(cohort):
            found = list(self._channel_sentences(state, osd)) or ["no data in the last minutes"]
            sentences += [f"{state.channel}: {sentence}." for sentence in found]
        marks = self.marks.get(osd, 0)
        words = ", ".join(str(mark.name).lower() for mark in Mark if mark & marks)
        if marks & NO_FIGURES:
            sentences.append(f"It is {words}: what it shows meanwhile does not count.")
        elif marks:
            sentences.append(
                f"It is {words}: no reference for its peers, and judged more strictly."
            )
        return sentences

    def _verdict_sentence(self, osd: int) -> str:
        found, why = self.verdict(osd), self.no_data(osd)
        since = ""
        if found.since is not None:
            since = f" since {self._time(found.since - self.offset)}"
        if why is not None:
            return f"osd.{osd} cannot be judged: {why.why}{f' ({why.help})' if why.help else ''}."
        if found.state is OsdState.OK:
            return f"osd.{osd} is as fast as its peers, as far as can be seen."
        if found.state is OsdState.SLOW:
            return f"osd.{osd} is slow{since}, by the {found.path} rule."
        if found.since is None:
            return (
                f"osd.{osd} is suspect: the {found.path} rule has seen something, not enough to "
                "call it slow."
            )
        return f"osd.{osd} is slow together with its {found.path}{since}; the cause is there."

    def _channel_sentences(self, state: CohortChannel, osd: int) -> Iterator[str]:
        at = state.cohort.place[osd]
        excess, scale = state.now(at), state.minute_scale
        if excess is None:
            return
        z = "" if math.isnan(scale) else f" (robust z {_z(excess / scale, 1):.1f})"
        peers = "peer" if state.cohort.size == 2 else f"{state.cohort.size - 1} peers"
        floor = f", with {1000 * state.floor:g} ms added to all of them" if state.floor else ""
        load = math.exp(state.load[at]) if state.load else 1.0
        by_load = f", after a factor of {times_text(load)} explained by its load"
        yield (
            f"{times_text(math.exp(excess))} times its {peers} in the last minute{z}{floor}"
            f"{by_load if abs(load - 1) >= 0.01 else ''}"
        )
        for tally in state.tallies:
            flag = tally.flags.get(osd)
            if flag:
                ratio, worst = math.exp(flag.facts.excess), math.exp(min(flag.worst, 50.0))
                yield (
                    f"{tally.rule.name} since {self._time(flag.since)}, {times_text(ratio)} times "
                    f"its peers, at worst {times_text(worst)} times"
                )
        if state.bursts.count(osd):
            yield f"{plural(state.bursts.count(osd), 'burst')} in the last 24 h"
        least = state.detectable()
        if least is not None:
            yield f"a lasting slowdown under {least:.2f} times is not seen here"


class _Verdicts(Mapping[int, OsdVerdict]):
    """The verdicts of all OSDs, each made on access: there can be 10,000."""

    def __init__(self, detector: SlowDetector) -> None:
        self._detector = detector

    def __getitem__(self, osd: int) -> OsdVerdict:
        if self._detector.layout is None or osd not in self._detector.layout.cohort_of:
            raise KeyError(osd)
        return self._detector.verdict(osd)

    def __iter__(self) -> Iterator[int]:
        layout = self._detector.layout
        return iter([m.osd for m in layout.roster.members] if layout else [])

    def __len__(self) -> int:
        return len(self._detector.layout.cohort_of) if self._detector.layout else 0


def _target(cause: Cause) -> tuple[str, Target]:
    if cause.osd is not None:
        return SLOW_OSD.code, Target("osd", str(cause.osd))
    if cause.unit is None:
        name = f"{cause.cohort.name} {cause.kind}" if cause.kind else cause.cohort.name
        return SLOW_ENCLOSURE.code, Target("cohort", name)
    if cause.unit.kind == "device":
        return SLOW_OSD.code, Target("osd", str(cause.slow[0]))
    return _CODES[cause.unit.kind], Target(cause.unit.kind, cause.unit.id)


def _rounded(value: float) -> float:
    return float(f"{value:.4g}")


def _ms(value: float) -> str:
    return f"{value:.2g} ms" if value < 10 else f"{value:.0f} ms"


class Now(NamedTuple):
    """An OSD's worst channel in the newest minute, its excess in ln units and z."""

    channel: str
    excess: float
    z: float


def _z(value: float, digits: int = 2) -> float:
    return round(value, digits) + 0.0  # no -0.0


def _suspicion(states: Sequence[CohortChannel], osd: int) -> str:
    """Return the rule with hits that are too few for a finding; empty if none has."""
    for state in states:
        for path, tallies in ((ACUTE, state.by_minute), (SUSTAINED, state.by_segment)):
            if any(tally.hits_of(osd) >= _SUSPICIOUS for tally in tallies):
                return path
        if osd in state.bursts.flags:
            return INTERMITTENT
    return ""
