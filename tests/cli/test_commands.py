"""Every command: its golden text, its JSON, its formats, its errors, and how Ceph reads it."""

from __future__ import annotations

import errno
import importlib.util
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any, Callable

import pytest
import yaml

import golden
import threads
from asked import ask, prints
from fakes.commands import answers, first
from fakes.database import BROKEN
from past import Past, api_of
from perf_bench.answers import command as cli
from perf_bench.answers.api import Api
from perf_bench.errors import CommandFailed
from perf_bench.model.plan import MIB, Request
from stage import Stage


def _order(words: str, **arguments: Any) -> dict[str, Any]:
    """A command as ceph-mgr hands it over."""
    return {"prefix": f"perf-bench {words}", "target": ["mon-mgr", ""], **arguments}


# --- golden text -----------------------------------------------------------------------------


LOOKS: dict[str, dict[str, Any]] = {
    "status": _order("status"),
    "profile-ls": _order("profile ls"),
    "profile-show-osd-throughput": _order("profile show", name="osd-throughput"),
    "profile-show-osd-iops": _order("profile show", name="osd-iops"),
    "profile-show-osd-balanced": _order("profile show", name="osd-balanced"),
    "round-start-dry-run": _order("round start", profile="osd-throughput", dry_run=True),
    "round-start-dry-run-small": _order(
        "round start", profile="osd-iops", osds="host=host-1", repeats=2, size="8K", dry_run=True
    ),
    "round-ls": _order("round ls"),
    "round-ls-page": _order("round ls", limit=2, offset=1),
    "round-ls-state": _order("round ls", state="aborted"),
    "round-show-valid": _order("round show", id="1"),
    "round-show-noisy": _order("round show", id="2"),
    "round-show-aborted": _order("round show", id="3"),
    "round-show-failed": _order("round show", id="4"),
    "round-show-too-short": _order("round show", id="5"),
    "round-show-page": _order("round show", id="1", limit=2),
    "osd-ls": _order("osd ls"),
    "osd-ls-profile": _order("osd ls", profile="osd-throughput"),
    "osd-ls-sort": _order("osd ls", sort="last_bench.bytes_per_second", profile="osd-throughput"),
    "osd-ls-page": _order("osd ls", limit=2, offset=2, **{"class": "hdd"}),
    "osd-show": _order("osd show", id="osd.5"),
}


@pytest.mark.parametrize("name", LOOKS)
def test_what_is_printed(name: str, past: Past) -> None:
    code, out, err = cli.dispatch(past.api, LOOKS[name])
    assert (code, err) == (0, "")
    golden.printed(name, out)


@pytest.mark.parametrize(
    ("format_", "name"), [("csv", "round-export.csv"), ("openmetrics", "round-export.om")]
)
def test_a_round_as_a_file(format_: str, name: str, past: Past) -> None:
    out = prints(past.api, "round export", id="4", **{"as": format_})
    golden.compare_figures(name, out)
    # --format makes no difference to a file
    assert out == prints(past.api, "round export", id="4", format="yaml", **{"as": format_})


def test_a_round_as_json_is_what_round_show_says_of_all_osds(past: Past) -> None:
    out = prints(past.api, "round export", id="4", **{"as": "json"})
    assert json.loads(out) == _json(past.api, _order("round show", id="4"))
    assert out.endswith("\n")


def test_a_cluster_without_rounds(api: Api) -> None:
    golden.printed("status-new", prints(api, "status"))
    golden.printed("round-ls-new", prints(api, "round ls"))
    golden.printed("osd-ls-new", prints(api, "osd ls"))
    golden.printed("problem-ls-none", prints(api, "problem ls"))
    golden.printed("osd-show-new", prints(api, "osd show", id="3"))


