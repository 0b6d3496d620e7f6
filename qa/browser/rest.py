"""The dashboard's REST API as a script sees it."""

from __future__ import annotations

import http.client
import json
import time
from dataclasses import dataclass
from typing import Any, Optional
from urllib.parse import urlsplit

ACCEPT = "application/vnd.ceph.api.v1.0+json"
API = "/api/perf_bench"
# Seconds in which a mgr that had no answer may find one.
_AWAY_SECONDS = 120.0


@dataclass(frozen=True)
class Reply:
    """What came back; ``headers`` by their names in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Rest:
    """One user's session with the dashboard at ``url``; without ``log_in`` a stranger's.

    Each request has a connection of its own, as a script's has, unless it ``keeps`` one, as a
    browser does; then of one thread only.
    """

    def __init__(self, url: str, *, keeps: bool = False) -> None:
        self.url = url
        self.token = ""
        self._keeps = keeps
        self._kept: Optional[http.client.HTTPConnection] = None

    def log_in(self, user: str, password: str) -> Rest:
        reply = self.call("POST", "/api/auth", {"username": user, "password": password})
        assert reply.status == 201, reply
        self.token = reply.json["token"]
        return self

    def call(
        self, method: str, path: str, body: Any = None, headers: Optional[dict[str, str]] = None
    ) -> Reply:
        """One request, no redirect followed; ``body`` is sent as JSON unless it is bytes."""
        sent = {"Accept": ACCEPT, **(headers or {})}
        if self.token:
            sent["Authorization"] = f"Bearer {self.token}"
        if body is not None:
            sent.setdefault("Content-Type", "application/json")
            body = body if isinstance(body, bytes) else json.dumps(body)
        if self._kept:
            try:
                return self._ask(self._kept, method, path, body, sent)
            except http.client.RemoteDisconnected:  # it was idle for too long
                pass
        connection = http.client.HTTPConnection(urlsplit(self.url).netloc, timeout=120)
        return self._ask(connection, method, path, body, sent)

    def _ask(self, connection: http.client.HTTPConnection, *request: Any) -> Reply:
        self._kept = None
        try:
            connection.request(*request)
            answer = connection.getresponse()
            found = {name.lower(): value for name, value in answer.getheaders()}
            reply = Reply(answer.status, found, answer.read())
            self._kept = connection if self._keeps else None
            return reply
        finally:
            if self._kept is None:
                connection.close()

    def close(self) -> None:
        """End a connection that is kept."""
        if self._kept:
            self._kept.close()

    def get(self, path: str) -> Reply:
        """A GET below our API."""
        return self.call("GET", API + path)

    def post(self, path: str, body: Any = None) -> Reply:
        """A POST below our API."""
        return self.call("POST", API + path, {} if body is None else body)


class PatientRest(Rest):
    """Asks again what changes nothing, while the module or its database gives no answer.

    A module that is switched off is an answer.
    """

    def call(
        self, method: str, path: str, body: Any = None, headers: Optional[dict[str, str]] = None
    ) -> Reply:
        reads = method == "GET" or (isinstance(body, dict) and body.get("dry_run") is True)
        deadline = time.monotonic() + _AWAY_SECONDS
        while True:
            reply = super().call(method, path, body, headers)
            away = reply.status in (503, 504) and b"ceph mgr module enable" not in reply.body
            if not (reads and away) or time.monotonic() >= deadline:
                return reply
            time.sleep(0.5)
