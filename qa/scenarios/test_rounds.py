"""The first journey: start a round, watch it, read what it found."""

from __future__ import annotations

import csv
import errno
import io
from typing import Any

import pytest

from scenarios.operator import MEASURED, Operator, follows_from_its_figures

pytestmark = pytest.mark.cluster


def test_a_round_measures_every_osd_and_keeps_every_sample(operator: Operator) -> None:
    plan = operator.asks("round", "start", "osd-throughput", "--repeats", "2", "--dry-run")
    assert [len(wave) for wave in plan["waves"]] == [3, 3]  # one OSD a host at a time
    words = ("osd-throughput", "--repeats", "2", "--label", "first")
    number = operator.starts(*words)
    running = operator.sees("progress", lambda: operator.asks("status")["active_round"])
    assert running["id"] == number
    operator.sees("progress in ceph -s", lambda: "perf-bench round" in operator.cluster.ceph("-s"))
    shown = operator.sees_the_end_of(number)
    if shown["verdict"] not in MEASURED:
        shown = operator.measures(*words)

    assert shown["state"] == "done"
    assert shown["verdict"] in {"valid", "noisy"}
    assert shown["reasons"]
    assert shown["label"] == "first"
    pairs = {(sample["target"], sample["repeat"]) for sample in shown["samples"]}
    assert pairs == {(f"osd.{osd}", repeat) for osd in range(6) for repeat in (1, 2)}
    assert len(shown["samples"]) == len(pairs)
    for sample in shown["samples"]:
        assert sample["valid"]
        assert (sample["bytes"], sample["block_size"]) == (1 << 30, 4 << 20)
        assert sample["bytes_per_second"] == pytest.approx(
            sample["bytes"] / sample["seconds"], rel=0.01
        )
    assert {row["osd"] for row in shown["per_osd"]} == set(range(6))
    hosts = {row["osd"]: row["host"] for row in shown["per_osd"]}
    for wave in shown["waves"]:
        assert {hosts[osd] for osd in wave} == {"host-0", "host-1", "host-2"}
    assert shown["environment"]["osds_up"] == 6
    operator.sees("no progress left", lambda: "perf-bench" not in operator.cluster.ceph("-s"))


def test_what_was_measured_is_listed_shown_and_exported(operator: Operator) -> None:
    shown = operator.measures("osd-iops", "--osds", "host=host-1&1-4", "--repeats", "3")
    number = shown["id"]
    assert {row["osd"] for row in shown["per_osd"]} == {1, 4}
    # A multiple where a round before it, here or in another test, was too short.
    (written,) = {sample["bytes"] for sample in shown["samples"]}
    assert written == shown["step"]["total_bytes"]
    assert written % (3000 * 4096) == 0

    line = operator.asks("round", "ls", "--limit", "1")[0]
    assert (line["id"], line["kind"], line["state"]) == (number, "osd", shown["state"])

    def benched() -> Any:
        osd = operator.asks("osd", "ls", "--osds", "1")[0]
        return osd if (osd["last_bench"] or {}).get("round") == number else None

    osd = operator.sees("the bench columns", benched)
    assert osd["last_bench"]["iops"] > 0
    history = operator.asks("osd", "show", "osd.1")["history"]
    assert history[0]["round"] == number

    exported = operator.answered("round", "export", str(number), "--as", "csv").out
    assert len(list(csv.DictReader(io.StringIO(exported)))) == 6
    metrics = operator.answered("round", "export", str(number), "--as", "openmetrics").out
    assert metrics.endswith("# EOF\n")
    operator.carries_out("round", "rm", str(number), done=errno.ENOENT)
    assert operator.refused("round", "show", str(number)).code == errno.ENOENT


def test_two_rounds_at_once_are_refused_and_an_abort_ends_the_one(operator: Operator) -> None:
    number = operator.starts("osd-throughput", "--repeats", "20")
    operator.sees_samples_of(number, 3)
    second = operator.answered("round", "start", "osd-iops")
    assert (second.code, "is running" in second.err) == (16, True)
    removed = operator.answered("round", "rm", str(number))
    assert (removed.code, "is running" in removed.err) == (16, True)

    operator.carries_out("round", "abort", str(number), done=errno.EINVAL)
    shown = operator.sees_the_end_of(number)
    assert (shown["state"], shown["verdict"]) == ("aborted", "aborted")
    assert shown["reasons"] == ["aborted by the operator"]
    assert 3 <= len(shown["samples"]) < 120
    assert operator.measures("osd-throughput", "--osds", "0", "--repeats", "1")["state"] == "done"


def test_two_rounds_are_compared_osd_by_osd(operator: Operator) -> None:
    words = ("osd-throughput", "--osds", "0,1", "--repeats", "3")
    before, after = (operator.measures(*words) for _ in range(2))
    a, b = str(before["id"]), str(after["id"])
    found = operator.asks("round", "compare", a, b)
    assert found["verdict"] != "not-comparable", found["why"]
    assert follows_from_its_figures(found), found
    assert {row["osd"] for row in found["per_osd"]} == {0, 1}
    assert found["setups"][0] == found["setups"][1] == before["environment"]["hash"]
    assert after["environment"]["options"]["bluestore_csum_type"] == "crc32c"
    # the verdict as an exit code: the comparison is printed all the same
    named = operator.answered("round", "compare", a, b, "--fail-on", found["verdict"])
    assert named.code == errno.ERANGE
    assert named.out == operator.answered("round", "compare", a, b).out
    assert f"round {b} against round {a} is {found['verdict']}" in named.err

    other = operator.sees_the_end_of(
        operator.starts("osd-balanced", "--osds", "0", "--repeats", "1")
    )
    refused = operator.asks("round", "compare", a, str(other["id"]))
    assert refused["verdict"] == "not-comparable"
    assert "osd-balanced" in " ".join(refused["why"])
