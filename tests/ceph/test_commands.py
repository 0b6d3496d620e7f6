"""Orders through librados: what is sent, and what becomes of each answer."""

# Our modules that know Ceph can be imported only while its Python modules are in place.
# ruff: noqa: PLC0415

from __future__ import annotations

import errno
import sys
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

import threads
from fakes.ceph import RELEASES, MgrWorld
from fakes.ceph.world import answers_of
from nouns import SMALL_STEP, STEP
from perf_bench.errors import CommandFailed
from perf_bench.model.plan import KIB, MIB, BenchAnswer, Step

if TYPE_CHECKING:
    from perf_bench.ceph.child_process import Child
    from perf_bench.ceph.commands import RadosCommands
    from perf_bench.ceph.read_probe import ReadProbe


@pytest.fixture
def world(pacific: MgrWorld) -> MgrWorld:
    """Nothing here differs between the releases."""
    return pacific


def no_reads() -> ReadProbe:
    """Nothing is read here: a process for that may not be started."""
    from perf_bench.ceph.read_probe import ReadProbe

    def start() -> Child:
        raise AssertionError("a process is started")

    return ReadProbe(start, {})


def _open(limit: float = 60.0, keyring: str = "/etc/keyring") -> RadosCommands:
    from perf_bench.ceph.client import SharedClient, open_client
    from perf_bench.ceph.commands import RadosCommands

    address = "[v2:127.0.0.1:3300]"
    client = SharedClient(
        lambda: open_client("mgr.x", keyring, address, limit), "the round has ended"
    )
    client.open()
    return RadosCommands(client, limit, no_reads())


@pytest.fixture
def commands(world: MgrWorld) -> Iterator[RadosCommands]:
    made = _open()
    yield made
    made.close()
    assert world.connected == 0


def _failure(commands: RadosCommands, osd: int, step: Step = STEP) -> tuple[int, str]:
    with pytest.raises(CommandFailed) as caught:
        commands.measure(osd, step)
    return caught.value.errno, str(caught.value)


def test_a_client_of_its_own_with_a_limit_of_its_own(world: MgrWorld) -> None:
    commands = _open(limit=77.0)
    assert commands.limit == 77
    assert world.clients == [
        {
            "name": "mgr.x",
            "conffile": "",
            "mon_host": "[v2:127.0.0.1:3300]",
            "rados_osd_op_timeout": "77",
            "rados_mon_op_timeout": "15",
            "client_mount_timeout": "15",
            "admin_socket": "",
            "log_file": "",
            "log_to_stderr": "false",
            "keyring": "/etc/keyring",
        }
    ]
    commands.close()


@pytest.mark.parametrize(
    ("step", "order"),
    [
        (STEP, {"prefix": "bench", "count": 1024 * MIB, "size": 4 * MIB}),
        (
            SMALL_STEP,
            {
                "prefix": "bench",
                "count": 12_288_000,
                "size": 4 * KIB,
                "object_size": 4 * MIB,
                "object_num": 100,
            },
        ),
    ],
)
def test_what_an_osd_is_asked(
    step: Step, order: dict[str, Any], commands: RadosCommands, world: MgrWorld
) -> None:
    answer = commands.measure(2, step)
    # first the newest OSD map: a bench must not meet one
    before = [{"prefix": "get_latest_osdmap"}, {"prefix": "status"}]
    assert world.osd_asked == [(2, one) for one in (*before, order)]
    assert answer == BenchAnswer(
        bytes_written=step.total_bytes,
        block_size=step.block_size,
        seconds=step.total_bytes / (100 * MIB),
        bytes_per_second=100.0 * MIB,
        iops=100.0 * MIB / step.block_size,
    )


@pytest.mark.parametrize("release", RELEASES)
def test_the_answer_of_a_real_osd(release: str, world: MgrWorld) -> None:
    from perf_bench.ceph.commands import parse_bench

    answer = parse_bench(answers_of(release)["bench"][1])
    assert (answer.bytes_written, answer.block_size) == (1 << 20, 4096)
    assert answer.bytes_per_second == pytest.approx(answer.bytes_written / answer.seconds)
    assert answer.iops == pytest.approx(answer.bytes_per_second / 4096)


