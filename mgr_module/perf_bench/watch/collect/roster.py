"""The watched OSDs, their cohorts, and the events in the maps that disturb a comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Optional

from ...model.frame import Mark, Roster, Watched
from ...model.osd import ENCLOSURE_BUCKETS, Member, Osd

_DAY = 86400.0
_REWEIGHTED_SECONDS = 3600.0


@dataclass(frozen=True)
class RosterState:
    """A roster, the OSDs' positions in it, and ``groups``: the positions of each cohort."""

    roster: Roster
    places: Mapping[int, int]
    groups: tuple[tuple[int, ...], ...]
    members: tuple[Member, ...]
    down: frozenset[int]
    # By OSD until when (unix seconds) it counts as new, and as reweighted.
    new: Mapping[int, float] = field(default_factory=dict)
    reweighted: Mapping[int, float] = field(default_factory=dict)
    # By OSD when it was made (unix seconds), of those whose metadata say it.
    created_at: Mapping[int, float] = field(default_factory=dict)

    def marks(self, start: float) -> dict[Mark, list[int]]:
        """Return the OSDs by mark, for a bin that begins at ``start``."""
        return {
            Mark.DOWN: list(self.down),
            Mark.NEW: [osd for osd, until in self.new.items() if start < until],
            Mark.REWEIGHTED: [osd for osd, until in self.reweighted.items() if start < until],
        }


def roster_state(
    members: Sequence[Member], before: Optional[RosterState], now: float
) -> RosterState:
    """Return the current OSDs; without a change the roster stays the same object."""
    watched = tuple(_watched(member) for member in members)
    roster = before.roster if before and before.roster.members == watched else Roster(watched)
    by_cohort: dict[str, list[int]] = {}
    for place, one in enumerate(watched):
        by_cohort.setdefault(one.cohort, []).append(place)
    return RosterState(
        roster=roster,
        places={one.osd: place for place, one in enumerate(watched)},
        groups=tuple(tuple(places) for places in by_cohort.values()),
        members=tuple(members),
        down=frozenset(m.osd.id for m in members if not (m.osd.up and m.osd.in_cluster)),
        new=_new(members, list(by_cohort.values()), now),
        reweighted=_reweighted(members, before, now),
        created_at={m.osd.id: m.created_at for m in members if m.created_at is not None},
    )


def _watched(member: Member) -> Watched:
    osd = member.osd
    enclosure = next(
        (osd.location[kind] for kind in ENCLOSURE_BUCKETS if kind in osd.location), None
    )
    return Watched(
        osd=osd.id,
        name=osd.name,
        host=osd.host,
        cohort=cohort_of(member),
        # Of two racks neither is the one that it shares a fault with.
        rack=osd.location.get("rack") if len(_above(osd, "rack")) == 1 else None,
        enclosure=enclosure or osd.expander,
        device=f"{osd.host}/{osd.own_device}" if osd.own_device else None,
    )


def cohort_of(member: Member) -> str:
    """Return device class, kind if the class does not imply it, model, DB device, release, roots.

    Unknown parts are left out, e.g. ``hdd VENDOR_HDD-18T +db ceph-18 default``.
    """
    osd = member.osd
    words = [osd.device_class or "unknown"]
    if osd.rotational is not None and osd.rotational != (osd.device_class == "hdd"):
        words.append("rotational" if osd.rotational else "solid-state")
    if osd.model:
        words.append(osd.model)
    if member.separate:
        words.append(f"+{member.separate}")
    if member.release:
        words.append(f"ceph-{member.release.partition('.')[0]}")
    return " ".join([*words, *_above(osd, "root")])


def _above(osd: Osd, kind: str) -> list[str]:
    """The names of all buckets of a type above an OSD."""
    return sorted(name for type_, name in osd.buckets if type_ == kind)


def _new(
    members: Sequence[Member], groups: Sequence[Sequence[int]], now: float
) -> dict[int, float]:
    """Return until when OSDs count as new: created in the last day, while most peers are older."""
    found: dict[int, float] = {}
    for places in groups:
        made = [(members[place].osd.id, members[place].created_at) for place in places]
        known = [at for _, at in made if at is not None]
        if known and now - median(known) >= _DAY:
            found.update({osd: at + _DAY for osd, at in made if at is not None and now < at + _DAY})
    return found


def _reweighted(
    members: Sequence[Member], before: Optional[RosterState], now: float
) -> dict[int, float]:
    if before is None:
        return {}
    found = {osd: until for osd, until in before.reweighted.items() if now < until}
    old = {member.osd.id: member.weight for member in before.members}
    for member in members:
        if old.get(member.osd.id, member.weight) == member.weight:
            continue
        # An OSD that was just made gets its weight as it boots: it is new, or its cluster is.
        if member.created_at is None or now - member.created_at >= _REWEIGHTED_SECONDS:
            found[member.osd.id] = now + _REWEIGHTED_SECONDS
    return found
