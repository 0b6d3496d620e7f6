"""Serves the metrics over HTTP, for a Prometheus that scrapes the active mgr directly.

It uses the server of the standard library. CherryPy has one engine and one configuration per
interpreter; Ceph 20 runs all modules in one interpreter, where the dashboard and the prometheus
module use that engine.
"""

from __future__ import annotations

import contextlib
import logging
import math
import socket
import threading
import time
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Optional

from ..errors import PerfBenchError

# Time limit of a request, from the connection to the last byte of the answer, also for a client
# that sends or reads slowly.
PATIENCE_SECONDS = 10.0
# Maximum number of requests at the same time, in all and from one address: there are usually one
# or two Prometheus servers.
MOST_REQUESTS = 8
MOST_OF_ONE = 4
# A page is reused for this time.
PAGE_SECONDS = 5.0
_STOP_SECONDS = 5.0
# Seconds until an address or port that could not be had is tried again.
AGAIN_SECONDS = 10.0

Text = Callable[[], str]
# Makes an answer: status, content type, text.
Page = Callable[[], tuple[HTTPStatus, str, str]]


class Endpoint:
    """At most one server at a time; ``text`` makes the page, on the thread of a request."""

    def __init__(self, text: Text, content_type: str, log: logging.Logger) -> None:
        self._text = text
        self._type = content_type
        self._log = log
        self._server: Optional[_Server] = None
        self._thread: Optional[threading.Thread] = None
        self._asked: Optional[tuple[str, int]] = None
        # Held while the server is started or stopped: several threads do that.
        self._changing = threading.Lock()
        # Ends the tries after a failed start.
        self._again = threading.Event()
        self._making = threading.Lock()
        self._made: tuple[HTTPStatus, str, str] = (HTTPStatus.OK, "", "")
        self._made_at = -math.inf

    @property
    def address(self) -> Optional[tuple[str, int]]:
        """The address and port on which it listens; None while it does not."""
        return self._server.place if self._server else None

    @property
    def connections(self) -> int:
        """The current number of connections."""
        return self._server.connections if self._server else 0

    def configure(self, wanted: Optional[tuple[str, int]]) -> str:
        """Listen at (address, port), or stop listening (None).

        Returns the reason if it cannot, else an empty string. The same address changes nothing;
        after a failure it tries again until it succeeds: when a mgr becomes active its host may
        not have the address yet, and the mgr before may still have the port. Waits at most 5 s
        for the old server to end.
        """
        with self._changing:
            if wanted is not None and wanted == self._asked and self._server is not None:
                return ""
            self._end_server()
            problem = "" if wanted is None else self._try(wanted)
            if wanted is not None and problem:
                self._again = threading.Event()
                threading.Thread(
                    target=self._try_again,
                    args=(wanted, self._again),
                    name="perf-bench-metrics-again",
                    daemon=True,
                ).start()
            return problem

    def _try(self, wanted: tuple[str, int]) -> str:
        """Start the server; returns the reason if it cannot be started."""
        try:
            self._start(*wanted)
        except (OSError, OverflowError, UnicodeError) as error:
            where = f"{_bracketed(wanted[0])}:{wanted[1]}"
            why = getattr(error, "strerror", None) or str(error)
            return f"metrics are not served at {where}: {why}; choose another address or port"
        self._asked = wanted
        return ""

    def _try_again(self, wanted: tuple[str, int], ended: threading.Event) -> None:
        """Try again every few seconds until it succeeds, or until ``ended`` is set."""
        while not ended.wait(AGAIN_SECONDS):
            with self._changing:
                if ended.is_set():
                    return
                failed = self._try(wanted)
                if ended.is_set():  # ``stop`` did not wait for the look-up of a name
                    self._end_server()
                    return
                if not failed:
                    where = f"{_bracketed(wanted[0])}:{wanted[1]}"
                    self._log.info("metrics are served at %s now", where)
                    return

    def _start(self, address: str, port: int) -> None:
        family, host = _resolved(address, port)
        self._server = _Server(family, (host, port), self._page, self._log)
        self._thread = threading.Thread(
            target=self._server.serve_forever, name="perf-bench-metrics", daemon=True
        )
        self._thread.start()

    def stop(self) -> None:
        """Stop the server, if there is one, and end its requests."""
        self._again.set()
        # The name of an address that is tried again may be looked up for long.
        if self._changing.acquire(timeout=_STOP_SECONDS):
            try:
                self._end_server()
            finally:
                self._changing.release()

    def _end_server(self) -> None:
        self._again.set()
        server, thread = self._server, self._thread
        self._server = self._thread = self._asked = None
        if server is None or thread is None:
            return
        server.shutdown()
        server.server_close()
        server.hang_up()
        thread.join(_STOP_SECONDS)

    def _page(self) -> tuple[HTTPStatus, str, str]:
        """Return the page, at most PAGE_SECONDS old; one thread makes it while others wait."""
        with self._making:
            if time.monotonic() - self._made_at >= PAGE_SECONDS:
                self._made = self._make_page()
                self._made_at = time.monotonic()
            return self._made

    def _make_page(self) -> tuple[HTTPStatus, str, str]:
        try:
            return HTTPStatus.OK, self._type, self._text()
        except PerfBenchError as error:
            return HTTPStatus.SERVICE_UNAVAILABLE, _PLAIN, f"{error}\n"
        except Exception:  # noqa: BLE001 - any error is logged, and the server continues
            self._log.exception("the metrics could not be made")
            return HTTPStatus.INTERNAL_SERVER_ERROR, _PLAIN, "the log of the active mgr has why\n"


