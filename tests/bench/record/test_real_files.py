"""Files as tools, shells and people leave them; each case has the source that it is made after."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from perf_bench.bench.record import round_from
from perf_bench.errors import InvalidValue
from perf_bench.model.json_fields import LARGEST_FILE
from perf_bench.model.plan import Imported

NOW = 1_800_000_000.0
BEGAN = 1_795_000_000


def taken(text: str, tool: str = "fio") -> Imported:
    found = round_from(text, tool, "", "0123", NOW).plan.imported
    assert found is not None
    return found


def refused(text: str, tool: str = "fio") -> str:
    with pytest.raises(InvalidValue) as caught:
        taken(text, tool)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def moved(seconds: int = 60, operations: int = 600_000) -> dict[str, Any]:
    return {
        "io_bytes": operations * 4096,
        "runtime": seconds * 1000,
        "total_ios": operations,
        "lat_ns": {"min": 90_000, "max": 9_000_000, "mean": 1.5e6},
    }


def a_job(name: str = "w", **changes: Any) -> dict[str, Any]:
    return {"jobname": name, "error": 0, "eta": 0, "elapsed": 61, "write": moved(), **changes}


def report(*jobs: dict[str, Any], ended: int = BEGAN + 61, **changes: Any) -> str:
    """As fio prints it: over many lines."""
    made = {"fio version": "fio-3.36", "timestamp": ended, "jobs": list(jobs or [a_job()])}
    return json.dumps({**made, **changes}, indent=2) + "\n"


def interim(seconds: int, of: int, operations: int = 10_000) -> str:
    done = moved(seconds, operations * seconds)
    job = a_job(eta=of - seconds, elapsed=seconds + 1, write=done)
    return report(job, ended=BEGAN + seconds + 1)


def phase(begins: str = "02:00:00", ms: int = 30_000, kind: str = "WRITE", **changes: Any) -> str:
    made = {
        "phase_type": kind,
        "iso_start_date": f"2026-11-10T{begins}.010+0100",
        "config": {"version": "3.1-9", "block_size": "4096", "command": '"elbencho" "-w" '},
        "last_done": {"elapsed_time_ms": str(ms), "iops": "26214", "bytes/s": "107374182",
                      "bytes": "3221225472"},
    }  # fmt: skip
    return json.dumps({**made, **changes}) + "\n"


# --- notes around the report -------------------------------------------------------------------

TEXT_OF_FIO = """
w: (groupid=0, jobs=1): err= 0: pid=4711: Thu Nov 12 02:14:21 2026
  write: IOPS=10.0k, BW=39.1MiB/s (40.9MB/s)(2344MiB/60000msec); 0 zone resets
    lat (usec): min=90, max=9000, avg=1500.00, stdev=10.00
Run status group 0 (all jobs):
  WRITE: bw=39.1MiB/s (40.9MB/s), io=2344MiB (2458MB), run=60000-60000msec
"""


def test_notes_are_passed_over() -> None:
    for before, after in [
        # ceph/cbt benchmark/librbdfio.py, axboe/fio#144: --output-format=json,normal
        ("rbd engine: RBD version: 1.12.0\nStarting 1 process\n", TEXT_OF_FIO),
        # ceph/cbt, parse(): json_output.N is what stands between "Starting" and an empty line
        ("fio: this platform does not support process shared mutexes\n", ""),
        # axboe/fio#731, #1685
        ("", "fio: file hash not empty on exit\n"),
        # axboe/fio#325: the progress ends with "\r", which a log may have lost
        ("Jobs: 1 (f=1): [w(1)][100.0%][w=39.1MiB/s][eta 00m:00s]\r", ""),
        ("Jobs: 1 (f=1): [w(1)][100.0%][w=39.1MiB/s][eta 00m:00s]", ""),
        ('2026-11-12 started with {"size": 3}\n\x1b[0K', '{"ended": {}}'),
        ("[client-a] ready\n{client-b} ready\n", "[eta 00m:00s]\n"),
        ("\ufeff", ""),
        ("\ufeff\n\n", "\x00"),
    ]:
        for text in (before + report() + after, (before + report() + after).replace("\n", "\r\n")):
            assert taken(text) == taken(report())


@given(st.data())
@example(None)
def test_a_cut_file_is_never_taken_for_a_whole_one(data: Any) -> None:
    """Neither without its end nor without its beginning."""
    for tool, text in (
        ("fio", report()),
        ("elbencho", phase() + phase("02:01:00", kind="READ").rstrip()),
    ):
        body = text.rstrip()
        at = len(body) // 2 if data is None else data.draw(st.integers(1, len(body) - 1))
        whole = taken(text, tool)
        for part in (body[:at], body[at:]):
            try:
                found = taken(part, tool)
            except InvalidValue:
                continue
            # Cut between two lines of elbencho.
            assert found.jobs in (whole.jobs, whole.jobs[:1], whole.jobs[1:])
            assert part.strip()[0] + part.strip()[-1] == "{}"


# --- shapes of fio ------------------------------------------------------------------------------


def clients(*entries: dict[str, Any]) -> str:
    made = {"fio version": "fio-3.36", "timestamp": BEGAN, "client_stats": list(entries)}
    notes = "hostname=client-a, be=0, 64-bit, os=Linux, fio=fio-3.36, flags=1\n\n"
    return notes + json.dumps(made, indent=2) + "\n"


def of_host(host: str, **changes: Any) -> dict[str, Any]:
    job = a_job(hostname=host, port=8765, **changes)
    del job["eta"], job["elapsed"]  # the client has no threads of its own
    return job


def test_jobs_of_many_hosts() -> None:
    """axboe/fio#360, #515, client.c: an entry for each host, and the sum; its time is the start."""
    total = of_host("client-b", write=moved(operations=1_200_000)) | {"jobname": "All clients"}
    found = taken(clients(of_host("client-a"), of_host("client-b"), total))
    assert [(job.name, job.operations) for job in found.jobs] == [
        ("client-a: w", 600_000), ("client-b: w", 600_000)
    ]  # fmt: skip
    assert (found.began, found.ended) == (BEGAN, BEGAN + 60)
    (alone,) = taken(clients(of_host("client-a"))).jobs  # no sum of one
    assert alone.name == "client-a: w"
    many = [of_host(f"client-{number}", read=moved()) for number in range(40)]
    assert [job.name for job in taken(clients(*many, total)).jobs] == ["All clients"]
    assert "run fio with --group_reporting" in refused(clients(*many))


