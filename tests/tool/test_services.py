"""Units and specifications that run the tool as a service: whole, and what they name is there."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from configparser import ConfigParser
from pathlib import Path
from typing import Any

import pytest
import yaml

from perf_bench.tool.main import main
from perf_bench.tool.service import FOLDER

TOOL = "/usr/local/bin/ceph-perf-bench"
CEPH = "/usr/bin/ceph"
NAMES = sorted(file.name for file in FOLDER.iterdir())
UNITS = [name for name in NAMES if name.endswith((".service", ".timer"))]
REPORT = "ceph-perf-bench-report.service"
_HOW_IT_RUNS = (
    *("ExecStart", "User", "Group", "Restart", "RestartSec", "TimeoutStopSec"),
    *("TasksMax", "MemoryMax"),
)
_PROTECTED = (
    *("NoNewPrivileges", "ProtectHome", "PrivateTmp", "PrivateDevices", "RestrictSUIDSGID"),
    *("ProtectKernelTunables", "ProtectKernelModules", "ProtectControlGroups"),
)
SPECS = [name for name in NAMES if name.endswith(".yaml")]


def unit(name: str) -> ConfigParser:
    found = ConfigParser(strict=False, interpolation=None)
    found.optionxform = str  # type: ignore[assignment, method-assign]
    found.read(FOLDER / name)
    return found


def test_the_report_is_a_command_of_ceph() -> None:
    program, *words = shlex.split(unit(REPORT)["Service"]["ExecStart"])
    assert program == CEPH
    assert words[-6:] == ["perf-bench", "report", "--since", "30d", "--as", "html"]


def test_a_report_that_fails_leaves_the_one_before() -> None:
    """The client empties its file before it asks, and a time limit may end it half written."""
    service = unit(REPORT)["Service"]
    words = shlex.split(service["ExecStart"])
    written = words[words.index("-o") + 1]
    # Carried out only after the client has ended with 0.
    _, *moved = shlex.split(service["ExecStartPost"])
    assert moved == ["-f", written, "/var/lib/ceph-perf-bench/report.html"]
    assert written != moved[-1]


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="there is no systemd-analyze")
def test_systemd_finds_nothing_wrong_with_units(tmp_path: Path) -> None:
    there = f"ExecStart={shutil.which('true')} "  # neither the tool nor ceph has to be installed
    for name in UNITS:  # a timer wants its service beside it
        text = (FOLDER / name).read_text()
        for program in (TOOL, CEPH):
            text = text.replace(f"ExecStart={program} ", there)
        (tmp_path / name).write_text(text)
    files = [str(tmp_path / name) for name in UNITS]
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *files],
        check=False, capture_output=True, text=True,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    "name", [name for name in UNITS if name.endswith(".service") and name != REPORT]
)
def test_services_call_the_tool_with_words_that_it_knows(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    program, *words = shlex.split(unit(name)["Service"]["ExecStart"])
    assert program == TOOL
    with pytest.raises(SystemExit) as left:
        main([*words, "--help"])
    assert left.value.code == 0
    assert capsys.readouterr().out.startswith("usage: ceph-perf-bench ")


def test_workers_are_restricted_as_they_were_seen_to_work() -> None:
    """Real ones ran rounds behind these; another directive has to be tried on a host first."""
    service = unit("ceph-perf-bench-worker.service")["Service"]
    restrictions = {name: value for name, value in service.items() if name not in _HOW_IT_RUNS}
    assert restrictions == {
        **dict.fromkeys(_PROTECTED, "yes"),
        "ProtectSystem": "strict",
        "CapabilityBoundingSet": "",
        "LimitFSIZE": "1M",
    }
    assert (service["User"], service["Group"]) == ("ceph", "ceph")


def test_specifications_name_the_tool_as_python_finds_it() -> None:
    for name in SPECS:
        found: dict[str, Any] = yaml.safe_load((FOLDER / name).read_text())
        option, module, *rest = found["extra_entrypoint_args"]
        assert (option, module) == ("-m", "perf_bench.tool")
        with pytest.raises(SystemExit) as left:
            main([*rest, "--help"])
        assert left.value.code == 0
        assert found["service_id"] in name
