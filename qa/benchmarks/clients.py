"""What the clients of a round do beside as many `rados bench` by hand: pairs, interleaved."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

from cluster.client import client_environment
from cluster.errors import ClusterError
from cluster.namespaces import inside
from perf_bench.clients.rados_bench import RadosOutput
from perf_bench.model.rados import ClientRun

from .bed import Bed
from .fidelity import of_pairs
from .figures import Figure, Target

_POOL, _NAMESPACE = "perf_bench", "by-hand"
_CLIENTS, _THREADS, _SECONDS = 4, 8, 6
# Of what was asked, that a client runs: on a fast disk it may reach what a run may take of so small
# a cluster, a fifth of its room, and end early.
_LEAST_SECONDS = 0.95
_TARGET = Target(0.98, 1.02)


def beside_hand(
    what: str, rate: Callable[[], float], bed: Bed, pairs: int, say: Callable[[str], None]
) -> Figure:
    """What a round reached to what was reached by hand, over `pairs` pairs."""
    rate()  # makes the pool, and warms it
    hands: dict[str, Callable[[], float]] = {"round": rate, "hand": lambda: _by_hand(bed)}
    found = []
    for number in range(pairs):
        # Who comes second finds the cluster as the first left it: each is second half of the time.
        order = sorted(hands, reverse=number % 2 == 0)
        rates = {name: hands[name]() for name in order}
        found.append(rates)
        say(f"{what}, pair {number + 1} of {pairs}: {rates['round'] / rates['hand']:.3f}")
    ratios = [pair["round"] / pair["hand"] for pair in found]
    note = f"pairs of {_CLIENTS} clients"
    return of_pairs(f"{what}, round / by hand", ratios, _TARGET, note, {"pairs": found})


def by_round(bed: Bed, **more: str | int) -> float:
    """What the clients of a round of one repeat did together, in bytes/s."""
    words = {"clients": _CLIENTS, "threads": _THREADS, "seconds": _SECONDS, "repeats": 1}
    asked = {**words, **more}
    found = bed.round("rados-write", **asked)
    shortest = min(client["seconds"] for client in found["clients"])
    if shortest < _LEAST_SECONDS * float(asked["seconds"]):
        raise ClusterError(f"a client ended after {shortest:.1f} s, of its {asked['seconds']}")
    return float(found["summary"]["median_bytes_per_second"])


def _by_hand(bed: Bed) -> float:
    """As an operator does it: start all at once, add up what each reports, clean up."""
    spec = bed.cluster.spec
    where = ["rados", "-p", _POOL, "-N", _NAMESPACE]
    bench = ["bench", str(_SECONDS), "write", "-t", str(_THREADS), "--no-cleanup"]
    processes = [
        subprocess.Popen(
            inside(spec, [*where, *bench, "--run-name", f"hand-{number}"]),
            env=client_environment(spec, {}),
            cwd="/",
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(_CLIENTS)
    ]
    outputs = [process.communicate(timeout=10 * _SECONDS) for process in processes]
    for process, (_, complaint) in zip(processes, outputs, strict=True):
        if process.returncode:
            raise ClusterError(f"rados bench by hand failed: {complaint.strip()}")
    runs = [_parsed(text) for text, _ in outputs]
    for run_ in runs:
        bed.cluster.rados(*where[1:], "cleanup", "--prefix", run_.prefix, timeout=120)
    return sum(run_.bytes_per_second for run_ in runs)


def _parsed(text: str) -> ClientRun:
    output = RadosOutput()
    for line in text.splitlines():
        output.feed(line)
    return output.result()
