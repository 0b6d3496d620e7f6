# ceph-perf-bench: 'ceph-perf-bench install' puts this file here, 'uninstall' removes it.
"""The tab's own files as HTTP answers. Knows no web server."""

from __future__ import annotations

import hashlib
import re
import secrets
from pathlib import Path
from typing import NamedTuple, Optional

TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".woff2": "font/woff2",
}
_PACKED = {"br": ".br", "gzip": ".gz"}
# main-4KZQ7W2A.js: a name that changes with the content.
_HASHED = re.compile(r"-[\w-]{8}\.(css|js|svg|woff2)$")
_FOR_EVER = "public, max-age=31536000, immutable"
PAGE = "page.html"
TAG = b'<script type="module" src="perf-bench/entry.js"></script>'


class File(NamedTuple):
    """``body`` is empty when the browser has the file already (304)."""

    status: int
    headers: dict[str, str]
    body: bytes


def find(folder: Path, name: str, accept_encoding: str, known: str) -> Optional[File]:
    """The file of that name below ``folder``, None where there is none.

    ``known`` is the request's If-None-Match. A ``.br`` or ``.gz`` beside the file is sent to those
    who take it, and is no file of its own.
    """
    path = _inside(folder, name)
    if path is None:
        return None
    headers = {"Content-Type": TYPES[path.suffix], "Vary": "Accept-Encoding"}
    for coding, suffix in _PACKED.items():
        packed = path.with_name(path.name + suffix)
        if _takes(coding, accept_encoding) and packed.is_file():
            path = packed
            headers["Content-Encoding"] = coding
            break
    body = path.read_bytes()
    if _HASHED.search(name):
        return File(200, {**headers, "Cache-Control": _FOR_EVER}, body)
    tag = f'"{hashlib.sha256(body).hexdigest()[:20]}"'
    headers.update({"Cache-Control": "no-cache", "ETag": tag})
    has_it = tag in re.split(r"\s*,\s*", known.replace("W/", ""))
    return File(304, headers, b"") if has_it else File(200, headers, body)


def _inside(folder: Path, name: str) -> Optional[Path]:
    """The existing file below ``folder``, with every link and every ".." followed."""
    try:
        path, home = (folder / name).resolve(), folder.resolve()
        inside = home in path.parents and path.is_file()
    except (OSError, ValueError):  # too long a name, a zero byte in it
        return None
    return path if inside and path.suffix in TYPES and path.name != PAGE else None


def _takes(coding: str, accept_encoding: str) -> bool:
    for part in accept_encoding.lower().split(","):
        name, _, weight = part.replace(" ", "").partition(";q=")
        if name == coding:
            return not re.fullmatch(r"0(\.0*)?", weight)
    return False


def page(folder: Path) -> Optional[File]:
    """The stand-alone page, None when it is not installed.

    Scripts come from here alone. Styles too, but for those of the components, which carry the
    nonce of this one answer; so it is never kept.
    """
    path = folder / PAGE
    if not path.is_file():
        return None
    nonce = secrets.token_urlsafe(16)
    policy = {
        "default-src": "'self'",
        "style-src": f"'self' 'nonce-{nonce}'",
        "img-src": "'self' data:",
        "object-src": "'none'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'self'",
    }
    headers = {
        "Content-Type": TYPES[".html"],
        "Cache-Control": "no-store",
        "Content-Security-Policy": "; ".join(f"{name} {what}" for name, what in policy.items()),
    }
    return File(200, headers, path.read_text(encoding="utf-8").replace("NONCE", nonce).encode())


def with_tag(html: bytes) -> bytes:
    """A page of the host with our script, before its own; unchanged where there is no head."""
    if TAG in html:
        return html
    return re.sub(rb"<head(\s[^>]*)?>", lambda head: head.group() + TAG, html, count=1)
