"""The module and its tab go into a folder of mgr modules and out again, whatever goes wrong."""

from __future__ import annotations

import inspect
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from perf_bench.errors import InvalidValue, PerfBenchError
from perf_bench.tool.install import host as hosts
from perf_bench.tool.install import payload as payloads
from perf_bench.tool.install.host import MARK, Host
from perf_bench.tool.install.payload import Payload
from perf_bench.tool.main import main
from perf_bench.version import VERSION

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="mounts need root")
CONTROLLER = b"# ceph-perf-bench\n"
OLD = Payload(
    {
        "__init__.py": b"",
        "module.py": b"version = 1\n",
        "store/old.py": b"x = 1\n" * 100,
        "tab/controllers/perf_bench.py": CONTROLLER + b"version = 1\n",
        "tab/controllers/perf_bench_former.py": CONTROLLER,
        "tab/static/manifest.json": b"{}",
    }
)
NEW = Payload(
    {
        "__init__.py": b"",
        "module.py": b"version = 2\n",
        "store/new.py": b"x = 2\n" * 100,
        "tab/controllers/perf_bench.py": CONTROLLER + b"version = 2\n",
        "tab/controllers/_perf_bench_ask.py": CONTROLLER,
        "tab/static/manifest.json": b"{}",
    }
)


