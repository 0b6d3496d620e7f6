"""A recording through collect, detect and ledger, as the module runs them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from perf_bench.detect.ledger import ChangeKind, Ledger
from perf_bench.detect.settings import Settings
from perf_bench.detect.slow import SlowDetector
from perf_bench.model.finding import Finding, FindingState, Target
from perf_bench.model.frame import Frame, Roster

from .cost import Cost, deep_bytes

# What a finding is about, and since when.
Life = tuple[str, str, str, float]


class Replay:
    """Frames in, one after the other, at their own times; then what came of them."""

    def __init__(self, settings: Settings) -> None:
        self.detector = SlowDetector(settings)
        self.cost = Cost()
        self._ledger = Ledger()
        # When each was known first; its fault is older.
        self.opened: dict[Life, float] = {}
        self._findings: dict[Life, Finding] = {}

    def step(self, frame: Frame) -> None:
        """One tick of the watch."""
        with self.cost.tick():
            self.detector.step(frame)
            changes = self._ledger.update(frame.end, self.detector.claims())
        for change in changes:
            if change.kind is ChangeKind.OPENED:
                self.opened.setdefault(_life(change.finding), frame.end)
            self._keep(change.finding)

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
        return {
            "findings": [self._told(found, names) for found in self.findings()],
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

    def _told(self, finding: Finding, names: Mapping[int, str]) -> dict[str, Any]:
        return {**_finding(finding, names), "detected_at": self.opened[_life(finding)]}


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
