"""Names, counts and times in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timezone
from typing import Optional

GIB = 1 << 30
# Names in a list; the rest is counted.
_NAMED = 4


def plural(count: Optional[int], noun: str, several: str = "") -> str:
    """A count with its noun, as "1 round" and "2 rounds"; ``several`` is an irregular plural."""
    return f"{count} {noun}" if count == 1 else f"{count} {several or noun + 's'}"


def listed(names: Sequence[str]) -> str:
    """The names as "a", "a and b", or "a, b, c, d and 56 more"."""
    more = len(names) - _NAMED
    if more > 0:
        return f"{', '.join(names[:_NAMED])} and {more} more"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else list(names))


def osd_names(numbers: Iterable[int]) -> str:
    """The OSDs by ID, as ``listed`` names them."""
    return listed([f"osd.{number}" for number in sorted(numbers)])


def gib(count: float) -> str:
    """Bytes as "3.0 GiB"."""
    return f"{count / GIB:.1f} GiB"


def span(seconds: float) -> str:
    """Print seconds as "40 s", "5 min", "2 h" or "2 h 05 min", as sentences have them."""
    if seconds < 60:
        return f"{seconds:.3g} s"
    minutes = round(seconds / 60)
    hours, rest = divmod(minutes, 60)
    if not hours:
        return f"{minutes} min"
    return f"{hours} h {rest:02d} min" if rest else f"{hours} h"


def time_text(at: float) -> str:
    """Print unix seconds as "2026-11-27 16:55 UTC"."""
    return f"{datetime.fromtimestamp(at, timezone.utc):%Y-%m-%d %H:%M} UTC"


def ms_text(seconds: float) -> str:
    """Print seconds in milliseconds, as "4.1 ms" or "41 ms"."""
    value = seconds * 1000
    return f"{value:.2g} ms" if value < 10 else f"{value:.0f} ms"


def times_text(ratio: float) -> str:
    """A ratio as "1.42", "4.1" or "25"."""
    return f"{ratio:.2f}" if ratio < 2 else f"{ratio:.1f}" if ratio < 20 else f"{ratio:.0f}"
