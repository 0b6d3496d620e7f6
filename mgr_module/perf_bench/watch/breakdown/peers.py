"""Choose the OSDs that an OSD is compared with."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from ...model.osd import Osd

COUNT = 2


def peers_of(
    osd: Osd, osds: Sequence[Osd], cohorts: Mapping[int, str], avoided: Collection[int] = ()
) -> list[Osd]:
    """At most two OSDs that are up and in, of the same cohort or at least of the same class.

    Of other hosts than its own and than each other where possible; those in ``avoided``, which
    are slow themselves or busy, only if there are no others. ``cohorts`` are the watch's, by OSD.
    """
    others = [
        one
        for one in osds
        if one.id != osd.id and one.up and one.in_cluster and one.device_class == osd.device_class
    ]

    def rank(one: Osd) -> tuple[bool, bool, bool, int, int]:
        cohort = cohorts.get(osd.id)
        alike = cohorts.get(one.id) == cohort if cohort else one.peer_group == osd.peer_group
        # The next IDs first, so that not everybody asks osd.0.
        return (not alike, one.id in avoided, one.host == osd.host, int(one.id < osd.id), one.id)

    found: list[Osd] = []
    ranked = sorted(others, key=rank)
    for distinct in (True, False):
        for one in ranked:
            if len(found) == COUNT:
                return found
            hosts = {chosen.host for chosen in found}
            if one not in found and (not distinct or one.host not in hosts):
                found.append(one)
    return found
