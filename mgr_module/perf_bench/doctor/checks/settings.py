"""Checks of settings that do not fit the hardware or the purpose."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ...model.bench import MIB, BenchLimits
from ...model.doctor_snapshot import CLUSTER, OsdDetails
from ...model.finding import Target
from ...model.phrases import gib, listed
from ...model.profile import PROFILES
from .hosts import may_be_nvme
from .seen import (
    BLOOMBERG,
    CLYSO,
    DOCS,
    INFO,
    WARNING,
    Found,
    Need,
    Seen,
    Unknown,
    check,
    config_rm,
    config_set,
    form,
    in_host_bucket,
    names,
    of_class,
    set_for_all,
    target_of,
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
_NO_MEMORY = Need("no-metadata", "the OSDs' metadata do not tell the memory of their host")
_NO_ROUND = Need(
    "no-round", "no round has run", f"'ceph perf-bench round start {next(iter(PROFILES))}'"
)


@check("SUICIDE_AFTER_IO_TIMEOUT", INFO, BLOOMBERG)
def suicide_after_io_timeout(seen: Seen) -> Iterator[Found]:
    """OSDs on NVMe have a suicide timeout that is longer than the kernel's I/O timeout."""
    have: list[OsdDetails] = []
    least, timeout = math.inf, 0.0
    waits = seen.hosts(
        "the kernel's NVMe timeout",
        lambda facts: facts.kernel and facts.kernel.nvme_io_timeout_seconds,
        may_be_nvme,
    )
    for host, wait in waits:
        for details in host.osds:
            limit = seen.snapshot.number(details, _SUICIDE)
            on_nvme = "nvme" in (details.osd.devices or "")
            if on_nvme and wait and limit and limit > max(wait, _LEAST_SUICIDE):
                have.append(details)
                least, timeout = min((least, timeout), (wait, limit))
    if have:
        value = max(_LEAST_SUICIDE, round(least) - 5)
        yield Found(
            f"an NVMe drive that misses an interrupt hangs for {least:.0f} s, but {names(have)} "
            f"would end {form(have, 'itself', 'themselves')} only after {timeout:.0f} s; until "
            "then nothing marks such an OSD out",
            set_for_all(seen.snapshot, have, _SUICIDE, value, of_class),
            have,
            {"nvme_io_timeout_seconds": least, "suicide_timeout_seconds": timeout},
        )


@check("MEMORY_TARGET_TOO_LARGE", WARNING, f"{DOCS}: osd_memory_target", risk=True)
def memory_target(seen: Seen) -> Iterator[Found]:
    """The OSDs of a host may use more memory than there is."""
    snapshot = seen.snapshot
    seen.known(_NO_MEMORY, lambda osd: osd.host_memory)
    for host, osds, _ in snapshot.hosts():
        memory = next((p.host_memory for p in osds if p.host_memory), None)
        targets = [snapshot.number(details, _TARGET) or 0.0 for details in osds]
        if not memory or sum(targets) <= memory:
            continue
        fit = max(_LEAST_TARGET, int(_MOST_MEMORY * memory / len(osds)) >> 20 << 20)
        message = (
            f"{names(osds)} may use {gib(sum(targets))} of memory, but {host} has {gib(memory)}: "
            "when it runs out, the kernel kills an OSD"
        )
        # The mask takes the name of the CRUSH bucket; OSDs of one host may be in several.
        commands = set_for_all(
            snapshot, osds, _TARGET, fit, lambda osd: in_host_bucket(snapshot, osd)
        )
        if fit * len(osds) > memory:
            message += f"; Ceph takes no target under {fit >> 20} MiB: use fewer OSDs there"
            if max(targets) <= fit:
                commands = ["ceph osd df tree"]
        evidence = {"targets_bytes": int(sum(targets)), "memory_bytes": memory}
        yield Found(message, commands, osds, evidence, target=Target("host", host))


@check("DEBUG_LOGGING", WARNING, f"{DOCS}: logging and debugging")
def debug_logging(seen: Seen) -> Iterator[Found]:
    """Debug levels log every operation."""
    snapshot = seen.snapshot
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
        of_one = setting.section.startswith("osd.") and have
        yield Found(
            f"{setting.name} of {setting.who} is {setting.value}: it logs every operation, which "
            "slows the OSDs and falsifies results",
            [config_rm(setting.who, setting.name)],
            have,
            {"section": setting.who, "option": setting.name, "value": setting.value},
            target=target_of(have) if of_one else CLUSTER,
        )


def _is_loud(option: str, value: str) -> bool:
    """Whether it is a debug level of OSDs at which every operation is logged."""
    quiet = _QUIET.get(option)
    level = value.partition("/")[0].strip()
    return quiet is not None and level.isdigit() and int(level) > quiet


@check("MESSAGES_ENCRYPTED", INFO, CLYSO)
def encrypted_messages(seen: Seen) -> Iterator[Found]:
    """Messages are encrypted, which costs throughput."""
    secure = [
        setting
        for setting in seen.snapshot.settings
        if setting.name in _MODES and setting.value.split()[:1] == ["secure"]
    ]
    if secure:
        on = {setting.name: setting.value for setting in secure}
        yield Found(
            f"{listed(sorted(on))} {form(on, 'prefers', 'prefer')} encryption: in the largest "
            "published test that cost a quarter of the read throughput (750 GiB/s, not 1 TiB/s)",
            [config_set(setting.who, setting.name, "crc secure") for setting in secure],
            evidence=on,
        )


@check("BENCH_TOO_SHORT", INFO, f"{DOCS}: osd bench; docs/architecture.md")
def short_benches(seen: Seen) -> Iterator[Found]:
    """Limits of ``osd bench`` make samples too short."""
    if not seen.snapshot.has_rounds and not seen.snapshot.short_rounds:
        raise Unknown(_NO_ROUND)
    have = seen.snapshot.up()
    for profile, number in sorted(seen.snapshot.short_rounds.items()):
        block_size = PROFILES[profile].steps[0].block_size
        option = BenchLimits.option_for(block_size)
        limit = max((seen.snapshot.number(p, option) or 0.0 for p in have), default=0.0)
        most = f"{limit:.0f} writes" if block_size < MIB else f"{limit / MIB:.0f} MiB"
        if limit:
            yield Found(
                f"the samples of round {number} of {profile} were too short: {option} allows "
                f"{most} a second for 30 s, and these OSDs do far more",
                [
                    *set_for_all(seen.snapshot, have, option, round(limit) * 10, lambda _: "osd"),
                    f"ceph perf-bench round start {profile}",
                ],
                evidence={"profile": profile, "round": number, option: limit},
            )
