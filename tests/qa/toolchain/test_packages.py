"""What is in the packages; qa/scenarios/packages installs them."""

from __future__ import annotations

from toolchain import packages


def test_the_module_is_where_the_tool_would_put_it() -> None:
    files = packages._module_files()
    mgr = "usr/share/ceph/mgr/"
    controllers = [name for name in files if name.startswith(f"{mgr}dashboard/controllers/")]
    assert len(controllers) == 5
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
