"""The kinds of findings: one entry each, from which everything else about a kind derives.

Health checks and their texts, the ``warn_*`` options, the alert rules for Prometheus, the page of
health checks in the docs and the findings page of the dashboard are made from this table.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple, Optional

from .finding import Severity
from .hardware import DrivePlace

# --- What next: the steps that a finding's page proposes, with the commands to copy ---
# Steps have placeholders in braces; ``report/next_steps.py`` puts the finding's own names in.

# Placeholders, and what stands for them in the documentation. Those of PER_OSD are of one OSD.
PER_OSD = {
    "osd": "OSD",
    "host": "HOST",
    "device": "DEVICE",
    "device_id": "DEVICE-ID",
    "enclosure": "ENCLOSURE",
    "slot": "SLOT",
    "on_drive": "OSD...",
    "units": "ceph-osd@OSD...",
    "drive_osds": "the OSDs on it",
    "shared": "DEVICE",
    "perhaps": "other OSDs",
}
PLACEHOLDERS = {**PER_OSD, "osds": "OSD...", "target": "ID"}


class Orchestrated(Enum):
    """The orchestrator with which a step is possible."""

    ANY = "with and without one"
    SOME = "with an orchestrator"
    CEPHADM = "with cephadm"
    NOT_CEPHADM = "without cephadm"


@dataclass(frozen=True)
class NextStep:
    """One step: a sentence, and the command for a shell if there is one.

    A step is left out if a placeholder of it is not known; ``unknown`` is said instead, if given.
    """

    words: str
    command: str = ""
    unknown: str = ""
    needs: Orchestrated = Orchestrated.ANY


@dataclass(frozen=True)
class StepFacts:
    """What is known for the placeholders.

    ``osds`` are all OSDs of the finding, ``place`` is that of the first. ``host`` is of the target
    or of the first OSD. ``orchestrator`` is the name of the backend, None without one.
    """

    osds: Sequence[int] = ()
    host: Optional[str] = None
    place: Optional[DrivePlace] = None
    orchestrator: Optional[str] = None


Steps = tuple[NextStep, ...]

SHOW_OSD = NextStep("Why it is judged so, and its latencies", "ceph perf-bench osd show {osd}")
DRIVE = (
    NextStep(
        "What the drive counts: reallocated and pending sectors, media errors",
        "ceph device get-health-metrics {device_id}",
    ),
    NextStep("The same from the drive itself, on {host}", "smartctl -x /dev/{device}"),
    NextStep("What the kernel says of it, on {host}", "dmesg -T | grep -w {device}"),
)
OPERATIONS = NextStep(
    "Where its operations spend their time, and whom they wait for",
    "ceph perf-bench osd why {osd}",
)
LIST_HOST = NextStep("Its OSDs and how they compare", "ceph perf-bench osd ls --osds host={host}")
RELIEVE = (
    NextStep(
        "Make it the last choice as primary: clients read from other copies, no data moves",
        "ceph perf-bench osd relieve {osd} --affinity 0 --yes-i-really-mean-it",
    ),
    NextStep(
        "If writes suffer too, let it hold less data (here a fifth less): data moves",
        "ceph perf-bench osd relieve {osd} --reweight 0.8 --yes-i-really-mean-it",
    ),
    NextStep(
        "Afterwards put back exactly what was before", "ceph perf-bench osd relieve {osd} --undo"
    ),
)
OK_TO_STOP = NextStep(
    "Whether all placement groups stay available while they are stopped",
    "ceph osd ok-to-stop {osds}",
)
NOOUT = (
    NextStep("Keep their data where it is meanwhile", "ceph osd set-group noout {osds}"),
    NextStep("And afterwards", "ceph osd unset-group noout {osds}"),
)
MAINTENANCE = (
    OK_TO_STOP,
    NextStep(
        "Stop everything on the host; 'exit' in place of 'enter' starts it again",
        "ceph orch host maintenance enter {host}",
        needs=Orchestrated.CEPHADM,
    ),
    *NOOUT,
)
# How to replace the drive of one OSD without risking data.
REPLACE_DRIVE = (
    NextStep(
        "Its drive is {device} of {host}, with {drive_osds}",
        unknown="Its drive is not known here: see in 'ceph osd metadata {osd}' and on its host "
        "which one it is, and whether other OSDs are on it",
    ),
    NextStep(
        "The commands are about all of them: their own metadata name the same device, {shared}",
    ),
    NextStep(
        "The commands leave {perhaps} alone: a serial number or a name says that they are on the "
        "same drive, their own metadata do not; look before you pull it",
    ),
    NextStep(
        "It is in slot {slot} of enclosure {enclosure}",
        unknown="Its slot is not known: 'ceph-perf-bench facts --push' on its host tells it",
    ),
    NextStep(
        "Whether all placement groups stay available without it",
        "ceph osd ok-to-stop {on_drive}",
    ),
    NextStep("Move its data to other OSDs", "ceph osd out {on_drive}"),
    NextStep(
        "Repeat until it says that nothing depends on it any more",
        "ceph osd safe-to-destroy {on_drive}",
    ),
    NextStep(
        "Or in place of these two: drain it, remove it, and keep its ID for the new drive",
        "ceph orch osd rm {on_drive} --replace",
        needs=Orchestrated.CEPHADM,
    ),
    NextStep("Stop it, on {host}", "systemctl stop {units}", needs=Orchestrated.NOT_CEPHADM),
    NextStep(
        "Keep its ID for the new drive; refused while anything depends on it",
        "ceph osd safe-to-destroy {on_drive} && for osd in {on_drive}; do "
        "ceph osd destroy $osd --yes-i-really-mean-it; done",
        needs=Orchestrated.NOT_CEPHADM,
    ),
    NextStep(
        "Light the LED of its slot; 'off' instead of 'on' when it is replaced",
        "ceph device light on {device_id}",
        unknown="Its LED cannot be lit by 'ceph device light': the device ID of osd.{osd} is not "
        "known, or other drives have the same",
        needs=Orchestrated.SOME,
    ),
)


def nothing(why: str) -> Steps:
    """A section without a command, and why."""
    return (NextStep(why),)


_NO_PART = nothing("Nothing to replace: no part of the hardware is named")
_MANY = nothing("Nothing to relieve: load taken off so many OSDs at once would overload the others")


# --- The kinds ---

_PREFIX = "PERF_BENCH_"
# What a key of evidence ends with only for its unit.
_SUFFIX = re.compile("_(ms|seconds|bytes|percent)$")
_SPELLED = {
    "osd": "OSD",
    "osds": "OSDs",
    "pgs": "PGs",
    "crc": "CRC",
    "wal": "WAL",
    "iops": "IOPS",
    "nvme": "NVMe",
    "io": "I/O",
}


class EvidenceUnit(str, Enum):
    """The unit of a value of evidence.

    FRACTION is 0 to 1, RATIO a factor (2 is twice as slow), TIME unix seconds, COMMAND a line for
    a shell, WORD one of few words. NONE is a count, a name or a list of names.
    """

    NONE = ""
    FRACTION = "fraction"
    PERCENT = "percent"
    RATIO = "ratio"
    SECONDS = "s"
    MILLISECONDS = "ms"
    BYTES = "B"
    BYTES_PER_SECOND = "B/s"
    TIME = "time"
    COMMAND = "command"
    WORD = "word"


class EvidenceField(NamedTuple):
    """What one key of a finding's evidence holds, in words."""

    words: str
    unit: EvidenceUnit = EvidenceUnit.NONE


