# ceph-perf-bench: 'ceph-perf-bench install' puts this file here, 'uninstall' removes it.
"""One question to the module perf_bench, and what its answer is in HTTP. Knows no web server."""

from __future__ import annotations

import errno
from collections.abc import Mapping, Sequence
from typing import Any, Callable, NamedTuple, Optional

OFF = (
    "the module perf_bench is switched off or not installed: "
    "switch it on with 'ceph mgr module enable perf_bench'"
)
NO_ANSWER = "the module perf_bench gave no answer: see 'ceph mgr module ls' and the mgr's log"
# What the module's error family means to a browser; any other errno is 500.
STATUS: Mapping[int, int] = {
    errno.EINVAL: 400,
    errno.EPERM: 403,
    errno.ENOENT: 404,
    errno.EBUSY: 409,
    errno.EAGAIN: 409,
    errno.EOPNOTSUPP: 501,
    errno.ETIMEDOUT: 504,
}


class Outcome(NamedTuple):
    """``body`` is the answer or an error in the dashboard's own form; ``total`` of a list."""

    status: int
    body: Any
    total: Optional[int] = None


def ask(
    remote: Callable[[str, dict[str, Any], dict[str, list[str]]], dict[str, Any]],
    question: str,
    arguments: Mapping[str, Any],
    rights: dict[str, list[str]],
) -> Outcome:
    """Put the question; ``remote`` is the module's ``answer`` by ``mgr.remote``.

    ``rights`` are the user's permissions by scope, which the module checks.

    What was not given (None) is not passed on. ``sort=+field`` reaches us with a blank, as a plus
    sign in an address means one.
    """
    given = {name: value for name, value in arguments.items() if value is not None}
    if isinstance(given.get("sort"), str):
        given["sort"] = given["sort"].strip()
    try:
        reply = remote(question, given, rights)
    except ImportError:  # what mgr.remote raises for a module that does not run
        return _failed(503, errno.ENOENT, OFF)
    except Exception:  # noqa: BLE001 - a module of another version, or one that crashed
        return _failed(503, errno.EIO, NO_ANSWER)
    error = reply.get("error")
    if error is not None:
        # EAGAIN is both: a round refused now, and a database that does not answer.
        status = 503 if error.get("away") else STATUS.get(error["errno"], 500)
        told = error["message"], error["field"], error.get("reasons", ())
        return _failed(status, error["errno"], *told)
    return Outcome(200, reply["answer"], reply.get("total"))


def forbidden(scope: str, permissions: Sequence[str]) -> Outcome:
    """The refusal for permissions that the user's roles lack; the module's sentence is the same."""
    word = "permission" if len(permissions) == 1 else "permissions"
    rights = [f"{one} of the scope {scope}" for one in permissions]
    text = f"your roles lack the {word} {' and '.join(rights)}"
    return _failed(403, errno.EPERM, text)


def _failed(
    status: int,
    code: int,
    detail: str,
    field: str = "",
    reasons: Sequence[str] = (),
) -> Outcome:
    """``detail``, ``code`` and ``component`` are what the dashboard's own errors have."""
    body = {
        "detail": detail,
        "code": errno.errorcode.get(code, str(code)),
        "component": "perf_bench",
        "reasons": list(reasons),
        **({"field": field} if field else {}),
    }
    return Outcome(status, body)
