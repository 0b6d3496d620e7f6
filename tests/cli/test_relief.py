"""Relief of OSDs from the command to the OSD map, and back."""

from __future__ import annotations

import errno
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fakes.settings import FakeAuthority, an_access
from past import api_of
from perf_bench.answers import command as cli
from perf_bench.answers.api import Api
from perf_bench.doctor.on_request import OsdRelief
from perf_bench.errors import CommandFailed
from perf_bench.model.admission import AFFINITY, REWEIGHT, setting
from stage import Stage

SURE = {"yes_i_really_mean_it": True}


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    made = Stage(tmp_path / "main.db")
    for osd in range(6):
        made.settings.values[setting(osd, AFFINITY)] = "1.0"
        made.settings.values[setting(osd, REWEIGHT)] = "1.0"
    yield made
    made.close()


@pytest.fixture
def api(stage: Stage) -> Api:
    return api_of(stage)


def _types(api: Api, words: str, **arguments: Any) -> tuple[int, str, str]:
    return cli.dispatch(api, {"prefix": f"perf-bench {words}", **arguments})


def _relieves(api: Api, osd: int = 3, **arguments: Any) -> Any:
    words = {"id": str(osd), **SURE, **arguments, "format": "json"}
    code, out, err = _types(api, "osd relieve", **words)
    assert (code, err) == (0, "")
    return json.loads(out)


def _undoes(api: Api, osd: int = 3) -> Any:
    return _relieves(api, osd, undo=True)


def _reliefs(api: Api) -> Any:
    return json.loads(_types(api, "relief ls", format="json")[1])


def _is(stage: Stage, osd: int = 3, what: str = AFFINITY) -> Any:
    return stage.settings.values[setting(osd, what)]


def _operator_sets(stage: Stage, value: str, osd: int = 3, what: str = AFFINITY) -> None:
    stage.settings.values[setting(osd, what)] = value


def test_nothing_happens_until_the_operator_confirms(stage: Stage, api: Api) -> None:
    code, _, err = _types(api, "osd relieve", id="3")
    assert code == -errno.EINVAL
    assert err == (
        "this sets the primary affinity of osd.3 to 0, no data moves: add --yes-i-really-mean-it"
    )
    assert "data of it moves" in _types(api, "osd relieve", id="3", reweight="0.5")[2]
    assert (_is(stage), stage.keys.keys) == ("1.0", {})


@pytest.mark.parametrize(
    ("arguments", "what", "value"),
    [
        ({}, AFFINITY, "0.0"),
        ({"affinity": "0.3"}, AFFINITY, "0.29998779296875"),
        ({"reweight": "0.5"}, REWEIGHT, "0.5"),
    ],
)
def test_it_is_journalled_set_listed_and_put_back(
    arguments: dict[str, Any], what: str, value: str, stage: Stage, api: Api
) -> None:
    done = _relieves(api, **arguments)
    assert (done["what"], done["was"], done["set_to"]) == (what, 1.0, float(value))
    assert (done["now"], done["in_effect"]) == (float(value), True)
    assert _is(stage, what=what) == value
    (change,) = stage.keys.changes()
    assert (change["holder"], change["was"], change["late_until"]) == ("relief", "1.0", 0)
    assert [(one["osd"], one["what"]) for one in _reliefs(api)] == [(3, what)]
    undone = _undoes(api)
    assert undone["put_back"] == [{"what": setting(3, what), "was": "1.0", "want": value}]
    assert (undone["theirs"], undone["waiting"]) == ([], [])
    assert (_is(stage, what=what), stage.keys.keys, _reliefs(api)) == ("1.0", {}, [])


