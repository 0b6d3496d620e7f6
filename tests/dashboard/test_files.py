"""Which file is sent, and how; nothing outside the folder is."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

CODE = b"export const one = 1;"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    static = tmp_path / "static"
    (static / "media").mkdir(parents=True)
    (static / "entry.js").write_bytes(CODE)
    (static / "main-ABCD1234.js").write_bytes(CODE)
    (static / "main-ABCD1234.js.gz").write_bytes(b"gzipped")
    (static / "main-ABCD1234.js.br").write_bytes(b"brotlied")
    (static / "media" / "sign-a_b-c_d1.svg").write_bytes(b"<svg/>")
    (static / "page.html").write_text('<body ngCspNonce="NONCE">')
    (static / "notes.md").write_text("not for browsers")
    (tmp_path / "secret.js").write_text("secret")
    (static / "link.js").symlink_to(tmp_path / "secret.js")
    return static


@pytest.mark.parametrize(
    "name",
    [
        "../secret.js",
        "media/../../secret.js",
        "link.js",
        "/etc/passwd",
        "entry.js/",
        "entry.js/x",
        "entry.js\0.css",
        "media",
        "",
        ".",
        "..",
        "nothing.js",
        "page.html",
        "notes.md",
        "main-ABCD1234.js.gz",
        "x" * 5000,
        "\ud800.js",
    ],
)
def test_what_is_not_there(files: ModuleType, folder: Path, name: str) -> None:
    found = files.find(folder, name, "", "")
    assert found is None or (name == "entry.js/" and found.body == CODE)


def test_an_absolute_name_of_a_file_inside_is_that_file_and_outside_is_none(
    files: ModuleType, folder: Path
) -> None:
    assert files.find(folder, str(folder.parent / "secret.js"), "", "") is None


@pytest.mark.parametrize(
    ("accepts", "coding"),
    [
        ("", None),
        ("identity", None),
        ("gzip", "gzip"),
        ("GZIP, deflate", "gzip"),
        ("gzip, deflate, br", "br"),
        ("br;q=0, gzip;q=0.3", "gzip"),
        ("gzip;q=0.000", None),
        ("x-gzip", None),
    ],
)
def test_the_packed_file_goes_to_those_who_take_it(
    files: ModuleType, folder: Path, accepts: str, coding: Any
) -> None:
    found = files.find(folder, "main-ABCD1234.js", accepts, "")
    assert found.headers.get("Content-Encoding") == coding
    assert found.body == {None: CODE, "gzip": b"gzipped", "br": b"brotlied"}[coding]
    assert found.headers["Vary"] == "Accept-Encoding"
    assert files.find(folder, "entry.js", accepts, "").body == CODE  # has none


@pytest.mark.parametrize("name", ["main-ABCD1234.js", "media/sign-a_b-c_d1.svg"])
def test_a_hashed_name_is_kept_for_ever(files: ModuleType, folder: Path, name: str) -> None:
    headers = files.find(folder, name, "", "").headers
    assert headers["Cache-Control"] == "public, max-age=31536000, immutable"


def test_any_other_is_asked_for_and_known_by_its_tag(files: ModuleType, folder: Path) -> None:
    first = files.find(folder, "entry.js", "", "")
    tag = first.headers["ETag"]
    assert first.headers["Cache-Control"] == "no-cache"
    for known in (tag, f'"x", {tag}', f"W/{tag}"):
        again = files.find(folder, "entry.js", "", known)
        assert (again.status, again.body) == (304, b"")
    (folder / "entry.js").write_bytes(b"changed")
    assert files.find(folder, "entry.js", "", tag).status == 200


def test_the_page_has_a_nonce_of_its_own_each_time(files: ModuleType, folder: Path) -> None:
    pages = [files.page(folder) for _ in range(2)]
    nonces = {page.headers["Content-Security-Policy"].split("'nonce-")[1][:22] for page in pages}
    assert len(nonces) == 2
    assert all(nonce.encode() in b"".join(page.body for page in pages) for nonce in nonces)
    assert files.page(folder / "media") is None


@pytest.mark.parametrize(
    ("html", "becomes"),
    [
        (b"<html><head><title>x", b"<html><head>TAG<title>x"),
        (b'<head data-a="b">\n<script>', b'<head data-a="b">TAG\n<script>'),
        (b"<header></header>", b"<header></header>"),
        (b"<html><head>TAG", b"<html><head>TAG"),
        (b"<head><head>", b"<head>TAG<head>"),
        (b"", b""),
    ],
)
def test_the_tag_stands_first_in_the_head_once(
    files: ModuleType, html: bytes, becomes: bytes
) -> None:
    tag = files.TAG
    assert files.with_tag(html.replace(b"TAG", tag)) == becomes.replace(b"TAG", tag)
