"""What a fault does to a process, with `sleep` in the place of a daemon."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Union

import pytest

from cluster import faults, healing, records
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