@dataclass(frozen=True)
class FindingKind:
    """One kind of finding.

    ``one`` and ``many`` are the health check's summary, "{}" in ``many`` stands for the number.
    ``meaning`` and ``action`` are sentences: what it means, what an operator does about it.
    ``check``, ``relieve`` and ``replace`` are the steps of that, with commands: what to look at,
    how to take load off it now, how to replace or stop the part without risking data.
    ``severity`` is the worst it is raised with. ``while_off`` says that it is looked for also while
    the watch is off. ``asks_why``: an OSD that it is about is asked where its operations spend
    their time when it opens, and the answer is kept as evidence.
    """

    code: str
    title: str
    one: str
    many: str
    meaning: str
    action: str
    evidence: Mapping[str, EvidenceField] = field(default_factory=dict)
    severity: Severity = Severity.WARNING
    while_off: bool = False
    check: Steps = ()
    relieve: Steps = ()
    replace: Steps = _NO_PART
    asks_why: bool = False

    @property
    def switch(self) -> str:
        """The option that turns its health check off: ``warn_slow_osd``."""
        return f"warn_{self._name.lower()}"

    @property
    def alert(self) -> str:
        """The name of its alert rule: ``CephPerfBenchSlowOSD``."""
        words = (_SPELLED.get(word, word.capitalize()) for word in self._name.lower().split("_"))
        return f"CephPerfBench{''.join(words)}"

    @property
    def _name(self) -> str:
        return self.code[len(_PREFIX) :]

    def summary(self, count: int) -> str:
        """The health check's summary for so many."""
        return self.one if count == 1 else self.many.format(count)


