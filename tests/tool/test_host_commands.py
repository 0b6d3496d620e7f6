"""How long the host tool waits for programs, and where it looks for them."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from perf_bench.tool.facts import host_commands
from perf_bench.tool.facts.host_commands import HostCommands

_SLEEP = "import time; time.sleep(4)"


def test_a_program_that_cannot_be_killed_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As in uninterruptible sleep, for a disk that hangs: SIGKILL has no effect for minutes."""
    left: list[subprocess.Popen[str]] = []
    kill = subprocess.Popen.kill

    def without_effect(process: subprocess.Popen[str]) -> None:
        left.append(process)

    monkeypatch.setattr(subprocess.Popen, "kill", without_effect)
    began = time.monotonic()
    assert HostCommands(0.2).output(sys.executable, "-c", _SLEEP) is None
    took = time.monotonic() - began
    for process in left:
        kill(process)
        process.wait()
    assert len(left) == 1
    assert took < 2.5


def test_many_programs_that_hang_use_up_the_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """60 disks that hang 20 s each would take longer than the service may run."""
    monkeypatch.setattr(host_commands, "PATIENCE", 0.6, raising=False)
    monkeypatch.setattr(host_commands, "_LEAST", 0.2, raising=False)
    programs = HostCommands(0.6)
    began = time.monotonic()
    for _ in range(4):
        assert programs.output(sys.executable, "-c", _SLEEP) is None
    assert time.monotonic() - began < 2.0  # not 4 * 0.6
    assert programs.output("echo", "here") == "here\n"


def test_programs_for_root_are_found_without_their_folder_in_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The PATH of cron is /usr/bin:/bin; smartctl, nvme and multipathd are in /usr/sbin."""
    program = tmp_path / "sbin" / "smartctl"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho '{}'\n")
    program.chmod(0o755)
    monkeypatch.setattr(host_commands, "_SBIN", (str(program.parent),), raising=False)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    assert HostCommands().output("smartctl") == "{}\n"
