"""A large cluster that does not exist, and a round over it."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from perf_bench.bench.compare.summary import judge_sample
from perf_bench.model.osd import Osd
from perf_bench.model.plan import Plan, Sample
from perf_bench.model.round import OsdResult

OSDS = 10_000
REPEATS = 5
OSDS_PER_HOST = 24
HOSTS_PER_RACK = 16
# What the module's option max_parallel is by default.
MAX_PARALLEL = 64
_BEGAN = 1_790_000_000.0
_MODELS = ("VENDOR_HDD-18T", "VENDOR_HDD-22T", "OTHER_NVME-7T")
# Bandwidth in bytes a second that drives of these models have at 4 MiB.
_RATES = {"VENDOR_HDD-18T": 180e6, "VENDOR_HDD-22T": 210e6, "OTHER_NVME-7T": 1.9e9}


def osd(number: int) -> Osd:
    """An OSD with all that real ones have: five in six are hdd, racks of 16 hosts of 24."""
    host = number // OSDS_PER_HOST
    model = _MODELS[2] if number % 6 == 5 else _MODELS[host % 2]
    return Osd(
        id=number,
        host=f"storage-{host:04d}",
        device_class="ssd" if model == _MODELS[2] else "hdd",
        devices=f"sd{chr(97 + number % OSDS_PER_HOST)}",
        model=model,
        rotational=model != _MODELS[2],
        location={
            "host": f"storage-{host:04d}",
            "rack": f"rack-{host // HOSTS_PER_RACK:02d}",
            "root": "default",
        },
    )


def unmeasured(osds: Sequence[Osd]) -> list[OsdResult]:
    """The results of these OSDs before they are measured."""
    return [OsdResult(osd.id, osd.host, osd.device_class, osd.model) for osd in osds]


def waves_of_samples(plan: Plan, seed: int = 1) -> Iterator[list[Sample]]:
    """What the OSDs would have answered, wave by wave; one in 100 OSDs is half as fast."""
    dice = random.Random(seed)  # noqa: S311 - nothing secret
    now = _BEGAN
    for repeat in range(1, plan.repeats + 1):
        for number, wave in enumerate(plan.waves, start=1):
            samples = [_sample(plan, entry, repeat, number, now, dice) for entry in wave]
            now += max(sample.call_seconds for sample in samples)
            yield samples


def _sample(
    plan: Plan, number: int, repeat: int, wave: int, now: float, dice: random.Random
) -> Sample:
    rate = _RATES[osd(number).model or ""] * dice.gauss(1.0, 0.02)
    if number % 100 == 50:
        rate /= 2
    seconds = plan.step.total_bytes / rate
    sample = Sample(
        osd=number,
        phase=plan.leading.name,
        repeat=repeat,
        wave=wave,
        started_at=now,
        call_seconds=seconds + 0.01,
        block_size=plan.step.block_size,
        bytes_written=plan.step.total_bytes,
        seconds=seconds,
        bytes_per_second=rate,
        iops=rate / plan.step.block_size,
    )
    return judge_sample(sample)