# The words of a key of evidence, where the key itself does not tell enough.
_WORDS = {
    "active_build": "files that the active mgr has",
    "before_ms": "latency before at this load",
    "build": "files that it has",
    "bursts_24h": "slow bursts in 24 h",
    "bytes": "space that the database takes",
    "bytes_per_second": "checksums computed",
    "bytes_per_second_after": "rate since",
    "bytes_per_second_before": "rate before",
    "cv_percent": "spread between rounds",
    "file": "the file that was set aside",
    "fixed_in": "releases without the fault",
    "flaps": "times it came back within 6 h",
    "floor_ms": "latency below which differences do not count",
    "given_up": "why no run has started",
    "hot_seconds": "how long",
    "judged": "hours that are judged",
    "laggy_pg_seconds": "seconds that PGs were laggy, summed",
    "largest_slow_bytes": "most on the slow device",
    "least_percent": "smallest change that counts",
    "limit_bytes": "space that it may take (keep_store_mib)",
    "more": "further targets with the same fault",
    "name": "what",
    "not_told": "what could not be known",
    "past": "hours of the past",
    "path": "rule that found it",
    "peak": "most laggy PGs at once",
    "peers_median": "median share of the peers",
    "ratio": "latency over the expected one at equal load",
    "robust_z": "distance from the peers in robust standard deviations",
    "rows": "some of the rows that cannot be read",
    "share": "share of its own PGs that were laggy",
    "stuck": "stuck: laggy although all OSDs are well",
    "times_as_long": "time with scrubs over that without",
    "waits_osd": "OSD",
    "why": "where its operations' time goes",
}
# The units of keys, by a part of their names.
_UNITS = (
    (re.compile("bytes_per_second"), EvidenceUnit.BYTES_PER_SECOND),
    (re.compile("^bytes|_bytes$"), EvidenceUnit.BYTES),
    (re.compile("_ms$"), EvidenceUnit.MILLISECONDS),
    (re.compile("_seconds$"), EvidenceUnit.SECONDS),
    (re.compile("_percent$"), EvidenceUnit.PERCENT),
    (re.compile("ratio$|^(explained_by_load|times_as_long)$"), EvidenceUnit.RATIO),
    (re.compile("(^|_)share(_of_time)?$|^peers_median$"), EvidenceUnit.FRACTION),
    (re.compile("^(at|asked_at|down|up|since|setup_known_since)$"), EvidenceUnit.TIME),
    (re.compile("^(commands|fix)$"), EvidenceUnit.COMMAND),
    (re.compile("^(bound|channel|paths?|reasons|stage)$"), EvidenceUnit.WORD),
)
# Keys that findings of most kinds have. "more" and "total" are of the finding that counts the rest
# where too many of one kind are open.
_COMMON = "osds host more total "


