"""`install --enable --timeout`: a limit that is none is refused before anything is installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from perf_bench.tool.main import main


@pytest.mark.parametrize("seconds", ["nan", "inf", "-1", "0", "1e99"])
@pytest.mark.parametrize("command", ["install", "upgrade"])
def test_a_limit_that_is_none(
    command: str, seconds: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is later than NaN: with it, the wait for a mgr never ended."""
    words = [command, "--enable", f"--timeout={seconds}", "--mgr-modules", str(tmp_path)]
    assert main(["--ceph", "false", *words]) == 2
    assert "seconds" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
