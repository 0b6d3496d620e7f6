"""mClock's capacities from the command to the cluster's settings, and back."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from pathlib import Path
from typing import Optional

import pytest

import golden
from asked import asks, prints, types
from nouns import an_osd
from perf_bench.answers.api import Api
from perf_bench.model.doctor_snapshot import MeasuredCapacity, OsdDetails, Setting
from stage import Stage

HDD = "osd_mclock_max_capacity_iops_hdd"
MCLOCK = {"osd_op_queue": "mclock_scheduler", HDD: "315.0"}
# osd.1 has found a value of its own at its start, and a wrong one.
OWN = [Setting("osd.1", "", HDD, "11268.8")]
EMPTY: dict[str, object] = {"needs_consent": [], "theirs": [], "waiting": []}
SET = {"changed": [1, 2], "left": 0, **EMPTY}
NOTHING_LEFT = {"left": 0, **EMPTY}
MEASURED = {
    0: MeasuredCapacity(320.0, 7),
    1: MeasuredCapacity(210.4, 7),
    2: MeasuredCapacity(120.0, 7),
}


def _what(osd: int) -> str:
    return f"config/osd.{osd}/{HDD}"


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    made = Stage(tmp_path / "main.db")
    osds = {n: OsdDetails(an_osd(n, rotational=True)) for n in range(4)}
    made.charts.change = {"osds": osds, "options": {"hdd": MCLOCK}, "settings": OWN}
    made.settings.values.update({_what(0): None, _what(1): "11268.8", _what(2): None})
    monkeypatch.setattr(made.doctor, "_measured", lambda: MEASURED)
    yield made
    made.close()


def _set(stage: Stage) -> list[Optional[str]]:
    return [stage.settings.values[_what(osd)] for osd in range(3)]


def test_what_is_printed(stage: Stage, api: Api) -> None:
    for name, words, arguments in (
        ("mclock-ls", "ls", {}),
        ("mclock-propose", "propose", {}),
        ("mclock-apply", "propose", {"apply": True}),
        ("mclock-restore", "restore", {}),
    ):
        golden.printed(name, prints(api, f"mclock {words}", **arguments))


def test_a_proposal_changes_nothing(stage: Stage, api: Api) -> None:
    assert [one["osd"] for one in asks(api, "mclock propose")] == [1, 2]
    assert _set(stage) == [None, "11268.8", None]
    assert stage.keys.keys == {}


def test_what_is_set_can_be_put_back(stage: Stage, api: Api) -> None:
    assert asks(api, "mclock propose", apply=True) == SET
    assert _set(stage) == [None, "210", "120"]
    assert asks(api, "mclock restore") == {"changed": [1, 2], **NOTHING_LEFT}
    assert _set(stage) == [None, "11268.8", None]
    assert stage.keys.keys == {}
    assert asks(api, "mclock restore") == {"changed": [], **NOTHING_LEFT}


def test_a_figure_out_of_cephs_range_is_set_only_with_consent(
    stage: Stage, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = {**MEASURED, 0: MeasuredCapacity(900.0, 7, (900.0, 910.0, 890.0))}
    monkeypatch.setattr(stage.doctor, "_measured", lambda: found)
    proposed = {one["osd"]: one for one in asks(api, "mclock propose")}
    assert (proposed[0]["verdict"], proposed[0]["consent"]) == ("rejected", True)
    assert "--apply --beyond" in types(api, "mclock propose")[1]
    assert asks(api, "mclock propose", apply=True) == {**SET, "needs_consent": [0]}
    assert _set(stage) == [None, "210", "120"]
    stage.settings.values[_what(0)] = None
    done = asks(api, "mclock propose", apply=True, beyond=True)
    assert (0 in done["changed"], done["needs_consent"]) == (True, [])
    assert _set(stage)[0] == "900"
    asks(api, "mclock restore")
    assert _set(stage) == [None, "11268.8", None]


def test_what_somebody_has_set_since_stays(stage: Stage, api: Api) -> None:
    asks(api, "mclock propose", apply=True)
    stage.settings.values[_what(2)] = "200"
    code, out, _ = types(api, "mclock restore")
    assert (code, out.splitlines()) == (
        0,
        [
            "put back the capacity of 1 OSD",
            f"{_what(2)} is 200 by somebody else: it stays",
        ],
    )
    assert _set(stage) == [None, "11268.8", "200"]
    assert asks(api, "mclock restore") == {"changed": [], **NOTHING_LEFT}


def test_a_release_without_mclock(stage: Stage, api: Api) -> None:
    stage.charts.change = {
        **stage.charts.change,
        "options": {"hdd": {**MCLOCK, "osd_op_queue": "wpq"}},
    }
    assert {one["verdict"] for one in asks(api, "mclock ls")} == {"unused"}
    code, _, err = types(api, "mclock propose")
    assert code == -errno.EOPNOTSUPP
    assert err.startswith("no OSD uses mClock")
