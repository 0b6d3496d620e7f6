"""The detector of slow OSDs: what the engine found, as claims, verdicts, and why there is none."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
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
)
from ...model.finding_kinds import SLOW_ENCLOSURE, SLOW_HOST, SLOW_OSD
from ...model.phrases import listed, ms_text, plural, time_text, times_text
from ...model.verdict import CohortReport, OsdState, OsdVerdict
from .cohort import CohortChannel
from .engine import SILENT, Engine
from .judge import ACUTE, BURSTS, GENERATION, INTERMITTENT, SUSTAINED, Cause, SlowEvidence
from .topology import Cohort

# Minutes of data before a cohort's OSDs have verdicts.
_COLD_MINUTES = 5
# So many hits in the last windows make an OSD suspect, although not slow.
_SUSPICIOUS = 2
# Maximum number of names in a claim's evidence.
_LISTED = 100
_CODES = (SLOW_OSD.code, SLOW_HOST.code, SLOW_ENCLOSURE.code)
# Why an OSD has no verdict.
_TREE = "see 'ceph osd tree'"
_UNSEEN = Gap("unread", "the watch has not read the counters yet", "wait a minute")
_SILENT = Gap("silent", "no reports come to the mgr any more", "see the OSD's log")
_BY_MARK = {
    Mark.DOWN: Gap("down", "down or out", _TREE),
    Mark.STALE: _SILENT,
    Mark.BENCHED: Gap("benched", "a round measures it, or did a minute ago", "wait for its end"),
}
_PEERS_AWAY = Gap("peers-away", "its peers are all down, out, silent or measured", _TREE)
_ALONE = Gap(
    "alone",
    "it has no peers of its class, model and release to compare it with",
    "rounds compare it with its own past ('ceph perf-bench round start osd-throughput')",
)
_COLD = Gap("cold", f"its cohort has had under {_COLD_MINUTES} minutes with data", "wait")
_UNSETTLED = Gap(
    "unsettled",
    "too many of their cohort recover, are new or restarted: only those are found that are at "
    "least twice as slow",
    partly=True,
)


class _Now(NamedTuple):
    """An OSD's worst channel in the newest minute, its excess in ln units and z."""

    channel: str
    excess: float
    z: float


