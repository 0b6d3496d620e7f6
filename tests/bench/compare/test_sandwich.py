"""What sandwiches say: the published one first, fed through the same code as any other."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Optional

import pytest

from nouns import a_plan, a_sample
from perf_bench.bench.compare import reference
from perf_bench.bench.compare.parts import (
    LOW_PERCENT,
    sandwich_conclusions,
)
from perf_bench.model.plan import MIB, READ, WRITE, Phase, Plan, Sample, profile_named
from perf_bench.model.round import Conclusion

WRITES, READS = profile_named("osd-sandwich").steps
REST = 1500.0
# Nelson 2024, R6615. MB/s of reads and writes after the pauses stand in the report only.
FIGURES = Path(reference.__file__).with_name("published.csv")
PAUSES = ((637, 3724), (609, 3860), (362, 3972), (6581, 3998))


def _published() -> Mapping[str, tuple[float, float]]:
    """By part reads and writes in bytes/s, of one OSD."""
    with FIGURES.open(encoding="utf-8", newline="") as lines:
        values = {row["id"]: 1e6 * float(row["value"]) for row in csv.DictReader(lines)}
    names = {"before": "osd-fresh", "together": "host-8", "after": "osd-after"}
    found = {
        part: (values[f"s1-{name}-rd"], values[f"s1-{name}-wr"]) for part, name in names.items()
    }
    rested = {f"rested-{n}": (1e6 * rd, 1e6 * wr) for n, (rd, wr) in enumerate(PAUSES, start=1)}
    return {**found, **rested}


def _plan(parts: Sequence[str], osds: int = 8, solo: Sequence[int] = (0,)) -> Plan:
    phases = tuple(
        Phase(
            step,
            (tuple(range(osds)),) if part == "together" else tuple((osd,) for osd in solo),
            part,
            REST if part.startswith("rested") and step is WRITES else 0.0,
        )
        for part in parts
        for step in (WRITES, READS)
    )
    return replace(a_plan([]), profile="osd-sandwich", phases=phases, repeats=1)


def _samples(
    plan: Plan, rates: Mapping[str, tuple[Optional[float], Optional[float]]]
) -> list[Sample]:
    """A sample of 10 s for each OSD and phase: a rate for reads and one for writes, or none."""
    samples, now = [], 1000.0
    for phase in plan.phases:
        now += phase.rest_seconds
        rate = rates[phase.part][0 if phase.step is READS else 1]
        for osd in phase.osds:
            if rate is not None:
                named = {"phase": phase.name, "started_at": now, "call_seconds": 10.0}
                samples.append(a_sample(osd, 1, rate, 10.0, phase.step, **named))
        now += 10.0
    return samples


def _said(rates: Mapping[str, tuple[Optional[float], Optional[float]]]) -> list[Conclusion]:
    plan = _plan(list(rates))
    hosts = dict.fromkeys(range(8), "host-0")
    return list(sandwich_conclusions(plan, hosts, _samples(plan, rates)))


def test_the_published_table() -> None:
    said = _said(_published())
    assert [(c.code, c.evidence["operation"]) for c in said] == [
        ("collapse-together", WRITE),
        ("collapse-together", READ),
        # only reads: writes come back at once
        ("degraded-after-load", READ),
        ("recovered-after", READ),
    ]
    writes, reads, degraded, recovered = (c.evidence for c in said)
    assert (writes["percent"], reads["percent"]) == (62.4, 55.8)
    assert {one["threshold_percent"] for one in (writes, reads, degraded)} == {75.4}
    assert degraded["percent"] == 9.1
    assert degraded["before_bytes_per_second"] == pytest.approx(5716e6)
    assert degraded["after_bytes_per_second"] == pytest.approx(523e6)
    assert recovered["rests"] == 4
    assert recovered["percent"] == 115.1
    # four pauses, and what was measured between them
    assert recovered["minutes"] == pytest.approx((4 * REST + 8 * 10) / 60, abs=0.1)
    assert said[2].message == (
        "reads on host-0 stay at 9 % when an OSD is alone again: 499 of 5451 MiB/s"
    )
    assert said[3].message == "reads on host-0 are back at 115 % after 1 h 41 min (4 rests)"


FINE = (1000.0 * MIB, 1000.0 * MIB)


def _of_fine(reads: float, writes: float) -> tuple[float, float]:
    return reads * FINE[0], writes * FINE[1]


def test_what_is_concluded() -> None:
    for together, after, rested, codes in [
        # nothing happens to anybody
        (FINE, FINE, FINE, []),
        # 10 % from run to run, each way
        (_of_fine(0.9, 1.1), _of_fine(0.85, 0.95), FINE, []),
        # a bus that is shared, and free afterwards
        (_of_fine(0.3, 0.3), FINE, FINE,
         [("collapse-together", WRITE), ("collapse-together", READ)]),
        # slow afterwards although nobody collapsed; one rest helps
        (FINE, _of_fine(1.0, 0.5), FINE,
         [("degraded-after-load", WRITE), ("recovered-after", WRITE)]),
        # a rest helps somewhat, which is not recovered
        (FINE, _of_fine(0.5, 1.0), _of_fine(0.85, 1.0), [("degraded-after-load", READ)]),
        # an OSD that was not read says nothing of reads
        ((None, 300.0 * MIB), (None, FINE[1]), (None, FINE[1]), [("collapse-together", WRITE)]),
        # just under and just over the threshold
        (_of_fine(LOW_PERCENT / 100 - 0.001, 1.0), FINE, FINE, [("collapse-together", READ)]),
        (_of_fine(LOW_PERCENT / 100 + 0.001, 1.0), FINE, FINE, []),
    ]:  # fmt: skip
        said = _said({"before": FINE, "together": together, "after": after, "rested-1": rested})
        assert [(c.code, c.evidence["operation"]) for c in said] == codes


def test_without_rests_nobody_knows_for_how_long() -> None:
    said = _said({"before": FINE, "together": FINE, "after": _of_fine(0.1, 1.0)})
    assert [c.code for c in said] == ["degraded-after-load"]
    assert "still_after_minutes" not in said[0].evidence
