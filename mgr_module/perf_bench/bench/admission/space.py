"""Admission: room on the devices and in the pool."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Union

from ...model.admission import Ask, Fullness, Refusal, Rules, Situation, Space, Unknown
from ...model.phrases import gib
from .osds import names

# Of what a pool still takes; the rest is for whoever else writes meanwhile.
_POOL_SHARE = 0.5


def check_fullness(ask: Ask, now: Situation, rules: Rules) -> Iterator[Union[Refusal, Unknown]]:
    """OSDs that are nearly full; a full one takes no write at all, and nothing may force one.

    A bench writes up to a few GiB to the device of each OSD before it deletes them again; past
    the nearfull ratio (``mon_osd_nearfull_ratio``) that may be what fills it.
    """
    del rules
    if now.fullness is None:
        yield Unknown("fullness", "whether the OSDs are nearly full is not known", essential=True)
        return
    chosen = set(ask.osds).intersection(now.fullness)
    full = {osd for osd in chosen if now.fullness[osd] is Fullness.FULL}
    nearly = chosen - full
    if full:
        verb = "is" if len(full) == 1 else "are"
        message = f"{names(full)} {verb} full, and a bench writes"
        yield Refusal("osd-full", message, forceable=False)
    if nearly:
        yield Refusal(
            "osd-nearfull", f"{names(nearly)} nearfull or fuller, and a bench writes to them"
        )


def check_space(ask: Ask, now: Situation, rules: Rules) -> Iterator[Union[Refusal, Unknown]]:
    """OSDs that would get nearfull, or full, by what the round puts on them at one time."""
    del rules
    if now.space is None:
        yield Unknown("space", "how much room the OSDs have is not known")
        return
    known = {osd: now.space[osd] for osd in ask.osds if osd in now.space}
    unknown = set(ask.osds) - set(known)
    if unknown:
        yield Unknown("space", f"how much room is left is not known of {names(unknown)}")
    peak = ask.peak_bytes_per_osd
    full = {osd for osd, space in known.items() if _past(space, peak, now.full_ratio)}
    nearfull = {
        osd
        for osd, space in known.items()
        # One that is nearfull already is told by check_fullness.
        if _past(space, peak, now.nearfull_ratio) and not _past(space, 0, now.nearfull_ratio)
    } - full
    if full:
        message = f"{names(full)} would get full by the {gib(peak)} of a bench"
        yield Refusal("space-full", message, forceable=False)
    if nearfull:
        message = f"{names(nearfull)} would get nearfull by the {gib(peak)} of a bench"
        yield Refusal("space-nearfull", message)


def check_pool(ask: Ask, now: Situation, rules: Rules) -> Iterator[Union[Refusal, Unknown]]:
    """Room in the bench pool, for rounds that write into it."""
    del rules
    if ask.pool_bytes <= 0:
        return
    if now.pool_available is None:
        yield Unknown("pool", "how much room the bench pool has is not known")
    elif ask.pool_bytes > now.pool_available * _POOL_SHARE:
        fits = ask.pool_bytes <= now.pool_available
        yield Refusal(
            "pool-space",
            f"the round would put {gib(ask.pool_bytes)} into the bench pool, which takes "
            f"{gib(now.pool_available)} more in all",
            forceable=fits,
        )


def _past(space: Space, more: int, ratio: float) -> bool:
    return space.used + more >= space.total * ratio
