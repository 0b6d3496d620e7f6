"""Names, counts and times in sentences, and text of others made safe to print."""

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


# --- Text of users, workers and daemons, made safe to print ---


LONGEST_SENTENCE = 2000
_HEAD, _TAIL = 1400, 500
_LEFT_OUT = " [...] "


def harmless(text: str) -> str:
    r"""Return the text with every unprintable character but a line break written out, as ``\x1b``.

    These are control characters, marks that change the direction of text, halves of letters.
    """
    if text.replace("\n", "").isprintable():
        return text
    return "".join(
        letter if letter == "\n" or letter.isprintable() else _written_out(letter)
        for letter in text
    )


def sentence(text: str) -> str:
    """Return the text of an error harmless, and at most LONGEST_SENTENCE characters long.

    What is left out of a longer one is in the middle: errors quote what they were given, which may
    be a megabyte, and end with what to do.
    """
    if len(text) > LONGEST_SENTENCE:
        text = f"{text[:_HEAD]}{_LEFT_OUT}{text[-_TAIL:]}"
    shown = harmless(text)  # up to ten times as long, where much is not printable
    return (
        shown if len(shown) <= LONGEST_SENTENCE else f"{shown[:_HEAD]}{_LEFT_OUT}{shown[-_TAIL:]}"
    )


def one_line(text: str) -> str:
    """Return the same with line breaks written out, too: for a cell or a line of a log."""
    return text if text.isprintable() else harmless(text).replace("\n", "\\n")


def _written_out(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")


# --- Names of what OSDs have in common, in sentences ---


def unit_named(kind: str, name: str) -> str:
    """The name of a unit: its kind is cluster, device, enclosure, host or rack."""
    return "the cluster" if kind == "cluster" else f"{kind} {name}"