def _field(key: str) -> EvidenceField:
    unit = next((unit for part, unit in _UNITS if part.search(key)), EvidenceUnit.NONE)
    words = " ".join(_SPELLED.get(word, word) for word in _SUFFIX.sub("", key).split("_"))
    return EvidenceField(_WORDS.get(key, words), unit)


def _evidence(keys: str, **others: EvidenceField) -> Mapping[str, EvidenceField]:
    """The fields of these keys, but for ``others``, whose words or units differ in this kind."""
    return {**{key: _field(key) for key in keys.split()}, **others}


# What is added to a finding by ``asks_why`` (watch/breakdown/evidence.py).
_WHY = (
    "why time_spent stage stage_share waits_for waited_for_by waits_osd waits_share "
    "waits_seconds asked_at not_told "
)
_SLOW = (
    f"{_COMMON} path paths channel ratio max_ratio robust_z latency_ms peers_latency_ms peers "
    "since share_of_time explained_by_load floor_ms bursts_24h cohort minimum_detectable_ratio "
    "members positions hosts device "
)
_ERRORS = _evidence(f"{_COMMON} errors device kind count per_day shared")
# The evidence of the doctor's advice, also of that without a finding. Names of options, releases,
# hosts and health checks are keys too, and stand as they are.
ADVICE_FIELDS = _evidence(
    "osds_in_all allocators bytes_into_tables bytes_per_second configured_iops every_seconds "
    "flags fixed_in fullest_percent hotspots largest_slow_bytes largest_wal_bytes "
    "longest_mean_commit_seconds longest_mean_flush_seconds measured_iops median_pgs memory_bytes "
    "most_pgs nvme_io_timeout_seconds option profile round section slow_commits stalled_seconds "
    "suicide_timeout_seconds targets_bytes tick_seconds times_as_long value version worst_score",
    peers_median=EvidenceField("median rate of the peers", EvidenceUnit.BYTES_PER_SECOND),
)

