"""The tab goes into a dashboard and out again without a trace."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture
def mgr_modules(tmp_path: Path) -> Path:
    """A folder of mgr modules with a dashboard in it."""
    controllers = tmp_path / "mgr" / "dashboard" / "controllers"
    controllers.mkdir(parents=True)
    for name in ("home.py", "osd.py", "perf_counters.py"):
        (controllers / name).write_text(f"# {name}\n")
    return tmp_path / "mgr"


@pytest.fixture
def built(installer: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A front end that is built: one large file, one with its packed twin."""
    dist = tmp_path / "dist"
    dist.mkdir()
    (dist / "main-ABCD1234.js").write_bytes(b"x = 1;\n" * 1000)
    (dist / "chunk-ABCD1234.js").write_bytes(b"y = 1;\n" * 1000)
    (dist / "chunk-ABCD1234.js.gz").write_bytes(b"made by the build")
    (dist / "manifest.json").write_text('{"main": "main-ABCD1234.js"}')
    monkeypatch.setattr(installer, "DIST", dist)
    return dist


def _state(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_in_and_out_again(installer: ModuleType, built: Path, mgr_modules: Path) -> None:
    before = _state(mgr_modules)
    (said,) = installer.install(mgr_modules)
    assert "ceph mgr module disable dashboard" in said
    inside = _state(mgr_modules)
    assert {name: inside[name] for name in before} == before
    static = mgr_modules / "dashboard" / "perf_bench_static"
    assert (
        gzip.decompress((static / "main-ABCD1234.js.gz").read_bytes())
        == (built / "main-ABCD1234.js").read_bytes()
    )
    assert (static / "chunk-ABCD1234.js.gz").read_bytes() == b"made by the build"
    assert (static / "entry.js").is_file()
    cache = mgr_modules / "dashboard" / "controllers" / "__pycache__"
    cache.mkdir()
    (cache / "perf_bench.cpython-311.pyc").write_bytes(b"")
    (cache / "osd.cpython-311.pyc").write_bytes(b"")
    installer.uninstall(mgr_modules)
    left = _state(mgr_modules)
    assert left.pop("dashboard/controllers/__pycache__/osd.cpython-311.pyc") == b""
    assert left == before
    installer.uninstall(mgr_modules)  # again: nothing to do


def test_again_it_writes_nothing_and_takes_away_what_is_old(
    installer: ModuleType, built: Path, mgr_modules: Path
) -> None:
    installer.install(mgr_modules)
    before = {path: path.stat().st_mtime_ns for path in mgr_modules.rglob("*") if path.is_file()}
    installer.install(mgr_modules)
    after = {path: path.stat().st_mtime_ns for path in mgr_modules.rglob("*") if path.is_file()}
    assert after == before
    (built / "main-ABCD1234.js").rename(built / "main-NEWER123.js")
    old_controller = mgr_modules / "dashboard" / "controllers" / "perf_bench_of_old.py"
    old_controller.write_text("")
    installer.install(mgr_modules)
    static = mgr_modules / "dashboard" / "perf_bench_static"
    assert not (static / "main-ABCD1234.js").exists()
    assert not (static / "main-ABCD1234.js.gz").exists()
    assert (static / "main-NEWER123.js.gz").exists()
    assert not old_controller.exists()


def test_what_the_dashboard_loads_is_no_link(
    installer: ModuleType, built: Path, mgr_modules: Path, plugin: Path
) -> None:
    controllers = mgr_modules / "dashboard" / "controllers"
    (controllers / "perf_bench.py").symlink_to(plugin / "backend" / "perf_bench.py")
    installer.install(mgr_modules)
    assert not (controllers / "perf_bench.py").is_symlink()
    source = (plugin / "backend" / "perf_bench.py").read_bytes()
    assert (controllers / "perf_bench.py").read_bytes() == source


def test_without_pages_it_says_so(
    installer: ModuleType, mgr_modules: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = installer.HERE / "frontend" / "nothing"
    monkeypatch.setattr(installer, "DIST", missing)
    said = installer.install(mgr_modules)
    assert "has not been built" in said[1]
    assert (mgr_modules / "dashboard" / "perf_bench_static" / "entry.js").is_file()


def test_a_folder_without_a_dashboard_gets_one_sentence(plugin: Path, tmp_path: Path) -> None:
    command = [sys.executable, str(plugin / "install.py"), "--mgr-modules", str(tmp_path)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith(f"install.py: there is no dashboard in {tmp_path}: ")
    assert done.stderr.count("\n") == 1


def test_a_wrong_option_is_a_usage_error(plugin: Path) -> None:
    command = [sys.executable, str(plugin / "install.py"), "--nothing"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
