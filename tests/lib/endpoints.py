"""Every endpoint of the REST API, the rights that it needs, and what it answers to who has them.

Written by hand, and not derived from ``answers/questions``: this is what that is tested against.
The IDs do not exist, and the bodies are not whole, so that nothing is changed also where it is
allowed.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Union

READ, CREATE, DELETE = ("osd", "read"), ("osd", "create"), ("osd", "delete")
POOL_CREATE, POOL_UPDATE = ("pool", "create"), ("pool", "update")
CONFIGURE = ("config-opt", "update")
Needs = tuple[tuple[str, str], ...]


class Endpoint(NamedTuple):
    """``question`` is its name in the module; ``arguments`` are those of the address and body.

    ``statuses`` are the answers to a user with the rights.
    """

    method: str
    path: str
    question: str
    arguments: dict[str, Any]
    needs: Needs
    statuses: tuple[int, ...]
    body: Any = None

    @property
    def name(self) -> str:
        words = (self.body or {}).get("profile", ""), (self.body or {}).get("pool", "")
        return " ".join(word for word in (self.method, self.path, *words) if word)


def _get(path: str, question: str, status: int = 200, **arguments: Any) -> Endpoint:
    return Endpoint("GET", path, question, arguments, (READ,), (status,))


def _post(
    path: str,
    question: str,
    *statuses: int,
    needs: Needs = (),
    body: Any = None,
    **arguments: Any,
) -> Endpoint:
    arguments = {**arguments, **(body or {})}
    return Endpoint("POST", path, question, arguments, (CREATE, *needs), statuses, body)


def _dry(
    profile: str, status: Union[int, tuple[int, ...]], *needs: tuple[str, str], **more: Any
) -> Endpoint:
    body = {"profile": profile, "dry_run": True, **more}
    statuses = status if isinstance(status, tuple) else (status,)
    return _post("/round", "round_start", *statuses, needs=needs, body=body)


ENDPOINTS = (
    _get("/status", "status"),
    _get("/profile", "profile_ls"),
    _get("/profile/history?profile=osd-iops", "profile_history", profile="osd-iops"),
    _get("/laggy", "laggy_ls"),
    _get("/reference", "reference_ls"),
    _get("/doctor", "doctor"),
    _get("/cohort", "cohort_ls"),
    _get("/round", "round_ls"),
    _get("/round/999999", "round_show", 404, id="999999"),
    _get("/round/compare?a=999998&b=999999", "round_compare", 404, a="999998", b="999999"),
    _get("/round/999999/live", "round_live", id="999999"),
    _get("/round/999999/distribution", "round_distribution", 404, id="999999"),
    _get("/round/999999/file", "round_export", 404, id="999999"),
    _post("/round", "round_start", 400, body={}),
    _dry("osd-throughput", 200),
    _dry("nix", 404),
    # 400 where as many OSDs as a host has may not run at once
    _dry("osd-sandwich", (200, 400), POOL_CREATE),
    _dry("rados-write", 200, POOL_CREATE),
    _dry("rados-saturate", 200, POOL_CREATE, pool="perf_bench"),
    _dry("rados-write", 404, POOL_UPDATE, pool="nix"),
    _post("/round/import", "round_import", 400, body={}),
    _post("/round/999999/abort", "round_abort", 404, id="999999"),
    Endpoint("DELETE", "/round/999999", "round_rm", {"id": "999999"}, (DELETE,), (404,)),
    _get("/quiesce", "quiesce_status"),
    _post("/quiesce/restore", "quiesce_restore", 200, needs=(CONFIGURE,)),
    _get("/baseline", "baseline_ls"),
    _post("/baseline", "baseline_set", 400, body={}),
    _get("/schedule", "schedule_ls"),
    _post("/schedule", "schedule_add", 400, body={}),
    _post("/schedule", "schedule_add", 400, body={"name": "nightly", "profile": "osd-iops"}),
    _post(
        "/schedule",
        "schedule_add",
        400,
        needs=(POOL_CREATE,),
        body={"name": "nightly", "profile": "rados-write"},
    ),
    Endpoint("DELETE", "/schedule/nix", "schedule_rm", {"name": "nix"}, (DELETE,), (404,)),
    _post("/schedule/nix/pause", "schedule_pause", 404, name="nix"),
    _post("/schedule/nix/resume", "schedule_resume", 404, name="nix"),
    _get("/osd", "osd_ls"),
    _get("/osd/0", "osd_show", id="0"),
    _get("/osd/map", "osd_map"),
    _get("/osd/latency", "osd_latency"),
    _get("/osd/0/series", "osd_series", id="0"),
    _get("/osd/999999/why", "osd_why", 404, id="999999"),
    _get("/finding", "finding_ls"),
    _get("/alert", "alert_ls"),
    _get("/coverage", "coverage_ls"),
    _get("/finding/kind", "finding_kinds"),
    _get("/finding/999999", "finding_show", 404, id="999999"),
    _get("/finding/999999/incident", "finding_incident", 404, id="999999"),
    _get("/cluster/latency", "cluster_latency"),
    _get("/cluster/strip", "cluster_strip"),
    _get("/report?since=1h", "report", since="1h"),
    _get("/host/nix", "host_show", 404, name="nix"),
    _post("/finding/999999/mute", "finding_mute", 404, body={"for": "1d"}, id="999999"),
    _post("/finding/999999/ack", "finding_ack", 404, body={"text": "seen"}, id="999999"),
    _get("/host", "host_ls"),
    _get("/worker", "worker_ls"),
    _get("/enclosure", "enclosure_ls"),
    _get("/enclosure/nix", "enclosure_show", 404, id="nix"),
    _get("/multipath", "multipath_ls"),
    _get("/crc", "crc_ls"),
    _get("/option", "option_ls"),
    _get("/option/threshold", "option_thresholds"),
    _get("/mclock", "mclock_ls"),
    # 501 where no OSD uses mClock
    _post("/mclock/apply", "mclock_apply", 200, 501, needs=(CONFIGURE,)),
    _post("/mclock/restore", "mclock_restore", 200, 501, needs=(CONFIGURE,)),
)


def lacking(rights: Any, needs: Needs) -> list[str]:
    """The missing ones, as the refusal names them."""
    return [
        f"{permission} of the scope {scope}"
        for scope, permission in needs
        if permission not in rights.get(scope, ())
    ]
