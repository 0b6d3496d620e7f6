"""IDs as people type them."""

from __future__ import annotations

from ..errors import InvalidValue, NotFound


def round_id(text: str) -> int:
    """A round's ID. Raises NotFound."""
    if not _is_number(text) or len(text) > 15:
        raise NotFound(
            f"no round '{text}': a round's ID is a number, see 'ceph perf-bench round ls'"
        )
    return int(text)


def finding_id(text: str) -> int:
    """A finding's ID. Raises NotFound."""
    if not _is_number(text) or len(text) > 15:
        raise NotFound(
            f"no finding '{text}': a finding's ID is a number, see 'ceph perf-bench finding ls'"
        )
    return int(text)


def osd_id(text: str) -> int:
    """An OSD's ID, of "3" or "osd.3". Raises InvalidValue."""
    digits = text.removeprefix("osd.")
    if not _is_number(digits) or len(digits) > 9:
        raise InvalidValue(f"'{text}' is not an OSD: give its ID, as 3 or osd.3", field="id")
    return int(digits)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()  # "²" is a digit too, and no number
