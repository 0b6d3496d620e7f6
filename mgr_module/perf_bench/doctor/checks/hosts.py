"""Checks of hosts' processors and memory, from facts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any, Optional

from ...model.doctor_snapshot import CLUSTER, OsdDetails
from ...model.finding import Gap, Severity
from ...model.hardware import HostFacts
from ...model.phrases import listed
from . import commands
from .seen import BLOOMBERG, CLYSO, DOCS, INFO, NAMED, WARNING, Found, Host, Seen, check, names

# Idle states that are left in under 20 us on every processor that has them.
_SHALLOW = ("POLL", "C1", "C1E", "C1_ACPI", "WFI")
_FAST = "performance"
_PASSED = ("off", "passthrough")
_SWAPPED = 256 << 20
_MISSES = 5.0
# Cores per OSD: a spinning OSD needs less than one; an OSD on flash uses up to 8 to 12, and with
# fewer than two loses half (published: "2 -> 4 cores doubles").
_CORES = {"hdd": 0.5, "ssd": 2.0}
_SLOW_CRC = 0.6
# Hosts with the same processor that can be compared.
_ALIKE = 3
_NO_PEERS = Gap("no-peers", f"fewer than {_ALIKE} hosts have the same processor")
# Shows which OSDs are pinned to a node; osd_numa_auto_affinity, on by default, pins them.
_PINNED = "ceph osd numa-status"
_THP = "thp"

# Hosts with a problem, each with the value that shows it.
_Have = Sequence[tuple[Host, Any]]


def _values(have: _Have) -> str:
    return ", ".join(sorted({value for _, value in have}))


def _found(
    have: _Have, message: str, command: str, severity: Optional[Severity] = None
) -> Iterator[Found]:
    """What is found on these hosts, if there are any."""
    if have:
        osds = [osd for host, _ in have for osd in host.osds]
        target = have[0][0].target if len(have) == 1 else CLUSTER
        evidence = {host.name: value for host, value in have[:NAMED]}
        names_ = listed([host.name for host, _ in have])
        yield Found(f"{names_}: {message}", [command], osds, evidence, severity, target)


def _worse_on_flash(have: _Have) -> Optional[Severity]:
    """Waking up and clocks matter to flash; beside a disk's seeks they are small."""
    flash = any(osd.osd.rotational is False for host, _ in have for osd in host.osds)
    return Severity.WARNING if flash else None


@check("DEEP_C_STATES", INFO, CLYSO)
def deep_sleep(seen: Seen) -> Iterator[Found]:
    """Processors use deep idle states, which are slow to leave."""
    states = seen.hosts("the idle states", lambda facts: facts.cpu and facts.cpu.deepest_cstate)
    have = [(host, state) for host, state in states if state not in _SHALLOW]
    yield from _found(
        have,
        f"idle states down to {_values(have)}, which cost 10 to 20 % of the performance in the "
        "field",
        "tuned-adm profile network-latency",
        _worse_on_flash(have),
    )


@check("CPU_GOVERNOR", INFO, CLYSO)
def governor(seen: Seen) -> Iterator[Found]:
    """Processors do not always run at full clock."""
    governors = seen.hosts("the CPU governor", lambda facts: facts.cpu and facts.cpu.governor)
    have = [(host, name) for host, name in governors if name != _FAST]
    yield from _found(
        have,
        f"the CPU governor {_values(have)}: small operations end before the full clock is reached",
        "cpupower frequency-set -g performance",
        _worse_on_flash(have),
    )


@check("IOMMU_TRANSLATES", WARNING, CLYSO)
def iommu(seen: Seen) -> Iterator[Found]:
    """An IOMMU translates every address of NVMe drives."""
    modes = seen.hosts("the IOMMU", lambda facts: facts.cpu and facts.cpu.iommu, may_be_nvme)
    have = [(host, mode) for host, mode in modes if mode not in _PASSED and _has_nvme(host)]
    yield from _found(
        have,
        "the IOMMU translates every address of NVMe drives: in the field an OSD fell from 5,700 to "
        "520 MB/s; the kernel argument iommu=pt avoids it",
        "grubby --update-kernel=ALL --args=iommu=pt",
    )


def may_be_nvme(details: OsdDetails) -> bool:
    """Whether an OSD is on NVMe, or may be: its devices are not known."""
    return details.osd.devices is None or "nvme" in details.osd.devices


def _has_nvme(host: Host) -> bool:
    """By the host's facts, which may not list disks, or by what Ceph knows of its OSDs."""
    listed_ = any(disk.device.startswith("nvme") for disk in host.facts.block or ())
    return listed_ or any("nvme" in (details.osd.devices or "") for details in host.osds)


