"""Claims about links and media with errors: one for each OSD, host or enclosure that explains them.

No published threshold separates good links from bad ones. A link counts some errors when it comes
up, as when a disk is plugged in or a host starts. So a link is accused if its count grew in two
readings within a day, by ten errors in all, or by two where errors took the link down. A medium is
accused by one read that failed for good, by three reads that succeeded only when repeated, by new
errors that the disk counts, by sectors that it cannot read now, and by a warning of the disk.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Optional

from ...model.checksum import (
    EIO,
    FAILING,
    FAILING_KINDS,
    GROWN,
    LINK_KINDS,
    MEDIA,
    PCIE_CORRECTED,
    PCIE_FATAL,
    PCIE_NONFATAL,
    PENDING,
    RETRIES,
    Errors,
)
from ...model.facts import STALE_SECONDS
from ...model.finding import Claim, Severity, Target
from ...model.finding_kinds import LINK_ERRORS, MEDIA_ERRORS
from ...model.phrases import osd_names
from ...model.said import Said, codes_of, say
from ...model.unit_names import unit_named

LINK_TIMES = 2
# Errors within a day that accuse a link (by kind, else _LEAST) or a medium.
_LEAST = 10
LINK_LEAST: Mapping[str, int] = {PCIE_FATAL: 2}
MEDIA_LEAST: Mapping[str, int] = {RETRIES: 3, EIO: 1, MEDIA: 1, GROWN: 1}
# An enclosure is accused if it has this share of the disks with errors, and so many disks.
_SHARE = 0.75
_DISKS = 3
# Counters that evidence lists.
_SHOWN = 20
_TEXTS = {
    "udma_crc": say("errors-crc", "CRC errors of its link"),
    "invalid_dword": say("errors-dword", "invalid dwords"),
    "running_disparity": say("errors-disparity", "disparity errors"),
    "loss_of_dword_sync": say("errors-sync", "losses of sync"),
    "phy_reset_problem": say("errors-reset", "failed resets of the phy"),
    PCIE_CORRECTED: say("errors-pcie-corrected", "PCIe errors that its link corrected"),
    PCIE_NONFATAL: say("errors-pcie-nonfatal", "PCIe errors that nothing corrected"),
    PCIE_FATAL: say("errors-pcie-fatal", "PCIe errors that took its link down"),
    RETRIES: say("errors-retries", "reads that succeeded only when repeated"),
    EIO: say("errors-eio", "reads that failed for good"),
    MEDIA: say("errors-media", "media errors counted by the disk"),
    PENDING: say("errors-pending", "sectors that cannot be read"),
    GROWN: say("errors-grown", "bad sectors that the disk replaced"),
    FAILING: say("errors-failing", "the disk says that it is failing"),
    "spare_blocks_low": say("errors-spare", "its spare blocks are used up"),
    "temperature_warning": say("errors-temperature", "its temperature is out of range"),
    "reliability_degraded": say("errors-reliability", "it says that it is not reliable any more"),
    "read_only": say("errors-read-only", "its medium can only be read"),
    "memory_backup_failed": say("errors-backup", "the power backup of its memory has failed"),
    "persistent_memory_unreliable": say(
        "errors-persistent", "its persistent memory region is not reliable any more"
    ),
}


def link_claims(everything: Sequence[Errors], now: float) -> list[Claim]:
    """One claim for each enclosure, host or OSD whose links count errors."""
    bad = [
        one
        for one in everything
        if one.kind in LINK_KINDS
        and _fresh(one, now)
        and one.growth.times(now) >= LINK_TIMES
        and (one.growth.per_day(now) or 0) >= LINK_LEAST.get(one.kind, _LEAST)
    ]
    return _claims(LINK_ERRORS.code, bad, everything, now)


def media_claims(everything: Sequence[Errors], now: float) -> list[Claim]:
    """One claim for each enclosure, host or OSD whose media count errors."""
    bad = [one for one in everything if _fresh(one, now) and _is_bad_medium(one, now)]
    return _claims(MEDIA_ERRORS.code, bad, everything, now)


def _fresh(one: Errors, now: float) -> bool:
    return now - one.growth.at < STALE_SECONDS


def _is_bad_medium(one: Errors, now: float) -> bool:
    if one.kind == PENDING or one.kind in FAILING_KINDS:
        return one.growth.count > 0
    least = MEDIA_LEAST.get(one.kind)
    return least is not None and (one.growth.per_day(now) or 0) >= least


def _claims(
    code: str, bad: Sequence[Errors], everything: Sequence[Errors], now: float
) -> list[Claim]:
    bad = _on_disks(bad)
    accused = _accused_enclosures(bad)
    rest: dict[str, set[str]] = {}
    for one in bad:
        if one.enclosure not in accused:
            rest.setdefault(one.host, set()).add(one.disk)
    groups: dict[Target, list[Errors]] = {}
    for one in bad:
        if one.enclosure is not None and one.enclosure in accused:
            target = Target("enclosure", one.enclosure)
        elif len(one.on.all) == 1 and len(rest[one.host]) < _DISKS:
            target = Target("osd", str(one.on.all[0]))
        else:
            target = Target("host", one.host)
        groups.setdefault(target, []).append(one)
    return [
        _claim(code, target, groups[target], everything, now)
        for target in sorted(groups, key=lambda target: (target.kind, target.id))
    ]


def _on_disks(bad: Sequence[Errors]) -> list[Errors]:
    """The same errors; those that OSDs count are on the disk that counts errors too, if any does.

    Else a failing disk would count as two.
    """
    by_osd = (RETRIES, EIO)
    disks = {(e.host, osd): e.disk for e in bad if e.kind not in by_osd for osd in e.on.all}
    return [
        replace(one, disk=disks.get((one.host, one.on.all[0]), one.disk))
        if one.kind in by_osd and one.on.all
        else one
        for one in bad
    ]


def _accused_enclosures(bad: Sequence[Errors]) -> set[str]:
    """The enclosures that contain most of the disks with errors of their hosts."""
    inside: dict[str, set[tuple[str, str]]] = {}
    on_host: dict[str, set[tuple[str, str]]] = {}
    for one in bad:
        disk = one.host, one.disk
        on_host.setdefault(one.host, set()).add(disk)
        if one.enclosure is not None:
            inside.setdefault(one.enclosure, set()).add(disk)
    return {
        enclosure
        for enclosure, disks in inside.items()
        if len(disks) >= _DISKS
        and len(disks) >= _SHARE * sum(len(on_host[host]) for host in {host for host, _ in disks})
    }


def _claim(
    code: str, target: Target, bad: Sequence[Errors], everything: Sequence[Errors], now: float
) -> Claim:
    worst = sorted(bad, key=lambda one: -(one.growth.per_day(now) or 0))
    texts = [_text(one, now, named=target.kind != "osd") for one in worst]
    shared = _shared(bad, everything)
    shown = worst[:_SHOWN]
    evidence: dict[str, Any] = {
        "osds": sorted({osd for one in bad for osd in one.on.all}),
        "host": ", ".join(sorted({one.host for one in bad})),
        "errors": [
            {
                "device": one.device or one.phy,
                "kind": one.kind,
                "count": one.growth.count,
                "per_day": one.growth.per_day(now),
            }
            for one in shown
        ],
        "shared": shared and str(shared),
        # Programs read the kinds' names, people what they are.
        "said": codes_of(
            {"errors": [{"kind": _TEXTS[one.kind]} for one in shown], "shared": shared}
        ),
    }
    return Claim(
        code,
        Severity.WARNING,
        target,
        say(
            "errors",
            "{name} within a day: {errors:list}; {advice}",
            name=_name(target, worst[0]),
            errors=texts,
            advice=_advice(code, shared),
        ),
        evidence,
        min(one.growth.since(now) or one.growth.at for one in bad),
    )


def _name(target: Target, one: Errors) -> str:
    if target.kind == "osd":
        return f"{target} ({one.host}{f', {one.device}' if one.device else ''})"
    return unit_named(target.kind, target.id)


def _text(one: Errors, now: float, named: bool) -> Said:
    errors, growth = _TEXTS[one.kind], one.growth
    if one.kind in FAILING_KINDS:
        if not named:
            return errors
        return say("errors-says", "{errors} ({who})", errors=errors, who=_who(one))
    count = growth.count if one.kind == PENDING else growth.per_day(now)
    if not named:
        return say("errors-count", "{errors} ({count})", errors=errors, count=count)
    return say(
        "errors-of", "{errors} of {who} ({count})", errors=errors, who=_who(one), count=count
    )


def _who(one: Errors) -> str:
    name = one.phy or one.device or one.disk
    if len(one.on.all) == 1:
        return osd_names(one.on.all)
    if not one.on:
        return name
    return say("disk-with-osds", "{disk} with {osds:osds}", disk=name, osds=one.on.all)


def _shared(bad: Sequence[Errors], everything: Sequence[Errors]) -> Optional[Said]:
    """The expander or host adapter that several bad phys share, if the host has another one."""
    phys = [one for one in bad if one.expander is not None]
    expanders = {(one.host, one.expander) for one in phys}
    if len({one.phy for one in phys}) < 2 or len(expanders) != 1:
        return None
    ((host, expander),) = expanders
    others = {
        one.expander for one in everything if one.host == host and one.expander is not None
    } - {expander}
    if not others:
        return None
    if ":" in str(expander):
        return say("expander", "expander {name}", name=expander)
    return say("scsi-host", "SCSI host {name}", name=expander)


def _advice(code: str, shared: Optional[Said]) -> Said:
    if code == MEDIA_ERRORS.code:
        return say(
            "errors-look-media",
            "look at 'smartctl -x' of the disk, and replace the disk if the errors continue",
        )
    if shared:
        return say(
            "errors-shared",
            "all through {shared}: reseat or replace the cable before the disk",
            shared=shared,
        )
    return say(
        "errors-cables",
        "usual causes are cables, connectors and slots: reseat or replace the cable before the "
        "disk",
    )