def test_a_round_while_it_runs(stage: Stage, api: Api) -> None:
    stage.max_parallel = 1
    stage.commands.script[1] = [stage.commands.hangs]
    stage.commands.script[0] = [first(lambda: stage.clock.advance(6), answers(180.0 * MIB))]
    golden.printed(
        "round-start", prints(api, "round start", profile="osd-throughput", label="nightly")
    )
    threads.until(lambda: stage.commands.asked == [0, 1])
    stage.store_thread.call(lambda _store: None)
    golden.printed("status-running", prints(api, "status"))
    golden.printed("round-ls-running", prints(api, "round ls"))
    golden.printed("round-show-running", prints(api, "round show", id="1"))
    golden.printed("round-abort", prints(api, "round abort", id="1"))
    stage.commands.free()
    stage.ended()
    golden.printed("round-rm", prints(api, "round rm", id="1"))
    assert stage.store_thread.call(lambda store: store.rounds())[1] == 0


def test_a_round_with_parts(stage: Stage, api: Api) -> None:
    stage.bench.start(Request("osd-sandwich", osds="host=host-0", rests=0))
    stage.ended()
    golden.printed("round-show-sandwich", prints(api, "round show", id="1"))
    shown = _json(api, _order("round show", id="1"))
    assert [one["name"] for one in shown["phases"]] == ["before", "together", "after"]


def test_a_round_that_waits_for_the_database(stage: Stage, api: Api) -> None:
    def go_away() -> None:
        stage.faults.refused = "UPDATE rounds"

    stage.max_parallel = 1
    stage.commands.script[5] = [first(go_away, answers())]
    prints(api, "round start", profile="osd-throughput", repeats=1)
    threads.until(lambda: stage.bench.active is not None and stage.bench.active.phase == "saving")
    golden.printed("status-saving", prints(api, "status"))
    stage.faults.refused = None
    stage.ended()


def test_a_store_that_is_away(stage: Stage, api: Api) -> None:
    stage.faults.failing = -1
    golden.printed("status-store-away", prints(api, "status"))


def test_a_store_that_answers_and_is_not_read_yet(tmp_path: Path) -> None:
    stage = Stage(tmp_path / "main.db")
    api = api_of(stage)
    assert ask(api, "round ls") == ([], 0)
    golden.printed("status-not-read", prints(api, "status"))
    assert _json(api, _order("status"))["store"]["ready"] is False
    stage.wake()
    assert _json(api, _order("status"))["store"]["ready"] is True
    golden.printed("status-new", prints(api, "status"))
    stage.close()


def test_a_dry_run_of_what_would_be_refused(stage: Stage, api: Api) -> None:
    stage.cluster.nearfull = {3}
    stage.cluster.set_down(4)
    out = prints(api, "round start", profile="osd-throughput", dry_run=True)
    golden.printed("round-start-dry-run-refused", out)


def test_a_round_that_was_carried_on(tmp_path: Path) -> None:
    stage = Stage(tmp_path / "main.db")
    stage.wake()
    stage.bench.start(Request("osd-throughput", osds="0"))
    stage.ended()
    stage.stored(lambda store: store.save_round(replace(store.round(1), resumed=2)))
    golden.printed("round-show-carried-on", prints(api_of(stage), "round show", id="1"))
    stage.close()


def test_golden_files_are_compared() -> None:
    assert not golden.writing(), "they were written: read the difference, unset WRITE_GOLDEN"


def test_every_golden_text_is_somebodys() -> None:
    names = {file.stem for file in golden.FOLDER.glob("*.txt")}
    files = golden.FOLDER.parent.rglob("test_*.py")
    source = "".join(file.read_text(encoding="utf-8") for file in files)
    assert {name for name in names if f'"{name}' not in source} == set()


# --- JSON ------------------------------------------------------------------------------------


def _json(api: Api, order: dict[str, Any]) -> Any:
    code, out, err = cli.dispatch(api, {**order, "format": "json"})
    assert (code, err) == (0, "")
    return json.loads(out)


def test_the_promised_keys_of_a_running_round(stage: Stage, api: Api) -> None:
    stage.commands.script[0] = [stage.commands.hangs]
    assert set(_json(api, _order("round start", profile="osd-throughput"))) == {"id"}
    active = _json(api, _order("status"))["active_round"]
    assert {"id", "profile", "phase", "progress", "eta_seconds"} <= set(active)
    assert set(_json(api, _order("round abort"))) == {"id"}


