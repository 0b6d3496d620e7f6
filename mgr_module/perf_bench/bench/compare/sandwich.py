"""Judge a sandwich: whether OSDs of a host slow each other down, and stay slow afterwards.

Each OSD measured alone is compared with itself before; for a host the median of these counts.
Writes and reads are judged separately, because in the published case (Nelson, January 2024) only
reads stayed slow: one OSD read 5716 MB/s alone, 3190 while eight ran, 523 (9 %) alone after that,
and 637, 609, 362 and then 6581 after pauses of 20 to 30 min; it wrote 3998, 2494, 3794 (95 %),
3724, 3860, 3972 and 3998.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Optional

from ...model.bench import MIB, READ, WRITE, Sample
from ...model.part import Part
from ...model.plan import AFTER, BEFORE, RESTED, TOGETHER, Plan
from ...model.round import Conclusion
from ...model.said import say
from ...model.statistics import median
from .phases import parts_of, percent_of_before

# Two figures that each vary by 10 % between runs, as on an untuned cluster (Stachecki 2024), differ
# by more than this by chance once in 40: 100 exp(-2 sqrt(2) 0.10).
LOW_PERCENT = 100 * math.exp(-2 * math.sqrt(2) * 0.10)
# Within that variation of the first figure.
BACK_PERCENT = 90.0
_WORDS = {WRITE: say("writes", "writes"), READ: say("reads", "reads")}


def conclusions(
    plan: Plan, hosts: Mapping[int, str], samples: Sequence[Sample]
) -> tuple[Conclusion, ...]:
    """The conclusions of a round that ran to its end; ``hosts`` has the host of each OSD."""
    parts = {part.name: part for part in parts_of(plan, samples)}
    if BEFORE not in parts:
        return ()
    by_host: dict[str, list[int]] = defaultdict(list)
    for osd in parts[BEFORE].osds:
        by_host[hosts.get(osd, "unknown")].append(osd)
    return tuple(
        conclusion
        for host, osds in sorted(by_host.items())
        for operation in (WRITE, READ)
        for conclusion in _judge(_Case(host, osds, operation, parts))
    )


class _Case:
    """One operation of the OSDs of one host that were measured alone."""

    def __init__(
        self, host: str, osds: Sequence[int], operation: str, parts: Mapping[str, Part]
    ) -> None:
        self.host, self.osds, self.operation, self.parts = host, osds, operation, parts
        self.words = _WORDS[operation]

    def percent(self, name: str) -> float:
        """Their rate in a part in percent of that before; NaN if unknown."""
        part = self.parts.get(name)
        found = None
        if part is not None:
            found = percent_of_before(list(self.parts.values()), part, self.operation, self.osds)
        return math.nan if found is None else found

    def rate(self, name: str) -> float:
        """The median of their rates in bytes/s."""
        there = self.parts[name].measured.get(self.operation, {})
        return median([there[osd].bytes_per_second for osd in self.osds if osd in there])

    def evidence(self, name: str, threshold: float) -> dict[str, object]:
        return {
            "host": self.host,
            "operation": self.operation,
            "osds": list(self.osds),
            "before_bytes_per_second": self.rate(BEFORE),
            f"{name}_bytes_per_second": self.rate(name),
            "percent": round(self.percent(name), 1),
            "threshold_percent": round(threshold, 1),
        }

    def figures(self, name: str) -> str:
        """The two rates as text."""
        return say(
            "rate-of-before",
            "{rate:.0f} of {before:.0f} MiB/s",
            rate=self.rate(name) / MIB,
            before=self.rate(BEFORE) / MIB,
        )


def _judge(case: _Case) -> Iterator[Conclusion]:
    together = case.percent(TOGETHER)
    if together < LOW_PERCENT:
        yield Conclusion(
            "collapse-together",
            say(
                "collapse-together",
                "{what} of an OSD on {host} fall to {percent:.0f} % while all chosen OSDs of the "
                "host work: {rates}",
                what=case.words,
                host=case.host,
                percent=together,
                rates=case.figures(TOGETHER),
            ),
            case.evidence(TOGETHER, LOW_PERCENT),
        )
    after = case.percent(AFTER)
    if not after < LOW_PERCENT:
        return
    back = next((part for part in _rested(case) if case.percent(part.name) >= BACK_PERCENT), None)
    evidence = case.evidence(AFTER, LOW_PERCENT)
    lasting: Optional[float] = None
    if back is None:
        minutes = [part.since_load / 60 for part in _rested(case) if part.since_load is not None]
        if minutes:
            lasting = max(minutes)
            evidence["still_after_minutes"] = round(lasting, 1)
    message = say(
        "degraded-after-load",
        "{what} on {host} stay at {percent:.0f} % when an OSD is alone again: {rates}",
        what=case.words,
        host=case.host,
        percent=after,
        rates=case.figures(AFTER),
    )
    if lasting is not None:
        message = say(
            "degraded-still",
            "{stay}, and are not back after {span:span}",
            stay=message,
            span=60 * lasting,
        )
    yield Conclusion("degraded-after-load", message, evidence)
    if back is not None and back.since_load is not None:
        yield _recovered(case, back, back.since_load)


def _rested(case: _Case) -> list[Part]:
    """The parts after rests that measured the operation."""
    return [
        part
        for name, part in case.parts.items()
        if name.startswith(f"{RESTED}-") and part.measured.get(case.operation)
    ]


def _recovered(case: _Case, part: Part, seconds: float) -> Conclusion:
    rests = [one.name for one in _rested(case)].index(part.name) + 1
    return Conclusion(
        "recovered-after",
        say(
            "recovered-after",
            "{what} on {host} are back at {percent:.0f} % after {span:span} ({rests|rest|rests})",
            what=case.words,
            host=case.host,
            percent=case.percent(part.name),
            span=seconds,
            rests=rests,
        ),
        {
            "host": case.host,
            "operation": case.operation,
            "minutes": round(seconds / 60, 1),
            "rests": rests,
            "phase": part.name,
            "bytes_per_second": case.rate(part.name),
            "percent": round(case.percent(part.name), 1),
            "threshold_percent": BACK_PERCENT,
        },
    )
