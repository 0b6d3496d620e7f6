"""Admission: free space on the devices and in the bench pool."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Union

from ...model.admission import Ask, Fullness, Refusal, Rules, Situation, Space, Unknown
from ...model.said import say

# The share of a pool's free space that a round may use; the rest is for clients.
_POOL_SHARE = 0.5


def check_fullness(ask: Ask, now: Situation, rules: Rules) -> Iterator[Union[Refusal, Unknown]]:
    """OSDs that are full or nearly full. A full one accepts no writes, so that is not forceable.

    A bench writes up to a few GiB to each OSD's device before it deletes them; above the nearfull
    ratio (``mon_osd_nearfull_ratio``) that may fill the device.
    """
    del rules
    if now.fullness is None:
        message = say("fullness-unknown", "it is not known whether the OSDs are nearly full")
        yield Unknown("fullness", message, essential=True)
        return
    chosen = set(ask.osds).intersection(now.fullness)
    full = {osd for osd in chosen if now.fullness[osd] is Fullness.FULL}
    nearly = chosen - full
    if full:
        message = say("osd-full", "{osds:osds} {osds#is|are} full, and a bench writes", osds=full)
        yield Refusal("osd-full", message, forceable=False)
    if nearly:
        message = say(
            "osd-nearfull",
            "{osds:osds} nearfull or fuller, and a bench writes to them",
            osds=nearly,
        )
        yield Refusal("osd-nearfull", message)


def check_space(ask: Ask, now: Situation, rules: Rules) -> Iterator[Union[Refusal, Unknown]]:
    """OSDs that the round's data would make full or nearfull."""
    del rules
    if now.space is None:
        message = say("space-unknown", "it is not known how much free space the OSDs have")
        yield Unknown("space", message)
        return
    known = {osd: now.space[osd] for osd in ask.osds if osd in now.space}
    unknown = set(ask.osds) - set(known)
    if unknown:
        message = say(
            "space-unknown-of",
            "it is not known how much free space {osds:osds} have",
            osds=unknown,
        )
        yield Unknown("space", message)
    peak = ask.peak_bytes_per_osd
    lower = min(now.nearfull_ratio, now.full_ratio)
    past = {osd: space for osd, space in known.items() if _past(space, peak, lower)}
    full = {osd for osd, space in past.items() if _past(space, peak, now.full_ratio)}
    nearfull = {
        osd
        for osd, space in past.items()
        # check_fullness reports OSDs that are nearfull already.
        if _past(space, peak, now.nearfull_ratio) and not _past(space, 0, now.nearfull_ratio)
    } - full
    if full:
        message = say(
            "space-full",
            "the {peak:gib} of a bench would make {osds:osds} full",
            peak=peak,
            osds=full,
        )
        yield Refusal("space-full", message, forceable=False)
    if nearfull:
        message = say(
            "space-nearfull",
            "the {peak:gib} of a bench would make {osds:osds} nearfull",
            peak=peak,
            osds=nearfull,
        )
        yield Refusal("space-nearfull", message)


def check_pool(ask: Ask, now: Situation, rules: Rules) -> Iterator[Union[Refusal, Unknown]]:
    """Free space in the bench pool, for rounds that write to it."""
    del rules
    if ask.pool_bytes <= 0:
        return
    if now.pool_available is None:
        message = say("pool-unknown", "it is not known how much free space the bench pool has")
        yield Unknown("pool", message)
    elif ask.pool_bytes > now.pool_available * _POOL_SHARE:
        fits = ask.pool_bytes <= now.pool_available
        yield Refusal(
            "pool-space",
            say(
                "pool-space",
                "the round would write {bytes:gib} to the bench pool, which has {free:gib} of "
                "free space",
                bytes=ask.pool_bytes,
                free=now.pool_available,
            ),
            forceable=fits,
        )


def _past(space: Space, more: int, ratio: float) -> bool:
    return space.used + more >= space.total * ratio
