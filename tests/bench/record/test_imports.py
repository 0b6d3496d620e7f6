"""What fio and elbencho wrote becomes a round; what is broken or hostile becomes one sentence.

The files of fio are captures of 3.33. Those of elbencho are built by hand after its own printer (a
line a phase, all values texts, "/" escaped), for no package of it was at hand.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from perf_bench.bench.record import round_from
from perf_bench.errors import InvalidValue
from perf_bench.model.json_fields import LARGEST_FILE
from perf_bench.model.plan import MOST_JOBS, Job
from perf_bench.model.round import Round, RoundState, Verdict

DATA = Path(__file__).parent / "data"
NOW = 1_800_000_000.0


def text(name: str) -> str:
    return (DATA / name).read_text(encoding="utf-8")


def taken(written: str, tool: str = "fio") -> Round:
    return round_from(written, tool, "", "0123", NOW)


def jobs(round_: Round) -> tuple[Job, ...]:
    assert round_.plan.imported is not None
    return round_.plan.imported.jobs


def fio(**changes: Any) -> str:
    """A file of one write job; ``changes`` are keys of its write direction."""
    write = {"io_bytes": 8192, "runtime": 2000, "total_ios": 2, **changes}
    return whole(jobs=[{"jobname": "a", "error": 0, "elapsed": 2, "write": write}])


def whole(**changes: Any) -> str:
    return json.dumps({"fio version": "fio-3.33", "timestamp": 1_795_000_000, **changes})


def elbencho(**changes: Any) -> str:
    done = {"elapsed_time_ms": "2000", "bytes": "8192", "bytes/s": "4096", "iops": "1"}
    phase = {
        "phase_type": "WRITE",
        "iso_start_date": "2026-11-20T02:00:00.012+0100",
        "config": {"version": "3.1", "block_size": "4096"},
        "last_done": done,
    }
    return json.dumps({**phase, **changes})


def test_a_job_of_fio() -> None:
    round_ = taken(text("fio-writes.json"))
    assert (round_.kind, round_.profile, round_.state) == ("fio", "fio", RoundState.DONE)
    assert round_.verdict is Verdict.VALID
    assert round_.environment == {"tool": "fio", "version": "fio-3.33"}
    (job,) = jobs(round_)
    report = json.loads(text("fio-writes.json").split("\n", 2)[2])["jobs"][0]["write"]
    assert (job.name, job.operation, job.block_size) == ("small-writes", "write", 4096)
    assert job.bytes == report["io_bytes"]
    assert job.iops == pytest.approx(report["iops"], rel=0.001)
    assert job.bytes_per_second == pytest.approx(report["bw_bytes"], rel=0.001)
    assert job.mean_latency == pytest.approx(report["lat_ns"]["mean"] / 1e9)
    assert job.p99_latency == pytest.approx(report["clat_ns"]["percentile"]["99.000000"] / 1e9)
    assert round_.summary["median_iops"] == job.iops
    assert round_.ended_at is not None
    assert round_.started_at is not None
    assert 2 <= round_.ended_at - round_.started_at < 10


def test_what_fio_did_not_measure_is_not_known() -> None:
    """With ``gtod_reduce``, for one."""
    none = {"min": 0, "max": 0, "mean": 0.0, "N": 0}
    (job,) = jobs(taken(fio(lat_ns=none, clat_ns=none)))
    assert (job.mean_latency, job.min_latency, job.max_latency) == (None, None, None)


def test_phases_of_elbencho() -> None:
    round_ = taken(text("elbencho-phases.json"), "elbencho")
    assert (round_.kind, round_.environment["version"]) == ("elbencho", "3.1-3")
    write, read = jobs(round_)  # of directories and deletions there is nothing to take over
    assert (write.operation, write.seconds, write.bytes) == ("write", 4.4, 2 << 30)
    assert (write.bytes_per_second, write.iops, write.block_size) == (487587840, 465, 1 << 20)
    assert (write.mean_latency, write.max_latency) == pytest.approx((0.008411, 0.093012))
    assert write.p99_latency is None  # elbencho tells no percentile
    assert read.operation == "read"
    assert round_.started_at == 1795136400.012  # 01:00 UTC
    assert round_.ended_at == pytest.approx(1795136408.014, abs=0.001)


def test_a_phase_of_elbencho_that_reads_and_writes() -> None:
    """With ``--rwmixpct 70``: the fields of the phase are its writes alone."""
    done = {"elapsed_time_ms": "10000", "bytes": "3145728000", "rwmix_read": {"iops": "700"}}
    with pytest.raises(InvalidValue, match="read and write at once cannot be imported"):
        taken(elbencho(phase_type="RWMIX70", last_done=done), "elbencho")


def test_broken_results_of_fio() -> None:
    for written, sentence in [
        ("", "there are no results: give a file with -i RESULTS.json"),
        ("hello", "the results are not JSON"),
        (text("fio-two-jobs.json")[:5000], "the results are not JSON: Expecting"),
        ('{"a":' * 100_000, "the results are not JSON: they are nested too deep"),
        ('"' + "a" * LARGEST_FILE, "the results are over 8 MiB"),
        ("[]", "the results are not JSON: import what fio --output-format=json wrote"),
        ("{}", "the results are not of fio: import what"),
        (whole(), "the results are not of fio: import what"),
        (whole(jobs=[]), "no job of these results of fio moved any data"),
        (whole(jobs=[{}]), "jobs[0].jobname is missing"),
        (whole(jobs=[{"jobname": "a" * 600}]), "jobs[0].jobname must be at most 512 characters"),
        (whole(jobs=[{"jobname": "a", "error": 5}]), "jobs[0].error is 5: fio says that the job"),
        (fio(io_bytes=-1), "jobs[0].write.io_bytes must be a whole number of 0 or more, not -1"),
        (fio(lat_ns={"mean": -1}), "jobs[0].write.lat_ns.mean must be a number of 0 or more"),
        (fio(clat_ns={"percentile": {"x": 1}}), "jobs[0].write.clat_ns.percentile.x must be a"),
        (fio(total_ios=0), "no job of these results of fio moved any data"),
        (fio().replace("1795000000", "1e300"), "the results' time is in the future"),
        (fio().replace("fio version", "version"), "fio version is missing"),
    ]:
        with pytest.raises(InvalidValue) as caught:
            taken(written)
        assert str(caught.value).startswith(sentence)
        assert "\n" not in str(caught.value)


def test_broken_results_of_elbencho() -> None:
    for written, sentence in [
        ("", "there are no results"),
        ("{", "the results are not JSON: Expecting"),
        (elbencho() + "\n" + elbencho()[:40], "the results are not JSON: Expecting"),
        (elbencho()[9:] + "\n" + elbencho(), "line 1 of the results ends JSON whose beginning"),
        ("{}", "the results are not of elbencho: import what elbencho --jsonfile wrote"),
        (elbencho() + "\n{}", "the results are not of elbencho: import what"),
        (elbencho(iso_start_date="yesterday"), "line 1: iso_start_date must be a time as"),
        (
            elbencho(iso_start_date="1901-01-01T00:00:00+0100"),
            "line 1: iso_start_date must be a time of",
        ),
        (elbencho(iso_start_date="3001-01-01T00:00:00+0100"), "the results' time is in the"),
        (elbencho(last_done={}), "line 1: last_done.elapsed_time_ms is missing"),
        (elbencho(last_done={"elapsed_time_ms": "1e9"}), "line 1: last_done.elapsed_time_ms must"),
        (
            elbencho(last_done={"elapsed_time_ms": "2000", "iops": (1 << 63) - 1, "bytes": "2"}),
            "line 1: last_done.iops must be a whole number of 0 or more, not 1.8",
        ),
        (elbencho(last_done={"elapsed_time_ms": "5"}), "no job of these results of elbencho moved"),
        (elbencho(config=None), "line 1: config.version is missing"),
        ("\n".join([elbencho()] * 65), f"65 results are over the {MOST_JOBS} that a round takes"),
    ]:
        with pytest.raises(InvalidValue) as caught:
            taken(written, "elbencho")
        assert str(caught.value).startswith(sentence)
        assert "\n" not in str(caught.value)
