"""What can be wrong with what qa/replay was given."""

from __future__ import annotations


class TraceError(Exception):
    """The trace or an argument is not usable; the message is one sentence for the user."""
