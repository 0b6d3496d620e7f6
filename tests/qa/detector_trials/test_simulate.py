"""The simulated clusters are what was measured, and pass through a pipe unharmed."""

from __future__ import annotations

import io
import json
import math
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from detector_trials import alarms, longrun
from detector_trials.faults import Fault
from detector_trials.simulate import BLOCK, COMMERCE, NOISY, QUIET, Kind, Simulation, Spec
from detector_trials.stream import frames_from, put
from perf_bench.model.finding import COMMIT, READ, Frame


def some(spec: Spec, count: int) -> list[Frame]:
    return list(islice(Simulation(spec).frames(10), count))


def test_the_same_seed_gives_the_same_frames() -> None:
    first, again, other = (some(Spec(96, seed), 40) for seed in (1, 1, 2))
    assert repr(first) == repr(again)
    assert repr(first[5].latency) != repr(other[5].latency)


@pytest.mark.parametrize(
    ("kind", "noise"),
    [(COMMERCE, 0.126), (BLOCK, 0.113), (QUIET, 0.052), (NOISY, 0.447)],
)
@pytest.mark.parametrize("seconds", [15.0, 60.0])
def test_residuals_scatter_as_in_the_recordings(kind: Kind, noise: float, seconds: float) -> None:
    """Against the host's median and the drive's own, as DETECTION's table has it."""
    spec = Spec(48, 1, kinds=((kind, 1),), per_host=12, seconds=seconds, background=False)
    frames = some(spec, 240)
    logs = np.log(np.array([frame.latency[COMMIT] for frame in frames]))
    busy = np.nanmedian([frame.load for frame in frames], axis=0) > kind.bytes / 20
    load = np.log(np.array([frame.load for frame in frames]))
    logs = (logs - kind.slope * (load - np.log(kind.bytes)))[:, busy]
    residual = logs - np.median(logs, axis=1, keepdims=True)
    residual -= np.median(residual, axis=0)
    # The host's own noise is common to its 12 drives, but here the median is over four hosts.
    common = math.hypot(noise, kind.host_noise)
    low, high = (0.7, 1.15) if seconds < 60 else (0.35, 1.05)
    assert low * noise < residual.std() < high * common


def test_faults_are_put_where_they_belong() -> None:
    faults = (Fault([3], 2.0), Fault([4], 3.0, channels=(READ,)), Fault([5], 3.0, every=600.0))
    spec = Spec(24, 7, channels=(COMMIT, READ), background=False)
    sick = some(Spec(**{**vars(spec), "faults": faults}), 80)
    well = some(spec, 80)
    factor: dict[str, Any] = {
        channel: np.array([frame.latency[channel] for frame in sick])
        / np.array([frame.latency[channel] for frame in well])
        for channel in (COMMIT, READ)
    }
    assert np.allclose(factor[COMMIT][:, 3], 2, rtol=1e-3)
    assert np.allclose(factor[COMMIT][:, 4], 1, rtol=1e-3)
    assert np.allclose(factor[READ][:, 4], 3, rtol=1e-3)
    assert np.flatnonzero(factor[READ][:, 5] > 1.5).tolist() == [0, 1, 40, 41]


def test_frames_pass_through_a_pipe() -> None:
    simulation = Simulation(Spec(48, 1, channels=(COMMIT, READ)))
    sent = list(islice(simulation.frames(1), 10))
    pipe = io.BytesIO()
    for frame in sent:
        put(pipe, frame)
    pipe.seek(0)
    came = list(frames_from(pipe, simulation.roster, (COMMIT, READ)))
    assert [frame.start for frame in came] == [frame.start for frame in sent]
    assert came[3].marks == sent[3].marks
    for channel in (COMMIT, READ):
        assert np.allclose(
            came[7].latency[channel], sent[7].latency[channel], rtol=1e-6, equal_nan=True
        )


def test_alarms_are_counted_with_the_time_they_had() -> None:
    quiet = Spec(96, 1, seconds=60.0, background=False)
    found = alarms.judged(Simulation(quiet).frames(0.25))
    assert found["alarms"] == 0
    assert found["osd_days"] == pytest.approx(24)
    slow = Spec(96, 1, seconds=60.0, background=False, faults=(Fault([9], 4.0, begin=7200.0),))
    frames = [f for n, f in enumerate(Simulation(slow).frames(0.25)) if n not in (200, 201)]
    found = alarms.judged(frames)  # with a failover in it
    assert found["by_code"] == {"PERF_BENCH_SLOW_OSD": 1}
    assert "osd.9" in found["told"][0]


def test_the_long_run_judges_apart_and_does_no_seed_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.json"
    words = [str(out), "--osds", "24", "--days", "0.02", "--channels", "commit,read"]
    monkeypatch.setattr("sys.argv", ["longrun", *words, "--seeds", "1"])
    longrun.main()
    first = json.loads(out.read_text())
    assert first["1"]["osd_days"] == pytest.approx(0.02 * 24, rel=0.05)
    assert first["1"]["alarms"] == 0
    monkeypatch.setattr("sys.argv", ["longrun", *words, "--seeds", "1-2"])
    longrun.main()
    assert json.loads(out.read_text())["1"] == first["1"]
    said = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in said] == ["seed 1", "seed 2"]
    assert "0 false alarms in 1 OSD-days: 0.0000 per 1,000, 95 % sure at most" in said[1]