@pytest.mark.parametrize("name", LOOKS)
def test_all_formats_say_the_same(name: str, past: Past) -> None:
    found = _json(past.api, LOOKS[name])
    outs = {
        format_: cli.dispatch(past.api, {**LOOKS[name], "format": format_})[1]
        for format_ in ("json", "json-pretty", "yaml")
    }
    assert json.loads(outs["json-pretty"]) == found
    assert yaml.safe_load(outs["yaml"]) == found
    assert "\n" not in outs["json"]
    assert "\n  " in outs["json-pretty"]


def test_a_page_of_a_round_has_the_samples_of_its_osds(past: Past) -> None:
    found = _json(past.api, _order("round show", id="1", limit=2, offset=1))
    osds = {f"osd.{row['osd']}" for row in found["per_osd"]}
    assert (len(osds), found["osds"]) == (2, 6)
    assert {sample["target"] for sample in found["samples"]} == osds
    # also when all that is left fits
    found = _json(past.api, _order("round show", id="1", offset=4))
    osds = {f"osd.{row['osd']}" for row in found["per_osd"]}
    assert len(osds) == 2
    assert {sample["target"] for sample in found["samples"]} == osds


# --- errors ----------------------------------------------------------------------------------


PAGES = [
    ("limit", 0, "--limit 0 is not within 1 to 500"),
    ("limit", -1, "--limit -1 is not within 1 to 500"),
    ("limit", 501, "--limit 501 is not within 1 to 500"),
    ("offset", -1, "--offset -1 is not 0 or more"),
    ("offset", 1 << 40, f"--offset {1 << 40} is not 0 or more"),
]
NO_ROUND = "no round '{}': a round's ID is a number, see 'ceph perf-bench round ls'"
NO_OSD = "'{}' is not an OSD: give its ID, as 3 or osd.3"
OF_RADOS = (
    "--{} does not apply to rounds of osd-iops, which take --max-repeats, --osds, --repeats, --size"
)
ERRORS: list[tuple[dict[str, Any], int, str]] = [
    ({"prefix": "perf-bench"}, errno.EINVAL, "unknown command 'perf-bench'"),
    ({}, errno.EINVAL, "unknown command 'None'"),
    # profiles
    (
        _order("profile show", name="osd-fast"),
        errno.ENOENT,
        "no profile 'osd-fast': 'ceph perf-bench profile ls' lists them",
    ),
    (
        _order("round start", profile="osd-fast"),
        errno.ENOENT,
        "no profile 'osd-fast': 'ceph perf-bench profile ls' lists them",
    ),
    (
        _order("osd ls", profile="osd-fast"),
        errno.ENOENT,
        "no profile 'osd-fast': 'ceph perf-bench profile ls' lists them",
    ),
    # what a round is asked for
    *(
        (
            _order("round start", profile="osd-iops", **{name: value}),
            errno.EINVAL,
            OF_RADOS.format(name),
        )
        for name, value in [("pool", "rbd"), ("clients", 4), ("threads", 16), ("seconds", 60)]
    ),
    (
        _order("round start", profile="osd-wal", rest="5m", size="4K", pool="rbd", repeats=0),
        errno.EINVAL,
        "--size, --rest, --pool do not apply to rounds of osd-wal, which take --osds, --repeats",
    ),
    (
        _order("round start", profile="osd-iops", repeats=0),
        errno.EINVAL,
        "--repeats 0 is not within 1 to 100",
    ),
    (
        _order("round start", profile="osd-iops", repeats=101, dry_run=True),
        errno.EINVAL,
        "--repeats 101 is not within 1 to 100",
    ),
    (
        _order("round start", profile="osd-iops", size="huge"),
        errno.EINVAL,
        (
            "'huge' is not a size: give bytes, 1 or more, or a whole number with K or M, "
            "as 4096, 64K or 4M"
        ),
    ),
    (
        _order("round start", profile="osd-iops", size="65M"),
        errno.EINVAL,
        (
            "writes of 68157440 bytes are over this cluster's osd_bench_max_block_size of 67108864 "
            "bytes"
        ),
    ),
    (
        _order("round start", profile="osd-iops", label="x" * 101),
        errno.EINVAL,
        "a label is one line of at most 100 printable characters",
    ),
    (
        _order("round start", profile="osd-iops", osds="0,"),
        errno.EINVAL,
        (
            "'0,' does not select OSDs: use 'all', IDs like '0,3,7-9', or 'class=NAME', "
            "'host=NAME', 'rack=NAME', 'enclosure=ID', joined by '&'"
        ),
    ),
    (
        _order("round start", profile="osd-iops", osds="7"),
        errno.ENOENT,
        "osd.7: no such OSD in this cluster",
    ),
    # which round
    *(
        (_order(f"round {verb}", id="77"), errno.ENOENT, sentence)
        for sentence in ["no round 77: 'ceph perf-bench round ls' lists those there are"]
        for verb in ("show", "abort", "rm", "export")
    ),
    *(
        (_order(f"round {verb}", id=text), errno.ENOENT, NO_ROUND.format(text))
        for verb in ("show", "abort", "rm", "export")
        for text in ("one", "-1", "", "1.0", "²", "1" * 16)
    ),
    (_order("round abort"), errno.ENOENT, "no round is running"),
    (_order("round abort", id="1"), errno.EINVAL, "round 1 is not running: it is done"),
    # lists
    *((_order("round ls", **{key: value}), errno.EINVAL, said) for key, value, said in PAGES),
    *((_order("round show", id="1", **{k: v}), errno.EINVAL, said) for k, v, said in PAGES),
    *((_order("osd ls", **{key: value}), errno.EINVAL, said) for key, value, said in PAGES),
    (
        _order("round ls", kind="iozone"),
        errno.EINVAL,
        "--kind iozone: one of osd, rados, fio, elbencho, warp is needed",
    ),
    (
        _order("round ls", state="over"),
        errno.EINVAL,
        "--state over: one of queued, running, done, aborted, failed is needed",
    ),
    (
        _order("round export", id="1", **{"as": "pdf"}),
        errno.EINVAL,
        "--as pdf: one of json, csv, openmetrics, html, cbt is needed",
    ),
    # which OSD
    (_order("osd show", id="7"), errno.ENOENT, "osd.7: no such OSD in this cluster"),
    *(
        (_order("osd show", id=text), errno.EINVAL, NO_OSD.format(text))
        for text in ("seven", "osd.", "-1", "", "1" * 16, "osd.osd.1", "²")
    ),
    (
        _order("osd ls", host="nowhere"),
        errno.ENOENT,
        "no OSD with host=nowhere; this cluster has host host-0, host-1, host-2",
    ),
    (
        _order("osd ls", **{"class": "nvme"}),
        errno.ENOENT,
        "no OSD with class=nvme; this cluster has class hdd",
    ),
    (
        _order("osd ls", host="host-1", osds="0"),
        errno.ENOENT,
        "'host=host-1&0' selects no OSD",
    ),
    (
        _order("osd ls", osds="rack="),
        errno.EINVAL,
        (
            "'rack=' does not select OSDs: use 'all', IDs like '0,3,7-9', or 'class=NAME', "
            "'host=NAME', 'rack=NAME', 'enclosure=ID', joined by '&'"
        ),
    ),
]


