"""The tab's files, and what becomes of the host's page."""

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
        {"Accept-Language": "xx"},
        {"Cookie": "cd-lang=en-US"},
        {"Cookie": "cd-lang=tlh"},
        # a browser that kept the page from before the tab was installed
        {"If-Modified-Since": "Fri, 01 Jan 2038 00:00:00 GMT"},
        {"Accept-Encoding": "gzip"},
    ],
    ids=str,
)
@pytest.mark.parametrize("path", ["/", "/index.html"])
def test_the_hosts_page_carries_the_tag_once(
    site: Site, path: str, headers: dict[str, str]
) -> None:
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
        "..\\controllers\\home.py",
        "entry.js/../../module.py",
        "entry.js%00.css",
        "%ff",
        "a" * 3000,
        "..",
        "page.html",
    ],
)
def test_nothing_outside_the_folder_is_served(site: Site, path: str) -> None:
    reply = site.stranger.call("GET", f"/perf-bench/{path}")
    assert reply.status in (404, 400), reply
    assert b"Traceback" not in reply.body
    assert b"root:" not in reply.body
    assert b"import" not in reply.body


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_files_are_for_reading(site: Site, method: str) -> None:
    assert site.stranger.call(method, "/perf-bench/entry.js", {}).status == 405


def test_a_hashed_file_is_kept_for_ever_and_sent_packed(site: Site) -> None:
    main = site.stranger.call("GET", "/perf-bench/manifest.json").json["main"]
    plain = site.stranger.call("GET", f"/perf-bench/{main}")
    assert plain.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert plain.headers["content-type"].startswith("text/javascript")
    assert plain.headers["x-content-type-options"] == "nosniff"
    packed = site.stranger.call(
        "GET", f"/perf-bench/{main}", headers={"Accept-Encoding": "gzip;q=0.5, identity"}
    )
    assert packed.headers["content-encoding"] == "gzip"
    assert gzip.decompress(packed.body) == plain.body
    assert len(packed.body) < len(plain.body) / 2
    none = site.stranger.call("GET", f"/perf-bench/{main}", headers={"Accept-Encoding": "gzip;q=0"})
    assert "content-encoding" not in none.headers


def test_the_entry_is_asked_for_anew_and_known_by_its_tag(site: Site) -> None:
    first = site.stranger.call("GET", "/perf-bench/entry.js")
    assert first.headers["cache-control"] == "no-cache"
    again = site.stranger.call(
        "GET", "/perf-bench/entry.js", headers={"If-None-Match": first.headers["etag"]}
    )
    assert (again.status, again.body) == (304, b"")
    other = site.stranger.call(
        "GET", "/perf-bench/entry.js", headers={"If-None-Match": '"another"'}
    )
    assert other.status == 200


def test_the_page_of_our_own_is_never_kept_and_has_a_fresh_nonce(site: Site) -> None:
    pages = [site.stranger.call("GET", "/perf-bench/") for _ in range(2)]
    assert all(page.headers["cache-control"] == "no-store" for page in pages)
    assert pages[0].body != pages[1].body
    for page in pages:
        policy = page.headers["content-security-policy"]
        nonce = policy.partition("'nonce-")[2].partition("'")[0]
        assert f'ngCspNonce="{nonce}"'.encode() in page.body
    moved = site.stranger.call("GET", "/perf-bench")
    assert (moved.status, moved.headers["location"]) == (302, "perf-bench/")
