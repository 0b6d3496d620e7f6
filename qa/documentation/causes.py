"""What usually causes a finding of each kind, for the page of health checks."""

from __future__ import annotations

from collections.abc import Mapping

CAUSES: Mapping[str, str] = {
    "PERF_BENCH_SLOW_OSD": "A drive that retries reads or remaps sectors, a bad cable or slot, a "
    "write cache that is off, a full or worn flash device, a process that takes the OSD's cores or "
    "memory. A stalled network of this one OSD looks the same: `ceph perf-bench osd why ID` tells "
    "the stages apart.",
    "PERF_BENCH_SLOW_HOST": "A controller (cache battery, firmware), a network port that "
    "negotiated a lower speed, CPU frequency scaling or C-states, memory that is short or swapped, "
    "a noisy neighbour on the same hardware.",
    "PERF_BENCH_SLOW_ENCLOSURE": "A SAS expander, cable or power supply of the enclosure; a switch "
    "or the power of a rack; patrol reads of a controller, `fstrim`, backups or other jobs that "
    "start at the same time on several hosts; one firmware on one kind of device.",
    "PERF_BENCH_LAGGY_PGS": "A replica whose process stands still for seconds: a drive that hangs "
    "in a flush, a compaction of RocksDB that stops writers, swapping, a CPU limit of its "
    "container, or a network between the two that drops packets.",
    "PERF_BENCH_OSD_FLAPPING": "Heartbeats that are lost (network, MTU, an overloaded host), the "
    "out-of-memory killer, crashes, a drive that vanishes and comes back.",
    "PERF_BENCH_COHORT_DRIFT": "An upgrade or a changed option, fragmentation after many deletes, "
    "a higher fill, metadata that spills onto the slow device, drives that all age alike.",
    "PERF_BENCH_CRC_HOTSPOT": "Cores that run at a low clock, a processor without CRC instructions "
    "in use (a build for the wrong machine), `bluestore_csum_type` other than crc32c, very large "
    "reads of data that is not cached.",
    "PERF_BENCH_LINK_ERRORS": "A loose or damaged cable, a dirty or worn slot, a bad expander or "
    "backplane. Several links at once share a part.",
    "PERF_BENCH_MEDIA_ERRORS": "A disk that begins to fail. Reads that BlueStore had to repeat "
    "without errors of the disk are also known from memory pressure on the host.",
    "PERF_BENCH_ENCLOSURE_FAULT": "A power supply or fan, a cable, an expander or a slot of the "
    "enclosure, as the enclosure itself (SES), counters of its links, or OSDs that went down "
    "together show.",
    "PERF_BENCH_MULTIPATH_DEGRADED": "A cable, a port of a host adapter or an expander that is "
    "gone; `multipathd` that does not run or was configured anew; a path that comes and goes.",
    "PERF_BENCH_REGRESSION": "What changed between the two levels: `profile history` names "
    "releases, devices and options. Without such a change: ageing, fill, fragmentation, other load "
    "on the same hardware.",
    "PERF_BENCH_ROUND_FAILED": "The cluster recovers, is not healthy, is too busy, or an upgrade "
    "is under way, for all of the window; or the wear budget of an OSD is used up.",
    "PERF_BENCH_RESTORE_PENDING": "The mgr of the round died together with its host, or the "
    "monitors did not take the command; or somebody disabled the module during a round.",
    "PERF_BENCH_CONFIG_RISK": "An option that was set for a test and stayed, memory targets that "
    "exceed the host's memory, databases without space, a debug build.",
    "PERF_BENCH_STORE": "Objects of the mgr's pool that were lost or damaged, a pool that was "
    "deleted, a downgrade of the module, or a cluster whose OSDs do not answer.",
    "PERF_BENCH_STANDBY_MGR": "A host that was forgotten at the installation or the upgrade, a new "
    "mgr on another host, an upgrade of Ceph to an image without the module.",
    "PERF_BENCH_WATCH_FAILED": "A fault of this module, often after an upgrade of it or of Ceph; a "
    "right that the mgr's key lacks; a call into ceph-mgr that does not return. `counters`: the "
    "OSDs' reports do not reach the active mgr (firewall, `mgr_stats_threshold`, "
    "`mgr_stats_period`). What the database causes is `PERF_BENCH_STORE`, and monitors that do not "
    "answer are told by Ceph: neither is told here again.",
}
