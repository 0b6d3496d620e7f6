"""Enclosures, paths to disks, checksums, errors of links and media.

``ceph perf-bench enclosure …``, ``multipath ls`` and ``crc ls``.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Optional

from ..errors import NotFound, PerfBenchError
from ..hardware.checksums import worst_errors
from ..hardware.enclosures import condition
from ..model import hardware
from ..model.hardware import (
    LINK_KINDS,
    LOWER_BOUND,
    MEDIA_KINDS,
    ON_DRIVE,
    Errors,
    HardwareSnapshot,
    Multipath,
    OsdChecksums,
    OsdsOnDrive,
    Slot,
)
from ..model.json_fields import Moment
from .api import MAPS_AGE, Api
from .paging import WHOLE, Page
from .question import Question
from .text import GAP, NOTHING, Column, facts, listing, short_time, shown, table


@dataclass(frozen=True)
class Bay:
    """A slot of an enclosure with the OSDs on its disk.

    slot is null where only the enclosure is known.

    osd -- The first of osds.
    osds -- Those with their data on it.
    db_of -- Those with only their DB or WAL on it.
    osd_state -- down, out, or what the watch holds it for, of several OSDs the worst; null: no
        OSD.
    """

    KEYS = (
        *ON_DRIVE, ("slot", "slot.slot"), "host", ("device", "slot.device"),
        ("status", "slot.status"), ("fault", "slot.fault"), "osd_state",
    )  # fmt: skip
    slot: Optional[Slot]
    host: Optional[str]
    on: OsdsOnDrive
    osd_state: Optional[str]


@dataclass(frozen=True)
class Enclosure(hardware.Enclosure):
    """One enclosure, whoever sees it over however many paths.

    missing_on -- Hosts whose newest facts have it no more.
    paths -- By host over how many ways it is reached.
    source -- map: known from the CRUSH map only; path: as the SAS expander in the OSDs' metadata;
        both without slots.
    suspects -- What speaks against it, the gravest first.
    """

    KEYS = (
        "id", "serial", "vendor", "model", "hosts", ("missing_on", "missing"), "paths", "source",
        "state", "suspects", ("osds", "osd_count"), "osds_down", "slots", "elements",
    )  # fmt: skip
    state: Annotated[str, "enum", ("ok", "degraded", "fault", "unknown")] = "unknown"
    suspects: Sequence[str] = ()
    osds_down: int = 0
    slots: Sequence[Bay] = ()

    @property
    def osd_count(self) -> int:
        return len(self.osds)


@dataclass(frozen=True)
class CrcErrors(Errors):
    """A count of errors of a link or of a medium.

    osd -- The first of osds.
    osds -- Those with their data on it.
    db_of -- Those with only their DB or WAL on it.
    per_day -- By how much it grew within a day; null: read once, or not in this day.
    expander -- SAS host and expander of the phy.
    """

    KEYS = (
        *ON_DRIVE, "host", "device", "phy", "kind", ("count", "growth.newest"), "per_day",
        "enclosure", "slot", "expander", "since", ("read_at", "growth.at"),
    )  # fmt: skip
    now: float = 0.0

    @property
    def per_day(self) -> Optional[int]:
        return self.growth.per_day(self.now)

    @property
    def since(self) -> Optional[Moment]:
        return self.growth.since(self.now)


@dataclass(frozen=True)
class Crc:
    """What OSDs spend on checksums, and errors of links and media.

    A page of OSDs, and the errors of links and media that grow fastest (at most 500 each).

    links_left_out -- How many more there are.
    media_left_out -- How many more there are.
    asking_until -- Until when OSDs are asked that do not send the time of their checksums: ask
        again then; null: none is asked.
    """

    osds: Sequence[OsdChecksums]
    links: Sequence[CrcErrors]
    links_left_out: int
    media: Sequence[CrcErrors]
    media_left_out: int
    lower_bound: str
    asking_until: Optional[Moment]


# --- enclosures and paths ------------------------------------------------------------------------

# States of OSDs, worst first; of OSDs that share a drive the worst counts.
_STATES = ("down", "slow", "suspect", "out", "no-data", "ok")


def enclosures(api: Api, page: Page = WHOLE) -> tuple[list[Enclosure], int]:
    """List enclosures, their OSDs, and what is wrong with them."""
    view = api.inventory.view(MAPS_AGE)
    return page.of([_enclosure(api, view, one) for one in view.enclosures], Enclosure, "id")


def enclosure(api: Api, id_: str) -> Enclosure:
    """Show an enclosure slot by slot.

    Raises NotFound.
    """
    view, wanted = api.inventory.view(MAPS_AGE), id_.lower()
    every = view.enclosures
    found = [one for one in every if wanted == one.id.lower()]
    found = found or [one for one in every if wanted == (one.serial or "").lower()]
    if len(found) == 1:
        return _enclosure(api, view, found[0])
    raise NotFound(f"no enclosure {id_!a}: 'ceph perf-bench enclosure ls' lists those there are")


def multipaths(api: Api, page: Page = WHOLE) -> tuple[list[Multipath], int]:
    """List disks of several paths, and how many carry data."""
    view = api.inventory.view(MAPS_AGE)
    return page.of(view.multipaths, Multipath)


def _enclosure(api: Api, view: HardwareSnapshot, one: hardware.Enclosure) -> Enclosure:
    snapshot = api.watch.osd_snapshot()

    def state(osd: int) -> str:
        known = view.osds.get(osd)
        if known is None or not known.up:
            return "down"
        return snapshot.verdict(osd).state.value if known.in_cluster else "out"

    def bay(slot: Optional[Slot], host: Optional[str], on: OsdsOnDrive) -> Bay:
        worst = min(map(state, on.all), key=_STATES.index, default=None)
        return Bay(slot, host, on, worst)

    word, suspects = condition(view, one)
    return Enclosure(
        **vars(one),
        state=word,
        suspects=suspects,
        osds_down=[state(osd) for osd in one.osds].count("down"),
        slots=[bay(each.slot, each.host, each.on) for each in one.bays]
        # Of those whose enclosure is known and whose slot is not.
        or [bay(None, None, OsdsOnDrive((osd,))) for osd in sorted(one.osds)],
    )


# --- checksums -----------------------------------------------------------------------------------


def crc(api: Api, page: Page = WHOLE) -> tuple[Crc, int]:
    """List what OSDs spend on checksums, and what links and media count of errors.

    Raises StoreUnavailable while the facts of hosts are not read.
    """
    view = api.crc.read()
    osds, total = page.of(view.osds, OsdChecksums, "-checksum_share")
    counts = [worst_errors(view, kinds) for kinds in (LINK_KINDS, MEDIA_KINDS)]
    links, media = ([CrcErrors(**vars(one), now=view.now) for one in worst] for worst, _ in counts)
    until = None
    with suppress(PerfBenchError):  # what is known is told all the same
        until = api.ask_crc()
    answer = Crc(
        osds=osds,
        links=links,
        links_left_out=counts[0][1] - len(links),
        media=media,
        media_left_out=counts[1][1] - len(media),
        lower_bound=LOWER_BOUND,
        asking_until=until,
    )
    return answer, total


# --- as text -------------------------------------------------------------------------------------

_SILENT = (
    "the states of its parts: the facts of its hosts lack them or are older than two days "
    "('ceph perf-bench host ls')"
)
# The most rows of links and of media in the text.
_SHOWN = 20


def _on_drive(on: OsdsOnDrive) -> str:
    """As "osd.1, osd.2", "osd.1 +3" of four, or "db of 12" where no OSD has its data on it."""
    if len(on.osds) > 2:
        return f"osd.{on.osds[0]} +{len(on.osds) - 1}"
    return ", ".join(f"osd.{osd}" for osd in on.osds) or (
        f"db of {len(on.db_of)}" if on.db_of else NOTHING
    )


def _status(slot: Optional[Slot]) -> str:
    return f"{shown(slot.status)}{', fault' * bool(slot.fault)}" if slot else NOTHING


_ENCLOSURES = (
    Column("ID", "id", "word", 20),
    Column("MODEL", lambda one: one.make or NOTHING, "word", 14),
    Column("HOST", lambda one: ", ".join(one.hosts or one.missing), "word", 16, front=True),
    Column("SLOTS", lambda one: sum(bay.slot is not None for bay in one.slots), "count"),
    Column("OSDS", "osd_count", "count"),
    Column("DOWN", "osds_down", "count"),
    Column("STATE", "state", "word"),
)
_BAYS = (
    Column("SLOT", "slot.slot", "count"),
    Column("STATUS", lambda one: _status(one.slot), "word"),
    Column("DEVICE", "slot.device", "word", 16),
    Column("OSD", lambda one: _on_drive(one.on), "word"),
    Column("HOST", "host", "word", 24, front=True),
    Column("OSD STATE", "osd_state", "word"),
)
_ELEMENTS = (
    Column("ELEMENT", lambda part: part.name or part.type, "word", 48),
    Column("STATUS", "status", "word"),
)


def enclosure_text(one: Enclosure) -> str:
    """Text of ``enclosure show``."""
    # Hosts told of it, but none of them does now.
    is_silent = one.hosts and one.state == "unknown" and one.source == "facts"
    pairs = [
        ("model", one.make),
        ("serial", one.serial or ""),
        ("seen by", ", ".join(one.hosts)),
        ("missed by", ", ".join(one.missing)),
        ("paths", ", ".join(f"{host} {count}" for host, count in sorted(one.paths.items()))),
        ("not told", _SILENT if is_silent else ""),
        ("suspects", "; ".join(one.suspects)),
    ]
    blocks = [f"enclosure {one.id}: {one.state}\n{facts(pairs)}".rstrip()]
    blocks += [table(_BAYS, one.slots)] if one.slots else []
    blocks += [table(_ELEMENTS, one.elements)] if one.elements else []
    return GAP.join(blocks)


def _active(one: Multipath) -> str:
    # Where no state is known, 0 active paths would look as if all were lost.
    active = "?" if one.state == "unknown" else one.active
    return f"{active}/{one.expected or '?'}"


def _paths(one: Multipath) -> str:
    return ", ".join(
        path.device if path.state == "active" else f"{path.device} {path.state or '?'}"
        for path in one.paths
    )


_MULTIPATHS = (
    Column("OSD", lambda one: _on_drive(one.on), "word"),
    Column("HOST", "host", "word", 18, front=True),
    Column("NAME", "name", "word", 20),
    Column("ACTIVE", _active, "count"),
    Column("STATE", "state", "word"),
    Column("PATHS", _paths, "word", 20),
)


def _share(share: Optional[float]) -> str:
    return NOTHING if share is None else f"{100 * share:.1f} %"


_CHECKSUMS = (
    Column("OSD", "osd.id", "osd"),
    Column("HOST", "osd.host", "word", 18, front=True),
    Column("SHARE", "share", _share),
    Column("PEERS", "peers", _share),
    Column("PEAK 24 h", "peak", _share),
    Column("MiB/s", "rate", "rate"),
    Column("HOT SINCE (UTC)", lambda one: short_time(one.hot_since), "count"),
)


def crc_text(answer: Crc) -> str:
    """Text of ``crc ls``."""
    asking = (
        "OSDs that do not send the time of their checksums are asked until "
        f"{short_time(answer.asking_until)} UTC:\ntype this again then"
    )
    blocks = [
        "share of the op threads' time; only checksums of reads count: a lower bound",
        table(_CHECKSUMS, answer.osds) if answer.osds else "no OSD has been read yet",
        _counts("links", answer.links, answer.links_left_out),
        _counts("media", answer.media, answer.media_left_out),
        asking if answer.asking_until else "",
    ]
    return GAP.join(block for block in blocks if block)


def _counts(title: str, those: Sequence[CrcErrors], left_out: int) -> str:
    if not those:
        return f"{title}: no errors in what was looked at"
    columns = (
        Column(title.upper(), lambda one: _on_drive(one.on), "count"),
        Column("HOST", "host", "word", 18, front=True),
        Column("DEVICE", lambda one: one.phy or one.device or NOTHING, "word", 14),
        Column("KIND", "kind", "count"),
        Column("COUNT", "growth.newest", "count"),
        Column("A DAY", "per_day", "count"),
    )
    more = len(those[_SHOWN:]) + left_out
    text = table(columns, those[:_SHOWN])
    return f"{text}\nand {more} more" if more > 0 else text


QUESTIONS = (
    Question(
        "enclosure ls",
        enclosures,
        text=listing(_ENCLOSURES, "no enclosure is known"),
        covers=("enclosures",),
        rest="GET enclosure",
    ),
    Question("enclosure show", enclosure, text=enclosure_text, rest="GET enclosure/ID"),
    Question(
        "multipath ls",
        multipaths,
        text=listing(_MULTIPATHS, "no multipath device is known"),
        covers=("multipath",),
        rest="GET multipath",
    ),
    Question(
        "crc ls",
        crc,
        text=crc_text,
        covers=("checksums", "link_errors", "media_errors"),
        rest="GET crc",
        rows="osds",
    ),
)
