"""``osd why``: the public keys."""

from __future__ import annotations

import json

from operations import STALLED, answers
from perf_bench.model.breakdown import Breakdown, Stage
from perf_bench.report import breakdowns
from perf_bench.watch.breakdown.conclusion import PEER, SUSPECT, Asked, breakdown

NOW = 1_795_000_000.0


def _found(osd: int, *others: tuple[int, str]) -> Breakdown:
    asked = {
        other: Asked(f"host-{other % 3}", role, answers("pacific", STALLED, other))
        for other, role in ((osd, ""), *others)
    }
    return breakdown(osd, asked, NOW, NOW + 3, is_complete=True)


def test_the_public_keys() -> None:
    whole = breakdowns.breakdown(_found(1, (2, PEER), (5, PEER), (3, SUSPECT)))
    assert json.loads(json.dumps(whole)) == whole
    assert (whole["osd"], whole["state"]) == (1, "complete")
    assert (whole["asked_at"], whole["until"]) == (
        "2026-11-18T11:06:40.000Z", "2026-11-18T11:06:43.000Z",
    )  # fmt: skip
    assert list(whole["operations"]) == [stage.value for stage in Stage]
    (wait,) = whole["waits_for"]
    assert (wait["osd"], wait["share"]) == (3, 1.0)
    assert [(peer["osd"], peer["role"]) for peer in whole["peers"]] == [
        (2, "peer"), (5, "peer"), (3, "suspect"),
    ]  # fmt: skip
    commit = next(one for one in whole["counters"] if one["counter"] == "kv_commit")
    assert [other["osd"] for other in commit["others"]] == [2, 3, 5]