_PLAIN = "text/plain; charset=utf-8"
_INDEX = "perf_bench: the metrics are at /metrics\n"


def _resolved(address: str, port: int) -> tuple[socket.AddressFamily, str]:
    """Return the address family and the numeric address; resolves names."""
    host = address.strip("[]") or "::"
    if host == "::" and not socket.has_dualstack_ipv6():
        host = "0.0.0.0"  # noqa: S104 - what the operator asked for, on a host without IPv6
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    family, _, _, _, place = found[0]
    return family, str(place[0])


def _bracketed(address: str) -> str:
    return f"[{address}]" if ":" in address and not address.startswith("[") else address


class _Server(ThreadingHTTPServer):
    """Serves each request on its own thread, with a limited number of requests."""

    daemon_threads = True

    def __init__(
        self,
        family: socket.AddressFamily,
        place: tuple[str, int],
        page: Page,
        log: logging.Logger,
    ) -> None:
        self.address_family = family
        self.page = page
        self.log = log
        self.place = place
        # By connection: the client's address, and the end of its time limit (monotonic seconds).
        self._open: dict[socket.socket, tuple[str, float]] = {}
        self._lock = threading.Lock()
        super().__init__(place, _Handler)

    @property
    def connections(self) -> int:
        return len(self._open)

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
        self.server_port = self.server_address[1]
        self.server_name = self.place[0]
        self.place = (self.server_name, self.server_port)

    def process_request(self, request: Any, client_address: Any) -> None:
        address, until = client_address[0], time.monotonic() + PATIENCE_SECONDS
        with self._lock:
            of_one = sum(host == address for host, _ in self._open.values())
            is_full = len(self._open) >= MOST_REQUESTS or of_one >= MOST_OF_ONE
            if not is_full:
                self._open[request] = address, until
        if is_full:
            self.shutdown_request(request)
            return
        try:
            super().process_request(request, client_address)
        except RuntimeError:  # no thread can be started
            self._forget(request)
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._forget(request)

    def service_actions(self) -> None:
        """End the connections whose time limit has passed; called twice a second."""
        self._end(time.monotonic())

    def hang_up(self) -> None:
        """End all connections; their threads end, too."""
        self._end(math.inf)

    def _end(self, now: float) -> None:
        with self._lock:
            for request, (_, until) in self._open.items():
                if until <= now:
                    with contextlib.suppress(OSError):  # gone already
                        request.shutdown(socket.SHUT_RDWR)

    def _forget(self, request: socket.socket) -> None:
        with self._lock:
            self._open.pop(request, None)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Log a client that disconnected early at debug level, instead of on the mgr's stderr."""
        self.log.debug("%s asked for metrics and went away (%s)", client_address[0], request)


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = PATIENCE_SECONDS
    server_version = "perf_bench"
    sys_version = ""

    def do_GET(self) -> None:
        pages: dict[str, Page] = {"/metrics": self.server.page, "/": _index}
        page = pages.get(self.path.partition("?")[0], _not_found)
        status, content_type, text = page()
        body = text.encode("utf-8", "replace")
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_HEAD = do_GET  # noqa: N815 - the library's name

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the library's name
        self.server.log.debug("metrics for %s: %s", self.client_address[0], format % args)


def _index() -> tuple[HTTPStatus, str, str]:
    return HTTPStatus.OK, _PLAIN, _INDEX


def _not_found() -> tuple[HTTPStatus, str, str]:
    return HTTPStatus.NOT_FOUND, _PLAIN, _INDEX
