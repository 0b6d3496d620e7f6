"""One clear sentence, the right errno, and nothing changed."""

from __future__ import annotations

import shlex

import pytest

from scenarios.operator import Operator

pytestmark = pytest.mark.cluster
ENOENT, EAGAIN, EINVAL = 2, 11, 22

# What is typed, the errno, what the sentence must say; tests/answers and tests/cli have the others.
BAD = [
    ("round start nope", ENOENT, "no profile 'nope'"),
    ("round start osd-iops --osds 99", ENOENT, "osd.99: no such OSD"),
    ("round start osd-iops --osds host=nope", ENOENT, "host=nope; this cluster has host host-0"),
    ("round start osd-iops --size 1000", EINVAL, "multiple of 512"),
    ("round start osd-throughput --size 128M", EINVAL, "osd_bench_max_block_size"),
    ("round start osd-sandwich --osds 0,1", EINVAL, "no chosen host has two OSDs"),
    ("round start rados-write --size 128M", EINVAL, "osd_max_write_size"),
    ("round start rados-write --pool nope", ENOENT, "no pool nope"),
    ("round start rados-write --pool ''", EINVAL, "names no pool"),
    ("round import --as fio", EINVAL, "there are no results: give a file with -i"),
    ("round abort", ENOENT, "no round is running"),
    ("round export 4242 --as xml", EINVAL, "json, csv, openmetrics, html"),
    ("osd show nope", EINVAL, "not an OSD"),
    ("host import nope", ENOENT, "no host 'nope' has OSDs"),
    ("doctor --osd 99", ENOENT, "osd.99: no such OSD"),
]


def test_bad_input(operator: Operator) -> None:
    operator.sees_it_ready()
    before = operator.asks("round", "ls")
    for typed, code, sentence in BAD:
        reply = operator.answered(*shlex.split(typed))
        assert (reply.code, reply.out.strip()) == (code, ""), typed
        assert sentence in reply.err, typed
        assert len(reply.err.strip().splitlines()) == 1, typed
    assert operator.asks("round", "ls") == before
