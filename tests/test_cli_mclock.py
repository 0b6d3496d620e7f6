"""mClock's capacities from the command to the cluster's settings, and back."""

from __future__ import annotations

import errno
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Optional

import pytest

import golden
from nouns import an_osd
from perf_bench import cli, remote, tuning
from perf_bench.api import Api
from perf_bench.errors import CommandFailed
from perf_bench.model.chart import Measured, Patient, Setting
from stage import Stage

HDD = "osd_mclock_max_capacity_iops_hdd"
MCLOCK = {"osd_op_queue": "mclock_scheduler", HDD: "315.0"}
# osd.1 has found a value of its own at its start, and a wrong one.
OWN = [Setting("osd.1", "", HDD, "11268.8")]
MEASURED = {0: Measured(320.0, 7), 1: Measured(210.4, 7), 2: Measured(120.0, 7)}


def _what(osd: int) -> str:
    return f"config/osd.{osd}/{HDD}"


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    made = Stage(tmp_path / "main.db")
    patients = {n: Patient(an_osd(n, rotational=True)) for n in range(4)}
    made.charts.change = {"patients": patients, "options": {"hdd": MCLOCK}, "settings": OWN}
    made.settings.values.update({_what(0): None, _what(1): "11268.8", _what(2): None})
    monkeypatch.setattr(made.practice, "_measured", lambda: MEASURED)
    yield made
    made.close()


def _types(api: Api, words: str, **arguments: Any) -> tuple[int, str, str]:
    return cli.dispatch(api, {"prefix": f"perf-bench mclock {words}", **arguments})


def _asks(api: Api, words: str, **arguments: Any) -> Any:
    code, out, err = _types(api, words, format="json", **arguments)
    assert (code, err) == (0, "")
    return json.loads(out)


def _set(stage: Stage) -> list[Optional[str]]:
    return [stage.settings.values[_what(osd)] for osd in range(3)]


def test_what_is_printed(stage: Stage, api: Api) -> None:
    for name, words, arguments in (
        ("mclock-ls", "ls", {}),
        ("mclock-propose", "propose", {}),
        ("mclock-apply", "propose", {"apply": True}),
        ("mclock-restore", "restore", {}),
    ):
        code, out, err = _types(api, words, **arguments)
        assert (code, err) == (0, "")
        golden.compare(f"{name}.txt", out + "\n")
        assert all(0 < len(line) <= 80 for line in out.splitlines())


def test_the_promised_keys(stage: Stage, api: Api) -> None:
    shape = _asks(api, "ls")[1]
    promised = {"osd", "class", "configured_iops", "measured_iops", "source", "verdict", "proposed"}
    assert set(shape) >= promised
    assert (shape["source"], shape["verdict"], shape["proposed"]) == ("osd", "implausible", 210)
    reply = remote.answer(api, "mclock_ls", {"search": "far", "sort": "-osd"})
    assert (reply["total"], reply["answer"][0]["osd"]) == (1, 2)


def test_a_proposal_changes_nothing(stage: Stage, api: Api) -> None:
    assert [one["osd"] for one in _asks(api, "propose")] == [1, 2]
    assert _set(stage) == [None, "11268.8", None]
    assert stage.tuned == {}


def test_what_is_set_can_be_put_back(stage: Stage, api: Api) -> None:
    assert _asks(api, "propose", apply=True) == {"changed": [1, 2], "left": 0}
    assert _set(stage) == [None, "210", "120"]
    assert _asks(api, "restore") == {"changed": [1, 2], "left": 0}
    assert _set(stage) == [None, "11268.8", None]
    assert _asks(api, "restore") == {"changed": [], "left": 0}


def test_what_somebody_has_set_since_stays(stage: Stage, api: Api) -> None:
    _asks(api, "propose", apply=True)
    stage.settings.values[_what(2)] = "200"
    assert _asks(api, "restore") == {"changed": [1], "left": 0}
    assert _set(stage) == [None, "11268.8", "200"]


def test_a_second_proposal_keeps_what_was_before_the_first(stage: Stage, api: Api) -> None:
    _asks(api, "propose", apply=True)
    change = [Setting("osd.1", "", HDD, "210"), Setting("osd.2", "", HDD, "50")]
    stage.settings.values[_what(2)] = "50"
    stage.charts.change = {**stage.charts.change, "settings": change}
    assert _asks(api, "propose", apply=True)["changed"] == [2]
    assert _asks(api, "restore")["changed"] == [1, 2]
    assert _set(stage) == [None, "11268.8", None]


def test_the_journal_is_written_before_anything_is_set(stage: Stage, api: Api) -> None:
    stage.settings.fault = CommandFailed(errno.ETIMEDOUT, "config set: timed out")
    assert _types(api, "propose", apply=True)[0] == -errno.ETIMEDOUT
    assert json.loads(stage.tuned[0].journal or "")["1"] == [HDD, "11268.8", "210"]
    stage.settings.fault = None
    assert _asks(api, "restore")["changed"] == []  # nothing had been set
    assert stage.tuned[0].journal is None


def test_a_call_changes_so_many_at_most(
    stage: Stage, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tuning, "MOST", 1)
    assert _asks(api, "propose", apply=True) == {"changed": [1], "left": 1}
    monkeypatch.setattr(tuning, "MOST", 200)
    assert _asks(api, "restore") == {"changed": [1], "left": 0}


def test_a_release_without_mclock(stage: Stage, api: Api) -> None:
    stage.charts.change = {
        **stage.charts.change,
        "options": {"hdd": {**MCLOCK, "osd_op_queue": "wpq"}},
    }
    assert {one["verdict"] for one in _asks(api, "ls")} == {"unused"}
    code, _, err = _types(api, "propose")
    assert code == -errno.EOPNOTSUPP
    assert err.startswith("no OSD uses mClock")
