"""Checks of hosts' processors and memory, from facts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from statistics import median
from typing import Any, NamedTuple, Optional

from ...model.doctor_snapshot import CLUSTER, Advice, DoctorSnapshot, OsdDetails
from ...model.facts import Cpu, HostFacts, MemoryFacts, Numa
from ...model.finding import Severity, Target
from ...model.said import say
from .wording import BLOOMBERG, NAMED, ids, some

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
# Shows which OSDs are pinned to a node; osd_numa_auto_affinity, on by default, pins them.
_PINNED = "ceph osd numa-status"
_CLYSO = "Ceph: A Journey to 1 TiB/s (Clyso, 2024)"


class _Host(NamedTuple):
    """A host with its OSDs and facts; a missing section is an empty one."""

    name: str
    osds: Sequence[OsdDetails]
    facts: HostFacts

    @property
    def cpu(self) -> Cpu:
        return self.facts.cpu or Cpu()

    @property
    def memory(self) -> MemoryFacts:
        return self.facts.memory or MemoryFacts()

    @property
    def numa(self) -> Numa:
        return self.facts.numa or Numa()


# Hosts with a problem, each with the value that shows it.
_Have = Sequence[tuple[_Host, Any]]


def _hosts(snapshot: DoctorSnapshot, value: Callable[[_Host], Any]) -> _Have:
    """The hosts with facts for which ``value`` returns something, with that."""
    hosts = [_Host(name, osds, facts) for name, osds, facts in snapshot.hosts() if facts]
    return [(host, shown) for host in hosts for shown in [value(host)] if shown]


def _names(have: _Have) -> list[str]:
    return [host.name for host, _ in have]


def _shown(have: _Have) -> list[Any]:
    """What is told of each of them."""
    return [shown for _, shown in have]


def _advice(
    code: str,
    severity: Optional[Severity],
    have: _Have,
    message: str,
    fix: str,
    source: str,
) -> Advice:
    """Advice about hosts; without a severity it is a warning if they have OSDs on flash."""
    osds = [osd for host, _ in have for osd in host.osds]
    flash = any(osd.osd.rotational is False for osd in osds)
    return Advice(
        code,
        severity or (Severity.WARNING if flash else Severity.INFO),
        Target("host", have[0][0].name) if len(have) == 1 else CLUSTER,
        message,
        fix,
        source,
        ids(osds),
        {host.name: value for host, value in have[:NAMED]},
    )


def deep_sleep(snapshot: DoctorSnapshot) -> Iterator[Advice]:
    """Processors with deep idle states, which are slow to leave."""
    have = _hosts(snapshot, lambda host: _unless(host.cpu.deepest_cstate, _SHALLOW))
    if have:
        yield _advice(
            "DEEP_C_STATES",
            None,
            have,
            say(
                "advice-deep-c-states",
                "the processors of {hosts:list} use idle states down to {state}: leaving these "
                "cost 10 to 20 % of the performance in the field",
                hosts=_names(have),
                state=", ".join(sorted(set(_shown(have)))),
            ),
            "tuned-adm profile network-latency",
            _CLYSO,
        )


def governor(snapshot: DoctorSnapshot) -> Iterator[Advice]:
    """Processors that do not always run at full clock."""
    have = _hosts(snapshot, lambda host: _unless(host.cpu.governor, (_FAST,)))
    if have:
        yield _advice(
            "CPU_GOVERNOR",
            None,
            have,
            say(
                "advice-cpu-governor",
                "the processors of {hosts:list} have the governor {governor}: small operations end "
                "before the full clock is reached",
                hosts=_names(have),
                governor=", ".join(sorted(set(_shown(have)))),
            ),
            "cpupower frequency-set -g performance",
            _CLYSO,
        )


def iommu(snapshot: DoctorSnapshot) -> Iterator[Advice]:
    """An IOMMU that translates every address, with NVMe drives behind it."""
    have = _hosts(snapshot, lambda host: _has_nvme(host) and _unless(host.cpu.iommu, _PASSED))
    if have:
        yield _advice(
            "IOMMU_TRANSLATES",
            Severity.WARNING,
            have,
            say(
                "advice-iommu",
                "the IOMMU of {hosts:list} translates every address of its NVMe drives: in the "
                "field 77 % of the time under load went into one lock, and an OSD fell from 5,700 "
                "to 520 MB/s; booting with the kernel argument iommu=pt (set by grubby or in the "
                "boot loader's configuration) avoids it",
                hosts=_names(have),
            ),
            "grubby --update-kernel=ALL --args=iommu=pt",
            _CLYSO,
        )


def _unless(value: Optional[str], harmless: Sequence[str]) -> Optional[str]:
    return None if value in harmless else value


def _has_nvme(host: _Host) -> bool:
    """By the host's facts, which may not list disks, or by what Ceph knows of its OSDs."""
    listed = any(disk.device.startswith("nvme") for disk in host.facts.block or ())
    return listed or any("nvme" in (details.osd.devices or "") for details in host.osds)


