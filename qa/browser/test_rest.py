"""The REST contract, against a real module behind a real dashboard: shapes, errors, versions."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest

from browser.rest import API
from browser.sites import LONG, QUICK, Site
from cluster.waiting import wait_for

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "dashboard_plugin/frontend/src/generated/schema.json").read_text())
ANSWERS = SCHEMA["x-answers"]
# What stands for a name in an address, there and in the dashboard's own documentation.
_ANY = re.compile(r"\{\w+\}|\bID\b|\bNAME\b")


def fits(answer: Any, question: str) -> None:
    """The answer is as the front end's types have it."""
    name = ANSWERS[question]
    one = {"$ref": f"#/$defs/{name.strip('[]')}", "$defs": SCHEMA["$defs"]}
    wanted = {"type": "array", "items": one, "$defs": SCHEMA["$defs"]} if name[0] == "[" else one
    jsonschema.Draft202012Validator(wanted).validate(answer)


def test_every_answer_fits_the_schema(site: Site, measured: tuple[int, int]) -> None:
    questions = ("status", "profile", "round", "round/ID", "osd", "osd/ID", "osd/map", "crc")
    for question in (*questions, "mclock", "host", "reference", "round/ID/distribution"):
        number = str(measured[0] if question.startswith("round") else 0)
        reply = site.admin.get("/" + question.replace("ID", number))
        assert reply.status == 200, reply
        assert reply.headers["content-type"] == "application/vnd.ceph.api.v1.0+json"
        fits(reply.json, f"GET {question}")
        assert reply.json  # an empty list would fit too
    before = site.admin.get("/round").headers["x-total-count"]
    fits(site.admin.post("/round", {**QUICK, "dry_run": True}).json, "POST round dry_run")
    assert site.admin.get("/round").headers["x-total-count"] == before


@pytest.mark.parametrize("query", ["as=csv", "as=openmetrics", "raw=true"])
def test_a_round_as_a_file_is_what_the_command_prints(
    site: Site, measured: tuple[int, int], query: str
) -> None:
    reply = site.admin.get(f"/round/{measured[0]}/file?{query}").json
    fits(reply, "GET round/ID/file")
    words = ["--raw"] if query == "raw=true" else ["--as", query.removeprefix("as=")]
    printed = site.cluster.ceph("perf-bench", "round", "export", str(measured[0]), *words)
    assert reply["text"].splitlines() == printed.splitlines()


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "field"),
    [
        ("GET", "/round?limit=many", None, 400, "limit"),
        ("GET", "/status?x=1", None, 400, "x"),
        ("GET", "/round/..%2fosd", None, 404, None),
        ("GET", "/osd/%F0%9F%90%99", None, 404, None),
        ("POST", "/round", {**QUICK, "label": "a\nb"}, 400, "label"),
        ("POST", "/round", b"{not json", 400, None),
        ("POST", "/round", b"[1]", 400, None),
        ("POST", "/round/import", {"as": "fio", "results": "9" * (9 << 20)}, 400, "results"),
        ("POST", "/round/999999/abort", {"round_id": 999998}, 400, None),
        ("DELETE", "/schedule/nix", None, 404, None),
    ],
)
def test_bad_requests_get_a_sentence(
    site: Site, method: str, path: str, body: Any, status: int, field: str | None
) -> None:
    reply = site.admin.call(method, API + path, body)
    assert reply.status == status, reply
    answer = reply.json
    assert answer["detail"]
    assert answer.get("field") == field
    assert "Traceback" not in reply.body.decode()
    if "code" in answer:  # the web server's own refusals have none
        fits(answer, "error")


def test_a_second_round_is_refused_and_the_first_aborted(site: Site) -> None:
    site.is_calm()
    running = site.start(LONG)
    try:
        reply = site.admin.post("/round", QUICK)
        assert (reply.status, reply.json["code"]) == (409, "EBUSY")
        assert f"round {running} is running" in reply.json["detail"]
        assert site.admin.call("DELETE", f"{API}/round/{running}").status == 409
        fits(site.admin.get("/status").json, "GET status")
        # The host's summary shows events of the progress module; an odd one breaks all its pages.
        wait_for(
            lambda: "perf-bench round" in site.cluster.ceph("-s"),
            180.0,
            lambda: "no progress shown",
        )
        assert site.admin.call("GET", "/api/summary").status == 200
        aborted = site.admin.call("POST", f"{API}/round/{running}/abort")  # no body at all
        assert aborted.status == 200, aborted
        assert site.sees_the_end_of(running)["state"] == "aborted"
    finally:
        site.is_calm()
    gone = site.admin.call("DELETE", f"{API}/round/{running}")
    assert (gone.status, gone.body) == (204, b"")
    assert site.admin.get(f"/round/{running}").status == 404


def test_a_wrong_version_is_refused(site: Site) -> None:
    for accept in ("application/json", "application/vnd.ceph.api.v2.0+json"):
        reply = site.admin.call("GET", f"{API}/status", headers={"Accept": accept})
        assert reply.status == 415
        assert "Traceback" not in reply.body.decode()


def test_it_stands_in_the_api_docs(site: Site) -> None:
    paths = site.admin.call("GET", "/docs/openapi.json").json["paths"]
    found = {
        f"{method.upper()} {_ANY.sub('*', path[len(API) + 1 :])}"
        for path, methods in paths.items()
        if path.startswith(API)
        for method in methods
    }
    answers = {_ANY.sub("*", name) for name in ANSWERS} - {"error", "POST round dry_run"}
    assert found == answers | {"DELETE round/*", "DELETE schedule/*"}
    start = paths[f"{API}/round"]["post"]
    assert "dry_run" in json.dumps(start["requestBody"])
    assert start["summary"]
