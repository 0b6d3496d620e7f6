"""Which mgr has which files, and a cluster that is brought to have those of this host."""

from __future__ import annotations

import errno
import http.server
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from perf_bench.errors import NotNow
from perf_bench.model.cluster import BUILD_OPTION, MARK_KEY
from perf_bench.tool import client as clients
from perf_bench.tool.client import CephClient
from perf_bench.tool.install import enable
from perf_bench.tool.install.enable import Enabler
from perf_bench.tool.main import main

NEW, OLD = "2+b", "1+a"
LOST = (
    "the module is enabled, but mgr.x on host-x does not have it: no schedule runs, nothing is "
    "watched, and settings of a round that ran may be held (ceph-perf-bench restore --dry-run); "
    "install it there, or fail over"
)
DISABLED = (
    "the module is not enabled, though it was: it was disabled (ceph mgr module enable perf_bench)"
)
Ended = tuple[int, str, str]


@dataclass
class Mgrs:
    """A cluster's mgrs behind the `ceph` client. ``disks`` are what a mgr reads when it starts."""

    disks: dict[str, str | None]
    runs: dict[str, str | None] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)  # the first one is active
    enabled: bool = True
    mark: dict[str, Any] | None = None
    services: dict[str, str] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)
    away: int = 0  # answers without an active mgr after each failover
    slow: int = 0  # further answers without the mgr that starts anew
    calls: list[str] = field(default_factory=list)
    _gid: int = 1

    def __post_init__(self) -> None:
        self.order = self.order or sorted(self.disks)
        self.runs = self.runs or dict.fromkeys(self.disks)
        self._left = 0
        self._absent = ""

    def run(self, argv: list[str], _limit: float, _file: str | None) -> Ended:
        words = [word for word in argv[1:] if word not in ("--", "--format", "json")]
        self.calls.append(" ".join(words))
        answer = getattr(self, f"_{'_'.join(words[:2]).replace('-', '_')}")(*words[2:])
        return answer if isinstance(answer, tuple) else (0, json.dumps(answer), "")

    def _mgr_dump(self) -> Any:
        self._left -= 1
        return {
            "available": self._left < 0,
            "active_gid": self._gid,
            "active_name": self.order[0] if self.order else "",
            "modules": ["perf_bench"] if self.enabled else [],
            "available_modules": self._modules(self.order[0]) if self.order else [],
            "standbys": [
                {"name": name, "available_modules": self._modules(name)}
                for name in self.order[1:]
                if name != self._absent or self._left < -self.slow
            ],
        }

    def _modules(self, name: str) -> list[Any]:
        build, error = self.runs[name], self.errors.get(name, "")
        options = {BUILD_OPTION: {"default_value": build}}
        ours = {"name": "perf_bench", "can_run": not error, "error_string": error}
        return [{**ours, "module_options": options}] if build else []

    def _mgr_metadata(self) -> Any:
        return [
            {"name": name, "hostname": f"host-{name}", "ceph_version_short": "18.2.7"}
            for name in self.order
        ]

    def _mgr_services(self) -> Any:
        return self.services

    def _config_key_get(self, key: str) -> Any:
        assert key == MARK_KEY
        return self.mark or (errno.ENOENT, "", f"Error ENOENT: no {key}")

    def _mgr_module(self, *words: str) -> Ended:
        assert words == ("enable", "perf_bench", "--force")
        self.enabled = True
        self.runs = dict(self.disks)
        self._become(self.order)
        return 0, "", ""

    def _mgr_fail(self, name: str) -> Ended:
        assert name == self.order[0]
        self.runs[name], self._absent = self.disks[name], name
        self._become([*self.order[1:], name])
        return 0, "", ""

    def _become(self, order: list[str]) -> None:
        self.order, self._gid, self._left = order, self._gid + 1, self.away

    def _perf_bench_status(self) -> Any:
        there = self.enabled and self.runs[self.order[0]]
        return {} if there else (errno.EINVAL, "", "Error EINVAL: no valid command found")

    @property
    def fails(self) -> list[str]:
        return [call for call in self.calls if call.startswith("mgr fail")]


def behind(mgrs: Mgrs, monkeypatch: pytest.MonkeyPatch) -> Mgrs:
    monkeypatch.setattr(clients, "_run", mgrs.run)
    return mgrs


def enabled(seconds: float = 5.0, tab: bool = False) -> int:
    return Enabler(CephClient(["ceph"]), NEW, seconds, sleep=lambda _: None).run(tab=tab)


