"""Text of users, workers and daemons, made safe to print.

A control character may move the cursor, clear a terminal or hide what follows it.
"""

from __future__ import annotations


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


def one_line(text: str) -> str:
    """Return the same with line breaks written out, too: for a cell or a line of a log."""
    return text if text.isprintable() else harmless(text).replace("\n", "\\n")


def _written_out(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")
