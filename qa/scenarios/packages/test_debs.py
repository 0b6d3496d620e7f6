"""The Debian packages: installed, upgraded, triggered, removed and purged in clean roots."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from scenarios.packages.conftest import CleanRoot
from toolchain import packages

pytestmark = [pytest.mark.cluster, pytest.mark.long]
CONTROLLERS = "/usr/share/ceph/mgr/dashboard/controllers"
MODULE, TOOL = packages.MODULE, packages.TOOL
# A dashboard of a later version, of which only this file is left; its scripts do nothing.
DASHBOARD = """Package: ceph-mgr-dashboard
Version: 99:1
Architecture: all
Maintainer: nobody <nobody@debian.org>
Description: a dashboard of a later version
"""
OURS = "find /etc /opt /run /usr /var/lib -xdev -path '*perf?bench*' | sort"


@pytest.fixture(scope="session", autouse=True)
def built(clean_root: CleanRoot) -> None:
    """The packages, those of a later version, and a later dashboard."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", "80")
        patch.setenv("DEBEMAIL", "nobody@debian.org")
        now = packages.debs(clean_root.debs)
        again = packages.debs(clean_root.debs / "again")
    for one, two in zip(now, again):
        assert one.read_bytes() == two.read_bytes(), "two builds differ"
    for file in now:
        file.rename(clean_root.debs / f"{file.name.partition('_')[0]}.deb")
    for name in (MODULE, TOOL):
        _repack(clean_root.debs, name)
    root = clean_root.debs / "dashboard"
    home = root / CONTROLLERS[1:] / "home.py"
    home.parent.mkdir(parents=True)
    home.write_text("# later\n")
    (root / "DEBIAN").mkdir()
    (root / "DEBIAN" / "control").write_text(DASHBOARD)
    _pack(root, clean_root.debs / "dashboard.deb")


def _repack(folder: Path, name: str) -> None:
    """The same package of a later version: a file changed, one gone, one new."""
    root = folder / f"{name}-later"
    subprocess.run(["dpkg-deb", "-R", str(folder / f"{name}.deb"), str(root)], check=True)
    control = root / "DEBIAN" / "control"
    text = control.read_text()
    control.write_text(re.sub(r"Version: (.*)", r"Version: \1+later", text))
    (root / "DEBIAN" / "md5sums").unlink()
    (errors,) = root.rglob("perf_bench/errors.py")
    errors.write_text("# later\n")
    errors.with_name("later.py").write_text("")
    errors.with_name("version.py").unlink()
    _pack(root, folder / f"{name}-later.deb")


def _pack(root: Path, file: Path) -> None:
    command = ["dpkg-deb", "--root-owner-group", "-b", str(root), str(file)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    shutil.rmtree(root)


def test_they_install_whole(clean_root: CleanRoot) -> None:
    said = clean_root.runs(f"""
        umask 077
        before=$({OURS})
        dpkg -i /debs/{MODULE}.deb /debs/{TOOL}.deb
        echo "differences: $(dpkg -V {MODULE} {TOOL})."
        ceph-perf-bench check --local
        ceph-perf-bench --version
        ceph-perf-bench service ceph-perf-bench-worker.service >/dev/null
        grep ^ExecStart= /usr/lib/systemd/system/ceph-perf-bench-*.service
        ceph-perf-bench install && exit 9
        ceph-perf-bench uninstall && exit 9
        echo "unreadable: $(find /usr/share/ceph /usr/share/ceph-perf-bench \\
            ! -perm -444 -o ! -user root -o -type d ! -perm -111)."
        dpkg -s {MODULE} | grep ^Status
    """)
    assert "differences: .\n" in said
    assert "every file as installed\n" in said
    assert said.count(f"belongs to the package {MODULE}: use the package manager") == 2
    assert "unreadable: .\n" in said
    assert "Status: install ok installed" in said
    assert "/usr/local" not in said


def test_they_are_upgraded_and_leave_nothing(clean_root: CleanRoot) -> None:
    said = clean_root.runs(f"""
        {OURS} > /before
        dpkg -i /debs/{MODULE}.deb /debs/{TOOL}.deb
        mkdir /usr/share/ceph/mgr/perf_bench/__pycache__ {CONTROLLERS}/__pycache__ || true
        touch /usr/share/ceph/mgr/perf_bench/__pycache__/errors.cpython-311.pyc
        touch {CONTROLLERS}/__pycache__/perf_bench.cpython-311.pyc
        dpkg -i /debs/{MODULE}-later.deb /debs/{TOOL}-later.deb
        cat /usr/share/ceph/mgr/perf_bench/errors.py
        ls /usr/share/ceph/mgr/perf_bench/later.py
        ls /usr/share/ceph/mgr/perf_bench/version.py || true
        dpkg -i /debs/{MODULE}.deb /debs/{TOOL}.deb
        ceph-perf-bench check --local
        mkdir -p /etc/systemd/system/timers.target.wants
        ln -s /usr/lib/systemd/system/ceph-perf-bench-facts.timer \\
            /etc/systemd/system/timers.target.wants/
        dpkg -r {MODULE} {TOOL}
        dpkg -P {MODULE} {TOOL}
        {OURS} > /after
        echo "left: $(diff /before /after)."
        ls {CONTROLLERS}/home.py
    """)
    assert "# later\n" in said
    assert "perf_bench/later.py\n" in said
    assert "cannot access '/usr/share/ceph/mgr/perf_bench/version.py'" in said
    assert "every file as installed\n" in said
    assert "left: .\n" in said


def test_an_upgrade_of_the_dashboard_puts_the_controllers_back(clean_root: CleanRoot) -> None:
    said = clean_root.runs(f"""
        dpkg -i /debs/{MODULE}.deb /debs/{TOOL}.deb
        rm -f {CONTROLLERS}/perf_bench.py
        echo edited > {CONTROLLERS}/perf_bench_page.py
        umask 077
        dpkg -i --force-depends /debs/dashboard.deb
        cat {CONTROLLERS}/home.py
        echo "differences: $(dpkg -V {MODULE})."
        stat -c '%a %U' {CONTROLLERS}/perf_bench.py
    """)
    assert "# later\n" in said
    assert "differences: .\n" in said
    assert "644 root\n" in said


def test_what_was_installed_by_hand_is_replaced_and_what_is_foreign_is_not(
    clean_root: CleanRoot,
) -> None:
    said = clean_root.runs(f"""
        dpkg -i /debs/{TOOL}.deb
        ceph-perf-bench install >/dev/null
        touch /usr/share/ceph/mgr/perf_bench/of_before.py
        dpkg -i /debs/{MODULE}.deb
        ceph-perf-bench check --local
        dpkg -P {MODULE}
        mkdir -p /usr/share/ceph/mgr/perf_bench
        echo foreign > /usr/share/ceph/mgr/perf_bench/module.py
        dpkg -i /debs/{MODULE}.deb && exit 9
        cat /usr/share/ceph/mgr/perf_bench/module.py
    """)
    assert "every file as installed\n" in said
    assert "perf_bench is not of this module: move it away first\n" in said
    assert said.endswith("foreign\n")


@pytest.mark.skipif(not shutil.which("lintian"), reason="there is no lintian")
def test_lintian_finds_nothing(clean_root: CleanRoot) -> None:
    files = [str(clean_root.debs / f"{name}.deb") for name in (MODULE, TOOL)]
    command = ["lintian", "--allow-root", "--fail-on", "error,warning", *files]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")
