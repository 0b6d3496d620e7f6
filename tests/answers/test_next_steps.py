"""What next: the steps of a finding, with its own names in the commands."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from string import Formatter
from typing import Any, Optional

import pytest

from perf_bench.answers.findings import MOST_OSDS, SECTIONS, UNNAMED, next_steps, steps_text
from perf_bench.answers.shape import to_json
from perf_bench.model.finding import Finding, Severity, Target
from perf_bench.model.finding_kinds import (
    KINDS,
    LAGGY_PGS,
    MEDIA_ERRORS,
    SLOW_HOST,
    SLOW_OSD,
    FindingKind,
    steps_in,
)
from perf_bench.model.hardware import DrivePlace

PLACE = DrivePlace(7, "host-1", "sdk", "SEAGATE_ST18_XYZ", "0x5000c5", "12", (7, 8))
KNOWN: dict[str, Any] = {"osds": (7,), "place": PLACE}
SEVENTH = Target("osd", "7")


def found(kind: FindingKind = SLOW_OSD, target: Target = SEVENTH) -> Finding:
    return Finding(3, kind.code, Severity.WARNING, target, "it is slow")


def steps(known: dict[str, Any], finding: Optional[Finding] = None) -> Any:
    made = next_steps(finding or found(), **known)
    assert made is not None
    return to_json(made)


def commands(known: dict[str, Any], section: str, finding: Optional[Finding] = None) -> list[str]:
    return [one["command"] for one in steps(known, finding)[section] if one["command"]]


# What a step may have in braces.
NAMES = {
    *("osd", "osds", "host", "target", "device", "device_id", "enclosure", "slot"),
    *("its_osds", "osd_units", "drive_osds", "shared_device", "other_osds"),
}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.code)
def test_each_kind_says_what_to_check_with_names_that_there_are(kind: FindingKind) -> None:
    assert kind.check
    for section in SECTIONS:
        for step in steps_in(getattr(kind, section)):
            assert {name for _, name, _, _ in Formatter().parse(step) if name} <= NAMES
            assert re.fullmatch(
                r"(\((with|without) cephadm\) |\(with an orchestrator\) )?"
                r"[A-Z][^`]+(`[^`]+`)?( ELSE [A-Z][^`]+)?(?<!\.)",
                step,
            )


@pytest.mark.parametrize("known", [KNOWN, {}, {**KNOWN, "orchestrator": "cephadm"}])
def test_no_section_is_empty_and_nothing_is_left_to_fill_in(
    known: dict[str, Any],
) -> None:
    for kind in KINDS:
        shape = steps(known, found(kind))
        for section in SECTIONS:
            assert bool(shape[section]) is bool(getattr(kind, section)), kind.code
            for one in shape[section]:
                assert not {"{", "}"} & set(f"{one['text']} {one['command']}"), kind.code


def test_the_commands_have_the_names_of_the_finding() -> None:
    assert "ceph device get-health-metrics SEAGATE_ST18_XYZ" in commands(KNOWN, "check")
    assert "smartctl -x /dev/sdk" in commands(KNOWN, "check")
    words = [one["text"] for one in steps(KNOWN)["replace"]]
    assert words[:3] == [
        "Its drive is sdk of host-1, with osd.7, osd.8",
        "The commands are about all of them: their own metadata name the same device, sdk",
        "It is in slot 12 of enclosure 0x5000c5",
    ]
    # all OSDs of the drive, not only the slow one
    assert commands(KNOWN, "replace")[:3] == [
        "ceph osd ok-to-stop 7 8",
        "ceph osd out 7 8",
        "ceph osd safe-to-destroy 7 8",
    ]


def test_what_is_not_known_is_said_and_not_made_up() -> None:
    known = {"osds": (7,), "place": DrivePlace(7, "host-1")}
    words = [one["text"] for one in steps(known)["replace"]]
    assert words[0].startswith("Its drive is not known here: see in 'ceph osd metadata 7'")
    assert words[1].startswith("Its slot is not known: 'ceph-perf-bench facts --push'")
    assert not any("smartctl" in one for one in commands(known, "check"))
    assert "ceph osd ok-to-stop 7" in commands(known, "replace")


@pytest.mark.parametrize(
    ("backend", "there", "absent"),
    [
        (None, "systemctl stop ceph-osd@7 ceph-osd@8", "ceph device light on SEAGATE_ST18_XYZ"),
        ("rook", "ceph device light on SEAGATE_ST18_XYZ", "ceph orch osd rm 7 8 --replace"),
        ("cephadm", "ceph orch osd rm 7 8 --replace", "systemctl stop ceph-osd@7 ceph-osd@8"),
    ],
)
def test_the_orchestrators_commands_stand_where_it_is(
    backend: str, there: str, absent: str
) -> None:
    shown = commands({**KNOWN, "orchestrator": backend}, "replace")
    assert there in shown
    assert absent not in shown


def test_for_several_osds_the_commands_are_for_the_first_and_the_others_are_named() -> None:
    osds = tuple(range(7, 19))
    host = found(SLOW_HOST, Target("host", "host-1"))
    known = {**KNOWN, "osds": osds}
    shape = steps(known, host)
    assert shape["relieve"][-1]["text"] == (
        "The commands are for osd.7; one after the other the same for osd.8, osd.9, osd.10, "
        "osd.11, osd.12, osd.13, osd.14, osd.15 and 3 more"
    )
    assert f"ceph osd ok-to-stop {' '.join(map(str, osds))}" in commands(known, "replace", host)
    assert "The commands are for" not in str(shape["check"])


@pytest.mark.parametrize(("count", "listed"), [(MOST_OSDS, True), (MOST_OSDS + 1, False)])
def test_a_command_lists_so_many_osds_and_no_more(count: int, listed: bool) -> None:
    known = {**KNOWN, "osds": tuple(range(count))}
    shown = commands(known, "replace", found(SLOW_HOST, Target("host", "host-1")))
    assert any("ok-to-stop" in one for one in shown) is listed


def test_names_from_outside_are_quoted() -> None:
    place = replace(PLACE, device_id="X; rm -rf /", device="sd$(id)", host="h`x`")
    shown = commands({**KNOWN, "place": place}, "check")
    assert "ceph device get-health-metrics 'X; rm -rf /'" in shown
    assert all(len(shlex.split(one)) < 12 for one in shown)
    assert "smartctl -x /dev/'sd$(id)'" in shown


def test_what_is_stopped_is_what_was_asked_about() -> None:
    """All OSDs of the drive, not the one of the finding alone."""
    shown = commands(KNOWN, "replace")
    assert "ceph osd ok-to-stop 7 8" in shown
    assert "systemctl stop ceph-osd@7 ceph-osd@8" in shown
    assert shown[-1] == (
        "ceph osd safe-to-destroy 7 8 && for osd in 7 8; do "
        "ceph osd destroy $osd --yes-i-really-mean-it; done"
    )


def test_a_finding_that_names_no_osd_says_so() -> None:
    shape = steps({}, found(LAGGY_PGS, Target("cluster", "cluster")))
    assert shape["relieve"] == [
        {
            "text": UNNAMED,
            "command": None,
        }
    ]
    assert shape["check"][0]["command"] == "ceph perf-bench laggy ls"


def test_of_a_kind_of_a_newer_version_nothing_is_known() -> None:
    assert next_steps(replace(found(), code="PERF_BENCH_NEW"), **KNOWN) is None
    assert steps_text(None) == ""


def test_the_text_has_a_command_a_line() -> None:
    lines = steps_text(next_steps(found(MEDIA_ERRORS), **KNOWN)).splitlines()
    assert "what to check" in lines
    assert "     ceph perf-bench crc ls" in lines
    assert "  -  It is in slot 12 of enclosure 0x5000c5" in lines
