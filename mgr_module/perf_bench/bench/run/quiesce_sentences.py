"""Sentences about settings that are not put back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...model.quiesce import UnreadableEntry
from ...model.said import Said, say


def unreadable(bad: Iterable[UnreadableEntry]) -> Said:
    """Entries of the journal that cannot be read, and what to do about them."""
    return say(
        "journal-unreadable",
        "a journal of changed settings cannot be read: {entries:list}; print it with 'ceph "
        "config-key get KEY', put back by hand the settings it names, then run 'ceph config-key "
        "rm KEY'",
        entries=[f"{one.key} ({one.why})" for one in bad],
    )


def not_put_back(names: Sequence[str], why: str) -> Said:
    """The settings of these names are changed still; ``why`` may be empty."""
    if not why:
        return say(
            "not-put-back",
            "no round is running, but changes of one are not put back: {settings:list}",
            settings=names,
        )
    return say(
        "not-put-back-because",
        "no round is running, but changes of one are not put back: {settings:list} ({why})",
        settings=names,
        why=why,
    )


def by_hand(commands: str) -> Said:
    """How to put back what is left; ``commands`` is empty if they are too many to name."""
    if not commands:
        return say("by-hand", "by hand, or 'ceph-perf-bench restore' on any host")
    return say(
        "by-hand-with",
        "by hand: {commands}, or 'ceph-perf-bench restore' on any host",
        commands=commands,
    )
