"""The detector on real recordings, as they are and with faults in them."""

from __future__ import annotations

import csv
import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from perf_bench.model.finding import FRAME_SECONDS, Finding, Severity
from perf_bench.model.finding_kinds import SLOW_HOST, SLOW_OSD
from perf_bench.watch.slow_osd.thresholds import Thresholds

from . import inject
from .errors import TraceError
from .faults import Fault
from .recording import Recording
from .replay import Replay, name_of
from .score import Delays, Score, score

CLUSTERS = ("A", "B")
# Enough for the rule of bursts, which looks at a day.
_BURST_DATA_HOURS = 24
# What is usual in a group of three is known after two days; it gets five.
_HEALTHY_DAYS = 5


@dataclass(frozen=True)
class Real:
    """A recorded cluster and the drives that are labelled slow."""

    name: str
    recording: Recording
    slow: frozenset[str]

    @property
    def well(self) -> list[int]:
        return inject.healthy(self.recording, self.slow)


@dataclass(frozen=True)
class Outcome:
    """One trial: score and delays, and the hosts that are accused without a label."""

    ours: Score
    delays: Delays
    false_hosts: int = 0


def load(folder: Path) -> Iterator[Real]:
    """The clusters of the data set in this folder; raises TraceError when there is none."""
    labels = folder / "labels.csv"
    try:
        with labels.open(newline="", encoding="utf-8") as text:
            rows = list(csv.DictReader(text))
    except OSError as error:
        raise TraceError(f"{labels} cannot be read: {error.strerror}") from error
    for name in CLUSTERS:
        slow = {f"{row['host']}/{row['disk']}" for row in rows if row["cluster"] == name}
        recording = Recording.load_file(folder / f"cluster_{name}.csv.xz")
        yield Real(name, recording, frozenset(slow))


def as_it_is(real: Real) -> Outcome:
    """The labelled drives; they are slow from the first moment on."""
    replay = _replayed(real.recording)
    opened = _opened(replay, SLOW_OSD.code, real.recording)
    first = float(real.recording.starts[0])
    accused = {name for name, _ in opened}
    delays = [_after(opened, name, first, math.inf, real.recording) for name in real.slow]
    hosts = {name for name, _ in _opened(replay, SLOW_HOST.code, real.recording)}
    return Outcome(score(accused, real.slow), Delays(delays), len(hosts))


def acute(real: Real, seed: int) -> Outcome:
    """x3 for 15 minutes, four drives at a time."""
    return _drives(real, inject.acute(real.recording, real.well, seed))


def bursts(real: Real, seed: int) -> Outcome:
    """x3 for 30 s in every half hour, on one drive in fifty."""
    frames = int(_BURST_DATA_HOURS * 3600 / FRAME_SECONDS)
    starts = real.recording.starts
    part = real.recording.until(float(starts[min(frames, len(starts) - 1)]))
    return _drives(real, inject.bursts(part, real.well, seed))


def host_wide(real: Real) -> Outcome:
    """x1.3 on all drives of a host; found when that host is named while it lasts."""
    trial = inject.host_wide(real.recording, real.slow)
    members = real.recording.roster.members
    replay = _replayed(trial.recording)
    opened = _opened(replay, SLOW_HOST.code, trial.recording)
    delays, named = [], set()
    for fault in trial.faults:
        host = members[fault.members[0]].host
        delays.append(_after(opened, host, fault.begin, fault.end, trial.recording))
        named |= {(name, at) for name, at in opened if name == host and _in(fault, at)}
    found = sum(math.isfinite(delay) for delay in delays)
    ours = Score(found, len(set(opened) - named), len(delays) - found)
    return Outcome(ours, Delays(delays))


def threes(real: Real) -> Outcome:
    """Groups of three drives, each fourth one with a drive that becomes twice as slow."""
    days = inject.days(real.recording)
    part = real.recording.until(days[_HEALTHY_DAYS + 1][1])
    groups = inject.groups_of_three(part, real.well)
    return _drives(real, inject.one_of_three(groups, after_days=_HEALTHY_DAYS), known=())


def _drives(real: Real, trial: inject.Injected, known: Collection[str] | None = None) -> Outcome:
    """Faults of single drives: each found while it lasts; all other accusations are false."""
    recording = trial.recording
    known = real.slow if known is None else known
    names = [member.name for member in recording.roster.members]
    opened = _opened(_replayed(recording), SLOW_OSD.code, recording)
    delays, true = [], set()
    for fault in trial.faults:
        name = names[fault.members[0]]
        delays.append(_after(opened, name, fault.begin, fault.end, recording))
        true |= {one for one in opened if one[0] == name and _in(fault, one[1])}
    found = sum(math.isfinite(delay) for delay in delays)
    false = {one for one in opened if one not in true and one[0] not in known}
    return Outcome(Score(found, len(false), len(delays) - found), Delays(delays))


# An accusation may come a little after a fault's end: it is told when the minute is over.
def _in(fault: Fault, at: float) -> bool:
    return fault.begin <= at <= fault.end + 120


def _replayed(recording: Recording) -> Replay:
    replay = Replay(Thresholds())
    replay.run(recording.frames())
    return replay


def _opened(replay: Replay, code: str, recording: Recording) -> list[tuple[str, float]]:
    """Names and times of findings that are warnings."""
    names = {member.osd: member.name for member in recording.roster.members}
    return [
        (name_of(finding.target, names), at)
        for at, finding in replay.openings
        if finding.code == code and _warns(finding)
    ]


def _warns(finding: Finding) -> bool:
    return finding.severity is not Severity.INFO


def _after(
    opened: list[tuple[str, float]], name: str, begin: float, end: float, recording: Recording
) -> float:
    """Recorded seconds from ``begin`` to the first accusation before ``end``; else infinite."""
    times = [at for who, at in opened if who == name and begin <= at <= end + 120]
    return inject.data_seconds(recording, begin, min(times)) if times else math.inf
