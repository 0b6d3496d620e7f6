"""Admission: running rounds and the state of OSDs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Union

from ...model.admission import Ask, Refusal, Rules, Situation, Unknown
from ...model.said import say

# Changes that are flapping: down for the third time, because two restarts may be on purpose. Ceph
# itself ends an OSD that was marked down five times in that time (`osd_max_markdown_count`).
_FLAPPING = 5


def check_running(ask: Ask, now: Situation, rules: Rules) -> Iterator[Union[Refusal, Unknown]]:
    """A running round, because two rounds would disturb each other.

    Until the database has been read none can start, so this is no unknown.
    """
    del ask, rules
    if now.running is None:
        said = say("running-unknown", "it is not known yet whether a round is running")
        yield Refusal("running", said, forceable=False)
    elif now.running:
        said = say("round-running", "round {rounds:all} is running", rounds=now.running)
        yield Refusal("round-running", said, forceable=False)


def check_down(ask: Ask, now: Situation, rules: Rules) -> Iterator[Union[Refusal, Unknown]]:
    """OSDs that are down but in: data lacks a copy or is about to be moved."""
    del ask, rules
    if now.down_in is None:
        said = say("down-unknown", "it is not known which OSDs are down")
        yield Unknown("down", said, essential=True)
    elif now.down_in:
        said = say("osd-down", "{osds:osds} {osds#is|are} down and still in", osds=now.down_in)
        yield Refusal("osd-down", said)


def check_changes(ask: Ask, now: Situation, rules: Rules) -> Iterator[Union[Refusal, Unknown]]:
    """OSDs that keep going up and down. A single restart shows in the PGs' states."""
    del ask
    if now.changes is None:
        yield Unknown(
            "changes",
            say(
                "changes-unknown",
                "it is not known whether OSDs went up or down in the last {span:span}",
                span=rules.flap_seconds,
            ),
        )
        return
    flapping = {osd for osd, count in now.changes.items() if count >= _FLAPPING}
    if flapping:
        yield Refusal(
            "osd-flapping",
            say(
                "osd-flapping",
                "{osds:osds} went up or down up to {most} times in the last {span:span}",
                osds=flapping,
                most=max(now.changes.values()),
                span=rules.flap_seconds,
            ),
        )


def check_upgrade(ask: Ask, now: Situation, rules: Rules) -> Iterator[Union[Refusal, Unknown]]:
    """An upgrade, which restarts daemons, and mixes releases that are not comparable."""
    del ask, rules
    if now.releases is not None and len(now.releases) > 1:
        mix = [
            say("osds-on-release", "{count|OSD|OSDs} on {release}", count=count, release=release)
            for release, count in sorted(now.releases.items())
        ]
        said = say("upgrade-mixed", "an upgrade is under way: {releases:all}", releases=mix)
        yield Refusal("upgrade", said)
    elif now.upgrading:
        said = say("upgrade", "an upgrade is under way, according to the orchestrator")
        yield Refusal("upgrade", said)
    elif now.releases is None and now.upgrading is None:
        said = say("upgrade-unknown", "it is not known whether an upgrade is under way")
        yield Unknown("upgrade", said)


def check_slow_ops(ask: Ask, now: Situation, rules: Rules) -> Iterator[Union[Refusal, Unknown]]:
    """Operations that wait for longer than ``osd_op_complaint_time`` (30 s)."""
    del ask, rules
    if now.slow_ops is None:
        said = say("slow-ops-unknown", "it is not known whether OSDs have slow operations")
        yield Unknown("slow-ops", said)
        return
    slow = {osd: count for osd, count in now.slow_ops.items() if count > 0}
    if slow:
        yield Refusal(
            "slow-ops",
            say(
                "slow-ops",
                "{total|slow operation|slow operations} on {osds:osds}",
                total=sum(slow.values()),
                osds=slow,
            ),
        )
