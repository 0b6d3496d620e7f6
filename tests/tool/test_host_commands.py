"""How long the host tool waits for programs, and where it looks for them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import pytest

from perf_bench.tool.facts import host_files as host_commands
from perf_bench.tool.facts.host_files import HostCommands


def test_a_program_that_cannot_be_killed_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in uninterruptible sleep, for a disk that hangs: SIGKILL has no effect for minutes."""
    left: list[subprocess.Popen[str]] = []
    kill = subprocess.Popen.kill

    def without_effect(process: subprocess.Popen[str]) -> None:
        left.append(process)

    monkeypatch.setattr(subprocess.Popen, "kill", without_effect)
    assert HostCommands(0.2).output(sys.executable, "-c", "import time; time.sleep(600)") is None
    (process,) = left
    runs = process.poll() is None
    kill(process)
    process.wait()
    assert runs


class _Hanging:
    """A program that hangs for as long as somebody waits."""

    stdout = None
    waited: ClassVar[list[float]] = []

    def __init__(self, words: Sequence[str], **_how: object) -> None:
        self._words = words

    def communicate(self, timeout: float) -> None:
        self.waited.append(timeout)
        raise subprocess.TimeoutExpired(self._words, timeout)

    def kill(self) -> None:
        pass

    def wait(self, timeout: float) -> None:
        pass


def test_many_programs_that_hang_use_up_the_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """60 disks that hang 20 s each would take longer than the service may run."""
    monkeypatch.setattr(host_commands, "PATIENCE", 50.0)
    programs = HostCommands(20.0)
    with monkeypatch.context() as hanging:
        hanging.setattr(subprocess, "Popen", _Hanging)
        hanging.setattr(_Hanging, "waited", [])
        for _ in range(5):
            assert programs.output("echo", "here") is None
        assert _Hanging.waited == [20.0, 20.0, 10.0, 2.0, 2.0]
    assert programs.output("echo", "here") == "here\n"


def test_programs_for_root_are_found_without_their_folder_in_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The PATH of cron is /usr/bin:/bin; smartctl, nvme and multipathd are in /usr/sbin."""
    program = tmp_path / "sbin" / "smartctl"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho '{}'\n")
    program.chmod(0o755)
    monkeypatch.setattr(host_commands, "_SBIN", (str(program.parent),))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    assert HostCommands().output("smartctl") == "{}\n"
