"""Settings that do not fit the hardware or the purpose."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...model.bench import MIB, BenchLimits
from ...model.doctor_snapshot import CLUSTER, Advice, DoctorSnapshot, OsdDetails
from ...model.finding import Severity, Target
from ...model.phrases import listed
from ...model.profile import PROFILES
from .wording import (
    GIB,
    config_rm,
    config_set,
    ids,
    osds,
    some,
    target_of,
    together,
    verb,
    without_own,
)

_SUICIDE = "osd_op_thread_suicide_timeout"
_TARGET = "osd_memory_target"
_MODES = ("ms_cluster_mode", "ms_service_mode", "ms_client_mode")
# What these are without anybody's doing; more is written with every operation.
_QUIET = {"debug_osd": 1, "debug_bluestore": 1, "debug_ms": 0, "debug_rocksdb": 4, "debug_bdev": 1}
# Of a host's memory; the rest is for its page cache and for OSDs that recover.
_MOST_MEMORY = 0.9
# Ceph takes no less.
_LEAST_TARGET = 896 << 20


def suicide_after_io_timeout(chart: DoctorSnapshot) -> Iterator[Advice]:
    """An OSD on NVMe that outlives the time after which the kernel looks for lost interrupts."""
    have: list[OsdDetails] = []
    least, timeout = 0.0, 0.0
    for _, patients, facts in chart.hosts():
        kernel = facts.kernel if facts else None
        wait = kernel.nvme_io_timeout_seconds if kernel else None
        for patient in patients:
            limit = chart.number(patient, _SUICIDE)
            if wait and limit and limit > wait and "nvme" in (patient.osd.device or ""):
                have.append(patient)
                least, timeout = wait, limit
    if have:
        value = max(10, round(least) - 5)
        yield Advice(
            "SUICIDE_AFTER_IO_TIMEOUT",
            Severity.INFO,
            target_of(have),
            f"an NVMe drive that misses an interrupt is stuck for {least:.0f} s, and "
            f"{osds(have)} would wait for {timeout:.0f} s before "
            f"{verb(have, 'it gives', 'they give')} up: nothing marks such an OSD out",
            together(
                [
                    *without_own(chart, have, _SUICIDE),
                    *(config_set(who, _SUICIDE, value) for who in _of_classes(have)),
                ]
            ),
            "All-Flash Ceph RBD Storage (Bloomberg, 2024)",
            ids(have),
            {**some(have), "nvme_io_timeout_seconds": least, "suicide_timeout_seconds": timeout},
        )


def _of_classes(patients: Sequence[OsdDetails]) -> list[str]:
    """The sections that all OSDs of their classes stand in."""
    classes = sorted({patient.osd.device_class or "" for patient in patients})
    return [f"osd/class:{name}" if name else "osd" for name in classes]


def memory_target(chart: DoctorSnapshot) -> Iterator[Advice]:
    """OSDs of a host that may take more memory than it has."""
    for host, patients, _ in chart.hosts():
        memory = next((p.host_memory for p in patients if p.host_memory), None)
        targets = [chart.number(patient, _TARGET) or 0.0 for patient in patients]
        if memory and sum(targets) > memory:
            fit = max(_LEAST_TARGET, int(_MOST_MEMORY * memory / len(patients)) >> 20 << 20)
            # Ceph means the host as CRUSH calls it.
            bucket = patients[0].osd.location.get("host", host)
            yield Advice(
                "MEMORY_TARGET_TOO_LARGE",
                Severity.WARNING,
                Target("host", host),
                f"{osds(patients)} may take {sum(targets) / GIB:.1f} GiB of memory, and "
                f"{host} has {memory / GIB:.1f}: when it is short of it, an OSD gets killed",
                together(
                    [
                        *without_own(chart, patients, _TARGET),
                        config_set(f"osd/host:{bucket}", _TARGET, fit),
                    ]
                ),
                "Ceph's documentation: osd_memory_target",
                ids(patients),
                {"targets_bytes": int(sum(targets)), "memory_bytes": memory, **some(patients)},
                risk=True,
            )


def debug_logging(chart: DoctorSnapshot) -> Iterator[Advice]:
    """Logs that are written with every operation."""
    for setting in chart.settings:
        quiet = _QUIET.get(setting.name)
        level = setting.value.partition("/")[0].strip()
        if quiet is None or not level.isdigit() or int(level) <= quiet:
            continue
        if not (setting.section in ("global", "osd") or setting.section.startswith("osd.")):
            continue
        have = [patient for patient in chart.up() if setting.concerns(patient.osd)]
        who = setting.who
        yield Advice(
            "DEBUG_LOGGING",
            Severity.WARNING,
            target_of(have) if setting.section.startswith("osd.") and have else CLUSTER,
            f"{setting.name} of {who} is {setting.value}: a line for every operation, which "
            "slows it and what is measured",
            config_rm(who, setting.name),
            "Ceph's documentation: logging and debugging",
            ids(have),
            {"section": who, "option": setting.name, "value": setting.value},
        )


def encrypted_messages(chart: DoctorSnapshot) -> Iterator[Advice]:
    """Messages that are encrypted: rightly, perhaps, but not for nothing."""
    secure = [
        setting
        for setting in chart.settings
        if setting.name in _MODES and setting.value.split()[:1] == ["secure"]
    ]
    if secure:
        on = {setting.name: setting.value for setting in secure}
        yield Advice(
            "MESSAGES_ENCRYPTED",
            Severity.INFO,
            CLUSTER,
            f"{listed(sorted(on))} {verb([*on], 'prefers', 'prefer')} encryption: in the largest "
            "published test it took a quarter of the reads (1 TiB/s became 750 GiB/s)",
            together(config_set(setting.who, setting.name, "crc secure") for setting in secure),
            "Ceph: A Journey to 1 TiB/s (Clyso, 2024)",
            evidence=on,
        )


def short_benches(chart: DoctorSnapshot) -> Iterator[Advice]:
    """Limits of ``osd bench`` that let samples end before they say anything."""
    for profile, number in sorted(chart.short_rounds.items()):
        have = chart.up()
        block_size = PROFILES[profile].steps[0].block_size
        option = BenchLimits.option_for(block_size)
        limit = chart.number(have[0], option) if have else None
        if limit:
            most = f"{limit:.0f} writes" if block_size < MIB else f"{limit / MIB:.0f} MiB"
            yield Advice(
                "BENCH_TOO_SHORT",
                Severity.INFO,
                CLUSTER,
                f"round {number} of {profile} was over too soon: {option} allows {most} a "
                "second for 30 s, and these OSDs do far more",
                together(
                    [
                        config_set("osd", option, round(limit) * 10),
                        f"ceph perf-bench round start {profile}",
                    ]
                ),
                "Ceph's documentation: osd bench; docs/architecture.md",
                evidence={"profile": profile, "round": number, option: limit},
            )
