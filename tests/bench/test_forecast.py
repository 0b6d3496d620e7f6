"""What a dry run says of wear, and of the settings that are held."""

from __future__ import annotations

from typing import Any

import pytest

from asked import json_of
from past import api_of
from perf_bench.errors import CommandFailed
from perf_bench.model.plan import Request
from stage import Stage

ROUND = Request("osd-throughput", repeats=1)


# --- the answer -------------------------------------------------------------------------------


def test_a_dry_run_has_all_that_a_start_would_do(stage: Stage) -> None:
    api = api_of(stage)
    stage.bench.start(ROUND)
    stage.ended()
    shape = json_of(
        api,
        "round start",
        dry_run=True,
        **vars(Request("osd-throughput", repeats=1, max_repeats=3)),
    )
    assert {"what": "balancer", "was": None, "want": "off"} in shape["holds"]
    assert shape["held_seconds"] == 900 + 2 * shape["most_seconds"]
    assert shape["most_bytes"] == 3 * shape["bytes"]
    (wear,) = shape["wear"]
    assert (wear["class"], wear["osds"]) == ("hdd", 6)
    # the round before counts, too
    assert wear["budget_percent"] == pytest.approx(
        100 * (shape["bytes_per_osd"] + shape["most_bytes_per_osd"]) / wear["budget_bytes"]
    )


def test_what_cannot_be_read_is_said_not_to_be_known(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> Any:
        raise CommandFailed(110, "the monitors do not answer")

    monkeypatch.setattr(stage.settings, "read", fail)
    shape = json_of(api_of(stage), "round start", dry_run=True, **vars(ROUND))
    assert (shape["holds"], shape["quiesce"]) == (None, [])


def test_a_round_of_clients_wears_too(stage: Stage) -> None:
    shape = json_of(api_of(stage), "round start", dry_run=True, profile="rados-write", seconds=2)
    assert shape["wear"][0]["bytes_per_osd"] == shape["most_bytes_per_osd"]
