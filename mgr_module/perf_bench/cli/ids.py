"""IDs as people type them."""

from __future__ import annotations

from ..errors import InvalidValue, NotFound


def round_id(text: str) -> int:
    """A round's ID. Raises NotFound."""
    return _numbered("round", text)


def finding_id(text: str) -> int:
    """A finding's ID. Raises NotFound."""
    return _numbered("finding", text)


def osd_id(text: str) -> int:
    """An OSD's ID, of "3" or "osd.3". Raises InvalidValue."""
    digits = text.removeprefix("osd.")
    if not _is_number(digits) or len(digits) > 9:
        raise InvalidValue(f"'{text}' is not an OSD: give its ID, as 3 or osd.3", field="id")
    return int(digits)


def _numbered(noun: str, text: str) -> int:
    if not _is_number(text) or len(text) > 15:
        raise NotFound(
            f"no {noun} '{text}': a {noun}'s ID is a number, see 'ceph perf-bench {noun} ls'"
        )
    return int(text)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()  # "²" is a digit too, and no number
