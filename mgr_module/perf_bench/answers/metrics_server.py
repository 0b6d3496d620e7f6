"""Serves the metrics over HTTP, for a Prometheus that scrapes the active mgr directly.

It uses the server of the standard library. CherryPy has one engine and one configuration per
interpreter; Ceph 20 runs all modules in one interpreter, where the dashboard and the prometheus
module use that engine. That module serves no metrics of others.
"""

from __future__ import annotations

import io
import logging
import socket
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, HTTPServer
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
_INDEX = "perf_bench: the metrics are at /metrics\n"


class MetricsServer:
    """Listens where the options say; no more than one server at a time."""

    def __init__(
        self,
        wanted: Callable[[], Optional[tuple[str, int]]],
        text: Callable[[], str],
        log: logging.Logger,
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


def _resolved(address: str, port: int) -> tuple[socket.AddressFamily, str]:
    """Return the address family and the numeric address; resolves names."""
    host = address.strip("[]") or "::"
    if host == "::" and not socket.has_dualstack_ipv6():
        host = "0.0.0.0"  # noqa: S104 - what the operator asked for, on a host without IPv6
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    family, _, _, _, place = found[0]
    return family, str(place[0])


def _shown(address: str, port: int) -> str:
    is_bare = ":" in address and not address.startswith("[")
    return f"[{address}]:{port}" if is_bare else f"{address}:{port}"


class _Server(HTTPServer):
    def __init__(
        self, address: str, port: int, text: Callable[[], str], log: logging.Logger
    ) -> None:
        self.text = text
        self.log = log
        self.address_family, host = _resolved(address, port)
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
        """Read once: a client that sends a byte now and then would hold the others up."""
        super().setup()
        self.rfile.close()
        self.rfile = io.BytesIO(self.connection.recv(_MOST_READ))

    def do_GET(self) -> None:
        status, content_type, text = HTTPStatus.OK, _PLAIN, _INDEX
        path = self.path.partition("?")[0]
        if path == "/metrics":
            status, content_type, text = self._metrics()
        elif path != "/":
            status = HTTPStatus.NOT_FOUND
        body = text.encode("utf-8", "replace")
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_HEAD = do_GET  # noqa: N815 - the library's name

    def _metrics(self) -> tuple[HTTPStatus, str, str]:
        try:
            return HTTPStatus.OK, CONTENT_TYPE, self.server.text()
        except PerfBenchError as error:
            return HTTPStatus.SERVICE_UNAVAILABLE, _PLAIN, f"{error}\n"
        except Exception:
            self.server.log.exception("the metrics could not be made")
            return HTTPStatus.INTERNAL_SERVER_ERROR, _PLAIN, "the log of the active mgr has why\n"

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the library's name
        self.server.log.debug("metrics for %s: %s", self.client_address[0], format % args)
