"""What next: the steps that a finding's page proposes, with the commands to copy.

``FindingKind`` (finding_kinds.py) says which steps a kind has. Steps have placeholders in braces;
``report/next_steps.py`` puts the finding's own names in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Optional

from .hardware import DrivePlace

# Placeholders, and what stands for them in the documentation. Those of PER_OSD are of one OSD.
PER_OSD = {
    "osd": "OSD",
    "host": "HOST",
    "device": "DEVICE",
    "device_id": "DEVICE-ID",
    "enclosure": "ENCLOSURE",
    "slot": "SLOT",
    "on_drive": "OSD...",
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
    NextStep("Stop it, on {host}", "systemctl stop ceph-osd@{osd}", needs=Orchestrated.NOT_CEPHADM),
    NextStep(
        "Keep its ID for the new drive; refused while anything depends on it",
        "ceph osd safe-to-destroy {osd} && ceph osd destroy {osd} --yes-i-really-mean-it",
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
