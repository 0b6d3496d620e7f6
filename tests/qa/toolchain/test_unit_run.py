"""Where unit tests keep their files, and what happens when some fail."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
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

@pytest.mark.parametrize("n", range({first}, {first} + 3))
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
        (4, False, False, 1),  # three of one file, and one of the other
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
    names = ["test_one.py", "test_two.py"]
    for at, name in enumerate(names):
        text = TEST.format(first=3 * at, count=count, always=always)
        (tmp_path / name).write_text(text)
    made: list[unit_run.Commands] = []

    def call(commands: unit_run.Commands) -> list[int]:
        made.append(commands)
        return unit_run.exit_codes(commands, tmp_path, {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"})

    pytest_ = [sys.executable, "-m", "pytest"]
    assert unit_run.passes(pytest_, names, call, tmp_path / "cache") is good
    assert len(made) == calls
    assert [command[-1] for command in made[0]] == names
    said = [line for line in capfd.readouterr().out.splitlines() if line.startswith("RERUN ")]
    again = range(count if calls == 2 else 0)
    assert said == [f"RERUN test_one.py::test_it[{n}]" for n in again]


def test_failures_of_both_shares_are_counted_together_and_run_again_in_turn(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    calls: list[list[str]] = []

    def call(commands: unit_run.Commands) -> list[int]:
        calls.append([" ".join(command) for command in commands])
        for command in commands:
            folder = Path(command[2].partition("=")[2]) / "v" / "cache"
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "lastfailed").write_text(json.dumps({f"{command[3]}::test": True}))
        return [1, 1] if len(calls) == 1 else [0]

    assert unit_run.passes(["pytest"], ["a", "b", "c"], call, tmp_path)
    first, second = (f"pytest -o cache_dir={tmp_path / at}" for at in "01")
    assert calls == [
        [f"{first} a c", f"{second} b"],
        [f"{first} a c --last-failed"],
        [f"{second} b --last-failed"],
    ]
    assert capfd.readouterr().out == "RERUN a::test\nRERUN b::test\n"


@pytest.mark.parametrize("codes", [[2, 0], [0, 2], [1, 5]])
def test_a_run_that_was_broken_off_is_not_made_again(codes: list[int], tmp_path: Path) -> None:
    calls = [codes]
    assert not unit_run.passes(["pytest"], ["a", "b"], lambda _commands: calls.pop(), tmp_path)
    assert calls == []


def test_each_share_has_every_other_file(tmp_path: Path) -> None:
    for name in ("b/test_1.py", "a/test_2.py", "a/lib.py", "c/d/test_3.py", "test_4.py"):
        (tmp_path / "tests" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "tests" / name).touch()
    found = unit_run.files(tmp_path, "b", "c/x")
    assert found == ["tests/a/test_2.py", "tests/c/d/test_3.py", "tests/test_4.py"]


def test_what_the_second_says_comes_behind_the_first(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    slow = "import time; time.sleep(0.3); print('one')"
    codes = unit_run.exit_codes(
        [[sys.executable, "-c", slow], [sys.executable, "-c", "print('two'); exit(3)"]], tmp_path
    )
    assert codes == [0, 3]
    assert capfd.readouterr().out == "one\ntwo\n"


CHILD = """
import pathlib, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # deaf below a shell's background
try:
    pathlib.Path(sys.argv[1]).touch()
    time.sleep(60)
except KeyboardInterrupt:
    sys.exit(7)
"""
STOPPED = """
import os, pathlib, signal, sys, threading, time
from toolchain import unit_run

names = ["one", "two"]
def stop():
    while not all(map(os.path.exists, names)):
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGTERM)
threading.Thread(target=stop).start()
commands = [[sys.executable, "-c", sys.argv[1], name] for name in names]
print(unit_run.exit_codes(commands, pathlib.Path()))
"""


def test_told_to_stop_it_passes_that_on_and_waits(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", STOPPED, CHILD],
        check=True,
        cwd=tmp_path,
        env={"PYTHONPATH": str(Path(unit_run.__file__).parents[1])},
        capture_output=True,
        text=True,
    )
    assert done.stdout == "[7, 7]\n"