@pytest.fixture(autouse=True)
def _no_sync(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test pulls the plug, and a busy disk takes long."""
    monkeypatch.setattr(os, "sync", lambda: None)


@pytest.fixture
def modules(tmp_path: Path) -> Path:
    """A folder of mgr modules with a dashboard in it."""
    return _modules(tmp_path / "mgr")


def _modules(folder: Path) -> Path:
    controllers = folder / "dashboard" / "controllers"
    controllers.mkdir(parents=True)
    for name in ("home.py", "osd.py", "perf_counters.py"):
        (controllers / name).write_text(f"# {name}\n")
    (folder / "status").mkdir()
    (folder / "status" / "module.py").write_text("")
    return folder


def _state(folder: Path) -> dict[str, tuple[int, bytes]]:
    """By place the mode and the content of everything below."""
    return {
        path.relative_to(folder).as_posix(): (
            path.lstat().st_mode & 0o777,
            path.read_bytes() if path.is_file() else b"",
        )
        for path in sorted(folder.rglob("*"))
    }


def test_in_and_out_again_whatever_the_umask(modules: Path) -> None:
    before = _state(modules)
    umask = os.umask(0o077)
    try:
        Host(modules).install(OLD)
        inside = _state(modules)
        assert os.umask(0o077) == 0o077  # it is as it was
    finally:
        os.umask(umask)
    assert {name: inside[name] for name in before} == before
    ours = {name: inside[name] for name in inside.keys() - before.keys()}
    assert {mode for mode, content in ours.values() if content} == {0o644}
    assert {ours[name][0] for name in ("perf_bench", "perf_bench/store")} == {0o755}
    assert ours["dashboard/controllers/perf_bench.py"][1].endswith(b"version = 1\n")
    assert Host(modules).differences(OLD) == []
    # a mgr of root has left its compiled files
    for folder in ("dashboard/controllers", "perf_bench"):
        (modules / folder / "__pycache__").mkdir()
        (modules / folder / "__pycache__" / "perf_bench.cpython-311.pyc").write_bytes(b"")
    (modules / "dashboard/controllers/__pycache__/osd.cpython-311.pyc").write_bytes(b"")
    assert Host(modules).differences() == []
    assert Host(modules).uninstall()
    left = _state(modules)
    for name in ("__pycache__", "__pycache__/osd.cpython-311.pyc"):
        del left[f"dashboard/controllers/{name}"]
    assert left == before
    assert not Host(modules).uninstall()


def test_an_upgrade_leaves_nothing_of_the_version_before(modules: Path) -> None:
    Host(modules).install(OLD)
    (modules / "perf_bench" / "__pycache__").mkdir()
    Host(modules).install(NEW)
    other = _modules(modules.parent / "other")
    Host(other).install(NEW)
    assert _state(modules) == _state(other)
    Host(modules).install(OLD)  # and back
    assert Host(modules).differences(OLD) == []


# --- what is not ours -----------------------------------------------------------------------------


def test_a_foreign_module_is_left_alone(modules: Path) -> None:
    (modules / "perf_bench").mkdir()
    (modules / "perf_bench" / "module.py").write_text("somebody else's\n")
    _is_refused(modules, "perf_bench is not of this module")


def test_a_foreign_controller_is_left_alone(modules: Path) -> None:
    (modules / "dashboard/controllers/perf_bench.py").write_text('"""For perf_bench."""\n')
    _is_refused(modules, "controllers/perf_bench.py is not of this module")


def test_what_a_package_installed_is_left_to_it(modules: Path) -> None:
    Host(modules).install(Payload(OLD.files, origin="ceph-mgr-perf-bench"))
    _is_refused(modules, "belongs to the package ceph-mgr-perf-bench: use the package manager")


def _is_refused(modules: Path, sentence: str) -> None:
    before = _state(modules)
    for change in (lambda: Host(modules).install(NEW), Host(modules).uninstall):
        with pytest.raises(InvalidValue, match=sentence):
            change()
        assert _state(modules) == before


# --- interruptions and errors ---------------------------------------------------------------------

# Ends itself before its n-th change of the file system.
KILLED = """
import os, signal, sys
from pathlib import Path
sys.path[:0] = [{lib!r}]
from perf_bench.tool.install.host import Host
from perf_bench.tool.install.payload import Payload
OLD, NEW = {payloads!r}
{modules}
os.sync = lambda: None  # a process is killed, not the machine
CHANGES = {{"os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.chmod", "os.chown"}}
for n in range(1, {most}):
    folder = _modules(Path({base!r}) / str(n))
    Host(folder).install(OLD)
    child = os.fork()
    if child == 0:
        left = n
        def count(event, arguments):
            global left
            writes = event == "open" and arguments[1] in ("w", "wb")
            if writes or event in CHANGES:
                left -= 1
                if left == 0:
                    os.kill(os.getpid(), signal.SIGKILL)
        sys.addaudithook(count)
        {act}
        os._exit(0)
    if os.waitpid(child, 0)[1] == 0:
        print(n)
        break
"""


@pytest.mark.parametrize("act", ["Host(folder).install(NEW)", "Host(folder).uninstall()"])
def test_killed_anywhere_the_next_one_mends(tmp_path: Path, act: str) -> None:
    most = 120
    clean = _modules(tmp_path / "clean")
    Host(clean).install(NEW)
    code = KILLED.format(
        act=act,
        most=most,
        base=str(tmp_path),
        lib=str(payloads.PACKAGE.parent),
        payloads=(OLD, NEW),
        modules=inspect.getsource(_modules),  # to import this file takes longer than all kills
    )
    done = subprocess.run(
        [sys.executable, "-B", "-c", code], cwd="/", capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    kills = int(done.stdout)  # the run that was not killed
    assert kills > 15
    halves = 0
    for n in range(1, kills):
        folder = tmp_path / str(n)
        # What a mgr that starts now takes for modules is readable, and whole or absent.
        assert {path.parent.name for path in folder.glob("*/module.py")} <= {"perf_bench", "status"}
        assert all(path.stat().st_mode & 0o555 == 0o555 for path in folder.iterdir())
        if (folder / "perf_bench").exists():
            sums = (Host(folder).manifest or {})["files"]
            assert list(hosts._differences(folder / "perf_bench", sums)) == []
        halves += bool(Host(folder).differences())
        if n % 2:
            Host(folder).install(NEW)
            assert _state(folder) == _state(clean)
        else:
            Host(folder).uninstall()
            assert not list(folder.rglob("*perf*bench*"))
    assert halves > kills / 3


@as_root
@pytest.mark.parametrize(
    ("mount", "sentence"),
    [
        ("mount -t tmpfs -o size=1m full $0", "there is no space left"),
        ("mount --bind $0 $0 && mount -o remount,bind,ro $0", "the file system is read-only"),
    ],
    ids=["a full disk", "a read-only folder"],
)
def test_what_cannot_be_written_is_one_sentence(tmp_path: Path, mount: str, sentence: str) -> None:
    folder = tmp_path / "mgr"
    folder.mkdir()
    script = (
        f'{mount} || exit 99; {sys.executable} -B -m perf_bench.tool install --mgr-modules "$0"; '
        'code=$?; find "$0" -mindepth 1; exit $code'
    )
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", script, str(folder)],
        cwd="/", env={**os.environ, "PYTHONPATH": str(payloads.PACKAGE.parent)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, ""), done
    assert done.stderr.startswith(f"ceph-perf-bench: cannot access {folder}")
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_file_that_reads_back_otherwise_is_not_installed(
    modules: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = _state(modules)
    write = hosts._write

    def lossy(path: Path, content: bytes) -> None:
        write(path, content[:-1] if path.name == "new.py" else content)

    monkeypatch.setattr(hosts, "_write", lossy)
    with pytest.raises(PerfBenchError, match=r"new.py is changed after it was written: nothing"):
        Host(modules).install(NEW)
    assert _state(modules) == before


# --- the commands ---------------------------------------------------------------------------------


@pytest.fixture
def own_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tab of the source tree, but for its pages: those may be built at this moment."""
    tab, copy = payloads._tab, tmp_path / "dashboard_plugin"
    for name in ("backend", "entry"):
        source = payloads.PACKAGE.parents[1] / "dashboard_plugin" / name
        shutil.copytree(source, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    (copy / "frontend" / "dist").mkdir(parents=True)
    (copy / "frontend" / "dist" / "manifest.json").write_text("{}")
    monkeypatch.setattr(payloads, "_tab", lambda _plugin: tab(copy))


@pytest.mark.usefixtures("own_pages")
def test_the_real_files_by_command(modules: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = ["--mgr-modules", str(modules)]
    before = _state(modules)
    assert main(["upgrade", *folder]) == 2
    assert "use 'install'" in capsys.readouterr().err
    assert main(["install", *folder]) == 0
    said = capsys.readouterr().out
    assert said.startswith(f"perf_bench {VERSION}+")
    assert "\nNext:\n" in said
    times = {path: path.stat().st_mtime_ns for path in modules.rglob("*")}
    assert main(["upgrade", *folder]) == 0
    assert " was installed already: " in capsys.readouterr().out
    assert {path: path.stat().st_mtime_ns for path in modules.rglob("*")} == times
    for name, content in payloads.load().controllers.items():
        assert (modules / "dashboard" / "controllers" / name).read_bytes() == content
        assert MARK in content.partition(b"\n")[0]
    assert main(["check", "--local", *folder]) == 0
    assert capsys.readouterr().out.endswith("every file as installed\n")
    # the installed module knows what it is, and its tool can install itself elsewhere
    code = f"import sys; sys.path.insert(0, {str(modules)!r}); import perf_bench.version as v"
    asked = subprocess.run(
        [sys.executable, "-B", "-c", f"{code}; print(v.build())"],
        cwd="/", capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert asked.stdout == f"{payloads.load().build}\n"
    assert payloads.load(modules / "perf_bench").sums == payloads.load().sums
    assert main(["uninstall", *folder]) == 0
    assert _state(modules) == before


# --- the payload ----------------------------------------------------------------------------------


@pytest.mark.parametrize("there", [True, False])
def test_a_link_at_the_name_of_a_temporary_file_is_not_followed(
    modules: Path, tmp_path: Path, there: bool
) -> None:
    """The folder may belong to somebody else than root, who installs."""
    target = tmp_path / "target"
    if there:
        target.write_text("theirs", encoding="utf-8")
    controllers = modules / "dashboard" / "controllers"
    (controllers / ".perf_bench.py.new").symlink_to(target)
    Host(modules).install(OLD)
    assert Host(modules).differences(OLD) == []
    assert not (controllers / "perf_bench.py").is_symlink()
    assert target.exists() is there
    assert not there or target.read_text(encoding="utf-8") == "theirs"