SLOW_OSD = FindingKind(
    "PERF_BENCH_SLOW_OSD",
    "Slow OSD",
    "1 OSD is slow against its peers",
    "{} OSDs are slow against their peers",
    "The OSD takes longer than OSDs of the same kind for the same work, for so long that chance, "
    "load and our own benches are ruled out.",
    "Look at the device (SMART, cabling, a write cache that is off) and at what else runs on its "
    "host; 'ceph perf-bench osd show ID' explains the verdict.",
    _evidence(_SLOW + _WHY),
    check=(SHOW_OSD, OPERATIONS, *DRIVE),
    relieve=RELIEVE,
    replace=REPLACE_DRIVE,
    asks_why=True,
)
SLOW_HOST = FindingKind(
    "PERF_BENCH_SLOW_HOST",
    "Slow host",
    "1 host is slow against its peers",
    "{} hosts are slow against their peers",
    "Most OSDs of the host are slower than those of other hosts, so the cause is the host and not "
    "one of its devices. Its OSDs get no findings of their own.",
    "Look at its controller, network, CPU frequency, memory and at what else runs there.",
    _evidence(_SLOW),
    check=(LIST_HOST, NextStep("What its settings and hardware may be", "ceph perf-bench doctor")),
    relieve=RELIEVE,
    replace=MAINTENANCE,
)
SLOW_ENCLOSURE = FindingKind(
    "PERF_BENCH_SLOW_ENCLOSURE",
    "Slow enclosure, rack or cohort",
    "1 enclosure is slow against its peers",
    "{} enclosures are slow against their peers",
    "What these OSDs have in common makes them slow: an enclosure, a rack, a kind of device, their "
    "position on several hosts, or a job that begins there at once. Their hosts and OSDs get no "
    "findings of their own.",
    "Look at the enclosure, its cables and expanders, or at the rack's switch and power; for "
    "positions and hosts, at jobs (cron, trim, backups, patrol reads), firmware and controllers.",
    _evidence(_SLOW),
    check=(
        NextStep("Who is compared with whom", "ceph perf-bench cohort ls"),
        NextStep("Enclosures, their parts and OSDs", "ceph perf-bench enclosure ls"),
    ),
    relieve=_MANY,
    replace=(OK_TO_STOP, *NOOUT),
)
LAGGY_PGS = FindingKind(
    "PERF_BENCH_LAGGY_PGS",
    "Laggy placement groups",
    "placement groups are laggy",
    "placement groups are laggy, for {} reasons",
    "A PG answers no reads while it is laggy: its primary waits for an OSD that does not renew its "
    "lease in time. Clients hang meanwhile, though the cluster may look healthy.",
    "Look at the OSD that is named; 'ceph perf-bench laggy ls' lists the episodes and suspects.",
    _evidence(
        f"{_COMMON} episodes peak laggy_pg_seconds suspects osd part share stale_seconds "
        f"slow_ops pools stuck rounds {_WHY}",
        part=EvidenceField("share of the laggy PGs that are on it", EvidenceUnit.FRACTION),
    ),
    check=(
        NextStep("Episodes, suspects and pools", "ceph perf-bench laggy ls"),
        SHOW_OSD,
        NextStep("What it works on now", "ceph tell osd.{osd} dump_ops_in_flight"),
    ),
    relieve=(
        NextStep(
            "Whether it may be stopped: a restart ends what hangs in it",
            "ceph osd ok-to-stop {osd}",
        ),
        NextStep("Restart it", "ceph orch daemon restart osd.{osd}", needs=Orchestrated.CEPHADM),
        NextStep(
            "Restart it, on {host}",
            "systemctl restart ceph-osd@{osd}",
            needs=Orchestrated.NOT_CEPHADM,
        ),
    ),
    replace=REPLACE_DRIVE,
    asks_why=True,
)
OSD_FLAPPING = FindingKind(
    "PERF_BENCH_OSD_FLAPPING",
    "Flapping OSD",
    "1 OSD or host keeps going down and coming back",
    "{} OSDs or hosts keep going down and coming back",
    "OSDs went down and came back three times or more within six hours. Each time their placement "
    "groups peer anew and clients wait, and no health check of Ceph's stays.",
    "Look at the OSD's log ('wrongly marked me down', crashes: 'ceph crash ls'), at the memory of "
    "its host, and at the network between it and the OSDs that report it ('ceph log last 100 info "
    "cluster').",
    _evidence(
        f"{_COMMON} flaps times down up neighbours unit other_osds returned together osds_in_all"
    ),
    check=(
        NextStep("Whether it crashes", "ceph crash ls-new"),
        NextStep("Who reported it down, and when", "ceph log last 100 info cluster"),
        SHOW_OSD,
        *DRIVE,
    ),
    relieve=(
        NextStep(
            "Whether all placement groups stay available without it", "ceph osd ok-to-stop {osd}"
        ),
        NextStep(
            "Keep it down at its next fall, until the cause is found",
            "ceph osd set-group noup osd.{osd}",
        ),
        NextStep("Let it come back", "ceph osd unset-group noup osd.{osd}"),
    ),
    replace=REPLACE_DRIVE,
)
COHORT_DRIFT = FindingKind(
    "PERF_BENCH_COHORT_DRIFT",
    "Cohort slower than before",
    "1 cohort of OSDs is slower than it was before",
    "{} cohorts of OSDs are slower than they were before",
    "All OSDs of a cohort (or of all cohorts) take longer than they did before at equal load; "
    "none stands out against its peers. The newest two days are compared with hours of like "
    "load in the month before, the newest week with days of like load more than four weeks ago. "
    "From 1.2 times on it is an info, from 1.5 times on a warning. It ends when the cohort is "
    "below 1.1 times again, or when it has been open for 14 days (4 weeks for one that was found "
    "by days): then this is its level, and it is compared with that.",
    "Look at what changed when it began: the evidence names changes of Ceph's version, of options, "
    "of the fill and of the number of OSDs. The firmware of drives and controllers, the kernel and "
    "the network are not recorded. After deletes and at a high fill look at the fragmentation "
    "('ceph daemon osd.ID bluestore allocator score block').",
    _evidence(
        f"{_COMMON} cohort cohorts members channel ratio ratios latency_ms before_ms judged "
        "past usual_ratio since changes at name was now setup_known_since"
    ),
    check=(
        NextStep("Versions of the daemons: is an upgrade half done", "ceph versions"),
        NextStep("Options that were changed lately", "ceph config log 50"),
        NextStep("How full the OSDs are", "ceph osd df tree"),
        NextStep("Who is compared with whom", "ceph perf-bench cohort ls"),
    ),
    relieve=nothing(
        "Nothing to relieve: all OSDs of the cohort are slower, none has load to spare"
    ),
    replace=nothing("Nothing to replace: what a whole cohort has in common is not one drive"),
)
CRC_HOTSPOT = FindingKind(
    "PERF_BENCH_CRC_HOTSPOT",
    "Checksum hotspot",
    "1 part of the cluster spends too long on checksums",
    "{} parts of the cluster spend too long on checksums",
    "Op threads spend much of their time on checksums.",
    "Look at the clocks, the load and the limits of the host's cores (cpupower frequency-info, "
    "top); 'ceph perf-bench crc ls' has the figures.",
    _evidence(f"{_COMMON} peak_share peers_median hot_seconds op_threads bound"),
    check=(
        NextStep("What OSDs spend on checksums", "ceph perf-bench crc ls"),
        NextStep("The clocks of the cores, on {host}", "cpupower frequency-info"),
        NextStep("What else runs there, on {host}", "top -H"),
    ),
    relieve=RELIEVE,
    replace=MAINTENANCE,
)
LINK_ERRORS = FindingKind(
    "PERF_BENCH_LINK_ERRORS",
    "Link errors",
    "links of 1 part of the cluster count errors",
    "links of {} parts of the cluster count errors",
    "Links to disks (SAS, SATA, PCIe) count new CRC or transfer errors. Operations are repeated, "
    "which costs latency before it costs data.",
    "Reseat or replace the cable before the disk; look first at what several links share.",
    _ERRORS,
    while_off=True,
    check=(
        NextStep("Error counters of links, and what they share", "ceph perf-bench crc ls"),
        NextStep("Paths to disks", "ceph perf-bench multipath ls"),
        *DRIVE,
    ),
    relieve=RELIEVE,
    replace=(
        NextStep(
            "The cable first, with the OSDs behind it stopped; the drive only if errors go on"
        ),
        OK_TO_STOP,
        *NOOUT,
        *REPLACE_DRIVE,
    ),
)
MEDIA_ERRORS = FindingKind(
    "PERF_BENCH_MEDIA_ERRORS",
    "Media errors",
    "1 OSD, host or enclosure has media errors",
    "{} OSDs, hosts or enclosures have media errors",
    "Disks count new unreadable or reallocated sectors or say that they fail, or OSDs had to "
    "repeat reads.",
    "Look at 'smartctl -x' of the disk, and replace it if the count keeps growing.",
    _ERRORS,
    check=(NextStep("Error counters of media", "ceph perf-bench crc ls"), *DRIVE),
    relieve=RELIEVE,
    replace=REPLACE_DRIVE,
)
ENCLOSURE_FAULT = FindingKind(
    "PERF_BENCH_ENCLOSURE_FAULT",
    "Enclosure fault",
    "1 enclosure or a part of it is bad",
    "{} enclosures or parts of them are bad",
    "Something that OSDs of this enclosure have in common is broken or about to break: power, a "
    "cable, an expander or a slot.",
    "'ceph perf-bench enclosure show ID' shows it slot by slot.",
    _evidence(f"{_COMMON} reasons hosts osds_in_all serial"),
    severity=Severity.ERROR,
    while_off=True,
    check=(NextStep("It slot by slot", "ceph perf-bench enclosure show {target}"),),
    relieve=_MANY,
    replace=(OK_TO_STOP, *NOOUT),
)
MULTIPATH_DEGRADED = FindingKind(
    "PERF_BENCH_MULTIPATH_DEGRADED",
    "Lost paths to disks",
    "1 host has lost paths to its disks",
    "{} hosts have lost paths to their disks",
    "Disks are reached over fewer paths than before. They work on, and stop when the last path "
    "goes.",
    "Check cables and host adapters, and what 'multipath -ll', for NVMe drives 'nvme list-subsys', "
    "says on the host.",
    _evidence(f"{_COMMON} states shared"),
    severity=Severity.ERROR,
    while_off=True,
    check=(
        NextStep("Which paths are lost", "ceph perf-bench multipath ls"),
        NextStep("The same on {host}", "multipath -ll"),
        NextStep("And of NVMe drives", "nvme list-subsys"),
    ),
    relieve=nothing("Nothing to relieve: the disks work on over the paths that are left"),
    replace=(
        NextStep("Cables of one path at a time; a host adapter with the host's OSDs stopped"),
        *MAINTENANCE,
    ),
)
REGRESSION = FindingKind(
    "PERF_BENCH_REGRESSION",
    "Performance regression",
    "1 profile is slower than it was",
    "{} profiles are slower than they were",
    "Rounds of this profile have a lower level than rounds before, beyond their own spread.",
    "'ceph perf-bench profile history NAME' shows where the level changed: compare the rounds "
    "before and after, and what was changed between them.",
    _evidence(
        f"{_COMMON} change_percent least_percent p_value since_round rounds_before "
        "rounds_after bytes_per_second_before bytes_per_second_after cv_percent"
    ),
    while_off=True,
    check=(
        NextStep("Where its level changed", "ceph perf-bench profile history {target}"),
        NextStep("What the doctor advises", "ceph perf-bench doctor"),
    ),
    relieve=nothing("Nothing to relieve: the finding is about results of benches"),
)
ROUND_FAILED = FindingKind(
    "PERF_BENCH_ROUND_FAILED",
    "Scheduled round did not start",
    "1 schedule could not run in its time",
    "{} schedules could not run in their time",
    "No run of the schedule could start in its window; the reason is in the evidence.",
    "Remove the reason, widen the window, or pause the schedule.",
    _evidence(f"{_COMMON} given_up last_round"),
    while_off=True,
    check=(NextStep("Its next run and its last result", "ceph perf-bench schedule ls"),),
    relieve=(
        NextStep("Start nothing by it for now", "ceph perf-bench schedule pause {target}"),
        NextStep("And again later", "ceph perf-bench schedule resume {target}"),
    ),
)
RESTORE_PENDING = FindingKind(
    "PERF_BENCH_RESTORE_PENDING",
    "Settings not restored",
    "what a round changed is not put back yet",
    "what {} rounds changed is not put back yet",
    "No round runs, and settings of the cluster that a round changed are not restored.",
    "Run the commands of the finding, or 'ceph-perf-bench restore' on any host with an admin key.",
    _evidence(f"{_COMMON} holder changed unreadable commands"),
    while_off=True,
    check=(NextStep("What is changed still, and why", "ceph perf-bench quiesce status"),),
    relieve=(NextStep("Put it back now", "ceph perf-bench quiesce restore"),),
)
CONFIG_RISK = FindingKind(
    "PERF_BENCH_CONFIG_RISK",
    "Risky setting",
    "1 part of the cluster has settings that put it at risk",
    "{} parts of the cluster have settings that put them at risk",
    "A setting of the cluster or of a host puts data or service at risk.",
    "'ceph perf-bench doctor' says why, and which command changes it.",
    _evidence(f"{_COMMON} advice fix source", **ADVICE_FIELDS),
    severity=Severity.ERROR,
    while_off=True,
    check=(NextStep("Each advice with its reason", "ceph perf-bench doctor"),),
    relieve=nothing("The command that changes the setting is in the evidence and in the advice"),
)

