"""Settings that do not fit the hardware or the purpose."""

from __future__ import annotations

from collections.abc import Iterator

from ..model.chart import CLUSTER, Advice, Chart, Patient
from ..model.finding import Severity, Target
from ..model.naming import plural
from .words import GIB, ids, osds, some, target_of

_SUICIDE = "osd_op_thread_suicide_timeout"
_TARGET = "osd_memory_target"
_MODES = ("ms_cluster_mode", "ms_service_mode", "ms_client_mode")
_LIMIT = "osd_bench_small_size_max_iops"
# What these are without anybody's doing; more is written with every operation.
_QUIET = {"debug_osd": 1, "debug_bluestore": 1, "debug_ms": 0, "debug_rocksdb": 4, "debug_bdev": 1}
# Of a host's memory; the rest is for its page cache and for OSDs that recover.
_MOST_MEMORY = 0.9


def suicide_after_io_timeout(chart: Chart) -> Iterator[Advice]:
    """An OSD on NVMe that outlives the time after which the kernel looks for lost interrupts."""
    have: list[Patient] = []
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
        yield Advice(
            "SUICIDE_AFTER_IO_TIMEOUT",
            Severity.INFO,
            target_of(have),
            f"an NVMe drive that misses an interrupt is stuck for {least:.0f} s, and "
            f"{osds(have)} would wait for {timeout:.0f} s before it gives up: nothing marks it out",
            f"ceph config set osd/class:ssd {_SUICIDE} {max(10, round(least) - 5)}",
            "All-Flash Ceph RBD Storage (Bloomberg, 2024)",
            ids(have),
            {**some(have), "nvme_io_timeout_seconds": least, "suicide_timeout_seconds": timeout},
        )


def memory_target(chart: Chart) -> Iterator[Advice]:
    """OSDs of a host that may take more memory than it has."""
    for host, patients, _ in chart.hosts():
        memory = next((p.host_memory for p in patients if p.host_memory), None)
        targets = [chart.number(patient, _TARGET) or 0.0 for patient in patients]
        if memory and sum(targets) > memory:
            fit = int(_MOST_MEMORY * memory / len(patients)) >> 20 << 20
            yield Advice(
                "MEMORY_TARGET_TOO_LARGE",
                Severity.WARNING,
                Target("host", host),
                f"the {plural(len(patients), 'OSD')} of {host} may take "
                f"{sum(targets) / GIB:.1f} GiB of memory together, and it has "
                f"{memory / GIB:.1f}: one of them gets killed",
                f"ceph config set osd/host:{host} {_TARGET} {fit}",
                "Ceph's documentation: osd_memory_target",
                ids(patients),
                {"targets_bytes": int(sum(targets)), "memory_bytes": memory, **some(patients)},
                risk=True,
            )


def debug_logging(chart: Chart) -> Iterator[Advice]:
    """Logs that are written with every operation."""
    for setting in chart.settings:
        quiet = _QUIET.get(setting.name)
        level = setting.value.partition("/")[0].strip()
        if quiet is None or not level.isdigit() or int(level) <= quiet:
            continue
        if not (setting.section in ("global", "osd") or setting.section.startswith("osd.")):
            continue
        have = _of_section(chart, setting.section)
        who = f"{setting.section}/{setting.mask}" if setting.mask else setting.section
        yield Advice(
            "DEBUG_LOGGING",
            Severity.WARNING,
            target_of(have) if setting.section.startswith("osd.") and have else CLUSTER,
            f"{setting.name} of {who} is {setting.value}: a line for every operation, which "
            "slows it and what is measured",
            f"ceph config rm {who} {setting.name}",
            "Ceph's documentation: logging and debugging",
            ids(have),
            {"section": who, "option": setting.name, "value": setting.value},
        )


def _of_section(chart: Chart, section: str) -> list[Patient]:
    """The OSDs that a section is for, whatever its mask."""
    if not section.startswith("osd."):
        return chart.up()
    return [patient for patient in chart.up() if patient.osd.name == section]


def encrypted_messages(chart: Chart) -> Iterator[Advice]:
    """Messages that are encrypted: rightly, perhaps, but not for nothing."""
    on = {
        setting.name: setting.value
        for setting in chart.settings
        if setting.name in _MODES and setting.value.split()[:1] == ["secure"]
    }
    if on:
        names = " and ".join(sorted(on))
        yield Advice(
            "MESSAGES_ENCRYPTED",
            Severity.INFO,
            CLUSTER,
            f"{names} prefers encryption: in the largest published test it took a quarter of the "
            "reads (1 TiB/s became 750 GiB/s)",
            f"ceph config set global {min(on)} 'crc secure'",
            "Ceph: A Journey to 1 TiB/s (Clyso, 2024)",
            evidence=on,
        )


def short_benches(chart: Chart) -> Iterator[Advice]:
    """Limits of ``osd bench`` that let samples end before they say anything."""
    for profile, number in sorted(chart.short_rounds.items()):
        have = chart.up()
        limit = chart.number(have[0], _LIMIT) if have else None
        if limit:
            yield Advice(
                "BENCH_TOO_SHORT",
                Severity.INFO,
                CLUSTER,
                f"round {number} of {profile} was over too soon: {_LIMIT} allows {limit:.0f} "
                "writes a second for 30 s, and these OSDs do far more",
                f"ceph config set osd {_LIMIT} {round(limit) * 10}",
                "Ceph's documentation: osd bench; docs/architecture.md",
                evidence={"profile": profile, "round": number, _LIMIT: limit},
            )