def test_a_host_of_which_fio_has_no_results() -> None:
    """client.c: handle_stop, fio_client_connect_ip, fio_check_clients_timed_out."""
    for note in [
        "client <client-b>: exited with error 1",
        "fio: failed to connect to client-b:8765",
        "fio: client client-b timed out",
    ]:
        told = refused(f"{note}\n{clients(of_host('client-a'))}")
        assert told == f"the results of a host are missing: '{note}'"


def test_clients_that_report_in_the_middle_of_the_run() -> None:
    """client.c, handle_ts: each report of --status-interval is one more entry."""
    hosts = ("client-a", "client-b")
    entries = [of_host(host, write=moved(seconds)) for seconds in (20, 40) for host in hosts]
    assert refused(clients(*entries)).startswith("client_stats[2] is w of client-a again, later:")
    # threads of one job end together
    assert len(taken(clients(*[of_host("client-a") for _ in range(4)])).jobs) == 4


def test_mixed_operations() -> None:
    """stat.c: with unified_rw_reporting=mixed in place of all others, with "both" beside them."""
    mixed = a_job(mixed=moved())
    del mixed["write"]
    assert [job.operation for job in taken(report(mixed)).jobs] == ["mixed"]
    both = a_job(mixed=moved(operations=900_000), read=moved(operations=300_000))
    assert [job.operation for job in taken(report(both)).jobs] == ["read", "write"]


def test_a_run_whose_end_is_missing() -> None:
    """What ended fio was a signal: its last report is one of --status-interval."""
    assert refused(interim(40, 60)) == (
        "fio had 20 s to go at the file's report: the run's end is missing"
    )
    short = a_job(eta=(1 << 31) - 1, elapsed=2, write=moved(2))  # eta.c: not known below 3 s
    assert taken(report(short)).jobs


def test_several_reports_are_not_one_round() -> None:
    """`fio … >> file`, or `cat json_output.*` of an archive of CBT, or --status-interval."""
    for second in [report(), report(ended=BEGAN + 3661), interim(20, 60)]:
        told = refused(report() + second)
        assert told.startswith("the file has 2 runs or reports of fio, and a round is of one: give")


def test_what_c_prints_for_no_number() -> None:
    """stat.c: 0 divided by 0; and the least of no samples."""
    assert taken(report().replace('"mean": 1500000.0', '"mean": -nan')).jobs[0].mean_latency is None
    latency = {"min": (1 << 64) - 1, "max": 0, "mean": 0.0}
    (job,) = taken(report(a_job(write={**moved(), "lat_ns": latency}))).jobs
    assert (job.min_latency, job.max_latency) == (None, None)


def test_keys_that_fio_prints_twice() -> None:
    """axboe/fio#511 (percentiles of 0.00 in 3.1), #1571 (a filename for each file)."""
    twice = report().replace('"error": 0', '"error": 0, "filename": "a", "filename": "b"')
    assert twice != report()
    assert taken(twice) == taken(report())


# --- shapes of elbencho -------------------------------------------------------------------------


def pretty(*phases: str) -> str:
    return "".join(json.dumps(json.loads(one), indent=2) + "\n" for one in phases)


LATER = phase("03:00:00")


