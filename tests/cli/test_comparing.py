"""The commands that set results beside others: their golden texts, their JSON, their errors."""

from __future__ import annotations

import errno
import json
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

import golden
from asked import asks
from past import Past, Series
from perf_bench.answers import command as cli
from perf_bench.answers.api import Api


@pytest.fixture(scope="module")
def series(tmp_path_factory: pytest.TempPathFactory, quick: None) -> Iterator[Series]:
    """Ten rounds of one profile; round 1 is its baseline."""
    made = Series(tmp_path_factory.mktemp("series") / "main.db")
    made.api.comparisons.set_baseline(1)
    yield made
    made.close()


def _order(words: str, **arguments: Any) -> dict[str, Any]:
    return {"prefix": f"perf-bench {words}", "target": ["mon-mgr", ""], **arguments}


LOOKS: dict[str, dict[str, Any]] = {
    "round-compare-worse": _order("round compare", a="7", b="8"),
    "round-compare-inconclusive": _order("round compare", a="1", b="2", limit=2),
    "profile-history": _order("profile history", name="osd-throughput"),
    "profile-history-new": _order("profile history", name="osd-iops"),
    "baseline-ls": _order("baseline ls"),
    "reference-ls": _order("reference ls"),
}
OF_PAST: dict[str, dict[str, Any]] = {
    "round-compare-refused": _order("round compare", a="1", b="5"),
    "baseline-ls-new": _order("baseline ls"),
    "profile-history-left-out": _order("profile history", name="osd-iops"),
}


def _golden(name: str, api: Api, order: dict[str, Any]) -> None:
    code, out, err = cli.dispatch(api, order)
    assert (code, err) == (0, "")
    assert cli.dispatch(api, {**order, "format": "plain"})[1] == out
    golden.printed(name, out)
    shape = json.loads(cli.dispatch(api, {**order, "format": "json"})[1])
    assert yaml.safe_load(cli.dispatch(api, {**order, "format": "yaml"})[1]) == shape


@pytest.mark.parametrize("name", LOOKS)
def test_what_is_printed(name: str, series: Series) -> None:
    _golden(name, series.api, LOOKS[name])


@pytest.mark.parametrize("name", OF_PAST)
def test_what_is_printed_where_little_is_known(name: str, past: Past) -> None:
    _golden(name, past.api, OF_PAST[name])


def test_a_comparison_has_what_is_promised(series: Series) -> None:
    found = asks(series.api, "round compare", a="7", b="9")
    assert found["verdict"] == "worse"
    assert found["change_percent"] == pytest.approx(100 * (0.81 / 0.99 - 1), abs=0.5)
    low, high = found["interval_percent"]
    assert low < found["change_percent"] < high < 0
    assert 0 < found["p_value"] < 0.01
    assert found["why"]
    assert {row["osd"] for row in found["per_osd"]} == set(range(6))
    back = asks(series.api, "round compare", a="9", b="7")
    assert (back["verdict"], back["change_percent"] > 20) == ("better", True)


def test_what_cannot_be_compared_is_told_and_no_error(past: Past) -> None:
    for a, b, why in (
        ("1", "1", "both are round 1"),
        ("1", "3", "round 3 is aborted: aborted by the operator"),
        ("1", "2", "round 1 ran osd-throughput, round 2 osd-iops"),
    ):
        found = asks(past.api, "round compare", a=a, b=b)
        assert (found["verdict"], found["why"][0]) == ("not-comparable", why)
        assert found["per_osd"] == []
        assert found["change_percent"] is found["p_value"] is found["interval_percent"] is None


@pytest.mark.parametrize(
    ("fail_on", "failed"),
    [("worse", True), ("not-comparable, worse", True), ("better,inconclusive", False)],
)
@pytest.mark.parametrize("format_", ["plain", "json"])
def test_a_verdict_may_be_an_exit_code(
    format_: str, fail_on: str, failed: bool, series: Series
) -> None:
    order = _order("round compare", a="7", b="8", format=format_)
    _, printed, _ = cli.dispatch(series.api, order)
    code, out, err = cli.dispatch(series.api, {**order, "fail_on": fail_on})
    assert out == printed  # whatever the verdict
    said = "round 8 against round 7 is worse: -19.2 %"
    assert (code, err) == ((-errno.ERANGE, said) if failed else (0, ""))


