"""The outputs of `rados bench` as 16, 18 and 20 gave them."""

from __future__ import annotations

from pathlib import Path

import pytest

from perf_bench.clients.rados_bench import RadosOutput
from perf_bench.errors import CommandFailed
from perf_bench.model.rados import ClientRun

DATA = Path(__file__).parent / "data" / "rados_bench"
RELEASES = ("pacific", "reef", "tentacle")
WHOLE = (
    "write-text",
    "write-long-text",
    "seq-text",
    "rand-text",
)


def recorded(release: str, name: str) -> str:
    return (DATA / release / f"{name}.txt").read_text(encoding="utf-8")


def parse(text: str) -> ClientRun:
    output = RadosOutput()
    for line in text.splitlines():
        output.feed(line)
    return output.result()


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("name", WHOLE)
def test_a_whole_run_is_read_to_its_totals(release: str, name: str) -> None:
    text = recorded(release, name)
    run = parse(text)
    # The bandwidth that rados bench itself gives: MB are MiB there.
    said = next(
        float(part.split(":")[1])
        for part in text.splitlines()
        if part.startswith("Bandwidth (MB/sec)")
    )
    assert run.bytes_per_second / 2**20 == pytest.approx(said, rel=1e-5)
    assert run.op_size == 65536
    assert run.min_latency < run.mean_latency < run.max_latency
    assert [row.second for row in run.rows] == list(range(len(run.rows)))
    assert [row.finished for row in run.rows] == sorted(row.finished for row in run.rows)
    assert run.rows[-1].finished <= run.operations
    assert bool(run.prefix) is name.startswith("write")


def test_a_run_began_before_the_line_that_came_in_time() -> None:
    output = RadosOutput()
    lines = recorded("pacific", "write-text").splitlines()
    rows = 0
    for line in lines:
        is_row = line.split()[:1] == [str(rows)]
        # the line of second 0 was read late, that of second 2 at once
        output.feed(line, 1000.0 + rows + (0.0 if rows == 2 else 0.25))
        rows += is_row
    assert output.result().started_at == 1000.0


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "this is not what rados bench prints: ''"),
        ("error opening pool x: (2)", "this is not what rados bench prints: 'error opening pool"),
        ("{}", "this is not what rados bench prints: '{}'"),
        (recorded("reef", "killed-text"), "rados bench ended before its totals, after second 2: '"),
        (
            recorded("reef", "rand-text").replace(
                "Average Latency(s):   ", "Average Latency(s): x"
            ),
            "this is not what rados bench prints: 'Average Latency(s): x",
        ),
    ],
)
def test_what_is_cut_off_or_foreign_is_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(CommandFailed) as caught:
        parse(text)
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)
