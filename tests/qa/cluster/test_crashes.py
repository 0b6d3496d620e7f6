"""Deaths read from a daemon's log, and the distribution's illness known by its stack."""

from __future__ import annotations

import json
from typing import Optional

import pytest

from cluster import crashes, daemons
from cluster.crashes import KEYS_ILLNESS, REEF_ILLNESS, Crash, crashes_of, read_log
from cluster.processes import Process, write_pid_file
from cluster.spec import Spec

# As Debian 13's 18.2.7 wrote it, with most of the recent events left out.
SEGFAULT = """\
2026-11-21T03:00:25.918+0000 7f314e5fe0c0  0 ceph version 18.2.7 (6b0e) reef (stable), process ceph-mgr, pid 5860
2026-11-21T03:00:51.922+0000 7f3147dd96c0 -1 *** Caught signal (Segmentation fault) **
 in thread 7f3147dd96c0 thread_name:io_context_pool

 ceph version 18.2.7 (6b0e988052ec84cf2d4a54ff9bbbc5e720b621ad) reef (stable)
 1: /lib/x86_64-linux-gnu/libc.so.6(+0x3fd70) [0x7f314f1a1d70]
 2: /lib/x86_64-linux-gnu/libpython3.13.so.1.0(+0x284ebc) [0x7f3150779ebc]
 3: PyThreadState_Swap()
 4: (Gil::~Gil()+0x49) [0x5577ee3489a9]
 5: (MonCommandCompletion::finish(int)+0x121) [0x5577ee2e7dc1]
 6: ceph-mgr(+0x1d3138) [0x5577ee2c4138]

--- begin dump of recent events ---
 -5518> 2026-11-21T03:00:25.918+0000 7f314e5fe0c0  0 ceph version 18.2.7 (6b0e) reef (stable), process ceph-mgr, pid 5860
     0> 2026-11-21T03:00:51.922+0000 7f3147dd96c0 -1 *** Caught signal (Segmentation fault) **
 in thread 7f3147dd96c0 thread_name:io_context_pool
 5: (MonCommandCompletion::finish(int)+0x121) [0x5577ee2e7dc1]
"""  # noqa: E501 - a log's lines are as long as they are
ANOTHER = SEGFAULT.replace("MonCommandCompletion", "Something").replace("5860", "7001")


def read(text: str) -> list[Crash]:
    return read_log("mgr.y", text.splitlines())


def test_the_illness_is_known_and_counted_once() -> None:
    assert read(SEGFAULT) == [Crash("mgr.y", 5860, "Segmentation fault", REEF_ILLNESS)]


def test_another_stack_is_not_excused() -> None:
    assert read(ANOTHER) == [Crash("mgr.y", 7001, "Segmentation fault")]


def test_the_illness_is_that_of_reef_alone() -> None:
    other = SEGFAULT.replace("reef (stable)", "tentacle (stable - RelWithDebInfo)")
    assert read(other) == [Crash("mgr.y", 5860, "Segmentation fault")]


def test_every_death_counts_even_of_a_recycled_pid() -> None:
    known = [crash.known for crash in read(SEGFAULT + ANOTHER + SEGFAULT)]
    assert known == [REEF_ILLNESS, None, REEF_ILLNESS]


def test_the_frame_in_the_dump_of_the_next_crash_excuses_nothing() -> None:
    # the recent events of a life may quote anything
    dump = ANOTHER + " 5: (MonCommandCompletion::finish(int)+0x121) [0x5577ee2e7dc1]\n"
    assert [crash.known for crash in read(dump)] == [None]


BEFORE_KEYS = """\
2026-11-25T21:23:33.013+0000 7fd59f0ba440  0 ceph version 16.2.15 (618f440892089921c3e944a991122ddc44e60516) pacific (stable), process ceph-mgr, pid 3794
2026-11-25T21:23:37.881+0000 7fd5934cc6c0 -1 ./src/auth/Crypto.h: In function 'int CryptoKey::decrypt(ceph::common::CephContext*)' thread 7fd5934cc6c0
./src/auth/Crypto.h: 162: FAILED ceph_assert(ckh)

 ceph version 16.2.15 (618f440892089921c3e944a991122ddc44e60516) pacific (stable)
 1: (ceph::__ceph_assert_fail(char const*, char const*, int, char const*)+0x127) [0x7fd59664e5c4]
"""  # noqa: E501 - as above
ABORTED = "2026-11-25T21:23:37.881+0000 7fd5934cc6c0 -1 *** Caught signal (Aborted) **\n"


@pytest.mark.parametrize(("rest", "signal"), [("", None), (ABORTED, "Aborted")])
def test_a_mgr_that_ends_before_it_has_its_keys_is_known(rest: str, signal: Optional[str]) -> None:
    twice = BEFORE_KEYS + BEFORE_KEYS.splitlines(keepends=True)[2]  # another thread's, or the dump
    assert read(twice + rest) == [Crash("mgr.y", 3794, signal, KEYS_ILLNESS)]
    other = BEFORE_KEYS.replace("ckh", "other")
    assert [one.known for one in read(other + rest)] == ([None] if rest else [])


def test_a_quiet_log_has_none() -> None:
    assert read(SEGFAULT.splitlines()[0]) == []


def gone(spec: Spec, daemon: str, pid: int) -> None:
    write_pid_file(spec.pid_file(daemon), Process(pid, start=0))  # no process began at boot tick 0


def test_a_daemon_that_vanished_counts_though_it_logged_nothing(spec: Spec) -> None:
    gone(spec, "osd.2", 4242)
    assert crashes_of(spec, "osd.2") == [Crash("osd.2", 4242, None)]


def test_a_daemon_that_was_stopped_does_not_count(spec: Spec) -> None:
    assert crashes_of(spec, "osd.2") == []


def test_a_death_with_a_log_counts_once(spec: Spec) -> None:
    gone(spec, "mgr.y", 7001)
    spec.log("mgr.y").write_text(ANOTHER, encoding="utf-8")
    assert crashes_of(spec, "mgr.y") == [Crash("mgr.y", 7001, "Segmentation fault")]


def test_a_death_is_still_counted_after_a_restart(spec: Spec) -> None:
    note = json.dumps({"daemon": "osd.2", "pid": 4242}) + "\n"
    (spec.dir / daemons.LOST).write_text(note, encoding="utf-8")
    counted = {"daemon": "osd.2", "pid": 4242, "signal": None, "known": None}
    assert crashes.crashes(spec) == [counted]
