"""The toolchain says in one sentence what it needs, and the gate stops at what fails."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from toolchain import changes, gate, unit_run


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


def test_the_shares_are_all_scenarios_once(root: Path) -> None:
    files = {path.name for path in (root / "qa" / "scenarios").glob("test_*.py")}
    shares = [files - set(gate._left_out(f"native:short-{share}")) for share in "12"]
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
