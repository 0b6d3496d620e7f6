"""How much was looked at, in the text of commands."""

from __future__ import annotations

import pytest

from perf_bench.model.coverage import Gap, Look
from perf_bench.report.coverage import below, look, looks


@pytest.mark.parametrize(
    ("partly", "count"), [(True, "all 3 hosts, 3 of them in part"), (False, "0 of 3 hosts")]
)
def test_what_was_looked_at_in_part_is_said_wherever_it_is_listed(partly: bool, count: str) -> None:
    gap = Gap("no-facts", "no facts are known", count=3, partly=partly)
    media = Look("media", "media errors", "host", 3, (), (gap,))
    line = f"media errors  {count}\n"
    assert line in looks([look(media)])
    assert line in below([media], whole=True)
    assert count not in below([media])
