"""A plan's sums, and what a round's state says."""

from __future__ import annotations

import pytest

from nouns import SMALL_STEP, a_plan, an_osd
from perf_bench.model.osd import Osd
from perf_bench.model.round import OsdResult, RoundState


def test_a_plan_counts_its_samples_and_bytes() -> None:
    plan = a_plan([[3, 1], [0]], repeats=5, step=SMALL_STEP)
    assert plan.osds == (0, 1, 3)
    assert plan.samples == 15
    # 12,288,000 measured bytes and 400 MiB of prefill, five times
    assert plan.bytes_per_osd == 5 * (12_288_000 + 419_430_400)


@pytest.mark.parametrize(
    ("state", "ended"),
    [
        (RoundState.QUEUED, False),
        (RoundState.RUNNING, False),
        (RoundState.DONE, True),
        (RoundState.ABORTED, True),
        (RoundState.FAILED, True),
    ],
)
def test_which_states_are_ends(state: RoundState, ended: bool) -> None:
    assert state.ended is ended


def test_an_empty_row_says_who_the_osd_was() -> None:
    row = OsdResult.before(an_osd(4, "host-1", device_class="ssd", model="ACME_9"))
    assert (row.osd, row.host, row.device_class, row.model) == (4, "host-1", "ssd", "ACME_9")
    assert row.median_bytes_per_second is None


@pytest.mark.parametrize(
    ("osd", "group"),
    [
        (an_osd(0, device_class="hdd", model="ACME_9"), ("hdd", "ACME_9")),
        (an_osd(0, device_class="hdd"), ("hdd", "")),
        (an_osd(0, device_class=None), ("", "")),
    ],
)
def test_peers_share_class_and_model(osd: Osd, group: tuple[str, str]) -> None:
    assert osd.peer_group == group
    assert osd.name == "osd.0"
