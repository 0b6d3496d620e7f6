"""The built tab over a simulated cluster: a page, the files of the bundle, and the REST API."""

from __future__ import annotations

import gzip
import json
import threading
import time
from collections.abc import Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from .cluster import Simulated, backend

_FILES = backend("_perf_bench_files")

DIST = Path(__file__).resolve().parents[2] / "dashboard_plugin" / "frontend" / "dist"
API = "/api/perf_bench/"
TYPE = "application/vnd.ceph.api.v1.0+json"
TICK = 5.0
RIGHTS = {"osd": ["read", "create", "delete"], "pool": ["create"], "config-opt": ["update"]}
# No script but our own files, and no inline style: the bundle must live with that.
_POLICY = "default-src 'self'; script-src 'self'; style-src 'self'; object-src 'none'"
_PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Perf Bench</title>
<meta name="viewport" content="width=device-width">
<script type="module" src="{main}"></script></head>
<body><perf-bench-app standalone permissions='{rights}' base-path="/api/perf_bench">
</perf-bench-app></body></html>"""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    cluster: Simulated

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        if path.startswith(API):
            self._answer("GET")
        elif path == "/":
            main = json.loads((DIST / "manifest.json").read_text(encoding="utf-8"))["main"]
            page = _PAGE.format(main=main, rights=json.dumps(RIGHTS)).encode()
            headers = {"Content-Type": "text/html", "Content-Security-Policy": _POLICY}
            self._send(HTTPStatus.OK, headers, page)
        else:
            self._file(path[1:])

    def do_POST(self) -> None:
        self._answer("POST")

    def do_DELETE(self) -> None:
        self._answer("DELETE")

    def log_message(self, *_: Any) -> None:
        """Keep quiet: the browser tells what it got."""

    def _answer(self, method: str) -> None:
        address = urlsplit(self.path)
        given: dict[str, Any] = dict(parse_qsl(address.query))
        size = int(self.headers.get("Content-Length") or 0)
        if size:
            given.update(json.loads(self.rfile.read(size)))
        found = self.cluster.ask(method, unquote(address.path)[len(API) :], given)
        headers = {"Content-Type": TYPE, "Content-Encoding": "gzip"}
        if found.total is not None:
            headers["X-Total-Count"] = str(found.total)
        body = gzip.compress(json.dumps(found.body).encode(), 6)
        self._send(found.status, headers, body)

    def _file(self, name: str) -> None:
        found = _FILES.find(DIST, name, self.headers.get("Accept-Encoding", ""), "")
        if found is None:
            self._send(HTTPStatus.NOT_FOUND, {}, b"")
        else:
            self._send(found.status, found.headers, found.body)

    def _send(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


class Server:
    """A server that has begun; its cluster lives on from now on, or stands ``still``."""

    def __init__(self, cluster: Simulated, port: int = 0, still: bool = False) -> None:
        self._cluster = cluster
        self._ended = threading.Event()
        handler = type("Handler", (_Handler,), {"cluster": cluster})
        self._http = ThreadingHTTPServer(("127.0.0.1", port), handler)
        self.port = self._http.server_port
        work = (self._http.serve_forever, *(() if still else (self._live,)))
        self._threads = [threading.Thread(target=one) for one in work]
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """Answer no more, and let the cluster rest."""
        self._ended.set()
        self._http.shutdown()
        for thread in self._threads:
            thread.join()
        self._http.server_close()

    def _live(self) -> None:
        """Let the cluster's time pass as ours does."""
        left = TICK
        while not self._ended.wait(left):
            began = time.monotonic()
            self._cluster.watches(TICK)
            left = max(0.0, TICK - (time.monotonic() - began))
