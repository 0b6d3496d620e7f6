"""Checksums as JSON and as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

from ..answers.paging import keyed
from ..model.hardware import LOWER_BOUND, Errors, HostChecksums, OsdChecksums
from ..model.json_fields import Json
from .drives import drive, on_drive
from .text import (
    GAP,
    NOTHING,
    clip,
    clip_front,
    facts,
    iso,
    rate,
    rounded,
    short_time,
    shown,
    table,
)

SEARCHED = ("osd", "host", "class")
FIELDS = keyed(
    "osd",
    "host",
    "class",
    "checksum_share",
    "peers_median",
    "bytes_per_second",
    "op_threads",
    "hot_since",
    "peak_share",
)
# The most rows of links and of media in the text.
_SHOWN = 20


def osd(one: OsdChecksums) -> Json:
    """An OSD with its shares and rates."""
    return {
        "osd": one.osd.id,
        "host": one.osd.host,
        "class": one.osd.device_class,
        "checksum_share": rounded(one.share, 4),
        "window_seconds": rounded(one.seconds, 1),
        "op_threads": one.threads,
        "peers_median": rounded(one.peers, 4),
        "bytes_per_second": rounded(one.rate, 0),
        "hot_since": iso(one.hot_since),
        "peak_share": rounded(one.peak, 4),
        "peak_at": iso(one.peak_at),
    }


def errors(one: Errors, now: float) -> Json:
    """An error counter of a link or of a medium."""
    growth = one.growth
    return {
        "host": one.host,
        **drive(one.on),
        "device": one.device,
        "phy": one.phy,
        "kind": one.kind,
        "count": growth.count,
        "per_day": growth.per_day(now),
        "enclosure": one.enclosure,
        "slot": one.slot,
        "expander": one.expander,
        "since": iso(growth.since(now)),
        "read_at": iso(growth.at),
    }


def host(one: HostChecksums) -> Json:
    """A host: its processor, and the rate of one core as measured there."""
    return {
        "host": one.name,
        "cpu": one.cpu,
        "crc32c_bytes_per_second": rounded(one.core_rate, 0),
    }


def whole(
    osds: Sequence[Json],
    links: tuple[Sequence[Json], int],
    media: tuple[Sequence[Json], int],
    hosts: Sequence[Json],
    asking_until: Optional[float],
) -> Json:
    """The answer of ``crc ls``; ``links`` and ``media`` are the worst, and how many there are.

    ``asking_until`` is until when OSDs are asked whose share is not known (unix seconds).
    """
    return {
        "osds": osds,
        "links": links[0],
        "links_left_out": links[1] - len(links[0]),
        "media": media[0],
        "media_left_out": media[1] - len(media[0]),
        "hosts": hosts,
        "lower_bound": LOWER_BOUND,
        "asking_until": iso(asking_until),
    }


# --- as text ---------------------------------------------------------------------------------


def sheet(shape: Json) -> str:
    """The text of ``crc ls``."""
    return GAP.join(_blocks(shape))


def _blocks(shape: Json) -> list[str]:
    blocks = ["share of the op threads' time; only checksums of reads count: a lower bound"]
    rows = [
        [
            f"osd.{one['osd']}",
            clip_front(one["host"], 18),
            _percent(one["checksum_share"]),
            _percent(one["peers_median"]),
            _percent(one["peak_share"]),
            rate(one["bytes_per_second"]),
            short_time(one["hot_since"]),
        ]
        for one in shape["osds"]
    ]
    blocks.append(
        table(["OSD", "HOST", "SHARE", "PEERS", "PEAK 24 h", "MiB/s", "HOT SINCE (UTC)"], rows)
        if rows
        else "no OSD has been read yet"
    )
    blocks += [
        _counts(title, shape[title], shape[f"{title}_left_out"]) for title in ("links", "media")
    ]
    told = [
        (one["host"], f"{rate(one['crc32c_bytes_per_second'])} MiB/s of CRC32C a core")
        for one in shape["hosts"]
        if one["crc32c_bytes_per_second"] is not None
    ]
    if told:
        blocks.append(facts(told))
    if shape["asking_until"]:
        blocks.append(
            "OSDs that do not send the time of their checksums are asked until "
            f"{short_time(shape['asking_until'])} UTC: type this again then"
        )
    return blocks


def _counts(title: str, those: Sequence[Json], left_out: int) -> str:
    if not those:
        return f"{title}: no errors in what was looked at"
    rows = [
        [
            on_drive(one),
            clip_front(one["host"], 18),
            clip(one["phy"] or one["device"] or NOTHING, 14),
            one["kind"],
            str(one["count"]),
            shown(one["per_day"]),
        ]
        for one in those[:_SHOWN]
    ]
    more = len(those) - len(rows) + left_out
    text = table([title.upper(), "HOST", "DEVICE", "KIND", "COUNT", "A DAY"], rows)
    return f"{text}\nand {more} more" if more > 0 else text


def _percent(share: Optional[float]) -> str:
    return NOTHING if share is None else f"{100 * share:.1f} %"
