"""Which published figures a round is set beside, a row a case."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Optional

import pytest

from nouns import SMALL_STEP, STEP, a_plan, a_round, an_osd
from perf_bench.bench.compare.reference import closest, medium
from perf_bench.model.plan import KIB, MIB, Step, writes
from perf_bench.model.round import Figure, OsdRates, Round, RoundState

BALANCED = writes(32 * KIB, 98_304_000)
# (medium, figure, least, most) by their IDs
Beside = tuple[str, Optional[str], Optional[str], Optional[str]]


def _round(step: Step = STEP, **named: Any) -> Round:
    return a_round(a_plan([[0, 1, 2]], step=step), RoundState.DONE, **named)


def _on(device_class: Optional[str], step: Step = STEP, rate: float = 100.0 * MIB) -> OsdRates:
    return OsdRates(0, device_class, rate, rate / step.block_size)


def _id(figure: Optional[Figure]) -> Optional[str]:
    return figure.id if figure else None


NVME = an_osd(0, devices="nvme0n1", device_class="ssd", rotational=False)
SATA = an_osd(0, devices="sda", device_class="ssd", rotational=False)


def test_only_like_with_like() -> None:
    for step, device_class, osd, beside in [
        # --- 4 MiB onto fresh objects: published for NVMe only
        (STEP, "nvme", None, ("nvme", "s3-osd-tp", None, None)),
        (STEP, "ssd", NVME, ("nvme", "s3-osd-tp", None, None)),
        (STEP, "ssd", SATA, ("ssd", None, None, None)),
        # the class alone does not say what flash it is
        (STEP, "ssd", None, ("ssd", None, None, None)),
        (STEP, "hdd", None, ("hdd", None, None, None)),
        # --- 32 KiB onto prefilled objects: the fleet
        (BALANCED, "hdd", None, ("hdd", "fleet-hdd", None, None)),
        (BALANCED, "nvme", None, ("nvme", "fleet-nvme", None, None)),
        (BALANCED, "ssd", SATA, ("ssd", None, None, None)),
        # --- 4 KiB onto prefilled objects: what mClock takes for plausible. The 68,936 IOPS that
        # are published were onto fresh ones
        (SMALL_STEP, "hdd", None, ("hdd", None, "mclock-hdd-lo", "mclock-hdd-hi")),
        (SMALL_STEP, "ssd", SATA, ("ssd", None, "mclock-ssd-lo", "mclock-ssd-hi")),
        (SMALL_STEP, "nvme", None, ("nvme", None, "mclock-ssd-lo", "mclock-ssd-hi")),
        # --- anything else is not like them
        (writes(MIB, 1024 * MIB), "nvme", None, ("nvme", None, None, None)),
        (replace(BALANCED, object_count=0, object_size=0), "hdd", None, ("hdd", None, None, None)),
        (replace(STEP, object_count=100, object_size=4 * MIB), "nvme", None,
         ("nvme", None, None, None)),
        # a read probe is no write
        (replace(STEP, operation="read"), "nvme", None, ("nvme", None, None, None)),
        # a class of the operator's own
        (STEP, "fast", None, ("fast", None, None, None)),
    ]:  # fmt: skip
        (found,) = closest(_round(step), [_on(device_class, step)], [osd] if osd else [])
        ids = (found.medium, _id(found.measured), _id(found.least), _id(found.most))
        assert ids == beside


def test_the_median_of_each_medium() -> None:
    rates = {0: ("hdd", 50.0), 1: ("hdd", 70.0), 2: ("hdd", 90.0), 3: ("nvme", 600.0)}
    rows = [OsdRates(osd, c, rate * MIB, 1.0) for osd, (c, rate) in rates.items()]
    hdd, nvme = closest(_round(BALANCED), rows)
    assert (hdd.medium, hdd.osds, hdd.value) == ("hdd", 3, 70 * MIB)
    assert (nvme.medium, nvme.osds, nvme.value) == ("nvme", 1, 600 * MIB)
    # of 59.06 and 619.8 MiB/s
    assert hdd.ratio == pytest.approx(70 / 59.06)
    assert nvme.ratio == pytest.approx(600 / 619.8)


def test_small_writes_are_told_in_operations() -> None:
    (found,) = closest(_round(SMALL_STEP), [_on("hdd", SMALL_STEP, 4096 * 200.0)])
    assert (found.operations, found.value, found.ratio) == (True, 200.0, None)


def test_medium() -> None:
    for osd, expected in [
        (an_osd(0, device_class="hdd", devices="sda"), "hdd"),
        (an_osd(0, device_class="nvme", devices="nvme0n1"), "nvme"),
        (NVME, "nvme"),
        (SATA, "ssd"),
        (an_osd(0, device_class="ssd", devices="nvme0n1,nvme1n1"), "nvme"),
        # a disk with its DB on flash
        (an_osd(0, device_class="hdd", devices="nvme0n1,sda", rotational=True), "hdd"),
        # which of the two holds the data is not known: the class
        (an_osd(0, device_class="ssd", devices="nvme0n1,sda", rotational=False), "ssd"),
        # a class of the operator's own hides neither
        (an_osd(0, device_class="archive", devices="sda", rotational=True), "hdd"),
        (an_osd(0, device_class="fast", devices="nvme0n1", rotational=False), "nvme"),
        # file-backed, or behind the device mapper
        (an_osd(0, device_class="ssd", devices="dm-3"), "ssd"),
        (an_osd(0, device_class=None), None),
    ]:
        assert medium(osd) == expected


# --- the published figures themselves