class SlowDetector(Engine, Detector):
    """Takes every frame in order; can be queried between frames. Not thread-safe."""

    name = "slow"

    def claims(self) -> list[Claim]:
        """Return one claim for each cause; of two with one target, the larger ratio."""
        claims = [self._claim(cause) for cause in self.judgement.causes]
        claims.sort(key=lambda claim: claim.evidence["ratio"])
        return list({claim.key: claim for claim in claims}.values())

    def _claim(self, cause: Cause) -> Claim:
        code, target = _target(cause)
        # What OSDs of several hosts have in common is no warning.
        alone = cause.osd is not None or cause.unit is not None
        severity = Severity.WARNING if alone else Severity.INFO
        since = cause.since + self.offset
        return Claim(code, severity, target, self._sentence(cause), self._evidence(cause), since)

    def check(self) -> None:
        super().check()
        self.claims()

    def _sentence(self, cause: Cause) -> str:
        ground, cohort = cause.worst, cause.cohort
        times = times_text(math.exp(ground.flag.facts.excess))
        own, usual = map(ms_text, ground.seconds)
        figures = f"({ground.channel} {own} against {usual})"
        if cause.osd is not None:
            host = cohort.members[cohort.place[cause.osd]].host
            peers = plural(ground.flag.facts.members, "peer")
            bursts = f" in bursts, {ground.bursts} of them in 24 h" if ground.bursts else ""
            slow = f"osd.{cause.osd} on {host} is {times} times as slow as its {peers}"
            return f"{slow}{bursts} {figures}"
        if cause.unit is not None:
            unit = f"{cause.unit.kind} {cause.unit.id} ({plural(len(cause.slow), 'OSD')})"
            return f"{unit} is {times} times as slow as its peers {figures}"
        reason = "too many at once for faults of their own"
        if cause.positions:
            reason = (
                f"they are at the same positions ({listed(cause.positions)}), so the cause is not "
                "in the drives"
            )
        if cause.kind == GENERATION:
            reason = "since the first data and as slow as each other, as other hardware is"
        hosts = len({one.host for one in cohort.members if one.osd in set(cause.slow)})
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
        if cause.osd is not None:
            found["host"] = cause.cohort.members[cause.cohort.place[cause.osd]].host
            return found
        found["osds"], found["members"] = list(cause.slow[:_LISTED]), len(cause.slow)
        for name, those in (("positions", cause.positions), ("hosts", cause.hosts)):
            if those:
                found[name] = list(those[:_LISTED])
        if cause.unit is not None and cause.unit.kind == "device":
            found["device"] = cause.unit.id
        return found

    def _figures(self, ground: SlowEvidence) -> dict[str, Any]:
        """Return the figures of one piece of evidence, JSON-ready."""
        flag, facts = ground.flag, ground.flag.facts
        own, peers = ground.seconds
        found: dict[str, Any] = {
            "path": ground.path,
            "channel": ground.channel,
            "ratio": round(math.exp(facts.excess), 3),
            "max_ratio": round(math.exp(min(flag.worst, 50.0)), 3),
            "robust_z": _z(facts.z),
            "latency_ms": _rounded(1000 * own),
            "peers_latency_ms": _rounded(1000 * peers),
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

    # --- verdicts -----------------------------------------------------------------------------

    def verdicts(self) -> Mapping[int, OsdVerdict]:
        """Return the verdicts by OSD."""
        members = self.layout.roster.members if self.layout else ()
        return {member.osd: self.verdict(member.osd) for member in members}

    def verdict(self, osd: int) -> OsdVerdict:
        """Return the verdict on an OSD of the roster."""
        cohort, judgement = self._cohort_of(osd), self.judgement
        at, states = cohort.place[osd], self._states(cohort)
        worst = max((one.worst[at] for one in states if one.worst[at] > 0), default=None)
        found = OsdVerdict(
            osd,
            OsdState.NO_DATA,
            risk=round(max((one.risk[at] for one in states), default=0.0), 2),
            max_ratio=None if worst is None else round(math.exp(worst), 3),
        )
        cause, wider = judgement.accused.get(osd), judgement.part_of.get(osd)
        if cause is not None:
            ground = cause.worst
            facts, state = ground.flag.facts, OsdState.SLOW
            seen: Optional[_Now] = _Now(ground.channel, facts.excess, facts.z)
            path, since, figures = ground.path, cause.since, self._figures(ground)
        else:
            seen = self._now(cohort, osd)
            path, since, figures = _suspicion(states, osd), math.nan, {}
            if wider is not None:
                path = wider.unit.kind if wider.unit else "cohort"
                since, figures = wider.since, self._figures(wider.worst)
            state = OsdState.SUSPECT if path else OsdState.OK
        if seen is None:
            return found
        return replace(
            found,
            state=state,
            robust_z=_z(seen.z),
            ratio=round(math.exp(seen.excess), 3),
            since=None if math.isnan(since) else since + self.offset,
            channel=seen.channel,
            path=path,
            evidence=figures,
        )

    def cohorts(self) -> list[CohortReport]:
        """Return for each cohort how small a slowdown is found, in its worst channel."""
        found = []
        for cohort in self.layout.cohorts if self.layout else ():
            judged = sum(self._now(cohort, member.osd) is not None for member in cohort.members)
            ratios = [(one.detectable(), one.channel) for one in self._states(cohort)]
            known = [(round(ratio, 3), channel) for ratio, channel in ratios if ratio is not None]
            ratio, channel = max(known, default=(None, None))
            found.append(CohortReport(cohort.name, cohort.size, judged, channel, ratio))
        return found

    def _cohort_of(self, osd: int) -> Cohort:
        assert self.layout is not None  # noqa: S101
        return self.layout.cohort_of[osd]

    def _states(self, cohort: Cohort) -> list[CohortChannel]:
        """The cohort in all channels."""
        return [by_cohort[cohort.name] for by_cohort in self.channels.values()]

    def _now(self, cohort: Cohort, osd: int) -> Optional[_Now]:
        """Return how it is now in the channel with the largest z; None if it cannot be judged."""
        worst: Optional[_Now] = None
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
                    worst = _Now(state.channel, excess, z)
        return worst

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
        for mark, found in _BY_MARK.items():
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
        layout, what = self.layout, "latencies of OSDs against their peers"
        if layout is None:
            unseen = Look(SLOW_OSDS, what, "OSD", 0, _CODES)
            return [away(unseen, _UNSEEN.code, _UNSEEN.why, _UNSEEN.help)]
        by_reason: dict[Gap, dict[str, float]] = defaultdict(dict)
        for member in layout.roster.members:
            found = self.no_data(member.osd)
            if found is not None:
                since = math.inf if found.since is None else found.since
                by_reason[replace(found, since=None)][member.name] = since
            elif any(state.resting for state in self._states(layout.cohort_of[member.osd])):
                by_reason[_UNSETTLED][member.name] = math.inf
        gaps = []
        for found, names in sorted(by_reason.items(), key=lambda item: -len(item[1])):
            since = min(names.values())
            gaps.append(replace(found.of(list(names)), since=since if since < math.inf else None))
        return [Look(SLOW_OSDS, what, "OSD", len(layout.cohort_of), _CODES, tuple(gaps))]

    # --- sentences on one OSD -----------------------------------------------------------------

    def explain(self, osd: int) -> list[str]:
        """Return sentences on an OSD; the first one is the verdict."""
        if self.layout is None or osd not in self.layout.cohort_of:
            return [f"osd.{osd} is not watched."]
        found = [self._verdict_sentence(osd)]
        for state in self._states(self._cohort_of(osd)):
            found += [f"{state.channel}: {one}." for one in self._in_channel(state, osd)]
        marks = self.marks.get(osd, 0)
        words = ", ".join(str(mark.name).lower() for mark in Mark if mark & marks)
        if marks & NO_FIGURES:
            found.append(f"It is {words}: what it shows meanwhile does not count.")
        elif marks:
            found.append(f"It is {words}: no reference for its peers, and judged more strictly.")
        return found

    def _verdict_sentence(self, osd: int) -> str:
        found, why = self.verdict(osd), self.no_data(osd)
        since = "" if found.since is None else f" since {time_text(found.since)}"
        if why is not None:
            return f"osd.{osd} cannot be judged: {why.why}{f' ({why.help})' if why.help else ''}."
        if found.state is OsdState.OK:
            return f"osd.{osd} is as fast as its peers, as far as can be seen."
        if found.state is OsdState.SLOW:
            return f"osd.{osd} is slow{since}, by the {found.path} rule."
        if since:
            return f"osd.{osd} is slow together with its {found.path}{since}; the cause is there."
        seen = "has seen something, not enough to call it slow"
        return f"osd.{osd} is suspect: the {found.path} rule {seen}."

    def _in_channel(self, state: CohortChannel, osd: int) -> list[str]:
        """How it is now in a channel, the rules that hold, and what would not be seen."""
        excess = state.now(state.cohort.place[osd])
        if excess is None:
            return ["no data in the last minutes"]
        z = excess / state.minute_scale
        known = "" if math.isnan(z) else f" (robust z {round(z, 1) + 0.0})"
        floor = f", with {1000 * state.floor:g} ms added to all of them" if state.floor else ""
        peers = plural(state.cohort.size - 1, "peer")
        times = times_text(math.exp(excess))
        found = [f"{times} times its {peers} in the last minute{known}{floor}"]
        found += [
            f"{tally.rule.name} since {self._time(tally.flags[osd].since)}"
            for tally in state.tallies
            if osd in tally.flags
        ]
        if state.bursts.count(osd):
            found.append(f"{plural(state.bursts.count(osd), 'burst')} in the last 24 h")
        least = state.detectable()
        if least is not None:
            found.append(f"a lasting slowdown under {least:.2f} times is not seen here")
        return found

    def _time(self, at: float) -> str:
        return time_text(at + self.offset)


def _target(cause: Cause) -> tuple[str, Target]:
    if cause.osd is not None:
        return SLOW_OSD.code, Target("osd", str(cause.osd))
    if cause.unit is None:
        return SLOW_ENCLOSURE.code, Target("cohort", f"{cause.cohort.name} {cause.kind}".rstrip())
    if cause.unit.kind == "device":
        return SLOW_OSD.code, Target("osd", str(cause.slow[0]))
    code = SLOW_HOST.code if cause.unit.kind == "host" else SLOW_ENCLOSURE.code
    return code, Target(cause.unit.kind, cause.unit.id)


def _rounded(value: float) -> float:
    return float(f"{value:.4g}")


def _z(value: float) -> float:
    return round(value, 2) + 0.0  # no -0.0


def _suspicion(states: Sequence[CohortChannel], osd: int) -> str:
    """Return the rule with hits that are too few for a finding; empty if none has."""
    for state in states:
        for path, tallies in ((ACUTE, state.by_minute), (SUSTAINED, state.by_segment)):
            if any(tally.hits_of(osd) >= _SUSPICIOUS for tally in tallies):
                return path
        if osd in state.bursts.flags:
            return INTERMITTENT
    return ""
