"""Admission: the load of clients, the wear of devices, and the window of time."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Union

from ...errors import PerfBenchError
from ...model.admission import Ask, Refusal, Rules, Situation, Unknown
from ...model.said import Said, say
from ...model.wear import Overdraft
from ..schedule.timezones import local, zone
from ..schedule.windows import coming
from .wear import budgets_of, overdrafts

# Bytes/s and operations/s of an idle cluster, as by the mgr and dashboards.
_IDLE_BYTES = 1 << 20
_IDLE_OPS = 20.0


def check_clients(ask: Ask, now: Situation, rules: Rules) -> Iterator[Union[Refusal, Unknown]]:
    """Clients that use more than their share of the possible load."""
    del ask
    if now.client is None:
        said = say("client-load-unknown", "the load of clients is not known")
        yield Unknown("client-load", said)
        return
    possible = now.possible
    pairs = (
        (now.client.bytes_per_second, possible and possible.bytes_per_second, _IDLE_BYTES),
        (now.client.ops_per_second, possible and possible.ops_per_second, _IDLE_OPS),
    )
    busy = [(used, most) for used, most, idle in pairs if used is not None and used > idle]
    shares = [used / most for used, most in busy if most]
    if shares and max(shares) > rules.client_share:
        yield Refusal(
            "client-load",
            say(
                "client-load",
                "clients use {used:.3g} % of what the last rounds showed possible, "
                "and up to {most:.3g} % is allowed",
                used=100 * max(shares),
                most=100 * rules.client_share,
            ),
        )
    elif len(shares) < len(busy):
        yield Unknown(
            "client-load",
            say(
                "client-share-unknown",
                "clients are active, but their share of the possible load is not known: rounds "
                "with blocks of 1 MiB and more measure the bandwidth, those with smaller ones the "
                "operations",
            ),
        )


def check_wear(ask: Ask, now: Situation, rules: Rules) -> Iterator[Union[Refusal, Unknown]]:
    """OSDs to which rounds would have written more than a day's budget."""
    if now.wear is None:
        said = say("wear-unknown", "it is not known how much rounds wrote in the last 24 h")
        yield Unknown("wear", said)
        return
    over = overdrafts(ask, now, budgets_of(ask.osds, now, rules))
    if over:
        last = max(over, key=_fits_last)
        yield Refusal(
            "wear",
            say(
                "wear",
                "{osds:osds}: rounds wrote {written:gib} in the last 24 h, this one would write "
                "{need:gib} more, and the budget is {budget:gib} a day: {fits}",
                osds=[one.osd for one in over],
                written=last.written,
                need=last.need,
                budget=last.budget,
                fits=_fits(last, now.at),
            ),
        )


def _fits_last(over: Overdraft) -> tuple[float, int]:
    """Sorts by when the round fits; of those at the same time, by the bytes over the budget."""
    free_at = math.inf if over.free_at is None else over.free_at
    return free_at, over.written + over.need - over.budget


def _fits(over: Overdraft, now: float) -> Said:
    if over.free_at is None:
        return say("wear-never", "it never fits")
    return say("wear-later", "it fits in {span:span}", span=over.free_at - now)


def check_window(ask: Ask, now: Situation, rules: Rules) -> Iterator[Union[Refusal, Unknown]]:
    """The operator's window for rounds."""
    if rules.window is None:
        return
    try:
        where = zone(rules.timezone)
    except PerfBenchError as error:  # no zone, or no data about it on this host
        said = say(
            "window-unknown",
            "it is not known whether the window is open: {error}",
            error=str(error),
        )
        yield Unknown("window", said, essential=True)
        return
    begin, end = coming(rules.window, now.at, where)
    window = f"{rules.window} {rules.timezone}"
    if begin > now.at:
        shown = local(now.at, where)
        yield Refusal(
            "window",
            say(
                "window",
                "it is {now}, outside the window {window}, which opens in {span:span}",
                now=f"{shown:%H:%M}",
                window=window,
                span=begin - now.at,
            ),
        )
    elif ask.seconds > end - now.at:
        yield Refusal(
            "window-short",
            say(
                "window-short",
                "the round takes about {span:span}, and the window {window} closes in {left:span}",
                span=ask.seconds,
                window=window,
                left=end - now.at,
            ),
        )
