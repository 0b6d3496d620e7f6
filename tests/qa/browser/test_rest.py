"""Connections of a user of the dashboard's REST API."""

from __future__ import annotations

import http.server
import threading
import time
from collections.abc import Iterator

import pytest

from browser import rest
from browser.rest import PatientRest, Reply, Rest

OFF = b'{"detail": "switch it on with \'ceph mgr module enable perf_bench\'"}'


class _Dashboard(http.server.ThreadingHTTPServer):
    daemon_threads = True
    connections = 0


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Dashboard

    def setup(self) -> None:
        self.server.connections += 1
        super().setup()

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")
        # The dashboard ends a connection without a word, as after ten idle seconds.
        self.close_connection = self.path.endswith("/last")

    def log_request(self, *_args: object) -> None:
        """Nothing."""


@pytest.fixture
def dashboard() -> Iterator[_Dashboard]:
    server = _Dashboard(("127.0.0.1", 0), _Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def _url(dashboard: _Dashboard) -> str:
    return f"http://127.0.0.1:{dashboard.server_address[1]}"


@pytest.mark.parametrize(("keeps", "connections"), [(False, 3), (True, 1)])
def test_a_connection_is_kept_where_that_is_asked_for(
    dashboard: _Dashboard, keeps: bool, connections: int
) -> None:
    user = Rest(_url(dashboard), keeps=keeps)
    for _ in range(3):
        assert user.get("/status").json == {}
    user.close()
    assert dashboard.connections == connections


def test_a_kept_connection_that_the_dashboard_ended_is_made_anew(dashboard: _Dashboard) -> None:
    user = Rest(_url(dashboard), keeps=True)
    user.get("/last")
    assert user.get("/status").status == 200
    user.close()
    assert dashboard.connections == 2


@pytest.mark.parametrize(
    ("method", "body", "answers", "status"),
    [
        ("GET", None, [(503, b""), (504, b"{}"), (200, b"{}")], 200),
        ("POST", {"dry_run": True}, [(503, b""), (200, b"{}")], 200),
        # it may have been done
        ("POST", {"dry_run": False}, [(503, b"")], 503),
        ("DELETE", None, [(504, b"")], 504),
        ("GET", None, [(503, OFF)], 503),
        ("GET", None, [(404, b"")], 404),
    ],
)
def test_what_changes_nothing_is_asked_until_there_is_an_answer(
    monkeypatch: pytest.MonkeyPatch,
    method: str,
    body: object,
    answers: list[tuple[int, bytes]],
    status: int,
) -> None:
    left = [Reply(code, {}, text) for code, text in answers]
    monkeypatch.setattr(Rest, "call", lambda *_: left.pop(0))
    monkeypatch.setattr(time, "sleep", lambda _seconds: None)
    assert PatientRest("").call(method, "/api/perf_bench/round", body).status == status
    assert left == []


def test_no_answer_for_long_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Rest, "call", lambda *_: Reply(503, {}, b""))
    monkeypatch.setattr(rest, "_AWAY_SECONDS", 0.0)
    assert PatientRest("").get("/status").status == 503
