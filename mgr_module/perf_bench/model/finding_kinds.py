"""The kinds of findings: one entry each, from which everything else about a kind derives.

Health checks and their texts, the ``warn_*`` options, the alert rules for Prometheus, the page of
health checks in the docs and the findings page of the dashboard are made from this table.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from .finding import Severity

# --- What next: the steps that a finding's page proposes, with the commands to copy ---
# One a line: "(with cephadm) Words `a command for a shell` ELSE words if a name is not known". All
# but the words may be missing: the orchestrator with which the step is possible, the command, and
# what is said instead. A step is left out if the name for one of its {placeholders} is not known.
# answers/findings.py reads them.

_OSD = """
    Why it is judged so, and its latencies `ceph perf-bench osd show {osd}`
    What the drive counts: reallocated and pending sectors, media errors \
        `ceph device get-health-metrics {device_id}`
    The same from the drive itself, on {host} `smartctl -x /dev/{device}`
    What the kernel says of it, on {host} `dmesg -T | grep -w {device}`
"""
_RELIEVE = """
    Make it the last choice as primary: clients read from other copies, no data moves \
        `ceph perf-bench osd relieve {osd} --affinity 0 --yes-i-really-mean-it`
    If writes suffer too, let it hold less data (here a fifth less): data moves \
        `ceph perf-bench osd relieve {osd} --reweight 0.8 --yes-i-really-mean-it`
    Afterwards put back exactly what was before `ceph perf-bench osd relieve {osd} --undo`
"""
_STOP = """
    Whether all placement groups stay available while they are stopped \
        `ceph osd ok-to-stop {osds}`
    Keep their data where it is meanwhile `ceph osd set-group noout {osds}`
    And afterwards `ceph osd unset-group noout {osds}`
"""
_STOP_HOST = f"""{_STOP}
    (with cephadm) Or stop everything on the host; 'exit' in place of 'enter' starts it again \
        `ceph orch host maintenance enter {{host}}`
"""
# How to replace the drive of one OSD without risking data.
_REPLACE_DRIVE = """
    Its drive is {device} of {host}, with {drive_osds} ELSE Its drive is not known here: \
        see in 'ceph osd metadata {osd}' and on its host which one it is, and whether other OSDs \
        are on it
    The commands are about all of them: their own metadata name the same device, {shared_device}
    The commands leave {other_osds} alone: a serial number or a name says that they are on the \
        same drive, their own metadata do not; look before you pull it
    It is in slot {slot} of enclosure {enclosure} ELSE Its slot is not known: \
        'ceph-perf-bench facts --push' on its host tells it
    Whether all placement groups stay available without it `ceph osd ok-to-stop {its_osds}`
    Move its data to other OSDs `ceph osd out {its_osds}`
    Repeat until it says that nothing depends on it any more `ceph osd safe-to-destroy {its_osds}`
    (with cephadm) Or in place of these two: drain it, remove it, and keep its ID for the new \
        drive `ceph orch osd rm {its_osds} --replace`
    (without cephadm) Stop it, on {host} `systemctl stop {osd_units}`
    (without cephadm) Keep its ID for the new drive; refused while anything depends on it \
        `ceph osd safe-to-destroy {its_osds} && for osd in {its_osds}; do \
        ceph osd destroy $osd --yes-i-really-mean-it; done`
    (with an orchestrator) Light the LED of its slot; 'off' instead of 'on' when it is replaced \
        `ceph device light on {device_id}` ELSE Its LED cannot be lit by 'ceph device light': \
        the device ID of osd.{osd} is not known, or other drives have the same