def _bench(seconds: object, rate: object, iops: object) -> bytes:
    figures = f'"elapsed_sec": {seconds}, "bytes_per_sec": {rate}, "iops": {iops}'
    return f'{{"bytes_written": 1073741824, "blocksize": 4096, {figures}}}'.encode()


def test_what_is_no_answer(commands: RadosCommands, world: MgrWorld) -> None:
    for out, said in (
        (b"", "Expecting value: line 1 column 1 (char 0)"),
        (b"\xff", "'utf-8' codec can't decode byte 0xff in position 0: invalid start byte"),
        (b"{}", "'bytes_written'"),
        (b"[]", "list indices must be integers or slices, not str"),
        (b"null", "'NoneType' object is not subscriptable"),
        (
            b'{"bytes_written": "many", "blocksize": 1, "elapsed_sec": 1}',
            "invalid literal for int() with base 10: 'many'",
        ),
        (_bench(-3.5, -306783378, -74898.3), "a figure that is no number of 0 or more"),
        (_bench(0.1, "NaN", 9.0), "a figure that is no number of 0 or more"),
        (_bench(0.1, 1e9, "Infinity"), "a figure that is no number of 0 or more"),
    ):

        def answer(out: bytes = out) -> tuple[int, bytes, str]:
            return 0, out, ""

        world.osd_acts[0] = answer
        told = f"osd bench gave an unknown answer: {said}"
        assert _failure(commands, 0) == (errno.EPROTO, told)


@pytest.mark.parametrize(
    ("answer", "failure"),
    [
        ((-22, b"", " spaced \n"), (errno.EINVAL, "spaced")),
        # no word: the name of its errno
        ((-110, b"", ""), (errno.ETIMEDOUT, "ETIMEDOUT")),
        ((-4095, b"", ""), (4095, "-4095")),
    ],
)
def test_an_error_is_told_with_its_errno(
    answer: tuple[int, bytes, str],
    failure: tuple[int, str],
    commands: RadosCommands,
    world: MgrWorld,
) -> None:
    world.osd_acts[0] = lambda: answer
    assert _failure(commands, 0) == failure


@pytest.mark.parametrize(
    ("number", "failure"),
    [
        (errno.ETIMEDOUT, (errno.ETIMEDOUT, "[errno 110] late")),
        (None, (errno.EIO, "late")),
    ],
)
def test_an_error_of_librados_itself(
    number: int, failure: tuple[int, str], commands: RadosCommands, world: MgrWorld
) -> None:
    def late() -> tuple[int, bytes, str]:
        raise sys.modules["rados"].Error("late", number)

    world.osd_acts[0] = late
    assert _failure(commands, 0) == failure


# --- closing ---------------------------------------------------------------------------------


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()
    threads.join("bench-")


def test_a_client_with_a_command_in_flight_is_let_go_by_the_last_to_return(
    commands: RadosCommands, world: MgrWorld, gate: threading.Event
) -> None:
    # librados frees what the thread waits on when its client is shut down under it
    both_asked = threading.Barrier(3, timeout=threads.PATIENCE)

    def wait() -> tuple[int, bytes, str]:
        both_asked.wait()
        gate.wait()
        return -22, b"", "too late"

    world.osd_acts = {0: wait, 1: wait}
    for osd in (0, 1):
        threading.Thread(
            target=_failure, args=(commands, osd), name=f"bench-{osd}", daemon=True
        ).start()
    both_asked.wait()
    commands.close()
    assert world.connected == 1
    gate.set()
    threads.join("bench-")
    assert world.connected == 0


@pytest.mark.parametrize(("seconds", "told"), [(4294967292.5, "4294967292 s"), (70.2, "70 s")])
def test_a_clock_that_was_set_during_a_bench(
    seconds: float, told: str, commands: RadosCommands, world: MgrWorld
) -> None:
    """Set back, or forth by a minute: an OSD takes the time of day before and after."""
    world.osd_acts[0] = lambda: (0, _bench(seconds, 1e9 / seconds, 1e5 / seconds), "")
    said = (
        f"it measured {told} in a command that may take 60 s: the clock of its host was set "
        "meanwhile"
    )
    assert _failure(commands, 0) == (errno.EPROTO, said)
