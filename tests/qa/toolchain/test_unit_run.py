"""Where unit tests keep their files, and what happens when some fail."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest

from toolchain import unit_run
from toolchain.bootstrap import GATE


@pytest.mark.parametrize(
    ("free", "in_memory"), [((2 << 30) - 1, False), (2 << 30, True), (64 << 20, False)]
)
def test_memory_is_used_where_there_is_room(
    free: int, in_memory: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TMPDIR", raising=False)
    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: SimpleNamespace(free=free))
    assert unit_run.environment(tmp_path).get("TMPDIR") == (str(tmp_path) if in_memory else None)


def test_a_machine_without_it_uses_its_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = tmp_path / "disk"
    monkeypatch.setenv("TMPDIR", str(disk))
    assert unit_run.environment(tmp_path / "none")["TMPDIR"] == str(disk)


def test_byte_code_is_kept_but_not_among_the_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    environment = unit_run.environment()
    assert "PYTHONDONTWRITEBYTECODE" not in environment
    assert Path(environment["PYTHONPYCACHEPREFIX"]).is_relative_to(GATE.folder)


TEST = """
import pathlib
import pytest

@pytest.mark.parametrize("n", range(5))
def test_it(n):
    first = pathlib.Path(__file__).parent / f"failed-{{n}}"
    if n < {count} and not first.exists():
        first.touch(exist_ok={always})
        assert False, "too slow"
    assert n >= {count} or not {always}
"""


@pytest.mark.parametrize(
    ("count", "always", "good", "calls"),
    [
        (0, False, True, 1),
        (3, False, True, 2),
        (4, False, False, 1),
        (1, True, False, 2),
    ],
)
def test_a_few_that_fail_once_are_named_and_run_again(
    count: int,
    always: bool,
    good: bool,
    calls: int,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "test_unsteady.py").write_text(TEST.format(count=count, always=always))
    made: list[Sequence[str]] = []

    def call(command: Sequence[str]) -> int:
        made.append(command)
        return subprocess.run(command, check=False, cwd=tmp_path).returncode

    pytest_ = [sys.executable, "-m", "pytest", "-n", "2"]
    assert unit_run.passes(pytest_, call, tmp_path / "cache") is good
    assert len(made) == calls
    said = [line for line in capfd.readouterr().out.splitlines() if line.startswith("RERUN ")]
    again = range(count if calls == 2 else 0)
    assert sorted(said) == [f"RERUN test_unsteady.py::test_it[{n}]" for n in again]


def test_a_run_that_was_broken_off_is_not_made_again(tmp_path: Path) -> None:
    codes = [2, 0]
    assert not unit_run.passes(["pytest"], lambda _command: codes.pop(0), tmp_path / "cache")
    assert codes == [0]
