"""Which daemons get a clock that can be set, and that it is set."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

from cluster import clocks
from cluster.spec import Spec


@pytest.fixture
def prepared(spec: Spec) -> Spec:
    clocks.prepare(spec)
    return spec


def _clock(spec: Spec, daemon: str) -> float:
    """What a Python program of the daemon takes for the time."""
    done = subprocess.run(
        [sys.executable, "-c", "import time; print(time.time())"],
        env={**os.environ, **clocks.environment(spec, daemon)},
        capture_output=True,
        check=True,
    )
    return float(done.stdout)


def test_daemons_have_true_clocks(spec: Spec) -> None:
    assert clocks.environment(spec, "mgr.x") == {}
    assert clocks.environment(spec, "mgr.x", "/wheels") == {"PYTHONPATH": "/wheels"}


def test_only_mgrs_get_a_clock(prepared: Spec) -> None:
    assert clocks.environment(prepared, "mon.a") == clocks.environment(prepared, "osd.0") == {}
    given = clocks.environment(prepared, "mgr.x", "/wheels")["PYTHONPATH"]
    assert given.endswith(f"{os.pathsep}/wheels")


def test_each_mgr_has_its_own(prepared: Spec, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    clocks.put(prepared, "mgr.x", -3600)
    assert abs(_clock(prepared, "mgr.x") + 3600 - time.time()) < 600
    assert abs(_clock(prepared, "mgr.y") - time.time()) < 600