@check("SWAP_IN_USE", INFO, BLOOMBERG)
def swap(seen: Seen) -> Iterator[Found]:
    """Hosts have swapped."""
    used = seen.hosts(
        "the swap in use", lambda facts: facts.memory and facts.memory.swap_used_bytes
    )
    have = [(host, count) for host, count in used if count > _SWAPPED]
    most = max((count for _, count in have), default=0) / (1 << 20)
    yield from _found(
        have,
        f"up to {most:.0f} MiB swapped, often because one NUMA node runs out of "
        "memory while another has some left; pin OSDs (osd_numa_node) rather than disable swap",
        _PINNED,
    )


def _is_on(value: Optional[str]) -> bool:
    """Whether an option is; the mgr has "True", the monitors "true"."""
    return (value or "").lower() == "true"


@check(
    "TRANSPARENT_HUGE_PAGES",
    WARNING,
    f"{DOCS}: hardware recommendations, memory; Ceph pull request 31582",
)
def huge_pages(seen: Seen) -> Iterator[Found]:
    """OSDs use transparent huge pages: the kernel gets memory back late, and they grow.

    OSDs switch them off for themselves, whatever the host has, unless the option thp is on.
    """
    uses = {p.osd.id for p in seen.up() if _is_on(seen.snapshot.option(p, _THP))}
    modes = seen.hosts(
        "transparent huge pages",
        lambda facts: facts.memory and facts.memory.thp,
        lambda osd: osd.osd.id in uses,
    )
    have = [p for host, mode in modes if mode == "always" for p in host.osds if p.osd.id in uses]
    if have:
        set_ = [one for one in seen.snapshot.set_for(_THP, have) if _is_on(one.value)]
        yield Found(
            f"{names(have)}: transparent huge pages ({_THP} is on), so that the kernel gets freed "
            "memory back late or never; a change takes effect when OSDs restart",
            [commands.config_rm(one.who, _THP) for one in set_]
            or [f"ceph config show {have[0].osd.name}"],
            have,
        )


@check("NUMA_MISSES", INFO, BLOOMBERG)
def numa_misses(seen: Seen) -> Iterator[Found]:
    """Memory was allocated on another NUMA node than wanted."""
    misses = seen.hosts("NUMA misses", lambda facts: facts.numa and facts.numa.miss_percent)
    have = [(host, percent) for host, percent in misses if percent > _MISSES]
    most = max((percent for _, percent in have), default=0.0)
    yield from _found(
        have,
        f"up to {most:.0f} % of the memory was allocated on another NUMA node than "
        "wanted; pinning OSDs (osd_numa_node) made them 16 to 20 % faster in the field",
        _PINNED,
    )


@check("FEW_CORES", INFO, "Ceph OSD CPU Scaling (Nelson, 2022)")
def few_cores(seen: Seen) -> Iterator[Found]:
    """Hosts have fewer cores than their OSDs can use."""
    counts = seen.hosts("the number of cores", lambda facts: facts.cpu and facts.cpu.cores)
    have = [
        (host, round(cores / len(host.osds), 2))
        for host, cores in counts
        if 0 < cores < sum(_CORES[one.osd.option_suffix] for one in host.osds)
    ]
    least = min((each for _, each in have), default=0)
    yield from _found(
        have,
        f"{least:.12g} cores per OSD (the fewest); with each an OSD does about "
        "7,500 random reads or 3,500 writes a second",
        "ceph perf-bench reference ls",
    )


@check("SLOW_CHECKSUM", WARNING, BLOOMBERG)
def slow_checksum(seen: Seen) -> Iterator[Found]:
    """A host's cores compute CRC32C far slower than others of the same model."""
    seen.hosts("the model of the processor", _model)
    by_model: dict[str, list[tuple[Host, float]]] = {}
    for host, rate in seen.hosts("the rate of CRC32C", _rate):
        model = _model(host.facts)
        if model is not None and rate > 0:
            by_model.setdefault(model, []).append((host, rate))
    few = sorted(model for model, entries in by_model.items() if len(entries) < _ALIKE)
    if few:
        seen.lack_of(_NO_PEERS, listed(few), len(few) == len(by_model))
    for model, entries in sorted(by_model.items()):
        middle = median(rate for _, rate in entries)
        for host, rate in entries:
            if len(entries) >= _ALIKE and rate < _SLOW_CRC * middle:
                yield Found(
                    f"a core of {host.name} computes CRC32C at {rate / 1e9:.1f} GB/s, others of "
                    f"{model} at {middle / 1e9:.1f}: it is throttled, starved or configured "
                    "differently",
                    ["cpupower frequency-info"],
                    host.osds,
                    {"bytes_per_second": rate, "peers_bytes_per_second": middle},
                    target=host.target,
                )


def _model(facts: HostFacts) -> Optional[str]:
    """ARM's /proc/cpuinfo has none."""
    return (facts.cpu and facts.cpu.model) or None


def _rate(facts: HostFacts) -> Optional[float]:
    return facts.crc32c.bytes_per_second if facts.crc32c else None
