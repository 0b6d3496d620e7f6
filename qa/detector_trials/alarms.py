"""How often the detector accuses anybody in a cluster in which nothing is wrong.

``python -m detector_trials.alarms`` judges the frames that come through its standard input. It
needs the standard library alone, so any Python may do it; PyPy takes half the time.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable
from typing import Any

from perf_bench.model.finding import Frame, Roster, Severity, Watched
from perf_bench.watch.slow_osd.thresholds import Thresholds

from .replay import Replay
from .stream import frames_from

_TOLD = 50
_DAY = 86400.0
_PAUSE = 3600.0


def judged(frames: Iterable[Frame]) -> dict[str, Any]:
    """All accusations (warnings) that were raised, JSON-ready; OSD-days are those with frames.

    A frame that is missing is a mgr failover: the next mgr goes on with the saved state. Where
    frames of more than an hour are missing, the recording paused. ``opened`` lists the first
    openings of each target, infos too, by the seconds of data before.
    """
    replay = Replay(Thresholds())
    before: float | None = None
    osd_seconds = 0.0
    seconds = 0.0
    opened: dict[tuple[str, ...], list[Any]] = {}
    seen = 0
    for frame in frames:
        if before is not None and 1 < frame.start - before < _PAUSE:
            replay.fail_over(frame.start)
        replay.step(frame)
        before = frame.end
        seconds += frame.end - frame.start
        osd_seconds += (frame.end - frame.start) * len(frame.roster.members)
        for _, found in replay.openings[seen:]:
            kind, name = found.target.kind, found.target.id
            row = [seconds, found.severity.value, kind, name, found.message]
            opened.setdefault((found.severity.value, kind, name), row)
        seen = len(replay.openings)
    alarms = [(at, found) for at, found in replay.openings if found.severity is not Severity.INFO]
    return {
        "osd_days": osd_seconds / _DAY,
        "alarms": len(alarms),
        "by_code": Counter(found.code for _, found in alarms),
        "told": [f"{at:.0f} {found.message}" for at, found in alarms[:_TOLD]],
        "opened": list(opened.values()),
        "cost": replay.cost.shape,
    }


def roster_line(roster: Roster) -> str:
    """What comes before the frames."""
    rows = [
        [m.osd, m.name, m.host, m.cohort, m.rack, m.enclosure, m.device] for m in roster.members
    ]
    return json.dumps(rows) + "\n"


def main() -> None:
    """The channels are the arguments."""
    source = sys.stdin.buffer
    roster = Roster(tuple(Watched(*row) for row in json.loads(source.readline())))
    print(json.dumps(judged(frames_from(source, roster, tuple(sys.argv[1:])))))


if __name__ == "__main__":
    main()
