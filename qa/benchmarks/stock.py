"""The dashboard as Ceph packages it, on a fake back end with as many OSDs as the tab's.

The answers are those of a real dashboard of Ceph 16.2.15 (stock_answers.json), its one OSD made
many. What it asks beyond them gets an empty answer.
"""

from __future__ import annotations

import copy
import gzip
import json
import random
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

DIST = Path("/usr/share/ceph/mgr/dashboard/frontend/dist/en-US")
_ANSWERS = Path(__file__).with_name("stock_answers.json")
_TYPES = {
    ".html": "text/html",
    ".js": "text/javascript",
    ".css": "text/css",
    ".svg": "image/svg+xml",
}
# What the dashboard's web server compresses with.
_LEVEL = 5
_PER_HOST = 24
_API = "application/vnd.ceph.api.v1.0+json"


class Answer(NamedTuple):
    """Compressed."""

    status: int
    kind: str
    body: bytes


@contextmanager
def stock(osds: int) -> Iterator[str]:
    """The address of a stock dashboard of that many OSDs."""
    answers = _answers(osds)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._answer()

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self._answer()

        do_PUT = do_POST  # noqa: N815 - the library calls it so

        def _answer(self) -> None:
            path = self.path.split("?")[0]
            found = answers.get(f"{self.command} {path}") or _file(path)
            self.send_response(found.status)
            self.send_header("Content-Type", found.kind)
            self.send_header("Content-Encoding", "gzip")
            self.send_header("Content-Length", str(len(found.body)))
            # As the dashboard sends its files: they are asked for again, and not sent again.
            self.send_header(
                "Cache-Control", "max-age=3600" if path.endswith(".js") else "no-cache"
            )
            self.end_headers()
            self.wfile.write(found.body)

        def log_message(self, *_: Any) -> None:
            """Nothing: whoever wants the requests has them in the browser."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _answers(osds: int) -> dict[str, Answer]:
    known = json.loads(_ANSWERS.read_text(encoding="utf-8"))
    (pattern,) = known["GET /api/osd"]["body"]
    dice = random.Random(7)  # noqa: S311 - the same cluster each time
    known["GET /api/osd"]["body"] = [osd_like(pattern, number, dice) for number in range(osds)]
    return {
        question: Answer(answer["status"], _API, _packed(json.dumps(answer["body"]).encode()))
        for question, answer in known.items()
    }


def osd_like(pattern: dict[str, Any], number: int, dice: random.Random) -> dict[str, Any]:
    """Another OSD of the same shape, with figures of its own."""
    osd: dict[str, Any] = copy.deepcopy(pattern)
    host = number // _PER_HOST
    osd["osd"] = osd["id"] = osd["osd_stats"]["osd"] = osd["tree"]["id"] = number
    osd["tree"]["name"] = f"osd.{number}"
    osd["uuid"] = str(uuid.UUID(int=dice.getrandbits(128)))
    first = host * _PER_HOST
    osd["host"].update(
        id=-2 - host, name=f"host-{host}", children=list(range(first, first + _PER_HOST))
    )
    osd["osd_stats"].update(num_pgs=dice.randrange(80, 130), kb_used=dice.randrange(8_000_000))
    osd["stats"].update(numpg=osd["osd_stats"]["num_pgs"])
    for series in osd["stats_history"].values():
        for point in series:
            point[1] = round(dice.uniform(0, 500), 6)
    return osd


def _file(path: str) -> Answer:
    file = DIST / (path.lstrip("/") or "index.html")
    if DIST not in file.resolve().parents or not file.is_file():
        return Answer(200 if "api/" in path else 404, _API, _packed(b"[]"))
    kind = _TYPES.get(file.suffix, "application/octet-stream")
    return Answer(200, kind, _packed(file.read_bytes()))


def _packed(body: bytes) -> bytes:
    return gzip.compress(body, _LEVEL)
