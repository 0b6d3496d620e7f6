"""Sets of samples, and what a round says of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Optional

import pytest

from nouns import SMALL_STEP, STEP, a_plan, a_sample, no_sample
from perf_bench.bench.compare.summary import (
    Summary,
    judge_sample,
    summarize,
)
from perf_bench.model.plan import MIB, Reason, Sample, Step
from perf_bench.model.round import OsdResult, Verdict

MAX_CV = 10.0
# Rates in MiB/s of three repeats; a number for each.
Rates = Sequence[float]


def _row(osd: int, device_class: str = "hdd", model: Optional[str] = None) -> OsdResult:
    return OsdResult(osd, f"host-{osd % 3}", device_class, model)


def _samples(osd: int, rates: Rates, seconds: float = 10.0, step: Step = STEP) -> list[Sample]:
    return [
        a_sample(osd, repeat, rate * MIB, seconds, step)
        for repeat, rate in enumerate(rates, start=1)
    ]


@dataclass
class Case:
    """A round by what its OSDs measured; the rows stand in the order of the OSDs."""

    name: str
    samples: dict[int, list[Sample]]
    verdict: Verdict
    reasons: tuple[str, ...]
    repeats: int = 3
    step: Step = STEP
    conclusions: tuple[str, ...] = ()
    rows: list[OsdResult] = field(default_factory=list)

    def summary(self) -> Summary:
        plan = a_plan([list(self.samples)], self.repeats, self.step)
        rows = self.rows or [_row(osd) for osd in self.samples]
        # judged one by one, as they come during a round
        samples = [judge_sample(sample) for there in self.samples.values() for sample in there]
        return summarize(plan, rows, samples, MAX_CV)


STEADY = (99.0, 100.0, 101.0)
# CV 16 %
SHAKY = (80.0, 100.0, 110.0)


def _six(changed: dict[int, list[Sample]]) -> dict[int, list[Sample]]:
    """Six steady OSDs, but for those that are changed."""
    return {osd: changed.get(osd, _samples(osd, STEADY)) for osd in range(6)}


def _silent(osd: int, repeat: int) -> Sample:
    return no_sample(osd, repeat, "gave no answer within 300 s", reason=Reason.SILENT)


def _not_asked(osd: int, *repeats: int) -> list[Sample]:
    why = "was not asked again"
    return [no_sample(osd, repeat, why, reason=Reason.NOT_ASKED) for repeat in repeats]


CASES = [
    Case(
        "all steady",
        _six({}),
        Verdict.VALID,
        ("median CV 1.0 % over 3 repeats",),
    ),
    # --- noisy: by the median of the OSDs' CVs, so a few loud ones do not make it so
    Case(
        "one loud OSD is named and the round stays valid",
        _six({2: _samples(2, SHAKY)}),
        Verdict.VALID,
        ("median CV 1.0 % over 3 repeats", "unsteady between repeats: osd.2 (16 %)"),
    ),
    Case(
        "the loudest is named first",
        _six({2: _samples(2, SHAKY), 4: _samples(4, (50.0, 100.0, 150.0))}),
        Verdict.VALID,
        (
            "median CV 1.0 % over 3 repeats",
            "unsteady between repeats: osd.4 (50 %) and osd.2 (16 %)",
        ),
    ),
    Case(
        "most are loud",
        _six({osd: _samples(osd, SHAKY) for osd in range(4)}),
        Verdict.NOISY,
        (
            "repeats of the same OSD differ by 15.8 % (median CV); at most 10 % is called valid",
        ),
    ),
    Case(
        "six of thirteen are loud: four are named",
        {osd: _samples(osd, SHAKY if osd < 6 else STEADY) for osd in range(13)},
        Verdict.VALID,
        (
            "median CV 1.0 % over 3 repeats",
            ("unsteady between repeats: osd.0 (16 %), osd.1 (16 %), osd.2 (16 %), osd.3 (16 %) "
            "and 2 more"),
        ),
    ),
    # --- one repeat
    Case(
        "one repeat says nothing of the spread",
        {0: _samples(0, [100.0]), 1: _samples(1, [101.0])},
        Verdict.VALID,
        ("one sample an OSD: the spread between repeats is not known",),
        repeats=1,
    ),
    # --- too short
    Case(
        "benches of 44 ms are no measurement",
        {0: _samples(0, STEADY, 0.044, SMALL_STEP), 1: _samples(1, STEADY, 0.044, SMALL_STEP)},
        Verdict.TOO_SHORT,
        (
            ("an OSD was measured for 0.13 s in all (median): too short to mean anything, more "
            "--repeats, or a higher osd_bench_small_size_max_iops helps"),
        ),
        step=SMALL_STEP,
    ),
    Case(
        "large writes that are too short need repeats alone",
        {0: _samples(0, STEADY, 0.15), 1: _samples(1, STEADY, 0.15)},
        Verdict.TOO_SHORT,
        (
            ("an OSD was measured for 0.45 s in all (median): too short to mean anything, more "
            "--repeats helps"),
        ),
    ),
    Case(
        "just long enough",
        {0: _samples(0, STEADY, 0.17), 1: _samples(1, STEADY, 0.17)},
        Verdict.VALID,
        ("median CV 1.0 % over 3 repeats",),
    ),
    Case(
        "half of the OSDs do not make it too short",
        {0: _samples(0, STEADY, 0.044), 1: _samples(1, STEADY)},
        Verdict.VALID,
        (
            "median CV 1.0 % over 3 repeats",
            "measured too shortly to mean much: osd.0 (0.13 s)",
        ),
    ),
    Case(
        "long together, but each sample too short",
        {0: _samples(0, [100.0] * 8, 0.09), 1: _samples(1, [100.0] * 8, 0.09)},
        Verdict.TOO_SHORT,
        (
            ("an OSD was measured for 0.72 s in all (median): too short to mean anything, more "
            "--repeats helps"),
        ),
        repeats=8,
    ),
    # --- failed: an OSD that lacks samples
    Case(
        "one OSD went down in the middle",
        _six({3: [*_samples(3, (99.0, 100.0)), no_sample(3, 3, "went down")]}),
        Verdict.FAILED,
        ("osd.3 went down (2 of 3 samples)",),
    ),
    Case(
        "the first thing that went wrong with an OSD is what is said",
        _six({3: [no_sample(3, 1, "went down"), no_sample(3, 2), no_sample(3, 3)]}),
        Verdict.FAILED,
        ("osd.3 went down (0 of 3 samples)",),
    ),
    Case(
        "an OSD that did not answer was asked once",
        _six({3: [_silent(3, 1), *_not_asked(3, 2, 3)]}),
        Verdict.FAILED,
        ("osd.3 gave no answer within 300 s and was not asked again (0 of 3 samples)",),
    ),
    Case(
        "an OSD that did not answer in the last repeat",
        _six({3: [*_samples(3, (99.0, 100.0)), _silent(3, 3)]}),
        Verdict.FAILED,
        ("osd.3 gave no answer within 300 s (2 of 3 samples)",),
    ),
    Case(
        "an OSD whose answer is lost was not asked",
        _six({3: _not_asked(3, 2, 3)}),
        Verdict.FAILED,
        ("osd.3 was not asked again (0 of 3 samples)",),
    ),
    Case(
        "one OSD was lost without a word",
        _six({3: _samples(3, (99.0,))}),
        Verdict.FAILED,
        ("osd.3 was not measured (1 of 3 samples)",),
    ),
    Case(
        "all of them",
        {osd: [no_sample(osd, repeat) for repeat in (1, 2, 3)] for osd in range(7)},
        Verdict.FAILED,
        (
            *(f"osd.{osd} is down (0 of 3 samples)" for osd in range(5)),
            "and 2 more OSDs",
        ),
    ),
    # --- peers
    Case(
        "a slow OSD is a conclusion",
        _six({5: _samples(5, (49.0, 50.0, 51.0))}),
        Verdict.VALID,
        ("median CV 1.0 % over 3 repeats",),
        conclusions=("osd.5 on host-2 reaches 50 % of its peers",),
    ),
    Case(
        "the slowest is named first",
        _six({1: _samples(1, (60.0,) * 3), 5: _samples(5, (50.0,) * 3)}),
        Verdict.VALID,
        ("median CV 1.0 % over 3 repeats",),
        conclusions=(
            "osd.5 on host-2 reaches 50 % of its peers",
            "osd.1 on host-1 reaches 60 % of its peers",
        ),
    ),
    Case(
        "slow within tolerance: 15 % under its peers is less than 1.2 x",
        _six({5: _samples(5, (85.0,) * 3)}),
        Verdict.VALID,
        ("median CV 1.0 % over 3 repeats",),
    ),
    Case(
        "an SSD is not compared with disks",
        _six({5: _samples(5, (500.0,) * 3)}),
        Verdict.VALID,
        ("median CV 1.0 % over 3 repeats",),
        rows=[_row(osd, "ssd" if osd == 5 else "hdd") for osd in range(6)],
    ),
    Case(
        "nor one model with another",
        {osd: _samples(osd, [50.0 if osd < 3 else 100.0] * 3) for osd in range(6)},
        Verdict.VALID,
        ("median CV 0.0 % over 3 repeats",),
        rows=[_row(osd, model="OLD" if osd < 3 else "NEW") for osd in range(6)],
    ),
    Case(
        "a slow OSD in a noisy round is still named",
        {
            osd: _samples(osd, [rate * (0.3 if osd == 5 else 1.0) for rate in SHAKY])
            for osd in range(6)
        },
        Verdict.NOISY,
        (
            "repeats of the same OSD differ by 15.8 % (median CV); at most 10 % is called valid",
        ),
        conclusions=("osd.5 on host-2 reaches 30 % of its peers",),
    ),
    Case(
        "one OSD alone has no peers",
        {4: _samples(4, STEADY)},
        Verdict.VALID,
        ("median CV 1.0 % over 3 repeats",),
    ),
]  # fmt: skip


def test_the_verdict_and_its_reasons() -> None:
    for case in CASES:
        summary = case.summary()
        # How precise the figures are is in test_stopping_rule.
        reasons = tuple(one for one in summary.reasons if not one.startswith("figures are precise"))
        assert (summary.verdict, reasons) == (case.verdict, case.reasons)
        assert tuple(conclusion.message for conclusion in summary.conclusions) == case.conclusions


def test_one_osd_alone_is_compared_with_nobody() -> None:
    (row,) = Case("", {4: _samples(4, STEADY)}, Verdict.VALID, ()).summary().results
    assert row.median_bytes_per_second == 100 * MIB
    assert (row.robust_z, row.percent_of_peers) == (None, None)


def test_an_osd_is_compared_with_its_own_kind() -> None:
    cases: list[Any] = [
        # all of a kind
        ([_row(0), _row(1), _row(2), _row(3)], [12.5, 12.5, 800, 800]),
        # two kinds of two
        (
            [_row(0, "hdd"), _row(1, "hdd"), _row(2, "ssd"), _row(3, "ssd")],
            [100, 100, 100, 100],
        ),
        # two models of one class
        (
            [_row(osd, model="OLD" if osd < 2 else "NEW") for osd in range(4)],
            [100, 100, 100, 100],
        ),
        # nobody else of its kind
        ([_row(0), _row(1), _row(2), _row(3, "ssd")], [35, 35, 800, None]),
    ]
    for rows, percents in cases:
        samples = {osd: _samples(osd, [50.0 if osd < 2 else 400.0] * 3) for osd in range(4)}
        results = Case("", samples, Verdict.VALID, (), rows=rows).summary().results
        found = [row.percent_of_peers for row in results]
        assert found == [None if p is None else pytest.approx(p, abs=1) for p in percents]
