"""Admission: the load of clients, the wear of devices, and the window of time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Union

from ...errors import PerfBenchError
from ...model.admission import Ask, Refusal, Rules, Situation, Unknown
from ...model.phrases import gib
from ...model.wear import Overdraft
from ..schedule.timezones import local, zone
from ..schedule.windows import coming
from .osds import names
from .wear import budgets_of, overdrafts

# Bytes/s and operations/s of an idle cluster, as by the mgr and dashboards.
_IDLE_BYTES = 1 << 20
_IDLE_OPS = 20.0


def check_clients(ask: Ask, now: Situation, rules: Rules) -> Iterator[Union[Refusal, Unknown]]:
    """Clients that use more than their share of the possible load."""
    del ask
    if now.client is None:
        yield Unknown("client-load", "the load of clients is not known")
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
            f"clients use {100 * max(shares):.3g} % of what the last rounds showed possible, "
            f"and up to {100 * rules.client_share:.3g} % is allowed",
        )
    elif busy and not shares:
        yield Unknown(
            "client-load",
            "clients are active, but their share of the possible load is not known: no round has "
            "measured it yet",
        )


def check_wear(ask: Ask, now: Situation, rules: Rules) -> Iterator[Union[Refusal, Unknown]]:
    """OSDs to which rounds would have written more than a day's budget."""
    if now.wear is None:
        yield Unknown("wear", "it is not known how much rounds wrote in the last 24 h")
        return
    over = overdrafts(now.wear, now.at, ask, budgets_of(ask.osds, now, rules))
    if over:
        worst = max(over, key=lambda one: one.written + one.need - one.budget)
        yield Refusal("wear", f"{names(one.osd for one in over)}: {_overdrawn(worst, now.at)}")


def _overdrawn(over: Overdraft, now: float) -> str:
    figures = (
        f"rounds wrote {gib(over.written)} in the last 24 h, this one would write "
        f"{gib(over.need)} more, and the budget is {gib(over.budget)} a day"
    )
    if over.free_at is None:
        return f"{figures}: it never fits"
    return f"{figures}: it fits in {_span(over.free_at - now)}"


def check_window(ask: Ask, now: Situation, rules: Rules) -> Iterator[Union[Refusal, Unknown]]:
    """The operator's window for rounds."""
    if rules.window is None:
        return
    try:
        where = zone(rules.timezone)
    except PerfBenchError as error:  # no zone, or no data about it on this host
        yield Unknown("window", f"it is not known whether the window is open: {error}", True)
        return
    begin, end = coming(rules.window, now.at, where)
    window = f"{rules.window} {rules.timezone}"
    if begin > now.at:
        shown = local(now.at, where)
        yield Refusal(
            "window",
            f"it is {shown:%H:%M}, outside the window {window}, which opens in "
            f"{_span(begin - now.at)}",
        )
    elif ask.seconds > end - now.at:
        yield Refusal(
            "window-short",
            f"the round takes about {_span(ask.seconds)}, and the window {window} closes in "
            f"{_span(end - now.at)}",
        )


def _span(seconds: float) -> str:
    minutes = max(1, round(seconds / 60))
    if minutes < 60:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60:02d} min"
