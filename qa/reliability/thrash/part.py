"""The part `thrash`: cycles of random actions while users go on; after each all must hold.

The actions of a cycle follow from the seed and the cycle's number: `SEED=7` makes the same ones in
the same order, after those that failed last. When they meet what users do is not the same each
time.
"""

from __future__ import annotations

import itertools
import random
import re
import subprocess
import time
from collections.abc import Iterator
from functools import partial

from cluster import clocks
from cluster.boot import dashboard_url
from cluster.errors import ClusterError

from ..crash.bed import Bed, bed, unix_of
from ..crash.part import figures
from ..trials import Order, Trial
from .actions import draw, stepped, undo
from .users import Users, lost

ACTIONS = 8
_RESERVE = 150.0
_DAY = 86400


def run(order: Order) -> Iterator[Trial]:
    """Make cycles until the time is over; after one that failed the cluster is another one."""
    until = time.monotonic() + order.seconds - _RESERVE
    due = cycles(order)
    while time.monotonic() < until:
        with bed(order.release, dashboard=True) as made:
            _start_with_clocks(made)
            while time.monotonic() < until:
                trial = _cycle(made, *next(due))
                if trial.faults:
                    print(f"   logs: {made.keep_logs(order.folder)}", flush=True)
                yield trial
                if trial.faults:
                    break


def cycles(order: Order) -> Iterator[tuple[int, int]]:
    """Seed and number of each cycle of our share: those that failed last, then the seed's own."""
    named = [re.match(r"seed (\d+), cycle (\d+): ", what) for what in order.failing]
    failed = sorted((int(found[1]), int(found[2])) for found in named if found)
    yield from order.ours(failed)
    for number in itertools.count(order.share[0] - 1, order.share[1]):
        if (order.seed, number) not in failed:
            yield order.seed, number


def _start_with_clocks(made: Bed) -> None:
    """Mgrs whose clocks can be set; that they can is looked at once."""
    clocks.prepare(made.cluster.spec)
    made.cluster.restart(*made.cluster.spec.mgr_daemons)
    made.operator.sees_it_ready()
    with stepped(made, made.operator.active_mgr(), _DAY):
        made.operator.sees("a clock that is ahead", lambda: _ahead(made) > _DAY / 2)
    made.operator.sees("a clock that is right", lambda: abs(_ahead(made)) < _DAY / 2)


def _ahead(made: Bed) -> float:
    """By how many seconds the last tick of the watch is in the future."""
    return unix_of(str(made.watch()["last_tick_at"])) - time.time()


def _cycle(made: Bed, seed: int, number: int) -> Trial:
    began = time.monotonic()
    # A cycle can be replayed whatever those before it have drawn.
    actions = draw(random.Random(f"{seed}/{number}"), ACTIONS)  # noqa: S311
    spec = made.cluster.spec
    url = partial(dashboard_url, spec)
    users = Users(made.operator, lambda: url().rstrip("/"), spec.dashboard_password)
    faults: list[str] = []
    try:
        before = made.rest()
        users.start()
        try:
            for action in actions:
                print(f"   cycle {number}: {action.name}", flush=True)
                action.run(made)
        finally:
            users.stop()
            undo(made)
        made.operator.types("round", "abort")
        faults = [*made.differs(before), *_lost(made, users)]
    except (AssertionError, ClusterError, OSError, subprocess.TimeoutExpired) as error:
        faults.append(f"{type(error).__name__}: {error}")
    faults += users.faults[:5]
    note = ", ".join(f"{count} {what}" for what, count in sorted(users.done.items()))
    what = f"seed {seed}, cycle {number}: {'; '.join(one.name for one in actions)}"
    return Trial(what, 1, time.monotonic() - began, faults, note, f"cycles of {ACTIONS} actions")


def _lost(made: Bed, users: Users) -> list[str]:
    """Figures that were shown once and are not there at the end; rounds that have not ended."""
    found = []
    for number, shown in users.shown.items():
        round_ = made.operator.asks("round", "show", str(number))
        gone = lost(shown, figures(round_))
        found += [f"round {number} has lost {gone[0]}"] if gone else []
        if round_["state"] not in ("done", "aborted", "failed"):
            found.append(f"round {number} is {round_['state']}")
    return found
