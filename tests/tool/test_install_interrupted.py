"""An installation that is interrupted or fails leaves the version before whole.

As in ``test_install.py``, where a killed process leaves what the next one mends; here the process
goes on to its end (Ctrl-C, SIGTERM, an error of the disk) and must not take away what it set aside.
"""

from __future__ import annotations

import ctypes
import errno
import os
from pathlib import Path

import pytest

from perf_bench.tool.install import host as hosts
from perf_bench.tool.install.host import MARK, Host
from perf_bench.tool.install.payload import Payload

CONTROLLER = b"# " + MARK + b"\n"


def _payload(version: str) -> Payload:
    return Payload(
        {
            "__init__.py": b"",
            "module.py": version.encode(),
            "store/rows.py": version.encode() * 100,
            "tab/controllers/perf_bench.py": CONTROLLER + version.encode(),
        }
    )


OLD, NEW = _payload("version = 1\n"), _payload("version = 2\n")


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of mgr modules with OLD in it, where no rename exchanges two folders."""
    monkeypatch.setattr(os, "fsync", lambda file: None)
    monkeypatch.setattr(hosts, "_EXCHANGE", 1 << 10)  # a flag that no file system knows
    controllers = tmp_path / "dashboard" / "controllers"
    controllers.mkdir(parents=True)
    (controllers / "home.py").write_text("# Ceph's own\n")
    Host(tmp_path).install(OLD)
    return tmp_path


@pytest.mark.parametrize("fault", [SystemExit(143), OSError(errno.EIO, "Input/output error")])
def test_between_the_two_renames(
    fault: BaseException, modules: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename, failed = Path.rename, list[Path]()

    def renamed(path: Path, target: Path) -> Path:
        if path.name == "perf_bench" and target == modules / "perf_bench" and not failed:
            failed.append(path)
            raise fault
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", renamed)
    with pytest.raises(type(fault)):
        Host(modules).install(NEW)
    assert failed
    assert Host(modules).differences(OLD) == []


def test_while_a_folder_of_an_image_is_removed(
    modules: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An overlay renames no folder of a lower layer: it is copied, then removed file by file."""
    lower, rename, unlink = (modules / "perf_bench").stat().st_ino, Path.rename, Path.unlink
    removed: list[Path] = []

    def renamed(path: Path, target: Path) -> Path:
        if path.is_dir() and path.stat().st_ino == lower:
            raise OSError(errno.EXDEV, "Invalid cross-device link", str(path))
        return rename(path, target)

    def interrupted(path: Path, missing_ok: bool = False) -> None:
        if path.parent == modules / "perf_bench":
            removed.append(path)
            if len(removed) == 2:
                raise KeyboardInterrupt
        unlink(path, missing_ok=missing_ok)

    monkeypatch.setattr(Path, "rename", renamed)
    monkeypatch.setattr(Path, "unlink", interrupted)
    monkeypatch.setattr(ctypes, "CDLL", lambda *_, **__: object())
    with pytest.raises(KeyboardInterrupt):
        Host(modules).install(NEW)
    assert len(removed) == 2
    assert Host(modules).differences(OLD) == []
