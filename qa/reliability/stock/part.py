"""The part `stock`: `ceph -s`, `ceph osd perf` and the stock dashboard beside the module.

The module is off and on in turn on one cluster, which nothing else is asked of. What is held
against a limit is the lower end of the interval of a ratio: one of the two must be surely slower.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from statistics import median

from browser.sites import Site
from cluster.connection import Connection
from cluster.spec import Order as ClusterOrder
from scenarios.operator import Operator
from scenarios.throwaway import throwaway

from ..soak.part import HOSTS, OSD_BYTES, OSDS
from ..trials import Order, Trial

# A mgr that has just started does the work of many ticks at once, with the module and without.
_SETTLE_SECONDS = 15.0
_ASK_SECONDS = 40.0
# Both, and the two starts of a mgr.
_PAIR_SECONDS = 150.0
_LEAST_PAIRS = 3
_PAUSE = 0.05
_RESAMPLES = 2000
# What a part of the mgr's own time may be: its commands and pages share one processor with us.
LIMITS: Mapping[str, float] = {"p50": 1.10, "p99": 1.25}
_PARTS = {"p50": 0.50, "p99": 0.99}
Took = Mapping[str, Sequence[float]]


def run(order: Order) -> Iterator[Trial]:
    """Boot a cluster and ask until the time is over."""
    cluster_order = ClusterOrder(order.release, osds=OSDS, hosts=HOSTS, osd_bytes=OSD_BYTES)
    until = time.monotonic() + order.seconds
    began = time.monotonic()
    with throwaway(cluster_order) as cluster, closing(Connection(cluster.spec)) as link:
        site = Site(cluster)
        Operator(cluster).sees_it_ready()
        questions = _questions(site, link)
        pairs: list[tuple[Took, Took]] = []
        while len(pairs) < _LEAST_PAIRS or time.monotonic() + _PAIR_SECONDS < until:
            # Each of the two is first in half of the pairs.
            words = ["disable", "enable"] if len(pairs) % 2 else ["enable", "disable"]
            took = {word: _asked(site, word, questions) for word in words}
            pairs.append((took["disable"], took["enable"]))
            print(f"   pair {len(pairs)}", flush=True)
    chance = random.Random(order.seed)  # noqa: S311 - nothing secret
    for question in questions:
        yield judged(question, pairs, chance, time.monotonic() - began)


def _questions(site: Site, link: Connection) -> Mapping[str, Callable[[], object]]:
    def page(path: str) -> Callable[[], object]:
        def ask() -> None:
            reply = site.admin.call("GET", path)
            if reply.status != 200:
                raise AssertionError(reply)

        return ask

    return {
        "ceph -s": lambda: link.mon("status"),
        "ceph osd perf": lambda: link.mgr("osd perf"),
        "ceph pg dump": lambda: link.mgr("pg dump"),
        "dashboard: health": page("/api/health/minimal"),
        "dashboard: OSDs": page("/api/osd"),
    }


def _asked(site: Site, word: str, questions: Mapping[str, Callable[[], object]]) -> Took:
    """The seconds of each answer, in the state that ``word`` leads to."""
    site.switch(word)
    time.sleep(_SETTLE_SECONDS)
    took: dict[str, list[float]] = {name: [] for name in questions}
    until = time.monotonic() + _ASK_SECONDS
    while time.monotonic() < until:
        for name, ask in questions.items():
            began = time.monotonic()
            ask()
            took[name].append(time.monotonic() - began)
            time.sleep(_PAUSE)
    return took


def judged(
    question: str, pairs: Sequence[tuple[Took, Took]], chance: random.Random, seconds: float
) -> Trial:
    """The times with the module over those without, as medians of all pairs."""
    faults, notes = [], []
    for name, part in _PARTS.items():
        found = [(quantile(off[question], part), quantile(on[question], part)) for off, on in pairs]
        ratios = [on / off for off, on in found]
        low, high = interval(ratios, chance)
        off = median(one for one, _ in found)
        notes.append(
            f"{name} {median(ratios):.2f} times ({low:.2f} to {high:.2f}) {off * 1000:.1f} ms"
        )
        if low > LIMITS[name]:
            faults.append(f"{name} is {low:.2f} times at least, over {LIMITS[name]:g}")
    count = sum(len(off[question]) + len(on[question]) for off, on in pairs)
    note = f"{', '.join(notes)}; {len(pairs)} pairs"
    return Trial(f"{question}, with the module and without", count, seconds, faults, note)


def interval(ratios: Sequence[float], chance: random.Random) -> tuple[float, float]:
    """The middle 95 % of the medians of pairs that are drawn again with replacement."""
    medians = sorted(median(chance.choices(ratios, k=len(ratios))) for _ in range(_RESAMPLES))
    cut = _RESAMPLES // 40
    return medians[cut], medians[-cut - 1]


def quantile(values: Sequence[float], part: float) -> float:
    """The smallest value that is not below this part of them."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]
