"""What a user asks for, before anything of it is checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional


@dataclass(frozen=True)
class Request:
    """What a user asks for, as typed; see ``round start`` in the CLI for each."""

    profile: str
    osds: Optional[str] = None
    repeats: Optional[int] = None
    size: Optional[str] = None
    label: Optional[str] = None
    force: bool = False
    max_repeats: Optional[int] = None
    rest: Optional[str] = None
    rests: Optional[int] = None
    solo: Optional[str] = None
    pool: Optional[str] = None
    clients: Optional[int] = None
    threads: Optional[int] = None
    seconds: Optional[int] = None
    foreign_pool: bool = False
    workers: Optional[str] = None
