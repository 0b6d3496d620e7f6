"""What facts say of hosts: how their processors and memory are set."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from statistics import median
from typing import NamedTuple

from ...model.doctor_snapshot import CLUSTER, Advice, DoctorSnapshot, OsdDetails
from ...model.facts import Cpu, HostFacts, MemoryFacts, Numa
from ...model.finding import Severity, Target
from ...model.phrases import listed
from .wording import NAMED, ids, some, verb

# Idle states that cost next to nothing to leave: under 20 us on every processor that has them.
_SHALLOW = ("POLL", "C1", "C1E", "C1_ACPI", "WFI")
_FAST = "performance"
_SWAPPED = 256 << 20
_MISSES = 5.0
# Cores: a spinning OSD needs less than one; an OSD on flash goes up to 8 to 12 in a cluster, and
# below two it loses half (published: "2 -> 4 cores doubles").
_CORES = {"hdd": 0.5, "ssd": 2.0}
_SLOW_CRC = 0.6
# Who is bound to a node, and who is not; osd_numa_auto_affinity, which does it by itself, is on.
_PINNED = "ceph osd numa-status"
_CLYSO = "Ceph: A Journey to 1 TiB/s (Clyso, 2024)"
_BLOOMBERG = "All-Flash Ceph RBD Storage (Bloomberg, 2024)"


class _Host(NamedTuple):
    """A host with its OSDs and facts; a section that it did not tell is an empty one."""

    name: str
    patients: Sequence[OsdDetails]
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


def _those(chart: DoctorSnapshot, has: Callable[[_Host], bool]) -> list[_Host]:
    """The hosts that told facts and have something."""
    told = [_Host(name, patients, facts) for name, patients, facts in chart.hosts() if facts]
    return [host for host in told if has(host)]


def _about(hosts: Sequence[_Host]) -> Target:
    return Target("host", hosts[0].name) if len(hosts) == 1 else CLUSTER


def _names(hosts: Sequence[_Host]) -> str:
    return listed([host.name for host in hosts])


def _osds(hosts: Sequence[_Host]) -> frozenset[int]:
    return ids(patient for host in hosts for patient in host.patients)


def _flash(hosts: Sequence[_Host]) -> bool:
    return any(patient.osd.rotational is False for host in hosts for patient in host.patients)


def _evidence(hosts: Sequence[_Host], values: Sequence[object]) -> dict[str, object]:
    return {host.name: value for host, value in list(zip(hosts, values))[:NAMED]}


def deep_sleep(chart: DoctorSnapshot) -> Iterator[Advice]:
    """Processors that sleep so deeply that waking costs."""
    have = _those(chart, lambda host: (host.cpu.deepest_cstate or "POLL") not in _SHALLOW)
    if have:
        states = [host.cpu.deepest_cstate for host in have]
        yield Advice(
            "DEEP_C_STATES",
            Severity.WARNING if _flash(have) else Severity.INFO,
            _about(have),
            f"the processors of {_names(have)} sleep as deep as {states[0]}: leaving that cost 10 "
            "to 20 % in the field",
            "tuned-adm profile network-latency",
            _CLYSO,
            _osds(have),
            _evidence(have, states),
        )


def governor(chart: DoctorSnapshot) -> Iterator[Advice]:
    """Processors that do not run at full speed."""
    have = _those(chart, lambda host: (host.cpu.governor or _FAST) != _FAST)
    if have:
        governors = [host.cpu.governor for host in have]
        yield Advice(
            "CPU_GOVERNOR",
            Severity.WARNING if _flash(have) else Severity.INFO,
            _about(have),
            f"the processors of {_names(have)} are governed by {governors[0]}: small operations "
            "end before they have reached their full clock",
            "cpupower frequency-set -g performance",
            _CLYSO,
            _osds(have),
            _evidence(have, governors),
        )


def iommu(chart: DoctorSnapshot) -> Iterator[Advice]:
    """An IOMMU that translates every address, with NVMe drives behind it."""
    have = _those(chart, lambda host: host.cpu.iommu == "translated" and _has_nvme(host.facts))
    if have:
        yield Advice(
            "IOMMU_TRANSLATES",
            Severity.WARNING,
            _about(have),
            f"the IOMMU of {_names(have)} translates every address of its NVMe drives: under load "
            "77 % of the time went into one lock of it, and an OSD fell from 5,700 to 520 MB/s; "
            "from its next start with the argument iommu=pt (grubby sets it, or the boot loader's "
            "configuration) the kernel passes them on",
            "grubby --update-kernel=ALL --args=iommu=pt",
            _CLYSO,
            _osds(have),
            _evidence(have, ["translated"] * len(have)),
        )


def _has_nvme(facts: HostFacts) -> bool:
    return any(disk.device.startswith("nvme") for disk in facts.block or ())


def swap(chart: DoctorSnapshot) -> Iterator[Advice]:
    """Hosts that have swapped."""
    have = _those(chart, lambda host: (host.memory.swap_used_bytes or 0) > _SWAPPED)
    if have:
        used = [host.memory.swap_used_bytes or 0 for host in have]
        yield Advice(
            "SWAP_IN_USE",
            Severity.INFO,
            _about(have),
            f"{_names(have)} {verb(have, 'has', 'have')} swapped ({used[0] >> 20} MiB): often one "
            "NUMA node starves while another has memory left; pin OSDs without affinity "
            "(osd_numa_node) rather than switch swap off",
            _PINNED,
            _BLOOMBERG,
            _osds(have),
            _evidence(have, used),
        )


def numa_misses(chart: DoctorSnapshot) -> Iterator[Advice]:
    """Memory that was not had where it was wanted."""
    have = _those(chart, lambda host: (host.numa.miss_percent or 0.0) > _MISSES)
    if have:
        missed = [host.numa.miss_percent or 0.0 for host in have]
        yield Advice(
            "NUMA_MISSES",
            Severity.INFO,
            _about(have),
            f"{missed[0]:.0f} % of the memory of {_names(have)} was not had on the node it was "
            "wanted on: pinning OSDs (osd_numa_node) made rounds differ by 1 % instead of 5, and "
            "was 16 to 20 % faster",
            _PINNED,
            _BLOOMBERG,
            _osds(have),
            _evidence(have, missed),
        )


def few_cores(chart: DoctorSnapshot) -> Iterator[Advice]:
    """Fewer cores than the OSDs of a host can use."""
    have = _those(chart, lambda host: bool(host.cpu.cores) and _share(host) < 1)
    if have:
        each = [round((host.cpu.cores or 0) / len(host.patients), 2) for host in have]
        yield Advice(
            "FEW_CORES",
            Severity.INFO,
            _about(have),
            f"{_names(have)} {verb(have, 'has', 'have')} {each[0]:g} cores an OSD: an OSD "
            "does about 7,500 random reads or 3,500 random writes a second with each core it may "
            "use, so cores are the limit",
            "ceph perf-bench reference ls",
            "Ceph OSD CPU Scaling (Nelson, 2022)",
            _osds(have),
            _evidence(have, each),
        )


def _share(host: _Host) -> float:
    """The cores there are, of those that its OSDs can use."""
    return (host.cpu.cores or 0) / sum(_CORES[patient.kind] for patient in host.patients)


def slow_checksum(chart: DoctorSnapshot) -> Iterator[Advice]:
    """A host whose cores compute CRC32C far slower than others of its model."""
    by_model: dict[str, list[tuple[float, _Host]]] = {}
    for host in _those(chart, lambda host: bool(host.cpu.model)):
        rate = host.facts.crc32c and host.facts.crc32c.bytes_per_second
        if rate:
            by_model.setdefault(host.cpu.model or "", []).append((rate, host))
    for model, entries in sorted(by_model.items()):
        middle = median(rate for rate, _ in entries)
        for rate, host in entries:
            if len(entries) >= 3 and rate < _SLOW_CRC * middle:
                yield Advice(
                    "SLOW_CHECKSUM",
                    Severity.WARNING,
                    Target("host", host.name),
                    f"a core of {host.name} computes CRC32C at {rate / 1e9:.1f} GB/s, others of "
                    f"{model} at {middle / 1e9:.1f}: it is throttled, starved or set differently",
                    "cpupower frequency-info",
                    _BLOOMBERG,
                    _osds([host]),
                    {"bytes_per_second": rate, "peers_median": middle, **some(host.patients)},
                )
