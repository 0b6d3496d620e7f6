"""Where unit tests keep their files."""

from __future__ import annotations

import shutil
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