def _error_id(value: object) -> str:
    return " ".join(str(part) for part in value.values()) if isinstance(value, dict) else ""


@pytest.mark.parametrize(("order", "code", "sentence"), ERRORS, ids=_error_id)
def test_errors(order: dict[str, Any], code: int, sentence: str, past: Past) -> None:
    before = past.store_thread.call(lambda store: store.rounds())
    assert cli.dispatch(past.api, order) == (-code, "", sentence)
    assert "\n" not in sentence
    assert past.store_thread.call(lambda store: store.rounds()) == before


SORTS = (
    *("osd", "host", "class", "device", "model", "up", "enclosure", "last_bench.round"),
    *("last_bench.bytes_per_second", "last_bench.iops", "last_bench.cv_percent"),
    *("last_bench.robust_z", "last_bench.percent_of_peers"),
)


@pytest.mark.parametrize("sort", ["speed", "last_bench", "osd.id", "-", "osd,host"])
def test_what_cannot_be_sorted_by(sort: str, past: Past) -> None:
    code, out, err = cli.dispatch(past.api, _order("osd ls", sort=sort))
    assert (code, out) == (-errno.EINVAL, "")
    assert err.startswith(f"--sort {sort}: one of osd, host, class,")
    assert set(err.split(": one of ")[1].removesuffix(" is needed").split(", ")) >= set(SORTS)


