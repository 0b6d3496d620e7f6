"""Admission: running rounds and the state of OSDs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Union

from ...model.admission import Ask, Refusal, Rules, Situation, Unknown
from ...model.phrases import plural

# Changes that are flapping: down for the third time, because two restarts may be on purpose. Ceph
# itself ends an OSD that was marked down five times in that time (`osd_max_markdown_count`).
_FLAPPING = 5


def names(osds: Iterable[int]) -> str:
    """OSDs in a sentence: up to five by name, the others counted."""
    all_ = sorted(osds)
    shown = ", ".join(f"osd.{osd}" for osd in all_[:5])
    return shown + (f" and {len(all_) - 5} more" if len(all_) > 5 else "")


def check_running(ask: Ask, now: Situation, rules: Rules) -> Iterator[Union[Refusal, Unknown]]:
    """A running round, because two rounds would disturb each other."""
    del ask, rules
    if now.running is None:
        yield Unknown("running", "it is not known yet whether a round is running", essential=True)
    elif now.running:
        rounds = ", ".join(str(round_) for round_ in now.running)
        yield Refusal("round-running", f"round {rounds} is running", forceable=False)


def check_down(ask: Ask, now: Situation, rules: Rules) -> Iterator[Union[Refusal, Unknown]]:
    """OSDs that are down but in: data lacks a copy or is about to be moved."""
    del ask, rules
    if now.down_in is None:
        yield Unknown("down", "it is not known which OSDs are down", essential=True)
    elif now.down_in:
        verb = "is" if len(now.down_in) == 1 else "are"
        yield Refusal("osd-down", f"{names(now.down_in)} {verb} down and still in")


def check_changes(ask: Ask, now: Situation, rules: Rules) -> Iterator[Union[Refusal, Unknown]]:
    """OSDs that keep going up and down. A single restart shows in the PGs' states."""
    del ask
    lately = f"in the last {_span(rules.flap_seconds)}"
    if now.changes is None:
        yield Unknown("changes", f"it is not known whether OSDs went up or down {lately}")
        return
    flapping = {osd for osd, count in now.changes.items() if count >= _FLAPPING}
    if flapping:
        most = max(now.changes.values())
        yield Refusal(
            "osd-flapping",
            f"{names(flapping)} went up or down up to {most} times {lately}",
        )


def _span(seconds: float) -> str:
    return f"{seconds / 60:g} min" if seconds >= 60 else f"{seconds:g} s"


def check_upgrade(ask: Ask, now: Situation, rules: Rules) -> Iterator[Union[Refusal, Unknown]]:
    """An upgrade, which restarts daemons, and mixes releases that are not comparable."""
    del ask, rules
    if now.releases is not None and len(now.releases) > 1:
        mix = ", ".join(
            f"{plural(count, 'OSD')} on {release}"
            for release, count in sorted(now.releases.items())
        )
        yield Refusal("upgrade", f"an upgrade is under way: {mix}")
    elif now.upgrading:
        yield Refusal("upgrade", "an upgrade is under way, according to the orchestrator")
    elif now.releases is None and now.upgrading is None:
        yield Unknown("upgrade", "it is not known whether an upgrade is under way")


def check_slow_ops(ask: Ask, now: Situation, rules: Rules) -> Iterator[Union[Refusal, Unknown]]:
    """Operations that wait for longer than ``osd_op_complaint_time`` (30 s)."""
    del ask, rules
    if now.slow_ops is None:
        yield Unknown("slow-ops", "it is not known whether OSDs have slow operations")
        return
    slow = {osd: count for osd, count in now.slow_ops.items() if count > 0}
    if slow:
        total = plural(sum(slow.values()), "slow operation")
        yield Refusal("slow-ops", f"{total} on {names(slow)}")
