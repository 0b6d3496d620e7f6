"""Connections of a user of the dashboard's REST API."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator

import pytest

from browser.rest import Rest


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