def test_it_is_enabled_once_and_every_mgr_starts_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    mgrs = behind(Mgrs({"x": NEW, "y": NEW}, enabled=False, away=3), monkeypatch)
    assert enabled() == 0
    assert mgrs.runs == {"x": NEW, "y": NEW}
    assert (mgrs.enabled, mgrs.fails) == (True, [])


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_after_an_upgrade_each_mgr_has_its_turn(
    count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = "vwxyz"[:count]
    mgrs = behind(Mgrs(dict.fromkeys(names, NEW), dict.fromkeys(names, OLD), away=2), monkeypatch)
    assert enabled() == 0
    assert mgrs.runs == dict.fromkeys(names, NEW)
    assert len(mgrs.fails) == count


@pytest.mark.parametrize("order", ["xyz", "zyx", "yxz", "yzx"])
def test_a_mgr_with_other_files_does_not_stay_active(
    order: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    disks = {"x": NEW, "y": None, "z": OLD}
    mgrs = behind(Mgrs(disks, {"x": OLD, "y": None, "z": OLD}, [*order]), monkeypatch)
    assert enabled() == 1
    assert mgrs.order[0] == "x"


def test_what_does_not_come_is_told_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    behind(Mgrs({"x": NEW}, {"x": OLD}, away=1 << 30), monkeypatch)
    with pytest.raises(NotNow, match=r"waited 0.05 s in vain until a mgr is active again"):
        enabled(0.05)


@pytest.fixture
def dashboard() -> Iterator[http.server.HTTPServer]:
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200 if self.path == "/board/perf-bench/entry.js" else 404)
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def test_the_tab_is_waited_for(
    monkeypatch: pytest.MonkeyPatch,
    dashboard: http.server.HTTPServer,
    capsys: pytest.CaptureFixture[str],
) -> None:
    url = f"http://127.0.0.1:{dashboard.server_port}"
    mgrs = behind(
        Mgrs({"x": NEW}, {"x": NEW}, services={"dashboard": f"{url}/board/"}), monkeypatch
    )
    assert enabled(tab=True) == 0
    assert f"the tab answers: {url}/board/#/perf-bench" in capsys.readouterr().out
    mgrs.services["dashboard"] = f"{url}/other/"
    with pytest.raises(NotNow, match=f"until the tab answers at {url}/other/perf-bench/entry.js"):
        enabled(0.05, tab=True)
    mgrs.services.clear()
    assert enabled(tab=True) == 0
    assert "no tab: the dashboard is off" in capsys.readouterr().out
    monkeypatch.setattr(enable, "_ANSWER_LIMIT", 0.1)
    assert not enable._is_served("https://127.0.0.1:1/perf-bench/entry.js")


# --- check ----------------------------------------------------------------------------------------


def checked(tmp_path: Path, *words: str) -> int:
    return main(["check", "--mgr-modules", str(tmp_path), *words])


def test_all_is_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    mark = {"build": NEW, "since": 1_700_000_000}
    behind(Mgrs({}, {"x": NEW, "y": NEW}, ["x", "y"], mark=mark), monkeypatch)
    assert checked(tmp_path) == 0
    assert capsys.readouterr().out == (
        f"this host: not installed in {tmp_path}\n"
        "last active: 2+b, since 2023-11-14 22:13 UTC\n"
        "MGR  HOST    ROLE     CEPH    PERF_BENCH\n"
        "x    host-x  active   18.2.7  2+b\n"
        "y    host-y  standby  18.2.7  2+b\n"
    )


@pytest.mark.parametrize(
    ("mgrs", "problems"),
    [
        (
            Mgrs({}, {"x": NEW, "y": OLD, "z": None}, ["x", "y", "z"]),
            [
                "mgr.y on host-y runs other files than 2+b",
                "mgr.z on host-z does not have it: install it there",
            ],
        ),
        (Mgrs({}, {"x": None, "y": NEW}, ["x", "y"], mark={"build": NEW}), [LOST]),
        (
            Mgrs({}, {"x": NEW}, ["x"], enabled=False),
            ["the module is not enabled (ceph mgr module enable perf_bench)"],
        ),
        (Mgrs({}, {"x": NEW}, ["x"], enabled=False, mark={"build": OLD}), [DISABLED]),
        (
            Mgrs({}, {"x": NEW}, ["x"], errors={"x": "No module named 'yaml'"}),
            ["mgr.x on host-x cannot run it: No module named 'yaml'"],
        ),
    ],
)
def test_what_differs_is_named(
    mgrs: Mgrs,
    problems: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    behind(mgrs, monkeypatch)
    assert checked(tmp_path, "--format", "json") == 1
    assert json.loads(capsys.readouterr().out)["problems"] == problems


def test_a_cluster_that_cannot_be_asked_is_not_called_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(clients, "_run", lambda *_: (1, "", "no keyring\n"))
    assert checked(tmp_path) == 2
    assert capsys.readouterr().out.endswith("the cluster cannot be asked: no keyring\n")
    monkeypatch.setattr(clients, "_run", lambda *_: (0, '{"active_name": 3}', ""))
    assert checked(tmp_path) == 2
    assert "the monitors gave an unknown answer" in capsys.readouterr().out
