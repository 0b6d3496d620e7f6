"""Comparisons and histories as people and programs read them."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from nouns import BEGAN, SMALL_STEP, STEP, a_plan, a_result, a_round, a_sample
from perf_bench.answers import comparing as comparison
from perf_bench.answers.shape import to_json
from perf_bench.bench.compare.history import history, regression
from perf_bench.bench.compare.rounds import compare_rounds
from perf_bench.model.plan import MIB, Step
from perf_bench.model.round import (
    Comparison,
    Conclusion,
    History,
    MeasuredRound,
    Round,
    RoundState,
    Verdict,
)

STEADY = (99.0, 100.0, 101.0, 100.5, 99.5)
DAY = 86400


def _measured(number: int, factors: Sequence[float], **named: Any) -> MeasuredRound:
    """A round of OSDs, each at 100 MiB/s times its factor."""
    osds = range(len(factors))
    samples = [
        a_sample(osd, repeat, rate * factors[osd] * MIB)
        for osd in osds
        for repeat, rate in enumerate(STEADY[osd % 5 :] + STEADY[: osd % 5], 1)
    ]
    rows = [a_result(osd, 100 * factors[osd] * MIB) for osd in osds]
    named.setdefault("state", RoundState.DONE)
    round_ = a_round(a_plan([list(osds)], 5), id=number, **named)
    return MeasuredRound(round_, rows, samples)


def _worse() -> Comparison:
    """Six OSDs 10 % slower, one of them by half, after an upgrade."""
    before = _measured(7, [1.0] * 6, environment={"osd_releases": {"18.2.7": 6}})
    after = _measured(9, [0.9] * 5 + [0.5], environment={"osd_releases": {"20.2.4": 6}})
    return compare_rounds(before, after)


def _shapes() -> dict[str, Comparison]:
    seven, nine = _measured(7, [1.0] * 6), _measured(9, [1.0] * 5)
    aborted = _measured(
        9, [1.0], state=RoundState.ABORTED, verdict=Verdict.ABORTED, reasons=("by an operator",)
    )
    short = nine._replace(samples=[s for s in nine.samples if s.repeat < 3])
    return {
        "worse": _worse(),
        "same": compare_rounds(seven, nine),
        "not-comparable": compare_rounds(seven, aborted),
        "inconclusive": compare_rounds(seven, short),
    }


WORSE = """\
round 9 against round 7: worse
  change   -10.0 %, between -10.2 and -9.8 % (95 % sure)
  counts   3.0 % and more
  p        <0.0001
  osds     0 better, 6 worse, 0 same, 0 inconclusive
  because  changed by -10.0 %, between -10.2 and -9.8 % (95 % sure); a change
           counts from 3.0 % on
  because  6 OSDs, each against itself, 5 and 5 repeats; how much whole rounds
           of this profile differ is not known yet
  because  OSD release: 18.2.7 -> 20.2.4
\x20
OSD    HOST    VERDICT  CHANGE %  FROM %   TO %        p
osd.5  host-2  worse       -50.0   -50.6  -49.4  <0.0001
osd.0  host-0  worse       -10.0   -11.0   -9.0  <0.0001
osd.1  host-1  worse       -10.0   -11.0   -9.0  <0.0001
osd.2  host-2  worse       -10.0   -11.0   -9.0  <0.0001
osd.3  host-0  worse       -10.0   -11.0   -9.0  <0.0001
osd.4  host-1  worse       -10.0   -11.0   -9.0  <0.0001"""
NOT_COMPARABLE = """\
round 9 against round 7: not-comparable
  because  round 9 is aborted: by an operator"""
INCONCLUSIVE = """\
round 9 against round 7: inconclusive
  change   +0.0 %
  osds     0 better, 0 worse, 0 same, 5 inconclusive
  because  2 repeats cannot tell what moves all OSDs at once: 3 are needed, or a
           history of the profile
  because  measured in round 7 only: osd.5
