"""What keeps a round from starting."""

from __future__ import annotations

import pytest

from perf_bench.schedule.admission import decide

TAIL = " nearfull or fuller, and a bench writes to them"


@pytest.mark.parametrize(
    ("nearfull", "reasons"),
    [
        ([], ()),
        ([3], ("osd.3" + TAIL,)),
        ([9, 3], ("osd.3, osd.9" + TAIL,)),
        (range(7), ("osd.0, osd.1, osd.2, osd.3, osd.4 and 2 more" + TAIL,)),
    ],
)
def test_osds_that_are_nearly_full(nearfull: list[int], reasons: tuple[str, ...]) -> None:
    decision = decide(nearfull)
    assert decision.reasons == reasons
    assert decision.allowed == (not reasons)
