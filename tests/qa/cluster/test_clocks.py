"""Which daemons get a clock that can be set, and what the file of it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from cluster import clocks
from cluster.spec import Spec


@pytest.fixture
def prepared(spec: Spec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Spec:
    library = tmp_path / "libfaketimeMT.so.1"
    library.write_bytes(b"ELF")
    monkeypatch.setattr(clocks, "_LIBRARY", library)
    clocks.prepare(spec)
    return spec


def test_daemons_have_true_clocks(spec: Spec) -> None:
    assert clocks.environment(spec, "mgr.x") == {}


def test_only_mgrs_get_a_clock_and_each_its_own(prepared: Spec) -> None:
    assert clocks.environment(prepared, "mon.a") == clocks.environment(prepared, "osd.0") == {}
    x, y = (clocks.environment(prepared, f"mgr.{name}") for name in "xy")
    assert Path(x["LD_PRELOAD"]).read_bytes() == b"ELF"
    clocks.put(prepared, "mgr.x", -60)
    assert Path(x["FAKETIME_TIMESTAMP_FILE"]).read_text() == "-60s\n"
    assert Path(y["FAKETIME_TIMESTAMP_FILE"]).read_text() == "+0s\n"