def test_runs_of_elbencho_that_were_appended() -> None:
    """Without --jsonfile elbencho appends all runs to one file (CHANGELOG 3.1-3, 3.1-9)."""
    for texts, line in [
        ((phase(), LATER), 2),
        ((phase("01:59:59"), pretty(phase("02:00:30")), LATER), 17),
        ((phase(), phase("02:01:00", config={"version": "3.1-9", "command": "other"})), 2),
        (tuple(phase(f"{hour:02}:00:00") for hour in range(20)) * 4, 80),
    ]:
        told = refused("".join(texts), "elbencho")
        assert told.endswith(f"give that one; the last begins in line {line}")
        lines = "".join(texts).splitlines(keepends=True)
        assert taken("".join(lines[line - 1 :]), "elbencho").jobs


def test_elbencho_before_its_phases_had_a_configuration() -> None:
    """breuner/elbencho source/Statistics.cpp of 3.0-27 to 3.0-35: the first with --jsonfile."""
    old: dict[str, Any] = {"config": None, "version": "3.0-29", "command": '"elbencho" "-w" '}
    found = taken(phase(**old) + phase("02:01:00", kind="READ", **old), "elbencho")
    assert (found.version, [job.block_size for job in found.jobs]) == ("3.0-29", [0, 0])
    told = refused(phase(**old) + phase("02:01:00", **{**old, "command": "other"}), "elbencho")
    assert told.startswith("the file has 2 runs")


# --- warp ---------------------------------------------------------------------------------------


def warp(**changes: Any) -> str:
    """minio/warp, pkg/aggregate/live.go: what `warp analyze --json` prints."""
    span = {"start_time": "2026-11-10T02:00:00.123456789+01:00", "end_time": "2026-11-10T01:01:00Z"}
    got = {
        **span,
        "total_requests": 70_000,
        "total_errors": 0,
        "throughput": {"measure_duration_millis": 50_000, "bytes": 5e9, "ops": 50_000},
    }
    deleted = {**got, "throughput": {**got["throughput"], "bytes": 0}}  # type: ignore[dict-item]
    made = {"v": 2, "commandline": "warp mixed", "final": True, "warp_version": "v1.6.0"}
    operations = {"GET": {**got, **changes}, "DELETE": deleted}
    return json.dumps({**made, "total": got, "by_op_type": operations}, indent=2)


def test_broken_results_of_warp() -> None:
    for text, told in [
        (warp(total_errors=3), "by_op_type.GET.total_errors is 3: warp counts requests that"),
        (
            warp().replace("true", "false"),
            "final is not true: warp wrote this before the run ended",
        ),
        (
            warp() + warp(),
            "the file has 2 runs or reports of warp, and a round is of one",
        ),
        (warp()[:-1], "the results are not JSON: Expecting"),
        (warp(throughput=None), "by_op_type.GET.throughput.measure_duration_millis is missing"),
    ]:
        assert refused(text, "warp").startswith(told)


# --- other files --------------------------------------------------------------------------------

CSV = "ISO date,label,path type,paths,hosts\n2026-11-10T01:00:00.010+0100,,file,1,1\n"
WARP = '{"v": 1, "commandline": "warp get", "by_op_type": {}}'


def test_another_file_is_refused_with_what_is_to_be_done() -> None:
    for tool, text, told in [
        ("fio", phase(), "these are results of elbencho: import them with --as elbencho"),
        ("elbencho", report(), "these are results of fio: import them with --as fio"),
        ("elbencho", clients(of_host("a")), "these are results of fio: import them"),
        ("fio", WARP, "these are results of warp: import them with --as warp"),
        ("warp", report(), "these are results of fio: import them with --as fio"),
        (
            "fio",
            json.dumps([a_job()], indent=1),
            "the results are not of fio: import what fio --output-format=json wrote",
        ),
        ("elbencho", CSV, "the results are not JSON: import what elbencho --jsonfile wrote"),
        ("warp", "hello", "the results are not JSON: import what warp analyze --json wrote"),
        ("fio", TEXT_OF_FIO, "the results are not JSON: import what fio --output-format=json"),
    ]:
        assert refused(text, tool).startswith(told)
        assert refused(text.replace("\n", "\r\n"), tool).startswith(told)


LARGE = LARGEST_FILE // 8


@pytest.mark.parametrize(
    "text",
    [
        "{\n" * (LARGE // 2),
        "[]\n" * (LARGE // 3),
        "{}\n" * (LARGE // 3),
        "x" + "\r" * (LARGE - 1),
        "x" + "\n" * (LARGE - 1),
        "\ufeff" * (LARGE // 3),
        '":' * (LARGE // 2),
        "[ \n" * (LARGE // 3),
        "0, " * (LARGE // 3),
        '{"a":' + "1" * 5000,
    ],
    ids=lambda text: ascii(text[:8]),
)
@pytest.mark.parametrize("tool", ["fio", "elbencho", "warp"])
def test_a_hostile_file_is_refused_soon(tool: str, text: str) -> None:
    """An eighth of the largest: what took the square of its length would take minutes."""
    began = time.process_time()
    refused(text, tool)
    assert time.process_time() - began < 1