def swap(snapshot: DoctorSnapshot) -> Iterator[Advice]:
    """Hosts that have swapped."""
    have = _hosts(snapshot, lambda host: _over(host.memory.swap_used_bytes, _SWAPPED))
    if have:
        yield _advice(
            "SWAP_IN_USE",
            Severity.INFO,
            have,
            say(
                "advice-swap",
                "{hosts:list} {hosts#has|have} swapped ({hosts#|up to }{used:mib}): often one NUMA "
                "node runs out of memory while another has some left; pin OSDs (osd_numa_node) "
                "rather than disable swap",
                hosts=_names(have),
                used=max(_shown(have)),
            ),
            _PINNED,
            BLOOMBERG,
        )


def _over(value: Optional[float], limit: float) -> Optional[float]:
    return value if value is not None and value > limit else None


def numa_misses(snapshot: DoctorSnapshot) -> Iterator[Advice]:
    """Memory that was allocated on another NUMA node than wanted."""
    have = _hosts(snapshot, lambda host: _over(host.numa.miss_percent, _MISSES))
    if have:
        yield _advice(
            "NUMA_MISSES",
            Severity.INFO,
            have,
            say(
                "advice-numa-misses",
                "{hosts#|up to }{percent:.0f} % of the memory of {hosts:list} was allocated on "
                "another NUMA node than wanted: pinning OSDs (osd_numa_node) was 16 to 20 % faster "
                "in the field, and results differed by 1 % instead of 5 %",
                percent=max(_shown(have)),
                hosts=_names(have),
            ),
            _PINNED,
            BLOOMBERG,
        )


def few_cores(snapshot: DoctorSnapshot) -> Iterator[Advice]:
    """Fewer cores than the OSDs of a host can use."""
    have = _hosts(snapshot, _too_few_cores)
    if have:
        yield _advice(
            "FEW_CORES",
            Severity.INFO,
            have,
            say(
                "advice-few-cores",
                "{hosts:list} {hosts#has|have} {hosts#|as few as }{cores} cores per OSD, which "
                "limits {hosts#its|their} OSDs: an OSD does about 7,500 random reads or 3,500 "
                "random writes a second with each core that it may use",
                hosts=_names(have),
                cores=min(_shown(have)),
            ),
            "ceph perf-bench reference ls",
            "Ceph OSD CPU Scaling (Nelson, 2022)",
        )


def _too_few_cores(host: _Host) -> Optional[float]:
    """The host's cores per OSD, if that is fewer than its OSDs can use."""
    cores, useful = host.cpu.cores, sum(_CORES[osd.kind] for osd in host.osds)
    return round(cores / len(host.osds), 2) if cores and cores < useful else None


def slow_checksum(snapshot: DoctorSnapshot) -> Iterator[Advice]:
    """A host whose cores compute CRC32C far slower than others of the same model."""
    by_model: dict[str, list[tuple[float, _Host]]] = {}
    for host, model in _hosts(snapshot, lambda host: host.cpu.model):
        rate = host.facts.crc32c and host.facts.crc32c.bytes_per_second
        if rate:
            by_model.setdefault(model, []).append((rate, host))
    for model, entries in sorted(by_model.items()):
        middle = median(rate for rate, _ in entries)
        for rate, host in entries:
            if len(entries) >= 3 and rate < _SLOW_CRC * middle:
                yield Advice(
                    "SLOW_CHECKSUM",
                    Severity.WARNING,
                    Target("host", host.name),
                    say(
                        "advice-slow-checksum",
                        "a core of {host} computes CRC32C at {rate:.1f} GB/s, others of {model} at "
                        "{peers:.1f}: it is throttled, starved or configured differently",
                        host=host.name,
                        rate=rate / 1e9,
                        model=model,
                        peers=middle / 1e9,
                    ),
                    "cpupower frequency-info",
                    BLOOMBERG,
                    ids(host.osds),
                    {"bytes_per_second": rate, "peers_median": middle, **some(host.osds)},
                )
