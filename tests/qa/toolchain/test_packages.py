"""What is in the packages; qa/scenarios/packages installs them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from toolchain import bootstrap, packages

SCRIPTS = ("preinst", "postinst", "prerm", "postrm")


def test_the_module_is_where_the_tool_would_put_it() -> None:
    files = packages._module_files()
    mgr = "usr/share/ceph/mgr/"
    controllers = [name for name in files if name.startswith(f"{mgr}dashboard/controllers/")]
    assert len(controllers) == 4
    for name in controllers:
        copy = f"{mgr}perf_bench/tab/controllers/{name.rpartition('/')[2]}"
        assert files[name] == files[copy]
    assert set(files) - set(controllers) == {
        name for name in files if name.startswith(f"{mgr}perf_bench/")
    }


def test_the_tool_is_not_among_the_packages_of_python() -> None:
    files = packages._tool_files()
    assert not [name for name in files if "/dist-packages/" in name or "/site-packages/" in name]
    units = [
        files[name].decode()
        for name in files
        if name.startswith("usr/lib/systemd/") and name.endswith(".service")
    ]
    assert len(units) == 3
    begun = sorted(line for unit in units for line in unit.splitlines() if "ExecStart=" in line)
    assert begun[0].startswith("ExecStart=/usr/bin/ceph --name client.perf-bench-report ")
    assert all(line.startswith("ExecStart=/usr/bin/ceph-perf-bench ") for line in begun[1:])


@pytest.mark.parametrize("name", [packages.MODULE, packages.TOOL])
def test_scripts_are_whole(name: str, root: Path) -> None:
    found = [root / "qa" / "packaging" / "debian" / f"{name}.{script}" for script in SCRIPTS]
    files = [file for file in found if file.is_file()]
    assert len(files) >= 2
    for file in files:
        text = packages._script(file)
        done = subprocess.run(["sh", "-n"], input=text, check=False, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, ""), file
        assert text.startswith("#!/bin/sh\nset -e\n")
        assert "@" not in text


def test_a_commit_during_a_build_does_not_date_its_last_package(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    times = iter(["1795000000\n", "1795000060\n"])
    monkeypatch.setattr(bootstrap, "_run", lambda *_: next(times))
    bootstrap.commit_time.cache_clear()
    try:
        assert [bootstrap.commit_time(), bootstrap.commit_time()] == [1795000000] * 2
    finally:
        bootstrap.commit_time.cache_clear()