"""
_NO_PART = "Nothing to replace: no part of the hardware is named"
_MANY = "Nothing to relieve: load taken off so many OSDs at once would overload the others"


def steps_in(text: str) -> list[str]:
    """The steps of such a text."""
    return [" ".join(line.split()) for line in text.splitlines() if line.strip()]


# --- The kinds ---

About = Literal["slow", "laggy", "hardware", "advice", "operation"]

_PREFIX = "PERF_BENCH_"
# What a key of evidence ends with only for its unit.
_SUFFIX = re.compile("_(ms|seconds|bytes|percent)$")
_SPELLED = {word.lower(): word for word in ("OSD", "OSDs", "PGs", "CRC", "WAL", "IOPS", "NVMe")}
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
    "name": "what",
    "nvme_io_timeout_seconds": "NVMe I/O timeout",
    "not_told": "what could not be known",
    "part": "share of the laggy PGs that are on it",
    "past": "hours of the past",
    "path": "rule that found it",
    "peak": "most laggy PGs at once",
    "peers_bytes_per_second": "median rate of the peers",
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
    ("bytes_per_second", "B/s"),
    ("^bytes|_bytes$", "B"),
    ("_ms$", "ms"),
    ("_seconds$", "s"),
    ("_percent$", "percent"),
    ("ratio$|^times_as_long$", "ratio"),
    ("(^|_)share(_of_time)?$|^(part|peers_median)$", "fraction"),
    ("^(at|asked_at|down|up|since|setup_known_since)$", "time"),
    ("^(commands|fix)$", "command"),
    ("^(bound|channel|paths?|reasons|stage)$", "word"),
)


@dataclass(frozen=True)
class EvidenceField:
    """What a key of evidence holds.

    unit -- fraction (0 to 1), percent, ratio (2: twice as slow), s, ms, B, B/s, time (unix
        seconds), command (for a shell), word (one of few), or empty: a count, a name or several.
    """

    words: str
    unit: str


def _field(key: str) -> EvidenceField:
    unit = next((unit for part, unit in _UNITS if re.search(part, key)), "")
    words = " ".join(_SPELLED.get(word, word) for word in _SUFFIX.sub("", key).split("_"))
    return EvidenceField(_WORDS.get(key, words), unit)


@dataclass(frozen=True)
class FindingKind:
    """A kind of finding: what it means, what to do about it, and the words of its evidence by key.

    severity -- The worst it is raised with.

    ``health`` is the health check's summary, with {n} for the number and {s} for its plural.
    ``meaning`` and ``action`` are sentences: what it means, what an operator does about it.
    ``check``, ``relieve`` and ``replace`` are the steps of that, with commands: what to look at,
    how to take load off it now, how to replace or stop the part without risking data. ``keys`` are
    those of its evidence. ``while_off`` says that it is looked for also while the watch is off.
    ``asks_why``: an OSD that it is about is asked where its operations spend their time when it
    opens, and the answer is kept as evidence. ``about`` is the kind of trouble. A claim
    must hold for ``raise_after`` seconds to open a finding, and be gone for ``clear_after`` to
    close it.
    """

    KEYS = ("code", "title", "meaning", "action", "severity", "evidence")
    code: str
    title: str
    health: str
    meaning: str
    action: str
    keys: str
    severity: Severity = Severity.WARNING
    while_off: bool = False
    check: str = ""
    relieve: str = ""
    replace: str = _NO_PART
    asks_why: bool = False
    about: About = "slow"
    raise_after: float = 0.0
    clear_after: float = 0.0

    @property
    def switch(self) -> str:
        """The option that turns its health check off: ``warn_slow_osd``."""
        return f"warn_{self._name}"

    @property
    def alert(self) -> str:
        """The name of its alert rule: ``CephPerfBenchSlowOSD``."""
        words = (_SPELLED.get(word, word.capitalize()) for word in self._name.split("_"))
        return f"CephPerfBench{''.join(words)}"

    @property
    def _name(self) -> str:
        return self.code[len(_PREFIX) :].lower()

    @cached_property
    def evidence(self) -> Mapping[str, EvidenceField]:
        """The words and units of its evidence, in the order in which it is shown."""
        return {key: _field(key) for key in (_COMMON + self.keys).split()}

    def summary(self, count: int) -> str:
        """The health check's summary for so many."""
        return self.health.format(n=count, s="" if count == 1 else "s")


