"""`round import` from a file to what is shown, exported and compared."""

from __future__ import annotations

import csv
import errno
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import golden
import threads
from asked import types
from perf_bench.answers.api import Api
from perf_bench.bench.compare.comparable import obstacles
from perf_bench.model.plan import Request
from stage import Stage

DATA = Path(__file__).parents[1] / "bench/record/data"
# By tool a file of it.
FILES = {
    "fio": (DATA / "fio-two-jobs.json").read_text(encoding="utf-8"),
    "elbencho": (DATA / "elbencho-phases.json").read_text(encoding="utf-8"),
}

GOLDEN = {"fio": "round-show-fio.txt", "elbencho": "round-show-elbencho.txt"}


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    made = Stage(tmp_path / "main.db")
    made.clock.advance(1e8)  # to 2027: the files are of 2026
    made.wake()
    threads.join("perf-bench-traces")
    yield made
    made.close()


def taken(api: Api, tool: str, **args: Any) -> int:
    words = {"as": tool, "format": "json", **args}
    code, out, err = types(api, "round import", FILES[tool], **words)
    assert (code, err) == (0, "")
    return int(json.loads(out)["id"])


def shown(api: Api, number: int) -> dict[str, Any]:
    code, out, err = types(api, "round show", id=str(number), format="json")
    assert (code, err) == (0, "")
    shape: dict[str, Any] = json.loads(out)
    return shape


@pytest.mark.parametrize("tool", FILES)
def test_what_is_shown(api: Api, tool: str) -> None:
    number = taken(api, tool, label="night")
    shape = shown(api, number)
    assert (shape["kind"], shape["state"], shape["verdict"]) == (tool, "done", "valid")
    assert shape["imported"]["tool"] == tool
    assert shape["label"] == "night"
    assert (shape["load"], shape["per_osd"], shape["waves"]) == (None, [], [])
    text = types(api, "round show", id=str(number))[1]
    golden.compare(GOLDEN[tool], text + "\n")
    assert max(map(len, text.splitlines())) <= 80


def test_what_is_listed(api: Api) -> None:
    for tool in FILES:
        taken(api, tool)
    assert [row["kind"] for row in json.loads(types(api, "round ls", format="json")[1])] == [
        *reversed(FILES)
    ]
    (only,) = json.loads(types(api, "round ls", kind="fio", format="json")[1])
    assert only["profile"] == "fio"
    assert "elbencho" in types(api, "round ls")[1]


def test_what_is_exported(api: Api) -> None:
    number = str(taken(api, "fio"))
    rows = list(
        csv.DictReader(io.StringIO(types(api, "round export", id=number, **{"as": "csv"})[1]))
    )
    assert [(row["name"], row["operation"]) for row in rows] == [
        ("mixed", "read"), ("mixed", "write"), ("scan", "read")
    ]  # fmt: skip
    code, out, err = types(api, "round export", id=number, **{"as": "openmetrics"})
    assert (code < 0, out) == (True, "")
    assert err == "round 1 was measured by fio: --as openmetrics is for own rounds"
    whole = json.loads(types(api, "round export", id=number, **{"as": "json"})[1])
    assert whole["imported"] == shown(api, int(number))["imported"]


def test_a_file_that_is_refused_leaves_nothing(api: Api, stage: Stage) -> None:
    for file, words in (
        (FILES["fio"][:4000], {"as": "fio"}),
        (FILES["fio"], {"as": "elbencho"}),
        (FILES["fio"], {"as": "iozone"}),
        ("", {"as": "fio"}),
        (FILES["fio"], {"as": "fio", "label": "two\nlines"}),
    ):
        code, out, err = types(api, "round import", file, **words)
        assert (code, out) == (-errno.EINVAL, "")
        assert err
        assert "\n" not in err
    assert json.loads(types(api, "round ls", format="json")[1]) == []


def test_no_other_kind_is_compared_with_it(api: Api, stage: Stage) -> None:
    taken(api, "fio")
    taken(api, "elbencho")
    stage.bench.start(Request("osd-iops", repeats=1))
    stage.ended()
    taken(api, "fio")
    told = obstacles(stage.round(1), stage.round(2))
    assert "round 1 is of kind fio, round 2 of kind elbencho" in told
    assert "round 1 is of kind fio, round 3 of kind osd" in obstacles(
        stage.round(1), stage.round(3)
    )
    code, _, err = types(api, "baseline set", id="1")
    assert (code, err) == (
        -errno.EOPNOTSUPP,
        "round 1 is of kind fio, which has no baseline",
    )
