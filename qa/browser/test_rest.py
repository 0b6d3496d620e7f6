"""The REST contract, against a real module: shapes, pages, errors, rights."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
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


@pytest.fixture(scope="module")
def measured(site: Site) -> int:
    """The ID of a round that has run to its end."""
    site.is_calm()
    number = site.start({**QUICK, "label": "contract"})
    whole = site.sees_the_end_of(number)
    assert whole["state"] == "done", whole
    return number


@pytest.fixture
def running(site: Site) -> Iterator[int]:
    """The ID of a round that runs, and is ended after the test."""
    site.is_calm()
    yield site.start(LONG)
    site.is_calm()


@pytest.mark.parametrize(
    "question",
    ["status", "profile", "round", "round/ID", "osd", "osd/ID", "osd/map", "crc"],
)
def test_every_answer_fits_the_schema(site: Site, measured: int, question: str) -> None:
    number = str(measured if question.startswith("round") else 0)
    reply = site.admin.get("/" + question.replace("ID", number))
    assert reply.status == 200, reply
    assert reply.headers["content-type"] == "application/vnd.ceph.api.v1.0+json"
    fits(reply.json, f"GET {question}")
    assert reply.json  # an empty list would fit too


def test_a_rounds_osds_are_searched_and_sorted(site: Site, measured: int) -> None:
    found = site.admin.get(f"/round/{measured}?search=OSD.4&limit=1")
    assert [row["osd"] for row in found.json["per_osd"]] == [4]
    assert (found.json["found"], found.json["osds"]) == (1, 6)
    assert found.headers["x-total-count"] == "1"
    rows = site.admin.get(f"/round/{measured}?sort=-median_iops").json["per_osd"]
    assert [row["osd"] for row in sorted(rows, key=lambda row: -row["median_iops"])] == [
        row["osd"] for row in rows
    ]
    assert site.admin.get(f"/round/{measured}?sort=colour").json["field"] == "sort"


@pytest.mark.parametrize("query", ["as=json", "as=csv", "as=openmetrics", "raw=true"])
def test_a_round_as_a_file_is_what_the_command_prints(
    site: Site, measured: int, query: str
) -> None:
    reply = site.admin.get(f"/round/{measured}/file?{query}").json
    fits(reply, "GET round/ID/file")
    words = ["--raw"] if query == "raw=true" else ["--as", query.removeprefix("as=")]
    printed = site.cluster.ceph("perf-bench", "round", "export", str(measured), *words)
    assert reply["text"].splitlines() == printed.splitlines()


def test_the_distribution_of_a_round(site: Site, measured: int) -> None:
    found = site.admin.get(f"/round/{measured}/distribution").json
    fits(found, "GET round/ID/distribution")
    assert found["osds"] == found["histograms"]["bytes_per_second"]["count"] == 6


@pytest.mark.long
def test_a_search_of_clients_fits_the_schema(site: Site) -> None:
    site.is_calm()
    asked = {"profile": "rados-saturate", "clients": 1, "threads": 2, "seconds": 2, "size": "64K"}
    planned = site.admin.post("/round", {**asked, "dry_run": True}).json
    fits(planned, "POST round dry_run")
    assert planned["load"]["saturates"]
    whole = site.sees_the_end_of(site.start(asked))
    fits(whole, "GET round/ID")
    assert whole["state"] == "done", whole["reasons"]
    assert len(whole["saturation"]["curve"]) == 2
    assert whole["saturation"]["recommended"] in whole["saturation"]["curve"]
    assert whole["clients"][0]["series"]


def test_a_dry_run_fits_and_starts_nothing(site: Site, measured: int) -> None:
    before = site.admin.get("/round").headers["x-total-count"]
    reply = site.admin.post("/round", {**QUICK, "dry_run": True})
    assert reply.status == 200
    fits(reply.json, "POST round dry_run")
    assert len(reply.json["targets"]) == 6
    assert site.admin.get("/round").headers["x-total-count"] == before


def test_the_map_has_a_row_an_osd_with_its_figures(site: Site, measured: int) -> None:
    answer = site.admin.get("/osd/map").json
    rows = [dict(zip(answer["columns"], row)) for row in answer["rows"]]
    assert [row["osd"] for row in rows] == [0, 1, 2, 3, 4, 5]
    assert {row["host"] for row in rows} == {"host-0", "host-1", "host-2"}
    assert all(row["round"] >= measured and row["bytes_per_second"] > 0 for row in rows)
    assert all(len(row) == len(answer["columns"]) for row in answer["rows"])


def test_lists_are_paged_sorted_and_searched_by_the_server(site: Site, measured: int) -> None:
    def osds(query: str) -> list[int]:
        reply = site.admin.get(f"/osd?{query}")
        assert reply.headers["x-total-count"] == str(total), query
        return [row["osd"] for row in reply.json]

    total = 6
    assert osds("") == [0, 1, 2, 3, 4, 5]
    assert osds("limit=2") == [0, 1]
    assert osds("limit=2&offset=4") == [4, 5]
    assert osds("offset=99") == []
    assert osds("sort=-osd&limit=3") == [5, 4, 3]
    assert osds("sort=+osd&limit=1") == [0]
    speeds = [
        row["last_bench"]["iops"] for row in site.admin.get("/osd?sort=-last_bench.iops").json
    ]
    assert speeds == sorted(speeds, reverse=True)
    total = 2
    assert len(osds("search=HOST-1")) == 2
    assert len(osds("host=host-2&class=hdd")) == 2
    total = 1
    assert osds("search=osd.3") == [3]
    total = 0
    assert osds("search=nowhere") == []


LISTS = (
    *("profile", "round", "osd", "finding", "crc", "enclosure", "multipath", "doctor", "schedule"),
    *("worker", "reference", "host", "mclock", "option", "baseline", "cohort", "laggy"),
)


def rows(answer: Any) -> Any:
    """The entries of a page; some answers have more than these."""
    return answer if isinstance(answer, list) else answer["osds"]


def test_every_list_has_pages(site: Site, measured: int) -> None:
    for name in LISTS:
        reply = site.admin.get(f"/{name}?limit=1&offset=0")
        assert reply.status == 200, (name, reply)
        total = int(reply.headers["x-total-count"])
        assert len(rows(reply.json)) == min(1, total), name
        beyond = site.admin.get(f"/{name}?limit=500&offset={total}")
        # A finding or a group of peers may have come since.
        assert rows(beyond.json) == [] or int(beyond.headers["x-total-count"]) > total, name
        whole = site.admin.get(f"/{name}?limit=500")
        assert len(rows(whole.json)) == min(500, int(whole.headers["x-total-count"])), name
        none = site.admin.get(f"/{name}?search=no-such-thing-anywhere")
        assert (none.status, none.headers["x-total-count"]) == (200, "0"), name
        for bad in ("limit=0", "limit=501", "offset=-1", "sort=nix", "sort=--id"):
            refused = site.admin.get(f"/{name}?{bad}")
            assert refused.status == 400, (name, bad)
            assert refused.json["field"] == bad.split("=")[0], (name, bad)


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "field"),
    [
        ("GET", "/round?limit=many", None, 400, "limit"),
        ("GET", "/osd?offset=99999999999999", None, 400, "offset"),
        ("GET", "/status?x=1", None, 400, "x"),
        ("GET", "/round/last", None, 404, None),
        ("GET", "/round/..%2fosd", None, 404, None),
        ("GET", "/osd/%F0%9F%90%99", None, 404, None),
        ("POST", "/round", {**QUICK, "repeats": True}, 400, "repeats"),
        ("POST", "/round", {**QUICK, "label": "a\nb"}, 400, "label"),
        ("POST", "/round", {**QUICK, "colour": "red"}, 400, "colour"),
        ("POST", "/round", b"{not json", 400, None),
        ("POST", "/round", b"[1]", 400, None),
        ("POST", "/round", b"null", 400, None),
        ("POST", "/round/import", {"as": "fio", "results": "9" * (9 << 20)}, 400, "results"),
        ("GET", "/round/compare?a=1&b=2&c=3", None, 400, "c"),
        ("POST", "/round/999999/abort", {"round_id": 999998}, 400, None),
        ("DELETE", "/schedule/nix", None, 404, None),
        ("POST", "/schedule/nix/pause", None, 404, None),
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


def test_a_second_round_is_refused_and_the_first_aborted(site: Site, running: int) -> None:
    reply = site.admin.post("/round", QUICK)
    assert (reply.status, reply.json["code"]) == (409, "EBUSY")
    assert f"round {running} is running" in reply.json["detail"]
    assert site.admin.call("DELETE", f"{API}/round/{running}").status == 409
    active = site.admin.get("/status").json["active_round"]
    assert active["id"] == running
    fits(site.admin.get("/status").json, "GET status")
    fits(site.round(running), "GET round/ID")
    aborted = site.admin.call("POST", f"{API}/round/{running}/abort")  # no body at all
    assert aborted.status == 200, aborted
    assert site.sees_the_end_of(running)["state"] == "aborted"
    gone = site.admin.call("DELETE", f"{API}/round/{running}")
    assert (gone.status, gone.body) == (204, b"")
    assert site.admin.get(f"/round/{running}").status == 404


def test_rounds_are_compared_and_held_against_a_baseline(site: Site, measured: int) -> None:
    other = site.start({**QUICK, "label": "another"})
    assert site.sees_the_end_of(other)["state"] == "done"
    reply = site.admin.get(f"/round/compare?a={measured}&b={other}&limit=2")
    assert (reply.status, reply.headers["x-total-count"]) == (200, "6")
    assert (reply.json["a"], reply.json["b"]) == (measured, other)
    assert len(reply.json["per_osd"]) == 2
    assert reply.json["why"]
    fits(reply.json, "GET round/compare")

    made = site.admin.post("/baseline", {"id": other})
    assert (made.status, made.json["round"]) == (201, other)
    fits(made.json, "POST baseline")
    baselines = site.reader.get("/baseline").json
    fits(baselines, "GET baseline")
    assert other in [one["round"] for one in baselines]
    history = site.reader.get("/profile/history?profile=osd-throughput").json
    fits(history, "GET profile/history")
    assert history["baseline"] == other
    assert {measured, other} <= {point["round"] for point in history["points"]}
    figures = site.reader.get("/reference").json
    fits(figures, "GET reference")
    assert all(one["source"] for one in figures)
    assert site.round(other)["context"][0]["line"]


def test_the_hosts_own_summary_can_read_our_progress(site: Site, measured: int) -> None:
    """It shows events of the progress module, and an odd one breaks every page of the host."""
    assert site.round(measured)["state"] == "done"
    assert site.admin.call("GET", "/api/summary").status == 200
    number = site.start(LONG)
    try:
        wait_for(
            lambda: "perf-bench round" in site.cluster.ceph("-s"),
            180.0,
            lambda: "no progress shown",
        )
        assert site.admin.call("GET", "/api/summary").status == 200
    finally:
        site.is_calm()
    assert site.round(number)["state"] == "aborted"
    assert site.admin.call("GET", "/api/summary").status == 200


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
