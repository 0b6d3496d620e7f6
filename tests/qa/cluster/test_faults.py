"""What a fault does to a process, with `sleep` in the place of a daemon."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Union

import pytest

from cluster import daemons, faults, healing, records, stuck
from cluster import spec as specs
from cluster.errors import ClusterError
from cluster.processes import Process, carrying, end, launch
from cluster.spec import Spec
from cluster.waiting import wait_for


@pytest.fixture
def mgr(spec: Spec) -> Iterator[Process]:
    """A process that is recorded as mgr.x."""
    specs.save(spec)
    environment = {"PATH": os.environ["PATH"], "DEVCLUSTER_ID": spec.id}
    output = spec.output("mgr.x")
    yield launch(["sleep", "60"], environment, spec.pid_file("mgr.x"), output)
    end(carrying(spec.id), grace=0)


def test_a_paused_mgr_is_stopped_when_the_command_returns(spec: Spec, mgr: Process) -> None:
    fault = faults.put(spec, "pause", ["x"])
    assert mgr.stopped
    assert records.faults(spec) == [fault]
    assert (fault.daemons, fault.until) == (("mgr.x",), None)


def test_a_second_pause_takes_the_place_of_the_first(spec: Spec, mgr: Process) -> None:
    faults.put(spec, "pause", ["x"])
    second = faults.put(spec, "pause", ["x"])
    assert mgr.stopped
    assert records.faults(spec) == [second]


@pytest.mark.skipif(os.geteuid() != 0, reason="devcluster must be run as root")
def test_a_paused_mgr_is_continued_when_its_time_is_over(spec: Spec, mgr: Process) -> None:
    faults.put(spec, "pause", ["x"], seconds=3.0)
    assert mgr.stopped
    wait_for(lambda: mgr.alive and not mgr.stopped, 30, lambda: "it was not continued")
    wait_for(lambda: not records.faults(spec), 30, lambda: "the fault is still recorded")


def test_what_does_not_run_cannot_be_paused(spec: Spec) -> None:
    specs.save(spec)
    with pytest.raises(
        ClusterError, match=r"^'pause' cannot be played on what does not run: mgr\.y$"
    ):
        faults.put(spec, "pause", ["y"])
    assert records.faults(spec) == []


@pytest.mark.usefixtures("mgr")
def test_a_monitor_that_gives_no_answer_once_ends_no_wait(
    spec: Spec, monkeypatch: pytest.MonkeyPatch
) -> None:
    silent = ClusterError("'ceph mgr dump' gave no answer in 30 s")
    answers: Iterator[Union[ClusterError, dict[str, int]]] = iter([silent, {"mgr.x": 2}])

    def ids(_spec: Spec, _names: object) -> dict[str, int]:
        answer = next(answers)
        if isinstance(answer, ClusterError):
            raise answer
        return answer

    monkeypatch.setattr(healing, "mgr_ids", ids)
    healing.wait_back(spec, ["mgr.x"], {"mgr.x": 1})


def test_an_osd_that_hangs_is_started_again_and_its_threads_are_told(
    spec: Spec, monkeypatch: pytest.MonkeyPatch
) -> None:
    specs.save(spec)
    environment = {"PATH": os.environ["PATH"], "DEVCLUSTER_ID": spec.id}
    hung = launch(["sleep", "60"], environment, spec.pid_file("osd.0"), spec.output("osd.0"))
    sleeps = "1 sleep S in "
    wait_for(lambda: sleeps in stuck.describe(hung), 60, lambda: "the shell is not sleep yet")
    started: list[str] = []
    monkeypatch.setattr(healing, "_BACK_SECONDS", 0.1)
    monkeypatch.setattr(daemons, "start", lambda _spec, name: started.append(name))
    try:
        with pytest.raises(ClusterError, match=r"osd\.0 did not come back\n") as caught:
            healing.wait_back(spec, ["osd.0"], {})
        assert f"process {hung.pid} is S; its threads:\n  {sleeps}" in str(caught.value)
        assert started == ["osd.0"]
        assert not hung.alive
    finally:
        end(carrying(spec.id), grace=0)


def test_an_osd_that_answers_no_command_is_started_again_and_noted(
    spec: Spec, monkeypatch: pytest.MonkeyPatch
) -> None:
    specs.save(spec)
    environment = {"PATH": os.environ["PATH"], "DEVCLUSTER_ID": spec.id}
    hung = launch(["sleep", "60"], environment, spec.pid_file("osd.1"), spec.output("osd.1"))
    paused = launch(["sleep", "60"], environment, spec.pid_file("osd.2"), spec.output("osd.2"))
    # One that a stall lets run for the moment.
    stalled = launch(["sleep", "60"], environment, spec.pid_file("osd.3"), spec.output("osd.3"))
    records.write(spec, records.Fault("f1", "stall", ("osd.3",)))
    started: list[str] = []
    monkeypatch.setattr(healing, "_HUNG_SECONDS", 0.1)
    monkeypatch.setattr(healing, "wait_back", lambda *_: None)
    monkeypatch.setattr(daemons, "start", lambda _spec, name: started.append(name))
    try:
        faults.put(spec, "pause", ["osd.2"])  # it answers nothing either, but for a reason
        healing.restart_hung(spec)
        assert started == ["osd.1"]
        assert (hung.alive, paused.alive, stalled.alive) == (False, True, True)
        assert [said.split(":")[0] for said in healing.hangs(spec)] == [
            "osd.1 hung and was started again"
        ]
    finally:
        end(carrying(spec.id), grace=0)
