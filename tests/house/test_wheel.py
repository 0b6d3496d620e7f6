"""The wheel carries the module and the host tool, and nothing of the tests."""

from __future__ import annotations

import os
import runpy
import shutil
import subprocess
import sys
import zipfile
from email.parser import HeaderParser
from pathlib import Path

import pytest

TAB = ("dashboard_plugin/backend/", "dashboard_plugin/entry/")
SOURCES = ("pyproject.toml", "setup.py", "README.md", "LICENSE")


@pytest.fixture(scope="module")
def wheel(root: Path, tree: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _build(root, tree, tmp_path_factory.mktemp("source"))


def _build(root: Path, tree: list[str], copy: Path) -> Path:
    """The wheel, built from a copy: setuptools leaves its traces beside the sources."""
    for name in tree:
        if name in SOURCES or name.startswith(("mgr_module/", *TAB)):
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(root / name, copy / name)
            (copy / name).chmod(0o644)  # as git makes them under the usual umask
    # What the front end's build makes.
    dist = copy / "dashboard_plugin" / "frontend" / "dist"
    dist.mkdir(parents=True)
    (dist / "manifest.json").write_text("{}")
    (dist / "main-ABCD1234.js").write_text("x = 1;\n" * 1000)
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", str(copy)]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "1790000000"}
    built = subprocess.run(command, check=False, capture_output=True, text=True, env=environment)
    assert built.returncode == 0, built.stdout + built.stderr
    (file,) = (copy / "dist").iterdir()
    return file


def _read(wheel: Path, name: str) -> str:
    with zipfile.ZipFile(wheel) as archive:
        (member,) = (m for m in archive.namelist() if m.endswith(f".dist-info/{name}"))
        return archive.read(member).decode()


def test_name_version_and_licence(wheel: Path, root: Path) -> None:
    version = runpy.run_path(str(root / "mgr_module" / "perf_bench" / "version.py"))["VERSION"]
    assert wheel.name == f"ceph_perf_bench-{version}-py3-none-any.whl"
    said = HeaderParser().parsestr(_read(wheel, "METADATA"))
    assert said["Name"] == "ceph-perf-bench"
    assert said["Version"] == version
    assert said["Requires-Python"] == ">=3.9"
    assert said["License-Expression"] == "LGPL-2.1-or-later"
    assert said.get_all("Requires-Dist") is None


def test_the_host_tool_is_its_only_script(wheel: Path) -> None:
    assert _read(wheel, "entry_points.txt").split("\n")[:2] == [
        "[console_scripts]",
        "ceph-perf-bench = perf_bench.tool.main:main",
    ]


def test_it_holds_the_module_and_the_tab_whole_and_nothing_else(
    wheel: Path, tree: list[str]
) -> None:
    with zipfile.ZipFile(wheel) as archive:
        inside = {name for name in archive.namelist() if ".dist-info/" not in name}
    folder = "mgr_module/"
    ours = {name[len(folder) :] for name in tree if name.startswith(f"{folder}perf_bench/")}
    assert "perf_bench/model/__init__.py" in inside
    tab = {name for name in inside if name.startswith("perf_bench/tab/")}
    assert inside - tab == ours
    assert {name.rpartition("/")[2] for name in tab if "/controllers/" in name} == {
        name.rpartition("/")[2] for name in tree if name.startswith(TAB[0])
    }
    static = {name.rpartition("/")[2] for name in tab if "/static/" in name}
    assert static > {"entry.js", "page.html", "manifest.json", "main-ABCD1234.js.gz"}


def test_the_same_sources_make_the_same_wheel(
    wheel: Path, root: Path, tree: list[str], tmp_path: Path
) -> None:
    before = os.umask(0o077)
    try:
        again = _build(root, tree, tmp_path)
    finally:
        os.umask(before)
    assert again.read_bytes() == wheel.read_bytes()


def test_the_tool_of_the_wheel_installs_offline(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "lib")
    (tmp_path / "mgr").mkdir()
    words = ["install", "--mgr-modules", str(tmp_path / "mgr")]
    done = subprocess.run(
        [sys.executable, "-B", "-m", "perf_bench.tool", *words],
        cwd="/", env={"PYTHONPATH": str(tmp_path / "lib")},
        check=False, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done
    assert "no pages" not in done.stdout
    assert (tmp_path / "mgr/perf_bench/tab/static/manifest.json").read_text() == "{}"
