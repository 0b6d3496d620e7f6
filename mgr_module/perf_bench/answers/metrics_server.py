"""Serves the metrics over HTTP, for a Prometheus that scrapes the active mgr directly.

It uses the server of the standard library. CherryPy has one engine and one configuration per
interpreter; Ceph 20 runs all modules in one interpreter, where the dashboard and the prometheus
module use that engine.
"""

from __future__ import annotations

import logging
import math
import socket
import time
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any, Callable, NamedTuple, Optional

from ..core.workers import Workers
from ..errors import NotNow, PerfBenchError

# Time limit of a request, from the connection to the last byte of the answer, also for a client
# that sends or reads slowly.
PATIENCE_SECONDS = 10.0
# More requests at the same time are hung up on: there are usually one or two Prometheus servers.
MOST_REQUESTS = 8
# A page is reused for this time.
PAGE_SECONDS = 5.0
_STOP_SECONDS = 5.0

_PLAIN = "text/plain; charset=utf-8"


class Page(NamedTuple):
    """An answer."""

    status: HTTPStatus
    content_type: str
    text: str


_INDEX = Page(HTTPStatus.OK, _PLAIN, "perf_bench: the metrics are at /metrics\n")


class MetricsServer:
    """Listens where the options say; no more than one server at a time."""

    def __init__(
        self,
        wanted: Callable[[], Optional[tuple[str, int]]],
        text: Callable[[], str],
        content_type: str,
        log: logging.Logger,
    ) -> None:
        """``wanted`` returns address and port, None for no server; ``text`` makes the page."""
        self._wanted = wanted
        self._text = text
        self._type = content_type
        self._log = log
        self._asked: Optional[tuple[str, int]] = None
        self._server: Optional[_Server] = None
        self._left = False
        # One thread makes pages: who asks meanwhile gets the same one.
        self._maker = Workers("perf-bench-metrics-page", 1)
        self._made = Page(HTTPStatus.OK, "", "")
        self._made_at = -math.inf

    @property
    def address(self) -> Optional[tuple[str, int]]:
        """The address and port on which it listens; None while it does not."""
        return self._server.place if self._server else None

    @property
    def connections(self) -> int:
        """The current number of connections."""
        return len(self._server.open) if self._server else 0

    def tick(self) -> None:
        """Listen where it shall; call it every few seconds, also to try again what failed.

        When a mgr becomes active its host may not have the address yet, and the mgr before may
        still have the port. Raises NotNow where it cannot listen. Waits for the look-up of names,
        and at most 5 s for the old server to end.
        """
        wanted = self._wanted()
        if wanted == self._asked and (self._server is not None) == (wanted is not None):
            return
        self._end_server()
        self._asked = wanted
        if wanted is None:
            return
        try:
            self._server = _Server(*wanted, self._page, self._log)
        except (OSError, OverflowError, UnicodeError) as error:
            why = getattr(error, "strerror", None) or str(error)
            raise NotNow(
                f"metrics are not served at {_shown(*wanted)}: {why}; "
                "choose another address or port"
            ) from None
        if self._left:  # ``leave`` did not wait for the look-up of a name
            self._end_server()
        else:
            self._log.info("metrics are served at %s", _shown(*wanted))

    def leave(self) -> None:
        """End the server and its requests; none is begun any more."""
        self._left = True
        self._end_server()
        self._maker.close(_STOP_SECONDS)

    def _end_server(self) -> None:
        server, self._server = self._server, None
        if server is not None:
            server.leave()

    def _page(self) -> Page:
        """Return the page, at most PAGE_SECONDS old."""
        return self._maker.submit(self._kept_page).result(PATIENCE_SECONDS)

    def _kept_page(self) -> Page:
        if time.monotonic() - self._made_at >= PAGE_SECONDS:
            self._made = self._make_page()
            self._made_at = time.monotonic()
        return self._made

    def _make_page(self) -> Page:
        try:
            return Page(HTTPStatus.OK, self._type, self._text())
        except PerfBenchError as error:
            return Page(HTTPStatus.SERVICE_UNAVAILABLE, _PLAIN, f"{error}\n")
        except Exception:  # noqa: BLE001 - any error is logged, and the server continues
            self._log.exception("the metrics could not be made")
            return Page(
                HTTPStatus.INTERNAL_SERVER_ERROR, _PLAIN, "the log of the active mgr has why\n"
            )


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
    """Serves each request on a worker, with a limited number of requests."""

    def __init__(
        self, address: str, port: int, page: Callable[[], Page], log: logging.Logger
    ) -> None:
        self.address_family, host = _resolved(address, port)
        self.page = page
        self.log = log
        self.place = (host, port)
        # By connection the end of its time limit (monotonic seconds).
        self.open: dict[Any, float] = {}
        super().__init__(self.place, _Handler)
        self._workers = Workers("perf-bench-metrics", MOST_REQUESTS + 1)
        self._workers.submit(self.serve_forever)

    def server_bind(self) -> None:
        """Bind to the address; to all addresses means IPv4 and IPv6.

        HTTPServer's own method is not used: it asks DNS for the host's full name, which can block.
        """
        if self.address_family == socket.AF_INET6:
            self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.place)
        # The actual port if port 0 was requested.
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = self.place[0], self.server_address[1]
        self.place = (self.server_name, self.server_port)

    def leave(self) -> None:
        """Stop listening, and end all connections with their threads."""
        self.shutdown()
        self.server_close()
        self._end(math.inf)
        self._workers.close(_STOP_SECONDS)

    def process_request(self, request: Any, client_address: Any) -> None:
        if len(self.open) >= MOST_REQUESTS:
            self.shutdown_request(request)
            return
        self.open[request] = time.monotonic() + PATIENCE_SECONDS
        self._workers.submit(partial(self._serve, request, client_address))

    def _serve(self, request: Any, client_address: Any) -> None:
        try:
            self.finish_request(request, client_address)
        except Exception:  # noqa: BLE001 - a client that disconnects costs nothing else
            self.log.debug("%s asked for metrics and went away", client_address[0])
        finally:
            self.shutdown_request(request)
            self.open.pop(request, None)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Log at debug level, instead of on the mgr's stderr, that a request was not served."""
        self.open.pop(request, None)
        self.log.debug("%s asked for metrics and got none", client_address[0])

    def service_actions(self) -> None:
        """End the connections whose time limit has passed; called twice a second."""
        self._end(time.monotonic())

    def _end(self, now: float) -> None:
        for request, until in list(self.open.items()):
            if until <= now:
                with suppress(OSError):  # gone already
                    request.shutdown(socket.SHUT_RDWR)


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = PATIENCE_SECONDS
    server_version = "perf_bench"
    sys_version = ""

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if path == "/metrics":
            page = self.server.page()
        else:
            page = _INDEX if path == "/" else _INDEX._replace(status=HTTPStatus.NOT_FOUND)
        body = page.text.encode("utf-8", "replace")
        self.send_response(page.status)
        self.send_header("Content-Type", page.content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_HEAD = do_GET  # noqa: N815 - the library's name

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the library's name
        self.server.log.debug("metrics for %s: %s", self.client_address[0], format % args)
