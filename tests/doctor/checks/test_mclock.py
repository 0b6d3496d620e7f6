"""What is thought of mClock's capacities."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Optional

from nouns import an_osd
from perf_bench.doctor.checks.mclock import capacities
from perf_bench.model.doctor_snapshot import DoctorSnapshot, MeasuredCapacity, OsdDetails, Setting

HDD, SSD = (f"osd_mclock_max_capacity_iops_{kind}" for kind in ("hdd", "ssd"))
MCLOCK = {"osd_op_queue": "mclock_scheduler", HDD: "315.0", SSD: "21500.0"}
LOW, HIGH = (f"osd_mclock_iops_capacity_{part}threshold_hdd" for part in ("low_", ""))
NEW = {LOW: "10", HIGH: "1000"}
# configured, measured, more options: the verdict, what is proposed; of a disk
CASES: list[tuple[Optional[str], Optional[float], dict[str, str], str, Optional[int]]] = [
    ("315", 300.0, {}, "ok", None),
    ("315", None, {}, "unmeasured", None),
    ("315", 158.0, {}, "ok", None),
    ("315", 157.0, {}, "far", 157),
    ("120", 241.4, {}, "far", 241),
    ("150", 300.0, {}, "ok", None),  # half of it
    ("120", 500.0, {}, "far", 500),
    ("120", 50.0, {}, "far", 50),
    ("315", 0.0, {}, "unlikely", None),
    ("11268.8", 310.0, {}, "implausible", 310),
    ("11268.8", None, {}, "implausible", None),
    ("20", 180.0, {}, "implausible", 180),
    ("11268.8", 9000.0, {}, "unlikely", None),  # it may be so
    ("90000", 9000.0, {}, "implausible", None),
    ("315", 11268.8, {}, "unlikely", None),  # Ceph itself would not take it
    ("315", 12.0, {}, "unlikely", None),
    ("50", None, {}, "unmeasured", None),
    ("49.9", None, {}, "implausible", None),
    ("500", None, {}, "unmeasured", None),
    ("500.1", None, {}, "implausible", None),
    ("315", 900.0, NEW, "far", 900),
    ("600", None, NEW, "unmeasured", None),
    ("30", None, {LOW: "0"}, "unmeasured", None),  # the operator takes any slow figure
    ("315", 30.0, {LOW: "0.000000"}, "far", 30),
    ("315", 0.0, {LOW: "0"}, "unlikely", None),  # but mClock divides by it
    ("315", 0.4, {LOW: "0"}, "unlikely", None),
    ("0", None, {LOW: "0"}, "implausible", None),
    ("315", 30.0, {"osd_op_queue": "wpq"}, "unused", None),
    (None, 300.0, {}, "unknown", None),
    ("many", 300.0, {}, "unknown", None),
]


def _snapshot(configured: Optional[str], measured: Optional[float], **more: Any) -> DoctorSnapshot:
    options = {**MCLOCK, **more, HDD: configured}
    given = {name: value for name, value in options.items() if value is not None}
    osd = an_osd(3, rotational=True)
    found = {} if measured is None else {3: MeasuredCapacity(measured, 7)}
    return DoctorSnapshot(osds={3: OsdDetails(osd)}, options={"hdd": given}, measured=found)


def test_verdicts() -> None:
    for configured, measured, more, verdict, proposed in CASES:
        (found,) = capacities(_snapshot(configured, measured, **more))
        assert (found.verdict, found.proposed) == (verdict, proposed), (configured, measured)
        assert (found.option, found.measured_iops) == (HDD, measured)


def test_a_release_without_these_options_has_cephs_default_ranges() -> None:
    cases: list[tuple[bool, tuple[float, float]]] = [(True, (50, 500)), (False, (1000, 80000))]
    for rotational, range_ in cases:
        osd = an_osd(0, rotational=rotational, device_class="x")
        (found,) = capacities(DoctorSnapshot(osds={0: OsdDetails(osd)}, options={"x": MCLOCK}))
        assert found.plausible == range_


# configured, IOPS of valid rounds (newest first): the verdict, what is proposed. Ceph takes 50 to
# 500.
ROUNDS: list[tuple[str, tuple[float, ...], str, Optional[int]]] = [
    ("315", (900.0, 910.0), "unlikely", None),
    ("315", (900.0, 910.0, 890.0), "rejected", 900),
    ("315", (900.0, 910.0, 1124.0), "rejected", 910),
    ("315", (900.0, 910.0, 1126.0), "unlikely", None),
    ("315", (900.0, 910.0, 890.0, 20.0), "rejected", 900),
    ("315", (20.0, 21.0, 19.0), "rejected", 20),
    ("315", (1.0, 1.0, 1.0), "rejected", 1),
    ("315", (1.0, 1.0, 0.0), "unlikely", None),
    ("500", (900.0, 910.0, 890.0), "ok", None),
    ("9000", (900.0, 910.0, 890.0), "rejected", 900),
    ("900", (900.0, 910.0, 890.0), "ok", None),
    ("315", (300.0, 310.0, 320.0), "ok", None),
    ("120", (300.0, 310.0, 320.0), "far", 300),
]


def test_a_figure_out_of_range_counts_where_rounds_agree() -> None:
    for configured, valid, verdict, proposed in ROUNDS:
        seen = _snapshot(configured, valid[0])
        snapshot = replace(seen, measured={3: MeasuredCapacity(valid[0], 7, valid)})
        (found,) = capacities(snapshot)
        assert (found.verdict, found.proposed, found.rounds) == (verdict, proposed, len(valid))
        assert found.consent is (verdict == "rejected")


def test_where_a_value_is_from() -> None:
    cases: list[tuple[list[Setting], str]] = [
        ([], "default"),
        ([Setting("osd", "", HDD, "300")], "cluster"),
        ([Setting("osd.3", "", HDD, "280.5")], "osd"),
        ([Setting("osd.4", "", HDD, "280.5")], "default"),
    ]
    for settings, source in cases:
        seen = _snapshot("300", None)
        snapshot = DoctorSnapshot(osds=seen.osds, options=seen.options, settings=settings)
        (found,) = capacities(snapshot)
        assert found.source == source
        assert found.configured_iops == (280.5 if source == "osd" else 300.0)
