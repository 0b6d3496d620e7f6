"""A recording through collect, detect and ledger, as the module runs them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from perf_bench.model.finding import Finding, FindingState, Frame, Roster, Severity, Target
from perf_bench.watch.findings import Ledger
from perf_bench.watch.slow_osd.detector import SlowDetector
from perf_bench.watch.slow_osd.thresholds import Thresholds

from .cost import Cost, deep_bytes

# What a finding is about, and since when.
Life = tuple[str, str, str, float]


class Replay:
    """Frames in, one after the other, at their own times; then what came of them."""

    def __init__(self, settings: Thresholds) -> None:
        self.detector = SlowDetector(settings)
        self.cost = Cost()
        self._ledger = Ledger()
        # When findings were opened, opened again, or became warnings; the faults are older.
        self.openings: list[tuple[float, Finding]] = []
        self._findings: dict[Life, Finding] = {}

    def step(self, frame: Frame) -> None:
        """One tick of the watch."""
        with self.cost.tick():
            self.detector.step(frame)
            changes = self._ledger.update(frame.end, self.detector.claims())
        worse = filter(self._worse, changes.changed)
        self.openings += [(frame.end, finding) for finding in (*changes.opened, *worse)]
        for finding in (*changes.opened, *changes.closed, *changes.changed):
            self._keep(finding)

    def _worse(self, finding: Finding) -> bool:
        """Whether an info became a warning."""
        before = self._findings.get(_life(finding))
        was = before.severity if before else finding.severity
        return was is Severity.INFO and finding.severity is not Severity.INFO

    def fail_over(self, now: float) -> None:
        """Another mgr goes on with the state that was saved."""
        state = json.loads(json.dumps(self.detector.save()))
        self.detector = SlowDetector(self.detector.settings)
        self.detector.restore(state, now)

    def run(self, frames: Iterable[Frame]) -> None:
        for frame in frames:
            self.step(frame)

    def findings(self) -> list[Finding]:
        """All there were, by when they were first seen; the closed ones too."""
        for finding in self._ledger.findings():
            self._keep(finding)
        return sorted(self._findings.values(), key=lambda found: (found.first_seen, found.key))

    def result(self, roster: Roster) -> dict[str, Any]:
        """As qa/replay prints it; OSDs by their names in the trace."""
        names = {member.osd: member.name.removeprefix("osd.") for member in roster.members}
        verdicts = self.detector.verdicts()
        held = deep_bytes(self.detector, self._ledger)
        opened: dict[Life, float] = {}
        for at, finding in self.openings:
            opened.setdefault(_life(finding), at)
        return {
            "findings": [
                {**_finding(found, names), "detected_at": opened[_life(found)]}
                for found in self.findings()
            ],
            "per_osd": [
                {
                    "osd": int(names[osd]) if names[osd].isdecimal() else names[osd],
                    "state": verdict.state.value,
                    "risk": round(verdict.risk, 4),
                    "max_ratio": verdict.max_ratio,
                    "ratio": verdict.ratio,
                    "robust_z": verdict.robust_z,
                    "channel": verdict.channel,
                    "path": verdict.path,
                    "since": verdict.since,
                }
                for osd, verdict in sorted(verdicts.items())
            ],
            "cohorts": [
                {
                    "name": cohort.name,
                    "members": cohort.members,
                    "judged": cohort.judged,
                    "channel": cohort.channel,
                    "minimum_detectable_ratio": cohort.minimum_detectable_ratio,
                }
                for cohort in self.detector.cohorts()
            ],
            "cost": {**self.cost.shape, "bytes_per_osd": round(held / len(roster.members))},
        }

    def _keep(self, finding: Finding) -> None:
        self._findings[_life(finding)] = finding


def _life(finding: Finding) -> Life:
    return (*finding.key, finding.first_seen)


def _finding(finding: Finding, names: Mapping[int, str]) -> dict[str, Any]:
    return {
        "code": finding.code,
        "target": {"kind": finding.target.kind, "id": name_of(finding.target, names)},
        "severity": finding.severity.value,
        "first_seen": finding.first_seen,
        "last_seen": finding.last_seen,
        "open": finding.state is not FindingState.CLOSED,
        "message": finding.message,
        "evidence": dict(finding.evidence),
    }


def name_of(target: Target, names: Mapping[int, str]) -> str:
    """The trace's own name of what a finding is about."""
    if target.kind == "osd" and target.id.isdigit():
        return names[int(target.id)]
    return target.id
