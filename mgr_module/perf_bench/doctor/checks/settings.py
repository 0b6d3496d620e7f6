"""Checks of settings that do not fit the hardware or the purpose."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ...model.bench import MIB, BenchLimits
from ...model.doctor_snapshot import CLUSTER, Advice, DoctorSnapshot, OsdDetails
from ...model.finding import Severity, Target
from ...model.profile import PROFILES
from ...model.said import say
from .wording import (
    BLOOMBERG,
    config_rm,
    config_set,
    ids,
    in_host_bucket,
    numbers,
    of_class,
    set_for_all,
    some,
    target_of,
    together,
)

_SUICIDE = "osd_op_thread_suicide_timeout"
# Seconds; under a shorter timeout OSDs would end for load alone.
_LEAST_SUICIDE = 10
_TARGET = "osd_memory_target"
_MODES = ("ms_cluster_mode", "ms_service_mode", "ms_client_mode")
# The default levels; higher ones write a line for every operation.
_QUIET = {"debug_osd": 1, "debug_bluestore": 1, "debug_ms": 0, "debug_rocksdb": 4, "debug_bdev": 1}
# The share of a host's memory for OSDs; the rest is for the page cache and for recovery.
_MOST_MEMORY = 0.9
# The least value that Ceph accepts.
_LEAST_TARGET = 896 << 20


def suicide_after_io_timeout(snapshot: DoctorSnapshot) -> Iterator[Advice]:
    """OSDs on NVMe whose suicide timeout is longer than the kernel's I/O timeout."""
    have: list[OsdDetails] = []
    least, timeout = math.inf, 0.0
    for _, entries, facts in snapshot.hosts():
        kernel = facts.kernel if facts else None
        wait = kernel.nvme_io_timeout_seconds if kernel else None
        for details in entries:
            limit = snapshot.number(details, _SUICIDE)
            on_nvme = "nvme" in (details.osd.devices or "")
            if on_nvme and wait and limit and limit > max(wait, _LEAST_SUICIDE):
                have.append(details)
                least, timeout = min((least, timeout), (wait, limit))
    if have:
        value = max(_LEAST_SUICIDE, round(least) - 5)
        yield Advice(
            "SUICIDE_AFTER_IO_TIMEOUT",
            Severity.INFO,
            target_of(have),
            say(
                "advice-suicide-timeout",
                "an NVMe drive that misses an interrupt hangs for {hangs:.0f} s, but {osds:osds} "
                "would end {osds#itself|themselves} only after {timeout:.0f} s; until then nothing "
                "marks such an OSD out",
                hangs=least,
                osds=numbers(have),
                timeout=timeout,
            ),
            together(set_for_all(snapshot, have, _SUICIDE, value, of_class)),
            BLOOMBERG,
            ids(have),
            {**some(have), "nvme_io_timeout_seconds": least, "suicide_timeout_seconds": timeout},
        )


def memory_target(snapshot: DoctorSnapshot) -> Iterator[Advice]:
    """Hosts whose OSDs may use more memory than there is."""
    for host, entries, _ in snapshot.hosts():
        memory = next((p.host_memory for p in entries if p.host_memory), None)
        targets = [snapshot.number(details, _TARGET) or 0.0 for details in entries]
        if memory and sum(targets) > memory:
            fit = max(_LEAST_TARGET, int(_MOST_MEMORY * memory / len(entries)) >> 20 << 20)
            message: str = say(
                "advice-memory-target",
                "{osds:osds} may use {targets:gib} of memory, but {host} has {memory:gib}: "
                "when it runs out, the kernel kills an OSD",
                osds=numbers(entries),
                targets=sum(targets),
                host=host,
                memory=memory,
            )
            # The mask takes the name of the CRUSH bucket; OSDs of one host may be in several.
            commands = set_for_all(
                snapshot, entries, _TARGET, fit, lambda osd: in_host_bucket(snapshot, osd)
            )
            if fit * len(entries) > memory:
                message = (
                    f"{message}; Ceph takes no target under {fit >> 20} MiB: use fewer OSDs there"
                )
                if max(targets) <= fit:
                    commands = ["ceph osd df tree"]
            yield Advice(
                "MEMORY_TARGET_TOO_LARGE",
                Severity.WARNING,
                Target("host", host),
                message,
                together(commands),
                "Ceph's documentation: osd_memory_target",
                ids(entries),
                {"targets_bytes": int(sum(targets)), "memory_bytes": memory, **some(entries)},
                risk=True,
            )


