"""Nouns that several answers have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Optional

from .shape import Count, Stamp


@dataclass(frozen=True)
class FindingTarget:
    """What a finding is about: kind osd, host, enclosure, rack, cohort, pool or cluster."""

    kind: str
    id: str


@dataclass(frozen=True)
class Acknowledgement:
    """What an operator noted on a finding.

    by -- Who noted it; null: not named.
    """

    text: str
    at: Stamp
    by: Optional[str]


@dataclass(frozen=True)
class Event:
    """Something that happened; keys that its kind does not have are null or empty.

    name -- A round's profile, a finding's code, an option.
    osds_left_out -- How many more there are that are not kept.
    """

    kind: Literal["round", "finding", "restart", "down", "config"]
    at: Optional[Stamp]
    until: Optional[Stamp]
    id: Optional[int]
    name: str
    text: str
    osds: Sequence[Count]
    osds_left_out: int
    before: Optional[str]
    after: Optional[str]