def test_what_is_printed(stage: Stage, api: Api) -> None:
    assert _types(api, "relief ls")[1] == "no OSD is relieved"
    assert _types(api, "osd relieve", id="osd.3", affinity="0.5", **SURE)[1] == (
        "primary affinity of osd.3 was 1: it is 0.5 in the OSD map; "
        "'ceph perf-bench osd relieve 3 --undo' puts it back"
    )
    _relieves(api, 4, reweight="0.5")
    lines = _types(api, "relief ls")[1].splitlines()
    assert lines[0].split() == ["OSD", "WHAT", "WAS", "SET", "TO", "SINCE", "(UTC)", "STATE"]
    assert "osd.3" in lines[1]
    assert "it is 0.5 in the OSD map" in lines[1]
    assert lines[-1] == "'ceph perf-bench osd relieve ID --undo' puts back what was"
    assert "relieved  2 OSDs: 'ceph perf-bench relief ls'" in _types(api, "status")[1]
    shown = _types(api, "osd show", id="3")[1]
    assert "relieved  'ceph perf-bench relief ls' says how" in shown
    assert _types(api, "osd relieve", id="3", undo=True)[1] == (
        "primary affinity of osd.3 is 1 again"
    )
    assert "relieved" not in _types(api, "osd show", id="3")[1]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"affinity": "x"}, "affinity is a number from 0 to 1, not 'x'"),
        ({"affinity": "-0.1"}, "affinity is a number from 0 to 1"),
        ({"affinity": "1.01"}, "affinity is a number from 0 to 1"),
        ({"affinity": "nan"}, "affinity is a number from 0 to 1"),
        ({"reweight": "inf"}, "reweight is a number from 0 to 1"),
        ({"reweight": "0"}, "reweight 0 takes osd.3 out: that is 'ceph osd out 3'"),
        # the OSD map keeps it as 0
        ({"reweight": "0.00001"}, "reweight 0 takes osd.3 out: that is 'ceph osd out 3'"),
        ({"affinity": "0", "reweight": "0.5"}, "give --affinity or --reweight"),
        ({"affinity": "1"}, "primary affinity of osd.3 is 1.0 already"),
        ({"undo": True, "affinity": "0"}, "--undo goes without --affinity and --reweight"),
    ],
)
def test_bad_values_are_refused_in_a_sentence(
    arguments: dict[str, Any], said: str, stage: Stage, api: Api
) -> None:
    code, out, err = _types(api, "osd relieve", id="3", **SURE, **arguments)
    assert (code, out) == (-errno.EINVAL, "")
    assert said in err
    assert "\n" not in err
    assert (_is(stage), _is(stage, what=REWEIGHT), stage.keys.keys) == ("1.0", "1.0", {})


def test_what_an_operator_changed_since_stays_and_is_said(stage: Stage, api: Api) -> None:
    _relieves(api)
    _operator_sets(stage, "0.75")
    (listed,) = _reliefs(api)
    assert (listed["now"], listed["in_effect"]) == (0.75, False)
    assert "changed by somebody else or not set yet" in _types(api, "relief ls")[1]
    code, out, _ = _types(api, "osd relieve", id="3", undo=True)
    assert (code, out) == (
        0,
        "primary affinity of osd.3 is 0.75, set by somebody else since: it stays",
    )
    assert (_is(stage), _reliefs(api)) == ("0.75", [])


def test_an_osd_that_is_out_was_changed_by_nobody_else(stage: Stage, api: Api) -> None:
    """Ceph marks an OSD out that is down for long; in again, it has the weight of before."""
    _relieves(api, reweight="0.5")
    _operator_sets(stage, "0.0", what=REWEIGHT)
    (listed,) = _reliefs(api)
    assert (listed["now"], listed["in_effect"]) == (0.0, False)
    shown = _types(api, "relief ls")[1]
    assert "changed by somebody else" not in shown
    assert "it is out, and has 0.5 when it is in again" in shown


def _next_mgr(stage: Stage) -> OsdRelief:
    authority = FakeAuthority("4200")
    return OsdRelief(an_access(stage.settings, stage.keys, stage.clock, authority))


def test_another_mgr_knows_it_and_undoes_it(stage: Stage, api: Api) -> None:
    _relieves(api, affinity="0.5")
    other = _next_mgr(stage)
    assert other.noted() is None
    stage.loop.ask(other.step)
    assert [(one.osd, one.change.want) for one in other.noted() or ()] == [(3, "0.5")]
    assert [one.was for one in other.undo(3).put_back] == ["1.0"]
    assert (_is(stage), stage.keys.keys) == ("1.0", {})
    # the first one learns of it with its next look at the journal
    assert stage.relief.noted() != []
    stage.loop.ask(stage.relief.step)
    assert stage.relief.noted() == []


def test_without_the_monitors_nothing_is_changed_and_the_osd_is_still_shown(
    stage: Stage, api: Api
) -> None:
    stage.keys.fault = CommandFailed(errno.ETIMEDOUT, "no answer from the monitors")
    code, _, err = _types(api, "osd relieve", id="3", **SURE)
    assert (code, err) == (-errno.ETIMEDOUT, "no answer from the monitors")
    assert _is(stage) == "1.0"
    with pytest.raises(CommandFailed):
        stage.loop.ask(stage.relief.step)
    shown = json.loads(_types(api, "osd show", id="3", format="json")[1])
    assert shown["relieved"] is None
    assert json.loads(_types(api, "status", format="json")[1])["relieved_osds"] is None


def test_a_map_that_cannot_be_asked_is_not_taken_for_in_effect(stage: Stage, api: Api) -> None:
    _relieves(api)
    stage.settings.fault = CommandFailed(errno.ETIMEDOUT, "no answer")
    (listed,) = _reliefs(api)
    assert (listed["now"], listed["in_effect"], listed["unread"]) == (None, None, "no answer")
    assert "not known: no answer" in _types(api, "relief ls")[1]
    undone = _undoes(api)
    (left,) = undone["waiting"]
    assert (left["what"], left["why"]) == (setting(3, AFFINITY), "no answer")
    stage.settings.fault = None
    assert len(_undoes(api)["put_back"]) == 1
