"""The commands that set an option for the OSDs that a sentence names, and for no others."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence

from ...model.doctor_snapshot import DoctorSnapshot, OsdDetails
from ...model.osd import Osd

_OF_CLASS = "osd/class:"


def config_set(who: str, option: str, value: object) -> str:
    """The command that sets an option for a section, with its mask."""
    return f"ceph config set {shlex.quote(who)} {option} {shlex.quote(str(value))}"


def config_rm(who: str, option: str) -> str:
    """The command that removes a setting."""
    return f"ceph config rm {shlex.quote(who)} {option}"


def set_for_all(
    snapshot: DoctorSnapshot,
    entries: Sequence[OsdDetails],
    option: str,
    value: object,
    section: Callable[[Osd], str],
) -> list[str]:
    """The commands after which all these OSDs have a value.

    ``section`` returns where it is set for an OSD: "osd", with a mask, or the OSD's name. Values of
    single OSDs, which would override it, are removed. An OSD gets a value of its own where another
    mask concerns it: of masks the narrower one counts (ConfigMap::generate_entity_map), and a place
    is narrower than a class.
    """
    removed: list[str] = []
    sections: list[str] = []
    for details in entries:
        who = section(details.osd)
        masks = [
            setting
            for setting in snapshot.of(option, "osd")
            if setting.mask and setting.who != who and setting.concerns(details.osd)
        ]
        if "/" in who and not who.startswith(_OF_CLASS):
            masks = [setting for setting in masks if setting.places]
        if masks:
            who = details.osd.name
        if who != details.osd.name and snapshot.own(details, option) is not None:
            removed.append(config_rm(details.osd.name, option))
        sections.append(who)
    return [*removed, *(config_set(who, option, value) for who in sections)]


def in_host_bucket(snapshot: DoctorSnapshot, osd: Osd) -> str:
    """The section for the OSDs in its CRUSH host; its own where that has OSDs of another host."""
    bucket = osd.location.get("host", "")
    alone = len(snapshot.hosts_in_bucket.get(bucket, ())) == 1
    return f"osd/host:{bucket}" if alone else osd.name


def of_class(osd: Osd) -> str:
    """The section for all OSDs of its device class."""
    return f"{_OF_CLASS}{osd.device_class}" if osd.device_class else osd.name
