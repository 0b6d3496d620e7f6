"""Where unit tests keep their files, and what happens when some fail."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from toolchain import unit_run

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