STORE = FindingKind(
    "PERF_BENCH_STORE",
    "Database damaged or away",
    "the database of perf_bench needs attention",
    "the database of perf_bench needs attention, for {} reasons",
    "What rounds, schedules and the watch store is damaged, was lost, is of a newer version or has "
    "not answered for minutes, rows of it cannot be read, or it takes 90 % of the space that it "
    "may take and nothing of it may be removed. The message says which.",
    "'ceph perf-bench store status' shows the database, what was set aside and the backups; "
    "docs/store.md says for each kind of damage what to do.",
    _evidence(f"{_COMMON} count rows file bytes limit_bytes"),
    severity=Severity.ERROR,
    while_off=True,
    check=(
        NextStep("The database, what was set aside, and backups", "ceph perf-bench store status"),
    ),
    relieve=(NextStep("Check all its pages and rows", "ceph perf-bench store check"),),
    replace=nothing("What to do is in docs/store.md, for each kind of damage"),
)

STANDBY_MGR = FindingKind(
    "PERF_BENCH_STANDBY_MGR",
    "Standby mgr without this module",
    "1 standby mgr lacks perf_bench or has another version of it",
    "{} standby mgrs lack perf_bench or have another version of it",
    "For ten minutes or more a standby mgr has not had this module, has had other files of it than "
    "the active mgr, or could not load it. If it becomes active, schedules, the watch and these "
    "health checks stop without a word, or another version goes on.",
    "Install the same files on its host ('ceph-perf-bench install', docs/install.md), then restart "
    "that mgr.",
    _evidence("mgr build active_build"),
    while_off=True,
    check=(NextStep("What each mgr has, and on which host", "ceph-perf-bench check"),),
    relieve=nothing("Nothing is lost while the active mgr stays the active one"),
    replace=(
        NextStep("On its host: the same files", "ceph-perf-bench install"),
        NextStep("Then restart it there", "systemctl restart ceph-mgr@{target}"),
    ),
)

