"""Text of users, workers and daemons, made safe to print.

A control character may move the cursor, clear a terminal or hide what follows it.
"""

from __future__ import annotations

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