Change = Callable[[Stage], object]


@pytest.mark.parametrize(
    ("change", "order", "code", "sentence"),
    [
        (
            lambda stage: stage.cluster.set_down(*range(6)),
            _order("round start", profile="osd-iops"),
            errno.EAGAIN,
            "none of the chosen OSDs is up: see 'ceph osd tree down'",
        ),
        (
            lambda stage: stage.cluster.nearfull.update({1, 2}),
            _order("round start", profile="osd-iops"),
            errno.EAGAIN,
            (
                "refused now: osd.1 and osd.2 are nearly full, and a bench writes "
                "(--force starts it all the same)"
            ),
        ),
        *(
            (
                lambda stage: setattr(stage.faults, "failing", -1),
                order,
                errno.EAGAIN,
                f"the database cannot be used: {BROKEN}",
            )
            for order in (
                _order("round start", profile="osd-iops"),
                _order("round ls"),
                _order("round show", id="1"),
                _order("round export", id="1"),
                _order("round rm", id="1"),
                _order("osd show", id="1"),
            )
        ),
    ],
)
def test_errors_that_pass(
    change: Change, order: dict[str, Any], code: int, sentence: str, stage: Stage, api: Api
) -> None:
    change(stage)
    assert cli.dispatch(api, order) == (-code, "", sentence)


def test_a_second_start_and_the_removal_of_what_runs(stage: Stage, api: Api) -> None:
    stage.commands.script[0] = [stage.commands.hangs]
    prints(api, "round start", profile="osd-iops")
    assert cli.dispatch(api, _order("round start", profile="osd-iops")) == (
        -errno.EBUSY,
        "",
        "round 1 is running: wait for it, or end it with 'ceph perf-bench round abort 1'",
    )
    # What is asked for is looked at first.
    assert cli.dispatch(api, _order("round start", profile="osd-iop"))[0] == -errno.ENOENT
    assert cli.dispatch(api, _order("round rm", id="1")) == (
        -errno.EBUSY,
        "",
        "round 1 is running: end it first with 'ceph perf-bench round abort 1'",
    )


def test_force_is_passed_on(stage: Stage, api: Api) -> None:
    stage.cluster.nearfull = {1}
    prints(api, "round start", profile="osd-throughput", force=True)
    stage.ended()
    assert stage.round().environment["forced"] == ["osd.1 is nearly full, and a bench writes"]


def test_without_a_way_to_the_osds_the_start_is_good_and_the_round_is_not(
    stage: Stage, api: Api
) -> None:
    stage.no_way = CommandFailed(errno.ENOTCONN, "cannot connect to the cluster: timed out")
    prints(api, "round start", profile="osd-iops")
    stage.ended()
    assert "because   cannot connect to the cluster: timed out" in prints(api, "round show", id="1")


# --- how Ceph reads the commands -------------------------------------------------------------


def test_the_table_of_commands() -> None:
    lines = [
        f"{entry['perm']:<2}  {entry['cmd']}\n    {entry['desc']}" for entry in cli.descriptors()
    ]
    golden.compare("commands", "\n".join(lines) + "\n")


