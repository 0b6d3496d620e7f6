"""The specification of cephadm's mgr service with the module and the tab's controllers mounted.

It is the service's present specification with mounts added, so that placement and the rest stay.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..errors import NotNow
from .client import CephClient
from .install import payload

FOLDER = "/opt/ceph-perf-bench"
_MGR = "/usr/share/ceph/mgr"
_HEAD = f"""\
# The mgr service of this cluster, with perf_bench mounted read-only from {FOLDER}.
# First, on every host that may run a mgr (a mgr whose host lacks the folder does not start):
#   mkdir -p -m 755 {FOLDER}
#   ceph-perf-bench install --mgr-modules {FOLDER}
#   ceph-perf-bench check --local --mgr-modules {FOLDER}
# Then, with this as mgr.yaml:
#   ceph orch apply -i mgr.yaml
#   ceph mgr module enable perf_bench --force
# After each later install on the hosts: ceph orch restart mgr
# (a container sees the folder that it was started with; a failover alone loads nothing new)"""


def mounts(controllers: Sequence[str]) -> list[str]:
    """The arguments of the container: two items for each mount, as every release takes them."""
    ours = f"{FOLDER}/perf_bench"
    pairs = [(ours, f"{_MGR}/perf_bench")]
    pairs += [
        (f"{ours}/{payload.CONTROLLERS}{name}", f"{_MGR}/dashboard/controllers/{name}")
        for name in sorted(controllers)
    ]
    return [word for source, target in pairs for word in ("-v", f"{source}:{target}:ro")]


def specification(client: CephClient) -> str:
    """The text for ``ceph orch apply -i``. Raises NotNow, CommandFailed."""
    found = client.ask("orch", "ls", "--service_type", "mgr", "--export")
    if not isinstance(found, list) or not found or not isinstance(found[0], dict):
        raise NotNow("the orchestrator has no mgr service: this is for clusters of cephadm")
    present = found[0]
    added = mounts(list(payload.load().controllers))
    kept = list(_without_ours(present.get("extra_container_args") or ()))
    lines = [
        f"{key}: {json.dumps(value)}"
        for key, value in present.items()
        if key not in ("extra_container_args", "events", "status")
    ]
    lines += ["extra_container_args:", *(f"  - {json.dumps(word)}" for word in (*kept, *added))]
    return "\n".join([_HEAD, *lines]) + "\n"


def _without_ours(arguments: Sequence[Any]) -> Iterator[Any]:
    """The arguments without mounts of an earlier version of ours."""
    words = [_word(argument) for argument in arguments]
    for at, argument in enumerate(arguments):
        following = words[at + 1] if at + 1 < len(words) else ""
        is_mount = words[at] == "-v" and following.startswith(f"{FOLDER}/")
        if not is_mount and not words[at].startswith(f"{FOLDER}/"):
            yield argument


def _word(argument: Any) -> str:
    """An argument as a text; Ceph 18 and later also export objects."""
    if isinstance(argument, Mapping):
        return str(argument.get("argument", ""))
    return str(argument)
