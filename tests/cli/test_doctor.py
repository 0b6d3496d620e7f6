"""The doctor from the command to the cluster's health."""

from __future__ import annotations

import errno
import json

import pytest

import golden
from asked import asks, prints, types
from factory import document
from nouns import an_osd
from perf_bench.answers import dashboard
from perf_bench.answers.api import Api
from perf_bench.errors import CommandFailed
from perf_bench.model.doctor_snapshot import OsdDetails, Setting
from perf_bench.model.finding import Severity
from perf_bench.model.finding_kinds import CONFIG_RISK
from roles import ADMINISTRATOR
from stage import Stage

GIB = 1 << 30
SPILLED = {
    3: OsdDetails(an_osd(3, "host-0"), release="18.2.7", separate_db=True, slow_used=3 * GIB)
}
LOUD = [Setting("osd", "", "debug_osd", "20/20")]


def test_a_healthy_cluster(stage: Stage, api: Api) -> None:
    golden.printed("doctor-healthy", prints(api, "doctor"))


def test_what_is_printed(stage: Stage, api: Api) -> None:
    facts = document("host-0", cpu={"governor": "powersave", "deepest_cstate": "C6"})
    stage.hosts.take("host-0", json.dumps(facts), stage.cluster.osds())
    stage.settle()
    stage.hosts.known()
    stage.charts.change = {"settings": LOUD, "osds": SPILLED}
    golden.printed("doctor", prints(api, "doctor"))


def test_one_osd(stage: Stage, api: Api) -> None:
    other = {**SPILLED, 4: OsdDetails(an_osd(4, "host-1"))}
    stage.charts.change = {"osds": other}
    assert asks(api, "doctor", osd="osd.4") == []
    assert len(asks(api, "doctor", osd="3")) == 1
    assert types(api, "doctor", osd="9")[::2] == (
        -errno.ENOENT,
        "osd.9: no such OSD in this cluster",
    )
    assert types(api, "doctor", osd="x")[0] == -errno.EINVAL
    assert (
        dashboard.answer(api, "doctor", {"osd": "3"}, ADMINISTRATOR)["answer"][0]["code"]
        == "DB_SPILLS_OVER"
    )
    assert (
        dashboard.answer(api, "doctor", {"osd": "x"}, ADMINISTRATOR)["error"]["errno"]
        == errno.EINVAL
    )


def test_monitors_that_do_not_answer(stage: Stage, api: Api) -> None:
    stage.charts.error = CommandFailed(errno.ETIMEDOUT, "config dump: timed out")
    assert types(api, "doctor") == (-errno.ETIMEDOUT, "", "config dump: timed out")
    with pytest.raises(CommandFailed):  # told as a part that fails, if it lasts
        _passes(stage, 61)
    assert stage.doctor.claims() == []
    (look,) = stage.doctor.looks()
    assert "the cluster's settings cannot be read: config dump: timed out" in look.gaps[0].why


# --- health ----------------------------------------------------------------------------------


def _passes(stage: Stage, seconds: float) -> None:
    stage.clock.advance(seconds)
    stage.doctor.tick()


def test_what_is_seen_twice_belongs_into_health_until_it_is_gone(stage: Stage) -> None:
    stage.charts.change = {"osds": SPILLED, "settings": LOUD}
    stage.doctor.tick()
    assert stage.charts.looks == 0  # OSDs have not reported yet
    _passes(stage, 61)
    began = stage.clock.now()
    assert stage.doctor.claims() == []  # it may be a change under way
    _passes(stage, 61)
    (claim,) = stage.doctor.claims()
    assert (claim.code, str(claim.target), claim.severity) == (
        CONFIG_RISK.code,
        "osd.3",
        Severity.WARNING,
    )
    assert claim.since == began
    assert claim.evidence["advice"] == ["DB_SPILLS_OVER"]  # loud logs are no risk
    assert claim.evidence["fix"] == "ceph tell osd.3 compact"
    stage.charts.change = {}
    _passes(stage, 599)
    assert len(stage.doctor.claims()) == 1  # nobody has looked
    _passes(stage, 2)
    assert stage.doctor.claims() == []