# Options of the ``ceph`` command and of librados, which both take the shortest beginning of one.
CLIENT_OPTIONS = (  # noqa: SIM905 - as a list it has 28 lines
    "help conf in-file out-file setuser setgroup id name cluster admin-daemon status watch "
    "watch-debug watch-info watch-sec watch-warn watch-error watch-channel version verbose concise "
    "format connect-timeout block period host keyring monmap"
).split()


def test_what_the_client_would_swallow() -> None:
    swallowed = {
        (entry["cmd"].split(" name=")[0], name)
        for entry in cli.descriptors()
        for word in entry["cmd"].split()
        if word.startswith("name=") and word.endswith("req=false")
        for name in [word.split(",")[0][len("name=") :]]
        if name != "format" and any(option.startswith(name) for option in CLIENT_OPTIONS)
    }
    # `osd ls --osds host=NAME` and `finding mute ID 1d` do it: README, "Good to know".
    assert swallowed == {
        ("perf-bench osd ls", "host"),
        ("perf-bench finding mute", "for"),
        ("perf-bench round abort", "id"),  # as in `round abort 3`
    }


CEPH = Path("/usr/lib/python3/dist-packages/ceph_argparse.py")


@pytest.fixture(scope="module")
def ceph_argparse() -> Iterator[ModuleType]:
    """The parser of the ``ceph`` command itself."""
    if not CEPH.is_file():
        pytest.skip("Ceph's packages are not installed")
    spec = importlib.util.spec_from_file_location("ceph_argparse", CEPH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["ceph_argparse"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["ceph_argparse"]


def _signatures(module: ModuleType) -> Any:
    """What the mon tells the ``ceph`` command of ours."""
    commands = {}
    for number, entry in enumerate(cli.descriptors()):
        signature = [
            dict(pair.split("=", 1) for pair in word.split(",")) if "=" in word else word
            for word in entry["cmd"].split()
        ]
        commands[f"cmd{number:03}"] = {"sig": signature, "help": entry["desc"]}
    return module.parse_json_funcsigs(json.dumps(commands), "cli")


@pytest.mark.parametrize(
    ("typed", "order"),
    [
        ("status", {}),
        ("status --format json-pretty", {"format": "json-pretty"}),
        ("profile show osd-iops", {"name": "osd-iops"}),
        ("round start osd-iops", {"profile": "osd-iops"}),
        (
            "round start osd-iops --osds host=a&class=hdd --repeats 3 --size 8K --label nightly",
            {
                "profile": "osd-iops",
                "osds": "host=a&class=hdd",
                "repeats": 3,
                "size": "8K",
                "label": "nightly",
            },
        ),
        ("round start osd-iops --dry-run", {"profile": "osd-iops", "dry_run": True}),
        ("round start osd-iops --force", {"profile": "osd-iops", "force": True}),
        (
            "round ls --kind osd --state done --limit 5 --offset 10",
            {"kind": "osd", "state": "done", "limit": 5, "offset": 10},
        ),
        ("round show 12", {"id": "12"}),
        ("round abort", {}),
        ("round abort 12", {"id": "12"}),
        ("round rm 12", {"id": "12"}),
        ("round export 12 --as csv", {"id": "12", "as": "csv"}),
        (
            "osd ls --class hdd --host a --sort last_bench.iops",
            {"class": "hdd", "host": "a", "sort": "last_bench.iops"},
        ),
        ("osd show osd.3", {"id": "osd.3"}),
    ],
)
def test_what_is_typed_arrives(
    typed: str, order: dict[str, Any], ceph_argparse: ModuleType
) -> None:
    signatures = _signatures(ceph_argparse)
    found = dict(ceph_argparse.validate_command(signatures, ["perf-bench", *typed.split()]))
    words = " ".join(typed.split()[: 1 if typed.startswith("status") else 2])
    assert found.pop("prefix") == f"perf-bench {words}"
    assert found == order
