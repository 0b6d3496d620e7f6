"""Commands to the monitors and to OSDs."""

# Our modules that know Ceph can be imported only while its Python modules are in place.
# ruff: noqa: PLC0415

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, Any

import pytest

import threads
from fakes.ceph import MgrWorld
from perf_bench.errors import CommandFailed

if TYPE_CHECKING:
    from mgr_module import MgrModule

ADDRESS = "[v2:127.0.0.1:1/0]"


def test_an_osd_without_an_answer_does_not_hold_commands_to_the_monitors(
    pacific_mgr: MgrModule, pacific: MgrWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    from perf_bench.ceph.client import open_client
    from perf_bench.ceph.mons import Mons

    asked, answers = threading.Event(), threading.Event()

    def stuck(*_: Any, **__: Any) -> Any:
        asked.set()
        answers.wait(600)
        raise sys.modules["rados"].TimedOut("no answer", 110)

    monkeypatch.setattr(sys.modules["rados"].Rados, "osd_command", stuck)
    mons = Mons(lambda: open_client("mgr.x", "", ADDRESS, 15))
    failed: list[CommandFailed] = []

    def lagging() -> None:
        try:
            mons.osd_command_json(1, "config get", var="osd_bench_small_size_max_iops")
        except CommandFailed as error:
            failed.append(error)

    restoring = threading.Thread(target=lagging, daemon=True)
    restoring.start()
    assert asked.wait(threads.PATIENCE)
    told = threading.Event()

    def ask() -> None:
        mons.command_json("osd ls")
        told.set()

    threading.Thread(target=ask, daemon=True).start()
    in_time = told.wait(threads.PATIENCE)
    answers.set()
    restoring.join(threads.PATIENCE)
    assert in_time, "the monitors were not asked while osd.1 gave no answer"
    assert len(failed) == 1
    mons.close()
    with pytest.raises(CommandFailed, match="being stopped"):
        mons.osd_command_json(1, "status")


def test_a_client_that_broke_is_shut_down_when_the_last_command_has_returned(
    pacific_mgr: MgrModule, pacific: MgrWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    from perf_bench.ceph.client import SharedClient, open_client

    asked, answers = threading.Event(), threading.Event()
    commands = sys.modules["rados"].Rados.osd_command

    def stuck(*words: Any) -> Any:
        asked.set()
        answers.wait(threads.PATIENCE)
        return commands(*words)

    monkeypatch.setattr(sys.modules["rados"].Rados, "osd_command", stuck)
    shared = SharedClient(lambda: open_client("mgr.x", "", ADDRESS, 15))
    waiting = threading.Thread(target=lambda: shared.osd(1, {"prefix": "status"}), daemon=True)
    waiting.start()
    assert asked.wait(threads.PATIENCE)
    pacific.mon_silent = True
    with pytest.raises(CommandFailed, match="no answer"):
        shared.mon({"prefix": "osd ls"})
    assert pacific.connected == 1
    pacific.mon_silent = False
    shared.mon({"prefix": "osd ls"})
    assert pacific.connected == 2
    answers.set()
    waiting.join(threads.PATIENCE)
    assert pacific.connected == 1
    shared.close()
    assert pacific.connected == 0
