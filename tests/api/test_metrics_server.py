"""The metrics over HTTP: served, moved, refused, ended without a trace."""

from __future__ import annotations

import http.client
import logging
import socket
import threading
import time
from collections.abc import Iterator

import pytest

import threads
from perf_bench.answers import metrics_server
from perf_bench.answers.metrics import CONTENT_TYPE
from perf_bench.answers.metrics_server import MetricsServer
from perf_bench.errors import NotNow, StoreUnavailable

LOOPBACK = "127.0.0.1"


class Page:
    """A page that can be made to fail, or to wait."""

    def __init__(self) -> None:
        self.error: Exception | None = None
        self.go = threading.Event()
        self.go.set()
        self.made = 0
        self.text = "ceph_perf_bench_info 1\n"

    def __call__(self) -> str:
        self.made += 1
        self.go.wait(threads.PATIENCE)
        if self.error:
            raise self.error
        return self.text


@pytest.fixture
def page() -> Iterator[Page]:
    made = Page()
    yield made
    made.go.set()


class Endpoint:
    """The server, and the option that says where it shall listen."""

    def __init__(self, page: Page) -> None:
        self.wanted: tuple[str, int] | None = None
        self.server = MetricsServer(lambda: self.wanted, page, logging.getLogger("endpoint"))

    def want(self, wanted: tuple[str, int] | None) -> str:
        """Change the option; returns why it cannot listen there."""
        self.wanted = wanted
        try:
            self.server.tick()
        except NotNow as error:
            return str(error)
        return ""


@pytest.fixture
def endpoint(page: Page) -> Iterator[Endpoint]:
    before = set(threading.enumerate())
    made = Endpoint(page)
    yield made
    page.go.set()
    made.server.leave()
    for thread in set(threading.enumerate()) - before:
        thread.join(threads.PATIENCE)
    assert set(threading.enumerate()) <= before


def serve(endpoint: Endpoint, address: str = LOOPBACK) -> int:
    assert endpoint.want((address, 0)) == ""
    assert endpoint.server.port is not None
    return endpoint.server.port


def get(
    port: int, path: str = "/metrics", host: str = LOOPBACK, how: str = "GET"
) -> tuple[int, str, str]:
    connection = http.client.HTTPConnection(host, port, timeout=threads.PATIENCE)
    try:
        connection.request(how, path)
        answer = connection.getresponse()
        return answer.status, answer.headers["Content-Type"], answer.read().decode()
    finally:
        connection.close()


def refused(port: int, host: str = LOOPBACK) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex((host, port)) != 0


def test_it_serves_what_the_command_prints(endpoint: Endpoint) -> None:
    port = serve(endpoint)
    assert get(port) == (200, CONTENT_TYPE, "ceph_perf_bench_info 1\n")
    assert get(port, "/metrics?x=1")[0] == 200
    status, _, text = get(port, "/")
    assert status == 404
    assert "the metrics are at /metrics" in text
    assert get(port, how="POST")[0] == 501


def test_every_address_means_both_families(endpoint: Endpoint) -> None:
    port = serve(endpoint, "::")
    assert get(port)[0] == 200
    if socket.has_dualstack_ipv6():
        assert get(port, host="::1")[0] == 200


def test_the_same_again_changes_nothing_another_place_moves_it(endpoint: Endpoint) -> None:
    first = serve(endpoint)
    assert serve(endpoint) == first
    second = serve(endpoint, "localhost")
    assert second != first
    assert refused(first)
    assert get(second)[0] == 200
    assert endpoint.want(None) == ""
    assert endpoint.server.port is None
    assert refused(second)


def test_a_port_in_use_is_one_sentence_and_later_it_works(endpoint: Endpoint) -> None:
    with socket.create_server((LOOPBACK, 0)) as other:
        port = other.getsockname()[1]
        problem = endpoint.want((LOOPBACK, port))
        assert problem == (
            f"metrics are not served at 127.0.0.1:{port}: Address already in use; "
            "choose another address or port"
        )
        assert endpoint.server.port is None
    assert endpoint.want((LOOPBACK, port)) == ""
    assert get(port)[0] == 200


