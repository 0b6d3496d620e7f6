"""The kinds of findings: one entry each, from which everything else about a kind derives.

Health checks and their texts, the ``warn_*`` options, the alert rules for Prometheus, the page of
health checks in the docs and the findings page of the dashboard are made from this table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
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


def steps_in(text: str) -> list[str]:
    """The steps of such a text."""
    return [" ".join(line.split()) for line in text.splitlines() if line.strip()]


# --- The kinds ---

About = Literal["slow", "laggy", "hardware", "advice", "operation"]

_PREFIX = "PERF_BENCH_"
# Words of alerts' names that are not spelled as others.
_SPELLED = {word.lower(): word for word in ("OSD", "PGs", "CRC")}


@dataclass(frozen=True)
class FindingKind:
    """A kind of finding: what it means, and what to do about it.

    severity -- The worst it is raised with.

    ``health`` is the health check's summary, with {n} for the number and {s} for its plural.
    ``meaning`` and ``action`` are sentences: what it means, what an operator does about it.
    ``check``, ``relieve`` and ``replace`` are the steps of that, with commands: what to look at,
    how to take load off it now, how to replace or stop the part without risking data.
    ``while_off`` says that it is looked for also while the watch is off. ``asks_why``: an
    OSD that it is about is asked where its operations spend their time when it opens, and the
    answer is kept as evidence. ``about`` is the kind of trouble. A claim must hold for
    ``raise_after`` seconds to open a finding, and be gone for ``clear_after`` to close it.
    """

    KEYS = ("code", "title", "meaning", "action", "severity")
    code: str
    title: str
    health: str
    meaning: str
    action: str
    severity: Severity = Severity.WARNING
    while_off: bool = False
    check: str = ""
    relieve: str = ""
    replace: str = ""
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

    def summary(self, count: int) -> str:
        """The health check's summary for so many."""
        return self.health.format(n=count, s="" if count == 1 else "s")


SLOW_OSD = FindingKind(
    "PERF_BENCH_SLOW_OSD",
    "Slow OSD",
    "{n} OSD{s} slow against peers",
    "The OSD takes longer than OSDs of the same kind for the same work, for so long that chance, "
    "load and our own benches are ruled out.",
    "Look at the device (SMART, cabling, a write cache that is off) and at what else runs on its "
    "host; 'ceph perf-bench osd show ID' explains the verdict.",
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
    check="""
        Who is compared with whom `ceph perf-bench cohort ls`
        Enclosures, their parts and OSDs `ceph perf-bench enclosure ls`
    """,
    replace=_STOP,
)
LAGGY_PGS = FindingKind(
    "PERF_BENCH_LAGGY_PGS",
    "Laggy placement groups",
    "{n} cause{s} of laggy placement groups",
    "A PG answers no reads while it is laggy: its primary waits for an OSD that does not renew its "
    "lease in time. Clients hang meanwhile, though the cluster may look healthy.",
    "Look at the OSD that is named; 'ceph perf-bench laggy ls' lists the episodes and suspects.",
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
    check="""
        Versions of the daemons: is an upgrade half done `ceph versions`
        Options that were changed lately `ceph config log 50`
        How full the OSDs are `ceph osd df tree`
        Who is compared with whom `ceph perf-bench cohort ls`
    """,
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
    severity=Severity.ERROR,
    while_off=True,
    check="It slot by slot `ceph perf-bench enclosure show {target}`",
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
    severity=Severity.ERROR,
    while_off=True,
    check="""
        Which paths are lost `ceph perf-bench multipath ls`
        The same on {host} `multipath -ll`
        And of NVMe drives `nvme list-subsys`
    """,
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
    while_off=True,
    check="""
        Where its level changed `ceph perf-bench profile history {target}`
        What the doctor advises `ceph perf-bench doctor`
    """,
)
ROUND_FAILED = FindingKind(
    "PERF_BENCH_ROUND_FAILED",
    "Scheduled round did not start",
    "{n} schedule{s} that could not run in time",
    "No run of the schedule could start in its window; the reason is in the evidence.",
    "Remove the reason, widen the window, or pause the schedule.",
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
    severity=Severity.ERROR,
    while_off=True,
    check="Each advice with its reason `ceph perf-bench doctor`",
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
    severity=Severity.ERROR,
    while_off=True,
    check="The database, what was set aside, and backups `ceph perf-bench store status`",
    relieve="Check all its pages and rows `ceph perf-bench store check`",
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
    while_off=True,
    raise_after=600.0,  # an upgrade goes from host to host; what lasts longer was forgotten
    check="What each mgr has, and on which host `ceph-perf-bench check`",
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
