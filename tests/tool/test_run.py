"""`ceph-perf-bench run`: the exit code tells the verdict of the round and of its comparison."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any, Optional

import pytest

from perf_bench.tool.main import main

if TYPE_CHECKING:
    from tests.tool.conftest import Play

Line = dict[str, Any]
Captured = pytest.CaptureFixture[str]
STARTED: Line = {"on": "perf-bench round start osd-iops", "out": '{"id": 7}'}
IDLE: Line = {"on": "perf-bench status", "out": '{"active_round": null}'}


def ended(verdict: str) -> Line:
    shape = {"id": 7, "profile": "osd-iops", "state": "done", "verdict": verdict, "reasons": []}
    return {"on": "perf-bench round show 7", "out": json.dumps(shape)}


def baselines(*profiles: str) -> Line:
    rows = [{"profile": profile, "round": 3} for profile in profiles]
    return {"on": "perf-bench baseline ls", "out": json.dumps(rows)}


def compared(verdict: str, change: Optional[float]) -> Line:
    shape = {"a": 3, "b": 7, "verdict": verdict, "change_percent": change, "why": ["a", "b\nc"]}
    return {"on": "perf-bench round compare 3 7 --limit 1", "out": json.dumps(shape)}


def run(ceph: Play, *more: str) -> int:
    return main(["--ceph", ceph.command, "run", "osd-iops", "--interval", "0.001", *more])


@pytest.mark.parametrize(
    ("verdict", "change", "options", "code", "last"),
    [
        ("worse", -20.0, [], 3, "round 7 against baseline 3: worse -20.0 %: a; b c"),
        ("same", 0.1, [], 0, "round 7 against baseline 3: same +0.1 %: a; b c"),
        ("not-comparable", None, [], 0, "round 7 against baseline 3: not-comparable: a; b c"),
        ("not-comparable", None, ["--fail-on-change", "worse, not-comparable"], 3, None),
        ("worse", -20.0, ["--fail-on-change", ""], 0, None),
    ],
)
def test_the_comparison_is_the_exit_code(
    verdict: str,
    change: Optional[float],
    options: list[str],
    code: int,
    last: Optional[str],
    ceph: Play,
    capsys: Captured,
) -> None:
    ceph.write(STARTED, IDLE, ended("valid"), baselines("x", "osd-iops"), compared(verdict, change))
    assert run(ceph, *options) == code
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["round 7: started", "round 7: done, valid"]
    assert last is None or lines[2] == last
    assert ceph.left == ""


def test_without_a_baseline_nothing_is_compared(ceph: Play, capsys: Captured) -> None:
    ceph.write(STARTED, IDLE, ended("valid"), baselines("osd-throughput"))
    assert run(ceph) == 0
    assert "osd-iops has no baseline: not compared" in capsys.readouterr().out


def test_a_round_that_failed_is_not_compared(ceph: Play) -> None:
    ceph.write(STARTED, IDLE, ended("noisy"))
    assert run(ceph, "--fail-on", "noisy") == 1
    assert ceph.left == ""


def test_a_refusal_is_one_sentence(ceph: Play, capsys: Captured) -> None:
    ceph.write({"on": "round start", "code": 11, "err": "Error EAGAIN: recovery is under way\n"})
    assert run(ceph, "--osds", "host=a", "--label", "x y") == 2
    assert capsys.readouterr().err == "ceph-perf-bench: recovery is under way\n"
    assert {"--osds=host=a", "--label=x y"} <= set(ceph.calls[0][1])


def test_a_start_without_an_answer_is_no_refusal(
    ceph: Play, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "sleep", lambda _seconds: None)
    ceph.write({"on": "round start", "hang": True})
    assert run(ceph) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == (
        "ceph-perf-bench: 'ceph' gave no answer within 30 s: whether a round has started is not "
        "known, 'ceph perf-bench round ls' shows it\n"
    )
