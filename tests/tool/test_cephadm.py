"""The specification of cephadm's mgr service; qa/scenarios/packages has releases read it."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

from perf_bench.tool import client as clients
from perf_bench.tool.install.payload import load
from perf_bench.tool.main import main
from perf_bench.tool.service import MOUNTED, mounts

OURS = mounts(list(load().controllers))
PRESENT: dict[str, Any] = {
    "service_type": "mgr",
    "service_name": "mgr",
    "placement": {"label": "mgr", "count": 3},
    "networks": ["10.0.0.0/8"],
}


def printed(
    found: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> dict[str, Any]:
    monkeypatch.setattr(clients, "_run", lambda *_: (0, json.dumps(found), ""))
    assert main(["service", "cephadm", "--install"]) == 0
    spec: dict[str, Any] = yaml.safe_load(capsys.readouterr().out)
    return spec


def test_what_the_service_has_stays(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = printed([PRESENT], monkeypatch, capsys)
    assert spec == {**PRESENT, "extra_container_args": OURS}
    assert len(OURS) == 2 * (1 + 5)
    assert OURS[:2] == ["-v", f"{MOUNTED}/perf_bench:/usr/share/ceph/mgr/perf_bench:ro"]
    assert printed([spec], monkeypatch, capsys) == spec


@pytest.mark.parametrize(
    ("words", "found", "sentence"),
    [
        (["cephadm", "--install"], [], "the orchestrator has no mgr service: this is for clusters"),
        (["cephadm", "--install"], {}, "the orchestrator has no mgr service: this is for clusters"),
        (["cephadm"], [PRESENT], "'service cephadm --install' prints the mgr service"),
        (["--install"], [PRESENT], "'service cephadm --install' prints the mgr service"),
    ],
)
def test_what_cannot_be_is_one_sentence(
    words: list[str],
    found: Any,
    sentence: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(clients, "_run", lambda *_: (0, json.dumps(found), ""))
    assert main(["service", *words]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert sentence in said.err