WATCH_FAILED = FindingKind(
    "PERF_BENCH_WATCH_FAILED",
    "Part of this module fails",
    "1 part of perf_bench fails, and what it looks for goes unnoticed",
    "{} parts of perf_bench fail, and what they look for goes unnoticed",
    "For five minutes or more a part of this module has failed whenever it ran, or its thread has "
    "shown no sign of life. The other parts go on. That there are no findings of the kinds that "
    "the part looks for does not mean that all is well. The message names the part, what is lost "
    "meanwhile and the error. It ends by itself once the part has gone well for 90 s; the doctor, "
    "which looks every ten minutes, for 15 min, facts of the orchestrator for 90 min.",
    "Look in the log of the active mgr for the line that ends with 'failed' and names the part, "
    "and at the traceback below it. 'ceph mgr fail' starts the module anew on another mgr. If the "
    "part fails there, too, report both with the version ('ceph perf-bench status').",
    _evidence("part lost error"),
    while_off=True,
    check=(
        NextStep("What fails, and the version to report", "ceph perf-bench status"),
        NextStep("What is not looked at", "ceph perf-bench coverage ls"),
    ),
    relieve=(NextStep("Start the module anew on another mgr", "ceph mgr fail"),),
)

# In the order of the docs.
KINDS = tuple(one for one in list(globals().values()) if isinstance(one, FindingKind))
CODES = tuple(kind.code for kind in KINDS)
BY_CODE: Mapping[str, FindingKind] = {kind.code: kind for kind in KINDS}
