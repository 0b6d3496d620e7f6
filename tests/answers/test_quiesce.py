"""Quiesce as JSON and in 80 columns."""

from __future__ import annotations

from dataclasses import replace

from perf_bench.answers.settings import (
    QuiesceRestored,
    change_text,
    outcome_text,
    quiesce,
    quiesce_text,
    restored,
    restored_text,
)
from perf_bench.answers.shape import to_json
from perf_bench.model.admission import (
    Changed,
    Fate,
    Outcome,
    QuiesceState,
    QuiesceStatus,
    Restored,
    SettingChange,
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
NODEEP = SettingChange("flag/nodeep-scrub", "unset", "set")
BALANCER = SettingChange("balancer", "on", "off")
BACK = Outcome(NOSCRUB, Fate.PUT_BACK)


def after(done: Restored) -> QuiesceRestored:
    return restored(quiesce(IDLE, None), done)


def test_idle() -> None:
    shape = quiesce(IDLE, None)
    assert to_json(shape) == {
        "state": "idle",
        "since": None,
        "until": None,
        "holder": None,
        "round": None,
        "changed": [],
        "why": None,
        "commands": [],
        "watched": [],
        "last": None,
    }
    assert quiesce_text(shape) == "idle: nothing is changed in the cluster's settings"


def test_idle_after_a_round() -> None:
    status = QuiesceStatus(
        QuiesceState.IDLE,
        watched=("balancer",),
        last=Restored((BACK, Outcome(NODEEP, Fate.LEFT, "set"))),
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
    noted = {
        "put_back": [{"what": "flag/noscrub", "now": "unset"}],
        "left": [{"what": "flag/nodeep-scrub", "was": "unset", "now": "set", "gone": False}],
        "waiting": ["balancer"],
    }
    assert outcome_text(noted) == (
        "flag/noscrub; flag/nodeep-scrub is set, set by somebody else: it stays; "
        "balancer was not put back yet at its end"
    )


def test_what_is_held() -> None:
    shape = quiesce(PENDING, 12)
    assert (shape.state.value, shape.holder, shape.round) == ("restore-pending", "round 12", 12)
    assert to_json(shape)["changed"][3] == {
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
    assert quiesce(PENDING, None).holder == "abcdef"


def test_a_restore_that_is_complete() -> None:
    option = SettingChange("config/osd/osd_bench_duration", None, "120")
    pool = SettingChange("pool/3/pg_autoscale_mode", "on", "off")
    removed = SettingChange("pool/4/x", "on", "off")
    done = Restored(
        (
            BACK,
            Outcome(option, Fate.PUT_BACK),
            Outcome(pool, Fate.LEFT, "warn"),
            Outcome(removed, Fate.GONE),
        )
    )
    assert restored_text(after(done)).splitlines() == [
        "put back",
        "  flag/noscrub                   unset again",
        "  config/osd/osd_bench_duration  not set again",
        "  pool/3/pg_autoscale_mode       warn, set by somebody else: it stays",
        "  pool/4/x                       is gone",
    ]
    assert after(done).complete is True


def test_a_restore_that_is_not() -> None:
    waits = Outcome(BALANCER, Fate.WAITING, why="no answer")
    done = Restored((BACK, waits), unsaved="the database is away")
    shape = after(done)
    assert shape.complete is False
    assert to_json(shape)["waiting"] == [{"what": "balancer", "was": "on", "why": "no answer"}]
    assert restored_text(shape).splitlines() == [
        "not all is put back yet: it is tried again every few seconds",
        "  flag/noscrub  unset again",
        "  balancer      not yet: no answer",
        "  journal       the database is away",
    ]


def test_nothing_to_restore() -> None:
    assert restored_text(after(Restored())) == "nothing was to be put back"


def test_what_a_dry_run_would_change() -> None:
    assert change_text(BALANCER) == "balancer on to off"
    assert change_text(SettingChange("config/osd/x", None, "9")) == "config/osd/x not set to 9"


def test_nothing_is_to_be_typed_while_a_round_holds_it() -> None:
    held = replace(PENDING, state=QuiesceState.HELD)
    assert quiesce(held, 12).commands == PENDING.commands
    assert "by hand" not in quiesce_text(quiesce(held, 12))
