"""Nouns that several answers have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

from .shape import Stamp


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