# Keys that findings of most kinds have.
_COMMON = "osds host "
# What is added to a finding by ``asks_why`` (watch/breakdown/conclusion.py).
_WHY = (
    " why time_spent stage stage_share waits_for waited_for_by waits_osd waits_share "
    "waits_seconds asked_at not_told"
)
_SLOW = (
    "path paths channel ratio robust_z latency_ms peers_latency_ms peers since "
    "floor_ms bursts_24h cohort minimum_detectable_ratio members "
    "positions hosts device"
)
_ERRORS = "errors device kind count per_day"

SLOW_OSD = FindingKind(
    "PERF_BENCH_SLOW_OSD",
    "Slow OSD",
    "{n} OSD{s} slow against peers",
    "The OSD takes longer than OSDs of the same kind for the same work, for so long that chance, "
    "load and our own benches are ruled out.",
    "Look at the device (SMART, cabling, a write cache that is off) and at what else runs on its "
    "host; 'ceph perf-bench osd show ID' explains the verdict.",
    _SLOW + _WHY,
    check=_OSD + "Where its operations spend their time `ceph perf-bench osd why {osd}`",
    relieve=_RELIEVE,
    replace=_REPLACE_DRIVE,
    asks_why=True,
)
SLOW_HOST = FindingKind(
    "PERF_BENCH_SLOW_HOST",
    "Slow host",
    "{n} host{s} slow against peers",
    "Most OSDs of the host are slower than those of other hosts, so the cause is the host and not "
    "one of its devices. Its OSDs get no findings of their own.",
    "Look at its controller, network, CPU frequency, memory and at what else runs there.",
    _SLOW,
    check="""
        Its OSDs and how they compare `ceph perf-bench osd ls --osds host={host}`
        What its settings and hardware may be `ceph perf-bench doctor`
    """,
    relieve=_RELIEVE,
    replace=_STOP_HOST,
)
SLOW_ENCLOSURE = FindingKind(
    "PERF_BENCH_SLOW_ENCLOSURE",
    "Slow enclosure, rack or cohort",
    "{n} enclosure{s}, rack{s} or cohort{s} slow against peers",
    "What these OSDs have in common makes them slow: an enclosure, a rack, a kind of device, their "
    "position on several hosts, or a job that begins there at once. Their hosts and OSDs get no "
    "findings of their own.",
    "Look at the enclosure, its cables and expanders, or at the rack's switch and power; for "
    "positions and hosts, at jobs (cron, trim, backups, patrol reads), firmware and controllers.",
    _SLOW,
    check="""
        Who is compared with whom `ceph perf-bench cohort ls`
        Enclosures, their parts and OSDs `ceph perf-bench enclosure ls`
    """,
    relieve=_MANY,
    replace=_STOP,
)
LAGGY_PGS = FindingKind(
    "PERF_BENCH_LAGGY_PGS",
    "Laggy placement groups",
    "{n} cause{s} of laggy placement groups",
    "A PG answers no reads while it is laggy: its primary waits for an OSD that does not renew its "
    "lease in time. Clients hang meanwhile, though the cluster may look healthy.",
    "Look at the OSD that is named; 'ceph perf-bench laggy ls' lists the episodes and suspects.",
    "episodes peak laggy_pg_seconds suspects osd part share stale_seconds slow_ops pools stuck "
    f"rounds{_WHY}",
    check="""
        Episodes, suspects and pools `ceph perf-bench laggy ls`
        Why it is judged so, and its latencies `ceph perf-bench osd show {osd}`
        What it works on now `ceph tell osd.{osd} dump_ops_in_flight`
    """,
    relieve="""
        Whether it may be stopped: a restart ends what hangs in it `ceph osd ok-to-stop {osd}`
        (with cephadm) Restart it `ceph orch daemon restart osd.{osd}`
        (without cephadm) Restart it, on {host} `systemctl restart ceph-osd@{osd}`
    """,
    replace=_REPLACE_DRIVE,
    asks_why=True,
    about="laggy",
)
OSD_FLAPPING = FindingKind(
    "PERF_BENCH_OSD_FLAPPING",
    "Flapping OSD",
    "{n} OSD{s} or host{s} flapping",
    "OSDs went down and came back three times or more within six hours. Each time their placement "
    "groups peer anew and clients wait, and no health check of Ceph's stays.",
    "Look at the OSD's log ('wrongly marked me down', crashes: 'ceph crash ls'), at the memory of "
    "its host, and at the network between it and the OSDs that report it ('ceph log last 100 info "
    "cluster').",
    "flaps times down up together osds_in_all",
    check="""
        Whether it crashes `ceph crash ls-new`
        Who reported it down, and when `ceph log last 100 info cluster`
    """
    + _OSD,
    relieve="""
        Whether all placement groups stay available without it `ceph osd ok-to-stop {osd}`
        Keep it down at its next fall, until the cause is found `ceph osd set-group noup osd.{osd}`
        Let it come back `ceph osd unset-group noup osd.{osd}`
    """,
    replace=_REPLACE_DRIVE,
    about="hardware",
)
COHORT_DRIFT = FindingKind(
    "PERF_BENCH_COHORT_DRIFT",
    "Cohort slower than before",
    "{n} cohort{s} of OSDs slower than before",
    "All OSDs of a cohort take longer than they did before at equal load; "
    "none stands out against its peers. From 1.2 times on it is an info, from 1.5 times on a "
    "warning. It ends below 1.1 times, or after 14 days: then this is the level that it is "
    "compared with.",
    "Look at what changed when it began: the evidence names changes of Ceph's version, of options, "
    "of the fill and of the number of OSDs, but not of firmware, kernel or network. After deletes "
    "look at the fragmentation ('ceph daemon osd.ID bluestore allocator score block').",
    "cohort members channel ratio ratios latency_ms before_ms judged past usual_ratio "
    "since changes at name was now setup_known_since",
    check="""
        Versions of the daemons: is an upgrade half done `ceph versions`
        Options that were changed lately `ceph config log 50`
        How full the OSDs are `ceph osd df tree`
        Who is compared with whom `ceph perf-bench cohort ls`
    """,
    relieve="Nothing to relieve: all OSDs of the cohort are slower, none has load to spare",
    replace="Nothing to replace: what a whole cohort has in common is not one drive",
    # Metadata of OSDs may be away for a moment, and too few are left to judge then.
    clear_after=900.0,
)
CRC_HOTSPOT = FindingKind(
    "PERF_BENCH_CRC_HOTSPOT",
    "Checksum hotspot",
    "{n} part{s} of the cluster with too much time in checksums",
    "Op threads spend much of their time on checksums.",
    "Look at the clocks, the load and the limits of the host's cores (cpupower frequency-info, "
    "top); 'ceph perf-bench crc ls' has the figures.",
    "peak_share peers_median hot_seconds op_threads bound",
    check="""
        What OSDs spend on checksums `ceph perf-bench crc ls`
        The clocks of the cores, on {host} `cpupower frequency-info`
        What else runs there, on {host} `top -H`
    """,
    relieve=_RELIEVE,
    replace=_STOP_HOST,
    about="hardware",
)
LINK_ERRORS = FindingKind(
    "PERF_BENCH_LINK_ERRORS",
    "Link errors",
    "{n} part{s} of the cluster with link errors",
    "Links to disks (SAS, SATA, PCIe) count new CRC or transfer errors. Operations are repeated, "
    "which costs latency before it costs data.",
    "Reseat or replace the cable before the disk; look first at what several links share.",
    _ERRORS,
    while_off=True,
    check="""
        Error counters of links, and what they share `ceph perf-bench crc ls`
        Paths to disks `ceph perf-bench multipath ls`
    """
    + _OSD,
    relieve=_RELIEVE,
    replace="""
        The cable first, with the OSDs behind it stopped; the drive only if errors go on
    """
    + _STOP
    + _REPLACE_DRIVE,
    about="hardware",
)
MEDIA_ERRORS = FindingKind(
    "PERF_BENCH_MEDIA_ERRORS",
    "Media errors",
    "{n} OSD{s}, host{s} or enclosure{s} with media errors",
    "Disks count new unreadable or reallocated sectors or say that they fail, or OSDs had to "
    "repeat reads.",
    "Look at 'smartctl -x' of the disk, and replace it if the count keeps growing.",
    _ERRORS,
    check="""
        Error counters of media `ceph perf-bench crc ls`
    """
    + _OSD,
    relieve=_RELIEVE,
    replace=_REPLACE_DRIVE,
    about="hardware",
)
ENCLOSURE_FAULT = FindingKind(
    "PERF_BENCH_ENCLOSURE_FAULT",
    "Enclosure fault",
    "{n} enclosure{s} with bad parts",
    "Something that OSDs of this enclosure have in common is broken or about to break: power, a "
    "cable, an expander or a slot.",
    "'ceph perf-bench enclosure show ID' shows it slot by slot.",
    "reasons hosts osds_in_all serial",
    severity=Severity.ERROR,
    while_off=True,
    check="It slot by slot `ceph perf-bench enclosure show {target}`",
    relieve=_MANY,
    replace=_STOP,
    about="hardware",
)
MULTIPATH_DEGRADED = FindingKind(
    "PERF_BENCH_MULTIPATH_DEGRADED",
    "Lost paths to disks",
    "{n} host{s} with lost paths to disks",
    "Disks are reached over fewer paths than before. They work on, and stop when the last path "
    "goes.",
    "Check cables and host adapters, and what 'multipath -ll', for NVMe drives 'nvme list-subsys', "
    "says on the host.",
    "states shared",
    severity=Severity.ERROR,
    while_off=True,
    check="""
        Which paths are lost `ceph perf-bench multipath ls`
        The same on {host} `multipath -ll`
        And of NVMe drives `nvme list-subsys`
    """,
    relieve="Nothing to relieve: the disks work on over the paths that are left",
    replace="""
        Cables of one path at a time; a host adapter with the host's OSDs stopped
    """
    + _STOP_HOST,
    about="hardware",
)
REGRESSION = FindingKind(
    "PERF_BENCH_REGRESSION",
    "Performance regression",
    "{n} profile{s} slower than before",
    "Rounds of this profile have a lower level than rounds before, beyond their own spread.",
    "'ceph perf-bench profile history NAME' shows where the level changed: compare the rounds "
    "before and after, and what was changed between them.",
    "change_percent least_percent p_value since_round rounds_before rounds_after "
    "bytes_per_second_before bytes_per_second_after cv_percent",
    while_off=True,
    check="""
        Where its level changed `ceph perf-bench profile history {target}`
        What the doctor advises `ceph perf-bench doctor`
    """,
    relieve="Nothing to relieve: the finding is about results of benches",
)
ROUND_FAILED = FindingKind(
    "PERF_BENCH_ROUND_FAILED",
    "Scheduled round did not start",
    "{n} schedule{s} that could not run in time",
    "No run of the schedule could start in its window; the reason is in the evidence.",
    "Remove the reason, widen the window, or pause the schedule.",
    "given_up last_round",
    while_off=True,
    check="Its next run and its last result `ceph perf-bench schedule ls`",
    relieve="""
        Start nothing by it for now `ceph perf-bench schedule pause {target}`
        And again later `ceph perf-bench schedule resume {target}`
    """,
    about="operation",
)
RESTORE_PENDING = FindingKind(
    "PERF_BENCH_RESTORE_PENDING",
    "Settings not restored",
    "{n} round{s} whose changes are not put back",
    "No round runs, and settings of the cluster that a round changed are not restored.",
    "Run the commands of the finding, or 'ceph-perf-bench restore' on any host with an admin key.",
    "holder changed unreadable commands",
    while_off=True,
    check="What is changed still, and why `ceph perf-bench quiesce status`",
    relieve="Put it back now `ceph perf-bench quiesce restore`",
    about="operation",
)
CONFIG_RISK = FindingKind(
    "PERF_BENCH_CONFIG_RISK",
    "Risky setting",
    "{n} part{s} of the cluster with risky settings",
    "A setting of the cluster or of a host puts data or service at risk.",
    "'ceph perf-bench doctor' says why, and which command changes it.",
    # Those of the doctor's advice, also of advice without a finding. Names of options, releases,
    # hosts and health checks are keys too, and stand as they are.
    "advice fix source osds_in_all allocators bytes_into_tables bytes_per_second configured_iops "
    "every_seconds fixed_in fullest_percent largest_slow_bytes largest_wal_bytes "
    "longest_mean_commit_seconds longest_mean_flush_seconds measured_iops median_pgs memory_bytes "
    "most_pgs nvme_io_timeout_seconds option peers_bytes_per_second section slow_commits "
    "stalled_seconds suicide_timeout_seconds targets_bytes tick_seconds times_as_long value "
    "version worst_score",
    severity=Severity.ERROR,
    while_off=True,
    check="Each advice with its reason `ceph perf-bench doctor`",
    relieve="The command that changes the setting is in the evidence and in the advice",
    about="advice",
)
STORE = FindingKind(
    "PERF_BENCH_STORE",
    "Database damaged or away",
    "{n} reason{s} to look at the database of perf_bench",
    "What rounds, schedules and the watch store is damaged, was lost, is of a newer version or has "
    "not answered for minutes, rows of it cannot be read, or it takes 90 % of the space that it "
    "may take and nothing of it may be removed. The message says which.",
    "'ceph perf-bench store status' shows the database, what was set aside and the backups; "
    "docs/store.md says for each kind of damage what to do.",
    "count rows file bytes limit_bytes",
    severity=Severity.ERROR,
    while_off=True,
    check="The database, what was set aside, and backups `ceph perf-bench store status`",
    relieve="Check all its pages and rows `ceph perf-bench store check`",
    replace="What to do is in docs/store.md, for each kind of damage",
    about="operation",
)
STANDBY_MGR = FindingKind(
    "PERF_BENCH_STANDBY_MGR",
    "Standby mgr without this module",
    "{n} standby mgr{s} without this version of perf_bench",
    "For ten minutes or more a standby mgr has not had this module, has had other files of it than "
    "the active mgr, or could not load it. If it becomes active, schedules, the watch and these "
    "health checks stop without a word, or another version goes on.",
    "Install the same files on its host ('ceph-perf-bench install', docs/install.md), then restart "
    "that mgr.",
    "mgr build active_build",
    while_off=True,
    raise_after=600.0,  # an upgrade goes from host to host; what lasts longer was forgotten
    check="What each mgr has, and on which host `ceph-perf-bench check`",
    relieve="Nothing is lost while the active mgr stays the active one",
    replace="""
        On its host: the same files `ceph-perf-bench install`
        Then restart it there `systemctl restart ceph-mgr@{target}`
    """,
    about="operation",
)
WATCH_FAILED = FindingKind(
    "PERF_BENCH_WATCH_FAILED",
    "Part of this module fails",
    "{n} failing part{s} of perf_bench",
    "For five minutes or more a part of this module has failed whenever it ran, or its thread has "
    "shown no sign of life; the others go on. Without findings of the kinds that it looks for not "
    "all is well. The message names the part, what is lost meanwhile and the error. It ends once "
    "the part has gone well for 90 s (the doctor 15 min, facts of the orchestrator 90 min).",
    "Look for the part's line that ends with 'failed' in the log of the active mgr, and at the "
    "traceback below it. 'ceph mgr fail' starts the module on another mgr. If the part fails "
    "there, too, report both with the version ('ceph perf-bench status').",
    "name lost error",
    while_off=True,
    check="""
        What fails, and the version to report `ceph perf-bench status`
        What is not looked at `ceph perf-bench coverage ls`
    """,
    relieve="Start the module anew on another mgr `ceph mgr fail`",
    about="operation",
)

# In the order of the docs.
KINDS = tuple(one for one in list(globals().values()) if isinstance(one, FindingKind))
CODES = tuple(kind.code for kind in KINDS)
BY_CODE: Mapping[str, FindingKind] = {kind.code: kind for kind in KINDS}