def test_a_history_has_the_regression(series: Series) -> None:
    found = asks(series.api, "profile history", name="osd-throughput")
    assert [point["round"] for point in found["points"]] == list(range(1, 11))
    assert (found["baseline"], found["regression"]["code"]) == (1, "PERF_BENCH_REGRESSION")
    (change,) = found["changes"]
    assert (change["round"], change["rounds_before"], change["rounds_after"]) == (8, 7, 3)


def test_a_baseline_is_told_with_its_figures(series: Series) -> None:
    (found,) = asks(series.api, "baseline ls")
    assert (found["profile"], found["round"]) == ("osd-throughput", 1)
    assert found["bytes_per_second"] == series.round(1).summary["median_bytes_per_second"]
    assert found["set_at"].endswith("Z")


def test_setting_a_baseline(series: Series) -> None:
    order = _order("baseline set", id="2", profile="osd-throughput")
    said = (0, "round 2 is the baseline of osd-throughput now", "")
    assert cli.dispatch(series.api, order) == said
    assert [one["round"] for one in asks(series.api, "baseline ls")] == [2]
    assert asks(series.api, "baseline set", id="1")["round"] == 1


NO_ROUND = "no round {}: 'ceph perf-bench round ls' lists those there are"
NO_NUMBER = "no round '{}': a round's ID is a number, see 'ceph perf-bench round ls'"
NO_PROFILE = "no profile 'nix': 'ceph perf-bench profile ls' lists them"
UNFIT = "round {} is {}: only a valid round can be a baseline"
ERRORS: list[tuple[dict[str, Any], int, str]] = [
    (_order("round compare", a="1", b="77"), errno.ENOENT, NO_ROUND.format(77)),
    (_order("round compare", a="77", b="1"), errno.ENOENT, NO_ROUND.format(77)),
    (_order("round compare", a="x", b="1"), errno.ENOENT, NO_NUMBER.format("x")),
    (_order("round compare", a="1", b="²"), errno.ENOENT, NO_NUMBER.format("²")),
    (
        _order("round compare", a="1", b="2", limit=0),
        errno.EINVAL,
        "--limit 0 is not within 1 to 500",
    ),
    (
        _order("round compare", a="1", b="2", offset=-1),
        errno.EINVAL,
        "--offset -1 is not 0 or more",
    ),
    (_order("profile history", name="nix"), errno.ENOENT, NO_PROFILE),
    (_order("baseline set", id="77"), errno.ENOENT, NO_ROUND.format(77)),
    (_order("baseline set", id="-1"), errno.ENOENT, NO_NUMBER.format("-1")),
    (_order("baseline set", id="1", profile="nix"), errno.ENOENT, NO_PROFILE),
    (
        _order("baseline set", id="1", profile="osd-iops"),
        errno.EINVAL,
        "round 1 is of osd-throughput, not of osd-iops",
    ),
    (_order("baseline set", id="2"), errno.EINVAL, UNFIT.format(2, "noisy")),
    (_order("baseline set", id="3"), errno.EINVAL, UNFIT.format(3, "aborted")),
    (_order("baseline set", id="4"), errno.EINVAL, UNFIT.format(4, "failed")),
    (_order("baseline set", id="5"), errno.EINVAL, UNFIT.format(5, "too-short")),
]


@pytest.mark.parametrize(("order", "code", "sentence"), ERRORS)
def test_errors(order: dict[str, Any], code: int, sentence: str, past: Past) -> None:
    assert cli.dispatch(past.api, order) == (-code, "", sentence)
    assert past.api.comparisons.baselines() == []
