"""Serves the metrics over HTTP, for a Prometheus that scrapes the active mgr directly.

It uses the server of the standard library. CherryPy has one engine and one configuration per
interpreter; Ceph 20 runs all modules in one interpreter, where the dashboard and the prometheus
module use that engine. That module serves no metrics of others.
"""

from __future__ import annotations

import io
import socket
import time
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, HTTPServer
from logging import Logger
from socketserver import TCPServer
from typing import Any, Callable, Optional

from ..core.workers import Workers
from ..errors import NotNow, PerfBenchError
from .metrics import CONTENT_TYPE

# Time limit of reading a request, and of sending the answer. One is answered after the other: there
# are usually one or two Prometheus servers.
PATIENCE_SECONDS = 5.0
_MOST_READ = 1 << 16
_STOP_SECONDS = 5.0
_PLAIN = "text/plain; charset=utf-8"


class MetricsServer:
    """Listens where the options say; no more than one server at a time."""

    def __init__(
        self,
        wanted: Callable[[], Optional[tuple[str, int]]],
        text: Callable[[], str],
        log: Logger,
    ) -> None:
        """``wanted`` returns address and port, None for no server; ``text`` makes the page."""
        self._wanted = wanted
        self._text = text
        self._log = log
        self._asked: Optional[tuple[str, int]] = None
        self._server: Optional[_Server] = None
        self._worker = Workers("perf-bench-metrics", 1)

    @property
    def port(self) -> Optional[int]:
        """The port on which it listens; None while it does not."""
        return self._server.server_address[1] if self._server else None

    def tick(self) -> None:
        """Listen where it shall; call it every few seconds, also to try again what failed.

        When a mgr becomes active its host may not have the address yet, and the mgr before may
        still have the port. Raises NotNow where it cannot listen. Waits for the look-up of names,
        and for the answer that the old server gives.
        """
        wanted = self._wanted()
        if self._server is not None and wanted == self._asked:
            return
        self._end_server()
        self._asked = wanted
        if wanted is None:
            return
        try:
            self._server = _Server(*wanted, self._text, self._log)
        except (OSError, OverflowError, UnicodeError) as error:
            why = getattr(error, "strerror", None) or str(error)
            raise NotNow(
                f"metrics are not served at {_shown(*wanted)}: {why}; "
                "choose another address or port"
            ) from None
        self._worker.submit(self._server.serve_forever)
        self._log.info("metrics are served at %s", _shown(*wanted))

    def leave(self) -> None:
        """End the server; one that begins meanwhile ends with the process."""
        self._end_server()
        self._worker.close(_STOP_SECONDS)

    def _end_server(self) -> None:
        server, self._server = self._server, None
        if server is not None:
            server.shutdown()
            server.server_close()


def _shown(address: str, port: int) -> str:
    is_bare = ":" in address and not address.startswith("[")
    return f"[{address}]:{port}" if is_bare else f"{address}:{port}"


class _Server(HTTPServer):
    def __init__(self, address: str, port: int, text: Callable[[], str], log: Logger) -> None:
        self.text = text
        self.log = log
        host = address.strip("[]") or "::"
        if host == "::" and not socket.has_dualstack_ipv6():
            host = "0.0.0.0"  # noqa: S104 - what the operator asked for, on a host without IPv6
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        super().__init__((host, port), _Handler)

    def server_bind(self) -> None:
        """Bind to the address; to all addresses means IPv4 and IPv6.

        HTTPServer's own method is not used: it asks DNS for the host's full name, which can block.
        """
        if self.address_family == socket.AF_INET6:
            self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        TCPServer.server_bind(self)

    def handle_error(self, _request: Any, client_address: Any) -> None:
        """A client that goes away or does not read costs nothing else, not even a line."""
        self.log.debug("%s asked for metrics and got none", client_address[0])


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = PATIENCE_SECONDS
    server_version = "perf_bench"
    sys_version = ""

    def setup(self) -> None:
        """Read the whole request within the time limit, however slowly it comes."""
        super().setup()
        ends, head = time.monotonic() + self.timeout, b""
        while b"\r\n\r\n" not in head and len(head) < _MOST_READ:
            self.connection.settimeout(max(0.001, ends - time.monotonic()))
            piece = self.connection.recv(_MOST_READ)
            if not piece:
                break
            head += piece
        self.connection.settimeout(self.timeout)
        self.rfile.close()
        self.rfile = io.BytesIO(head)

    def do_GET(self) -> None:
        if self.path.partition("?")[0] != "/metrics":
            self.send_error(HTTPStatus.NOT_FOUND, "the metrics are at /metrics")
            return
        status, content_type = HTTPStatus.OK, CONTENT_TYPE
        try:
            text = self.server.text()
        except Exception as error:
            status, content_type, text = HTTPStatus.SERVICE_UNAVAILABLE, _PLAIN, f"{error}\n"
            if not isinstance(error, PerfBenchError):
                self.server.log.exception("the metrics could not be made")
                status, text = (
                    HTTPStatus.INTERNAL_SERVER_ERROR,
                    "the log of the active mgr has why\n",
                )
        body = text.encode("utf-8", "replace")
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the library's name
        self.server.log.debug("metrics for %s: %s", self.client_address[0], format % args)