def debug_logging(snapshot: DoctorSnapshot) -> Iterator[Advice]:
    """Debug levels that log every operation."""
    for setting in snapshot.settings:
        if not _is_loud(setting.name, setting.value):
            continue
        # Not where a narrower section has a quiet value, nor of an OSD that was removed.
        loud = [
            details
            for details in snapshot.osds.values()
            if setting.concerns(details.osd)
            and _is_loud(setting.name, snapshot.option(details, setting.name) or setting.value)
        ]
        if not loud:
            continue
        have = [details for details in loud if details.osd.up]
        who = setting.who
        yield Advice(
            "DEBUG_LOGGING",
            Severity.WARNING,
            target_of(have) if setting.section.startswith("osd.") and have else CLUSTER,
            say(
                "advice-debug-logging",
                "{option} of {who} is {value}: it logs every operation, which slows the OSDs and "
                "falsifies results",
                option=setting.name,
                who=who,
                value=setting.value,
            ),
            config_rm(who, setting.name),
            "Ceph's documentation: logging and debugging",
            ids(have),
            {"section": who, "option": setting.name, "value": setting.value},
        )


def _is_loud(option: str, value: str) -> bool:
    """Whether it is a debug level of OSDs at which every operation is logged."""
    quiet = _QUIET.get(option)
    level = value.partition("/")[0].strip()
    return quiet is not None and level.isdigit() and int(level) > quiet


def encrypted_messages(snapshot: DoctorSnapshot) -> Iterator[Advice]:
    """Encrypted messages, which cost throughput."""
    secure = [
        setting
        for setting in snapshot.settings
        if setting.name in _MODES and setting.value.split()[:1] == ["secure"]
    ]
    if secure:
        on = {setting.name: setting.value for setting in secure}
        yield Advice(
            "MESSAGES_ENCRYPTED",
            Severity.INFO,
            CLUSTER,
            say(
                "advice-encrypted",
                "{options:list} {options#prefers|prefer} encryption: in the largest published test "
                "that cost a quarter of the read throughput (750 GiB/s, not 1 TiB/s)",
                options=sorted(on),
            ),
            together(config_set(setting.who, setting.name, "crc secure") for setting in secure),
            "Ceph: A Journey to 1 TiB/s (Clyso, 2024)",
            evidence=on,
        )


def short_benches(snapshot: DoctorSnapshot) -> Iterator[Advice]:
    """Limits of ``osd bench`` that make samples too short."""
    for profile, number in sorted(snapshot.short_rounds.items()):
        have = snapshot.up()
        block_size = PROFILES[profile].steps[0].block_size
        option = BenchLimits.option_for(block_size)
        limit = max((snapshot.number(details, option) or 0.0 for details in have), default=0.0)
        if limit:
            most = (
                say("writes-each", "{count:.0f} writes", count=limit)
                if block_size < MIB
                else f"{limit / MIB:.0f} MiB"
            )
            yield Advice(
                "BENCH_TOO_SHORT",
                Severity.INFO,
                CLUSTER,
                say(
                    "advice-bench-short",
                    "the samples of round {round} of {profile} were too short: {option} allows "
                    "{most} a second for 30 s, and these OSDs do far more",
                    round=number,
                    profile=profile,
                    option=option,
                    most=most,
                ),
                together(
                    [
                        *set_for_all(snapshot, have, option, round(limit) * 10, lambda _: "osd"),
                        f"ceph perf-bench round start {profile}",
                    ]
                ),
                "Ceph's documentation: osd bench; docs/architecture.md",
                evidence={"profile": profile, "round": number, option: limit},
            )
