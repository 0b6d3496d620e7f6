"""The toolchain says in one sentence what it needs, and the gate stops at what fails."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from toolchain import __main__ as command
from toolchain import bootstrap, changes, gate, pythons, unit_run
from toolchain.bootstrap import Toolchain, fingerprint, read_os_release, unfit

BOOKWORM = {"ID": "debian", "VERSION_ID": "12", "PRETTY_NAME": "Debian GNU/Linux 12 (bookworm)"}


@pytest.mark.parametrize(
    ("os_release", "user", "fit"),
    [
        (BOOKWORM, 0, True),
        ({**BOOKWORM, "VERSION_ID": "13"}, 0, True),
        # testing and unstable have no number, and are newer than all that have one
        ({"ID": "debian", "PRETTY_NAME": "Debian GNU/Linux forky/sid"}, 0, True),
        ({**BOOKWORM, "VERSION_ID": "11"}, 0, False),
        ({"ID": "ubuntu", "ID_LIKE": "debian", "VERSION_ID": "24.04"}, 0, False),
        ({"ID": "alpine", "VERSION_ID": "3.20.1"}, 0, False),
        ({}, 0, False),
        (BOOKWORM, 1000, False),
    ],
)
def test_which_machines_can_be_prepared(os_release: dict[str, str], user: int, fit: bool) -> None:
    assert (unfit(os_release, user) == "") is fit


def test_the_refusal_is_one_sentence_with_what_is_needed() -> None:
    assert unfit({"ID": "alpine", "VERSION_ID": "3", "PRETTY_NAME": "Alpine"}, 1000) == (
        "This needs Debian 12 or newer and root, to install python3-venv and a virtual "
        "environment; here is Alpine and user 1000."
    )


def test_os_release_is_read_with_and_without_quotes() -> None:
    text = 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n\nVERSION_ID="12"\nID=debian\n'
    assert read_os_release(text) == BOOKWORM


def test_an_unfit_machine_gets_the_sentence_and_exit_code_1(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lock = tmp_path / "a.lock"
    lock.write_text("")
    monkeypatch.setattr(gate, "ensure", lambda: bootstrap.ensure(Toolchain(tmp_path / "v", lock)))
    monkeypatch.setattr(bootstrap, "unfit", lambda *_: "This needs something else.")
    assert command.main(["lint"]) == 1
    assert capsys.readouterr().err == "This needs something else.\n"


def test_the_fingerprint_changes_with_the_pins_and_with_the_place(tmp_path: Path) -> None:
    lock = tmp_path / "a.lock"
    lock.write_text("ruff==1\n")
    first = fingerprint(Toolchain(tmp_path / "a", lock), bootstrap.SYSTEM_PYTHON)
    moved = fingerprint(Toolchain(tmp_path / "b", lock), bootstrap.SYSTEM_PYTHON)
    lock.write_text("ruff==2\n")
    pinned = fingerprint(Toolchain(tmp_path / "a", lock), bootstrap.SYSTEM_PYTHON)
    assert len({first, moved, pinned}) == 3


def test_the_gate_stops_at_the_first_step_that_fails(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ran = []

    def step(good: bool) -> gate.Step:
        def note(_: Path, argument: str) -> bool:
            ran.append((good, argument))
            return good

        return note

    monkeypatch.setattr(gate, "ensure", lambda: tmp_path)
    monkeypatch.setattr(gate, "STEPS", {"toolchain": step(True), "a": step(True), "b": step(False)})
    assert not gate.run(["a:x", "b:y", "a:z"])
    assert ran == [(True, ""), (True, "x"), (False, "y")]
    assert "── b:y FAILED in " in capsys.readouterr().out


def test_an_unknown_step_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["lint", "brew"]) == 2
    assert capsys.readouterr().err.startswith("No such step: brew; there are toolchain fmt ")


def test_only_an_interpreter_that_answers_is_found(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    home, path = tmp_path / "home", tmp_path / "path"
    kept = home / ".pyenv" / "versions" / "3.9.18" / "bin" / "python3.9"
    for python, answer in ((path / "python3.9", "exit 127"), (kept, "echo 3.9")):
        python.parent.mkdir(parents=True)
        python.write_text(f"#!/bin/sh\n{answer}\n")
        python.chmod(0o755)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", f"{path}:/usr/bin:/bin")
    assert pythons.find("3.9") == str(kept)
    kept.unlink()
    assert pythons.find("3.9") is None


@pytest.mark.parametrize("name", ["requirements", "requirements39"])
def test_the_locks_pin_every_package_by_hash(root: Path, name: str) -> None:
    text = (root / "qa" / "toolchain" / f"{name}.lock").read_text()
    blocks = text.replace("\\\n", "").splitlines()
    pins = [line for line in blocks if line and not line.startswith("#")]
    assert len(pins) > 5
    assert all("==" in pin and "--hash=sha256:" in pin for pin in pins)


def test_steps_side_by_side_fail_together_when_one_does(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Each is a process of its own; what they say comes in their order, whoever ended first."""
    program = tmp_path / "qa" / "toolchain" / "__main__.py"
    program.parent.mkdir(parents=True)
    program.write_text(
        "import sys, time\n"
        "time.sleep(0.3 if sys.argv[1] == 'slow' else 0)\n"
        "print('said by', sys.argv[1])\n"
        "sys.exit(sys.argv[1] == 'bad')\n"
    )
    monkeypatch.setattr(gate, "ROOT", tmp_path)
    assert gate._side_by_side(["slow", "quick"])
    assert capfd.readouterr().out.splitlines() == ["said by slow", "said by quick"]
    assert not gate._side_by_side(["bad", "quick"])


def test_a_side_may_be_several_steps_in_turn(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "qa" / "toolchain" / "__main__.py"
    program.parent.mkdir(parents=True)
    program.write_text("import sys; print(sys.argv[1:]); sys.exit('bad' in sys.argv)")
    monkeypatch.setattr(gate, "ROOT", tmp_path)
    assert gate._side_by_side(["first", "second,third"])
    assert capfd.readouterr().out.splitlines() == ["['first']", "['second', 'third']"]
    assert not gate._side_by_side(["first", "second,bad"])


def test_the_shares_are_all_scenarios_once(root: Path) -> None:
    files = {path.name for path in (root / "qa" / "scenarios").glob("test_*.py")}
    shares = [files - set(gate._left_out(f"native:short-{share}")) for share in "123"]
    assert all(shares)
    assert sorted(name for share in shares for name in share) == sorted(files)
    assert gate._left_out("native:short") == gate._left_out("pacific") == ()


def test_the_gate_runs_a_failed_test_once_more_and_a_quick_check_does_not(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    again: dict[str, str] = {}

    def exit_code(*_: str, environment: Mapping[str, str]) -> int:
        again[name] = environment.get("RUN_AGAIN", "")
        return 0

    def passes(*_: object) -> bool:
        again[name] = "unit"
        return True

    monkeypatch.delenv("RUN_AGAIN", raising=False)
    monkeypatch.setattr(gate, "_exit_code", exit_code)
    monkeypatch.setattr(unit_run, "passes", passes)
    monkeypatch.setattr(gate, "_checkers", lambda: None)
    monkeypatch.setattr(changes, "select", lambda *_: ["tests/test_module.py"])
    for name in ("unit", "unit:changed", "unit:thorough", "scenarios:native:short-2", "browser"):
        step, _, argument = name.partition(":")
        assert gate.STEPS[step](tmp_path, argument)
    assert list(again.values()) == ["unit", "", "unit", "2", "2"]
