"""Lists: how long their pages are, and how old their maps."""

from __future__ import annotations

from typing import Optional

from ..errors import InvalidValue

PAGE = 50
MOST = 500
# Lists show the maps as they were at most this long ago; starting a round reads them anew.
MAPS_AGE = 10.0


def page_of(limit: Optional[int], offset: Optional[int]) -> tuple[int, int]:
    """(offset, limit), checked."""
    count = PAGE if limit is None else limit
    if not 1 <= count <= MOST:
        raise InvalidValue(f"--limit {count} is not within 1 to {MOST}", field="limit")
    first = 0 if offset is None else offset
    if not 0 <= first < 1 << 31:
        raise InvalidValue(f"--offset {first} is not 0 or more", field="offset")
    return first, count
