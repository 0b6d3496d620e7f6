"""What goes wrong, each with the exit code of the command."""

from __future__ import annotations


class ClusterError(Exception):
    """A fault of the cluster or of the machine; the message is one sentence for the user."""

    exit_code = 1


class UsageError(ClusterError):
    """A bad argument; nothing was changed."""

    exit_code = 2