\x20
OSD    HOST    VERDICT       CHANGE %  FROM %  TO %  p
osd.4  host-1  inconclusive      -0.7       -     -  -
osd.0  host-0  inconclusive      -0.5       -     -  -
osd.3  host-0  inconclusive      +0.0       -     -  -
osd.1  host-1  inconclusive      +0.5       -     -  -
osd.2  host-2  inconclusive      +0.8       -     -  -"""


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("worse", WORSE),
        ("same", "round 9 against round 7: same"),
        ("not-comparable", NOT_COMPARABLE),
        ("inconclusive", INCONCLUSIVE),
    ],
)
def test_the_text_of_a_comparison(name: str, expected: str) -> None:
    found = _shapes()[name]
    assert found.verdict.value == name
    text = comparison.comparison_text(found)
    assert max(map(len, text.split("\n"))) <= 80
    # ceph-mgr 16 drops empty lines
    assert "" not in text.split("\n")
    assert text.startswith(expected)


def test_the_shape_of_a_comparison() -> None:
    shape = to_json(_worse())
    assert json.loads(json.dumps(shape)) == shape
    assert shape["verdict"] == "worse"
    assert (shape["a"], shape["b"], shape["osds"]) == (7, 9, 6)
    low, high = shape["interval_percent"]
    assert low < shape["change_percent"] < high < 0
    assert shape["environment"] == [
        {"name": "OSD release", "was": "18.2.7", "now": "20.2.4", "setup": True}
    ]
    assert next(row["osd"] for row in shape["per_osd"]) == 5
    assert set(shape["per_osd"][0]) == {
        *("osd", "host", "verdict", "change_percent", "interval_percent", "p_value")
    }


def test_a_shape_without_figures_is_json_all_the_same() -> None:
    shape = to_json(_shapes()["not-comparable"])
    assert json.loads(json.dumps(shape)) == shape
    figures = ("change_percent", "interval_percent", "p_value", "least_percent")
    assert [shape[name] for name in figures] == [None] * 4
    assert (shape["per_osd"], shape["why"]) == ([], ["round 9 is aborted: by an operator"])


@pytest.mark.parametrize(
    ("p_value", "text"), [(None, "-"), (0.0, "<0.0001"), (0.0001, "0.0001"), (0.0432, "0.043")]
)
def test_p_values(p_value: float, text: str) -> None:
    assert comparison._p_value(p_value) == text


def _rounds(levels: Sequence[tuple[int, float]], step: Step = STEP) -> list[Round]:
    """A round a day, on another release from round 16 on."""
    rng = np.random.default_rng(3)
    rates = [level * MIB * math.exp(rng.normal(0, 0.01)) for n, level in levels for _ in range(n)]
    return [
        a_round(
            a_plan([[0, 1]], step=step),
            RoundState.DONE,
            id=number,
            started_at=BEGAN + number * DAY,
            summary={"median_bytes_per_second": value},
            environment={"osd_releases": {"18.2.7" if number < 16 else "20.2.4": 2}},
        )
        for number, value in enumerate(rates, 1)
    ]


EXPLAINED = """\
osd-throughput: 20 rounds
  spread  1.3 % from round to round (CV)
  counts  5.0 % and more, over 3 rounds
  change  -14.6 % from round 9 on
  change  +29.5 % from round 16 on, explained by OSD release: 18.2.7 -> 20.2.4
\x20
ROUND  STARTED (UTC)     MiB/s  IOPS  MEAN ms
1      2023-11-15 22:13  102.1    26        -
2      2023-11-16 22:13   97.5    24        -
3      2023-11-17 22:13  100.4    25        -
4      2023-11-18 22:13   99.4    25        -
5      2023-11-19 22:13   99.5    25        -
6      2023-11-20 22:13   99.8    25        -
7      2023-11-21 22:13   98.0    25        -
8      2023-11-22 22:13   99.8    25        -
9      2023-11-23 22:13   84.3    21        -
10     2023-11-24 22:13   87.9    22        -
"""
REGRESSED = """\
osd-throughput: 15 rounds
  spread      1.5 % from round to round (CV)
  counts      5.0 % and more, over 3 rounds
  baseline    round 3
  regression  osd-throughput is 14.6 % slower since round 9: 100 MiB/s -> 85
              MiB/s in the median of its OSDs, over 7 rounds
  change      -14.6 % from round 9 on
"""
SMALL = """\
osd-throughput: 6 rounds
  spread  1.5 % from round to round (CV)
  counts  5.0 % and more, over 3 rounds
\x20
ROUND  STARTED (UTC)     MiB/s  IOPS  MEAN ms
1      2023-11-15 22:13    1.0   261        -
"""
ONE = """\
osd-throughput: 1 round
\x20
ROUND  STARTED (UTC)     MiB/s  IOPS  MEAN ms
1      2023-11-15 22:13  102.1    26        -"""
NONE = """\
osd-throughput: no valid round yet
  left out  round 4: noisy"""
LEVELS = ((8, 100.0), (7, 85.0), (5, 110.0))


def _history(rounds: Sequence[Round], baseline: int = 0) -> History:
    past = history(rounds, baseline)
    claim = regression(past, baseline)
    slower = Conclusion(claim.code, claim.message, claim.evidence) if claim else None
    return replace(past, baseline=baseline or None, regression=slower)


@pytest.mark.parametrize(
    ("rounds", "baseline", "expected"),
    [
        (_rounds(LEVELS), 0, EXPLAINED),
        (_rounds(LEVELS[:2]), 3, REGRESSED),
        (_rounds(((6, 1.0),), SMALL_STEP), 0, SMALL),
        (_rounds(((1, 100.0),)), 0, ONE),
        ([a_round(state=RoundState.DONE, id=4, verdict=Verdict.NOISY)], 0, NONE),
    ],
)
def test_the_text_of_a_history(rounds: list[Round], baseline: int, expected: str) -> None:
    text = comparison.history_text(_history(rounds, baseline))
    assert max(map(len, text.split("\n"))) <= 80
    assert "" not in text.split("\n")
    assert text.startswith(expected)


def test_the_shape_of_a_history() -> None:
    shape = to_json(_history(_rounds(LEVELS)))
    assert json.loads(json.dumps(shape)) == shape
    assert [change["round"] for change in shape["changes"]] == [9, 16]
    assert shape["changes"][0]["explained_by"] == []
    release = {"name": "OSD release", "was": "18.2.7", "now": "20.2.4", "setup": True}
    assert shape["changes"][1]["explained_by"] == [release]
    assert shape["points"][15]["since_last"] == [release]
    assert shape["points"][0]["iops"] == shape["points"][0]["bytes_per_second"] / STEP.block_size
    assert shape["regression"] is None


def test_the_shape_of_a_regression() -> None:
    shape = to_json(_history(_rounds(LEVELS[:2])))
    assert json.loads(json.dumps(shape)) == shape
    assert shape["regression"]["code"] == "PERF_BENCH_REGRESSION"
    assert shape["regression"]["evidence"]["since_round"] == 9
