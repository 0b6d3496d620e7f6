"""`ceph-perf-bench wait`: how a round ended is the exit code, and a failover is no end."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import pytest

from perf_bench.tool import wait as waits
from perf_bench.tool.client import CephClient
from perf_bench.tool.main import main
from perf_bench.tool.wait import Follower

if TYPE_CHECKING:
    from tests.tool.conftest import Play

Line = dict[str, Any]
Captured = pytest.CaptureFixture[str]


def running(progress: float, phase: str = "write", id_: int = 7) -> Line:
    active = {
        "id": id_,
        "profile": "osd-iops",
        "phase": phase,
        "progress": progress,
        "eta_seconds": 200 * (1 - progress),
    }
    return {"on": "perf-bench status", "out": json.dumps({"active_round": active})}


def idle() -> Line:
    return {"on": "perf-bench status", "out": json.dumps({"active_round": None})}


def shown(state: str, verdict: str | None = None, *reasons: str) -> Line:
    shape = {"id": 7, "profile": "osd-iops", "state": state, "verdict": verdict, "reasons": reasons}
    return {"on": "perf-bench round show 7 --limit 1 --format json", "out": json.dumps(shape)}


def refused(code: int, err: str, on: str = "perf-bench status") -> Line:
    return {"on": on, "code": code, "err": f"{err}\n"}


DONE = shown("done", "valid", "median CV 1.2 % over 5 repeats")
UNKNOWN = "no valid command found; 10 closest matches:\npg stat\nError EINVAL: invalid command"
DISABLED = "Error ENOTSUP: Module 'perf_bench' is not enabled/loaded"


def wait(ceph: Play, *more: str) -> int:
    return main(["--ceph", ceph.command, "wait", "7", "--interval", "0.001", *more])


@pytest.mark.parametrize(
    ("ended", "options", "code", "line"),
    [
        (DONE, [], 0, "round 7: done, valid: median CV 1.2 % over 5 repeats"),
        (shown("done", "noisy", "a", "b\nc"), [], 0, "round 7: done, noisy: a; b c"),
        (shown("done", "noisy"), ["--fail-on", "noisy"], 1, "round 7: done, noisy"),
        (shown("done", "too-short"), ["--fail-on", "noisy"], 0, "round 7: done, too-short"),
        (shown("done", "too-short"), ["--fail-on", "noisy, too-short"], 1, None),
        # by default what did not run to its end is a failure
        (
            shown("aborted", "aborted", "by the operator"),
            [],
            1,
            "round 7: aborted: by the operator",
        ),
        (shown("failed", "failed", "osd.1 went down"), [], 1, "round 7: failed: osd.1 went down"),
        # a round may run to its end and have failed
        (shown("done", "failed", "osd.1 was not measured"), [], 1, None),
        # a round that another mgr gave up before it was judged
        (shown("failed"), [], 1, "round 7: failed"),
        (shown("failed", "failed"), ["--fail-on", ""], 0, "round 7: failed"),
    ],
)
def test_how_it_ended_is_one_line_and_the_exit_code(
    ceph: Play, capsys: Captured, ended: Line, options: list[str], code: int, line: str | None
) -> None:
    ceph.write(idle(), ended)
    assert wait(ceph, *options) == code
    out, err = capsys.readouterr()
    assert err == ""
    assert out.count("\n") == 1
    assert line is None or out == f"{line}\n"


def test_progress_is_told_at_changes_only(ceph: Play, capsys: Captured) -> None:
    steps = [running(fraction) for fraction in (0.0, 0.05, 0.31, 0.35, 0.39, 0.99)]
    saving = running(1.0, "saving")
    ceph.write(idle(), shown("queued"), idle(), shown("queued"), *steps, saving, idle(), DONE)
    assert wait(ceph) == 0
    assert ceph.left == ""
    assert capsys.readouterr().err.splitlines() == [
        "round 7 osd-iops: queued",
        "round 7 osd-iops: write, 0 %, 3 min 20 s left",
        "round 7 osd-iops: write, 31 %, 2 min 18 s left",
        "round 7 osd-iops: write, 99 %, 2 s left",
        "round 7 osd-iops: saving, 100 %, 0 s left",
    ]


@pytest.mark.parametrize(
    "outage",
    [
        [refused(22, UNKNOWN)],  # the mon knows no command of ours while no mgr is active
        [refused(95, DISABLED)],  # the new mgr has not loaded the module yet
        [refused(11, "Error EAGAIN: the database gave no answer")],
        [refused(110, "[errno 110] RADOS timed out (error connecting to the cluster)")],
        [refused(1, "Cluster connection aborted")],
        [{"on": "status", "out": "not JSON"}, {"on": "status", "out": ""}],
        # the mgr answers, its database does not yet
        [idle(), refused(11, "Error EAGAIN: no answer within 5 s", on="round show")],
        [refused(95, DISABLED), refused(22, UNKNOWN), refused(95, DISABLED)] * 3,
    ],
)
def test_failovers_do_not_end_the_wait_and_each_is_told_once(
    ceph: Play, capsys: Captured, outage: list[Line]
) -> None:
    ceph.write(running(0.4), *outage, running(0.4), *outage, running(0.4), idle(), DONE)
    assert wait(ceph, "--timeout", "60") == 0
    assert ceph.left == ""
    told = [line for line in capsys.readouterr().err.splitlines() if "trying again" in line]
    assert len(told) == 2
    assert all(line.startswith("perf_bench gives no answer (") for line in told)


@pytest.mark.parametrize(
    ("play", "sentence"),
    [
        (
            [idle(), refused(2, "Error ENOENT: no round 7: 'x' lists those there are", "show")],
            "no round 7: 'x' lists those there are",
        ),
        # removed while we waited
        (
            [running(0.9), idle(), refused(2, "Error ENOENT: no round 7", "round show")],
            "no round 7",
        ),
        (
            [refused(13, "2026-11-21 monclient: x\n\n[errno 13] RADOS permission denied (error)")],
            "[errno 13] RADOS permission denied (error)",
        ),
        ([refused(13, "Error EACCES: access denied")], "access denied"),
        (
            [refused(1, "Error initializing cluster client: ObjectNotFound('x')")],
            "Error initializing cluster client: ObjectNotFound('x')",
        ),
        ([refused(127, "sh: 1: ceph: not found")], "sh: 1: ceph: not found"),
    ],
)
def test_what_waiting_does_not_mend_ends_it(
    ceph: Play, capsys: Captured, play: list[Line], sentence: str
) -> None:
    ceph.write(*play)
    assert wait(ceph) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines()[-1] == f"ceph-perf-bench: {sentence}"


def test_a_time_out_is_124_and_says_where_the_round_was(ceph: Play, capsys: Captured) -> None:
    ceph.write(running(0.5), {"on": "status", "hang": True})
    assert wait(ceph, "--timeout", "0.2") == 124
    assert capsys.readouterr().err.splitlines()[-1] == (
        "ceph-perf-bench: round 7 has not ended within 0.2 s "
        "(round 7 osd-iops: write, 50 %, 1 min 40 s left)"
    )


def test_where_no_perf_bench_ever_answers_the_wait_ends(
    ceph: Play, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waits, "_FIRST_ANSWER", 0.05)
    ceph.write({**refused(95, DISABLED), "for_ever": True})
    assert wait(ceph) == 2
    said = capsys.readouterr().err.splitlines()[-1]
    assert "gave no answer in 0 s: Module 'perf_bench' is not" in said


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_line_is_no_wider_than_the_terminal_and_moves_no_cursor(ceph: Play) -> None:
    stream = Terminal()
    ceph.write(running(0.999, "\x1b[2J" * 99), idle(), DONE)
    Follower(CephClient(ceph.command.split()), 7, 0.001, None, stream).until_ended()
    drawn, erased, _ = stream.getvalue().split("\x1b[K")
    assert drawn.startswith("\rround 7 osd-iops: \\x1b[2J")
    assert len(drawn) <= 80
    assert erased == "\r"
