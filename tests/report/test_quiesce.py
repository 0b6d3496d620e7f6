"""Quiesce as JSON and in 80 columns."""

from __future__ import annotations

from dataclasses import replace

from perf_bench.model.quiesce import (
    Changed,
    Left,
    QuiesceState,
    QuiesceStatus,
    Restored,
    SettingChange,
    Waiting,
)
from perf_bench.report.quiesce import (
    changes_text,
    outcome,
    outcome_text,
    quiesce,
    quiesce_text,
    restored,
    restored_text,
)

NOON = 1_700_049_600.0  # 2023-11-15 12:00 UTC
IDLE = QuiesceStatus(QuiesceState.IDLE)
PENDING = QuiesceStatus(
    QuiesceState.RESTORE_PENDING,
    NOON,
    NOON + 3600,
    "abcdef",
    (
        Changed("flag/noscrub", "unset", "set", "set"),
        Changed("balancer", "on", "off", "on"),
        Changed("pool/3/pg_autoscale_mode", "on", "off", "warn"),
        Changed("config/osd/osd_bench_duration", None, "120", "120"),
    ),
    "balancer: the monitors do not answer",
    ("ceph config rm osd osd_bench_duration", "ceph osd unset noscrub"),
)
NOSCRUB = SettingChange("flag/noscrub", "unset", "set")
BALANCER = SettingChange("balancer", "on", "off")


def test_idle() -> None:
    shape = quiesce(IDLE, None)
    assert shape == {
        "state": "idle",
        "since": None,
        "until": None,
        "holder": None,
        "round": None,
        "changed": [],
        "why": None,
        "commands": [],
        "commands_left_out": 0,
        "watched": [],
        "last": None,
    }
    assert quiesce_text(shape) == "idle: nothing is changed in the cluster's settings"


def test_idle_after_a_round() -> None:
    status = QuiesceStatus(
        QuiesceState.IDLE,
        watched=("balancer",),
        last=Restored((NOSCRUB,), (Left("flag/nodeep-scrub", "unset", "set"),)),
    )
    assert quiesce_text(quiesce(status, None)).splitlines() == [
        "idle: nothing is changed in the cluster's settings",
        "  watched        balancer: a command may still be carried out",
        "  put back last  flag/noscrub",
        "  left           flag/nodeep-scrub: set, set by somebody else: it stays",
    ]


def test_a_journal_that_cannot_be_read() -> None:
    status = QuiesceStatus(QuiesceState.RESTORE_PENDING, why="a journal cannot be read: k (why)")
    assert quiesce_text(quiesce(status, None)).splitlines() == [
        "restore-pending",
        "  because  a journal cannot be read: k (why)",
    ]


def test_what_a_round_says_of_it() -> None:
    left = Left("flag/nodeep-scrub", "unset", "set")
    assert outcome_text({**outcome(Restored((NOSCRUB,), (left,))), "waiting": ["balancer"]}) == (
        "flag/noscrub; flag/nodeep-scrub is set, set by somebody else: it stays; "
        "balancer was not put back yet at its end"
    )


def test_what_is_held() -> None:
    shape = quiesce(PENDING, 12)
    assert (shape["state"], shape["holder"], shape["round"]) == ("restore-pending", "round 12", 12)
    assert shape["changed"][3] == {
        "what": "config/osd/osd_bench_duration",
        "was": None,
        "want": "120",
        "now": "120",
        "unread": None,
    }
    assert quiesce_text(shape).splitlines() == [
        "restore-pending since 2023-11-15 12:00:00 UTC, by round 12",
        "  flag/noscrub                   set, was unset",
        "  balancer                       on, as it was",
        "  pool/3/pg_autoscale_mode       warn, set by somebody else: it stays",
        "  config/osd/osd_bench_duration  120, was not set",
        "  put back                       at the latest on 2023-11-15 13:00:00 UTC",
        "  because                        balancer: the monitors do not answer",
        "  by hand                        ceph config rm osd osd_bench_duration",
        "  by hand                        ceph osd unset noscrub",
    ]


def test_a_holder_whose_round_is_not_known() -> None:
    assert quiesce(PENDING, None)["holder"] == "abcdef"


def test_a_restore_that_is_complete() -> None:
    done = Restored(
        (NOSCRUB, SettingChange("config/osd/osd_bench_duration", None, "120")),
        (Left("pool/3/pg_autoscale_mode", "on", "warn"), Left("pool/4/x", "on", None, gone=True)),
    )
    assert restored_text(restored(done)).splitlines() == [
        "put back",
        "  flag/noscrub                   unset again",
        "  config/osd/osd_bench_duration  not set again",
        "  pool/3/pg_autoscale_mode       warn, set by somebody else: it stays",
        "  pool/4/x                       is gone",
    ]
    assert restored(done)["complete"] is True


def test_a_restore_that_is_not() -> None:
    done = Restored(
        (NOSCRUB,), (), (Waiting(BALANCER, "no answer"),), unsaved="the database is away"
    )
    shape = restored(done)
    assert (shape["complete"], shape["waiting"]) == (
        False,
        [{"what": "balancer", "was": "on", "why": "no answer"}],
    )
    assert restored_text(shape).splitlines() == [
        "not all is put back yet: it is tried again every few seconds",
        "  flag/noscrub  unset again",
        "  balancer      not yet: no answer",
        "  journal       the database is away",
    ]


def test_nothing_to_restore() -> None:
    assert restored_text(restored(Restored())) == "nothing was to be put back"


def test_what_a_dry_run_would_change() -> None:
    assert changes_text((BALANCER, SettingChange("config/osd/x", None, "9"))) == [
        "balancer on to off",
        "config/osd/x not set to 9",
    ]


def test_nothing_is_to_be_typed_while_a_round_holds_it() -> None:
    held = replace(PENDING, state=QuiesceState.HELD)
    assert quiesce(held, 12)["commands"] == list(PENDING.commands)
    assert "by hand" not in quiesce_text(quiesce(held, 12))


def test_settings_without_a_command_are_counted() -> None:
    shape = quiesce(replace(PENDING, more_changes=3), None)
    assert shape["commands_left_out"] == 3
    text = " ".join(quiesce_text(shape).split())
    assert "by hand and 3 more settings: 'ceph-perf-bench restore' on any host" in text
