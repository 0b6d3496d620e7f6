"""The tab's files as the dashboard serves them, and what becomes of the host's page."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from browser.sites import Site

TAG = b'<script type="module" src="perf-bench/entry.js"></script>'


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Accept-Language": "de-DE,de;q=0.9,en;q=0.1"},
        {"Cookie": "cd-lang=tlh"},
        # a browser that kept the page from before the tab was installed
        {"If-Modified-Since": "Fri, 01 Jan 2038 00:00:00 GMT"},
        {"Accept-Encoding": "gzip"},
    ],
    ids=str,
)
def test_the_hosts_page_carries_the_tag_once(site: Site, headers: dict[str, str]) -> None:
    for path in ("/", "/index.html"):
        reply = site.stranger.call("GET", path, headers=headers)
        assert reply.status == 200
        packed = reply.headers.get("content-encoding") == "gzip"
        html = gzip.decompress(reply.body) if packed else reply.body
        assert html.count(TAG) == 1
        assert html.index(TAG) < html.index(b"<title>")
        language = reply.headers["content-language"]
        installed = Path(site.cluster.spec.root) / "usr/share/ceph/mgr/dashboard/frontend/dist"
        assert html.replace(TAG, b"") == (installed / language / "index.html").read_bytes()


def test_other_files_of_the_host_stay_as_they_are(site: Site) -> None:
    reply = site.stranger.call("GET", "/favicon.ico")
    assert reply.status == 200
    assert TAG not in reply.body
    fresh = site.stranger.call(
        "GET", "/favicon.ico", headers={"If-Modified-Since": reply.headers["last-modified"]}
    )
    assert fresh.status == 304


@pytest.mark.parametrize(
    "path",
    [
        "../controllers/home.py",
        "%2e%2e%2fcontrollers%2fhome.py",
        "..%252fcontrollers%252fhome.py",
        "%2fetc%2fpasswd",
        "entry.js/../../module.py",
        "%ff",
        "a" * 3000,
        "page.html",
    ],
)
def test_nothing_outside_the_folder_is_served(site: Site, path: str) -> None:
    reply = site.stranger.call("GET", f"/perf-bench/{path}")
    assert reply.status in (404, 400), reply
    assert b"Traceback" not in reply.body
    assert b"root:" not in reply.body
    assert b"import" not in reply.body


def test_files_are_for_reading_kept_and_packed(site: Site) -> None:
    for method in ("POST", "PUT", "DELETE"):
        assert site.stranger.call(method, "/perf-bench/entry.js", {}).status == 405
    main = site.stranger.call("GET", "/perf-bench/manifest.json").json["main"]
    plain = site.stranger.call("GET", f"/perf-bench/{main}")
    assert plain.headers["cache-control"] == "public, max-age=31536000, immutable"
    packed = site.stranger.call(
        "GET", f"/perf-bench/{main}", headers={"Accept-Encoding": "gzip;q=0.5, identity"}
    )
    assert gzip.decompress(packed.body) == plain.body
    first = site.stranger.call("GET", "/perf-bench/entry.js")
    again = site.stranger.call(
        "GET", "/perf-bench/entry.js", headers={"If-None-Match": first.headers["etag"]}
    )
    assert (again.status, again.body) == (304, b"")
    moved = site.stranger.call("GET", "/perf-bench")
    assert (moved.status, moved.headers["location"]) == (302, "perf-bench/")