def test_what_failed_is_not_tried_again_once_another_place_is_wanted(endpoint: Endpoint) -> None:
    with socket.create_server((LOOPBACK, 0)) as other:
        port = other.getsockname()[1]
        assert endpoint.want((LOOPBACK, port))
        elsewhere = serve(endpoint)
    endpoint.server.tick()
    assert refused(port)
    assert get(elsewhere)[0] == 200


@pytest.mark.parametrize(
    ("address", "port"),
    [
        ("192.0.2.1", 0),  # nobody's, by RFC 5737
        ("no such host", 0),
        ("x" * 300, 0),
        (LOOPBACK, 70000),
        (LOOPBACK, -1),
        ("2001:db8::1", 9999),
    ],
)
def test_an_impossible_place_is_one_sentence(endpoint: Endpoint, address: str, port: int) -> None:
    problem = endpoint.want((address, port))
    assert problem.startswith("metrics are not served at ")
    assert problem.endswith("; choose another address or port")
    assert "\n" not in problem


def test_what_cannot_be_told_is_a_503_and_what_breaks_a_500(endpoint: Endpoint, page: Page) -> None:
    port = serve(endpoint)
    page.error = StoreUnavailable("the database is away: try again")
    assert get(port)[::2] == (503, "the database is away: try again\n")
    page.error = ZeroDivisionError("secret")
    status, _, text = get(port)
    assert status == 500
    assert "secret" not in text
    page.error = None
    assert get(port)[0] == 200


def test_a_request_may_come_in_pieces(endpoint: Endpoint, page: Page) -> None:
    port = serve(endpoint)
    with socket.create_connection((LOOPBACK, port), timeout=threads.PATIENCE) as client:
        for piece in (b"GET /met", b"rics HTTP/1.0\r\n", b"\r\n"):
            client.sendall(piece)
            time.sleep(0.05)
        assert client.recv(12) == b"HTTP/1.0 200"


def test_a_client_that_goes_away_costs_nothing(endpoint: Endpoint, page: Page) -> None:
    port = serve(endpoint)
    page.go.clear()
    gone = socket.create_connection((LOOPBACK, port))
    gone.sendall(b"GET /metrics HTTP/1.1\r\n\r\n")
    gone.close()
    page.go.set()
    assert get(port)[0] == 200


def test_rubbish_is_refused(endpoint: Endpoint, capfd: pytest.CaptureFixture[str]) -> None:
    port = serve(endpoint)
    with socket.create_connection((LOOPBACK, port), timeout=threads.PATIENCE) as rude:
        rude.sendall(b"\x16\x03\x01\x02\x00\x01\r\n\r\n")
        assert rude.recv(9)
    assert get(port)[0] == 200
    assert capfd.readouterr().err == ""


def test_a_client_that_is_silent_or_slow_does_not_hold_others_up(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metrics_server._Handler, "timeout", 0.2)
    port = serve(endpoint)
    silent = socket.create_connection((LOOPBACK, port), timeout=threads.PATIENCE)
    slow = socket.create_connection((LOOPBACK, port), timeout=threads.PATIENCE)
    with silent, slow:
        slow.sendall(b"G")
        slow.sendall(b"E")
        assert get(port)[0] == 200
        assert silent.recv(1) == b""


def test_an_answer_that_nobody_reads_has_a_deadline(
    endpoint: Endpoint, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metrics_server._Handler, "timeout", 0.2)
    monkeypatch.setattr(page, "text", "x" * (64 << 20))
    port = serve(endpoint)
    with socket.create_connection((LOOPBACK, port)) as deaf:
        deaf.sendall(b"GET /metrics HTTP/1.0\r\n\r\n")
        threads.until(lambda: page.made == 1)
        assert get(port, "/")[0] == 404
