"""Faults on real daemons: put in place, kept going, undone.

A fault that ends by itself, or that has to be played on (stall), has a player: a small process of
the cluster, `qa/devcluster play`.
"""

from __future__ import annotations

import dataclasses
import secrets
import signal
import time
from collections.abc import Iterable, Sequence
from typing import Optional

from . import asok, client, daemons, records
from .errors import ClusterError, UsageError
from .healing import heal, ids_of_dead_mgrs, wait_back
from .namespaces import REPO
from .processes import end, launch, read_pid_file
from .records import Fault, alone, faults
from .spec import Spec
from .targets import resolve
from .waiting import wait_for

_SLOW_ON = "osd_debug_inject_dispatch_delay_probability"
_SLOW_BY = "osd_debug_inject_dispatch_delay_duration"
# Peers report a refused connection at once; when none is left to report it, the mon is told.
_REPORT_SECONDS = 8.0
_LONGEST_SECONDS = 86400.0


def active_mgr(spec: Spec) -> str:
    """The active mgr's name."""
    name = str(client.ceph_json(spec, "mgr", "dump", timeout=30)["active_name"])
    if not name:
        raise ClusterError("no mgr is active now")
    return name


def put(
    spec: Spec, kind: str, words: Sequence[str], seconds: Optional[float] = None, **options: float
) -> Fault:
    """Put a fault in place and return when it is; it lasts `seconds`, or until it is cleared.

    Options: `stop` and `run` (stall: seconds stopped and running in turn), `delay` (slow: seconds).
    """
    for name, value in {"seconds": seconds, **options}.items():
        if value is not None and not 0 < value <= _LONGEST_SECONDS:
            raise UsageError(
                f"--{name} must be more than 0 and at most {_LONGEST_SECONDS:g}, not {value:g}"
            )
    chosen = resolve(spec, kind, words, lambda: active_mgr(spec))
    fault = Fault(secrets.token_hex(4), kind, chosen, **options)
    with alone(spec):
        _check_runs(spec, fault)
        _forget(spec, [old for old in faults(spec) if old.kind == kind], chosen)
        records.write(spec, fault)
        _strike(spec, fault)
    if kind in ("down", "host-down"):
        _wait_down(spec, chosen)
    if kind == "pause":
        _wait_stopped(spec, chosen)
    if kind == "stall" or seconds is not None:
        with alone(spec):
            if fault in faults(spec):  # nobody cleared it meanwhile
                # Timed from the moment at which it is in place.
                until = None if seconds is None else time.monotonic() + seconds
                fault = dataclasses.replace(fault, until=until)
                records.write(spec, fault)
                _start_player(spec, fault)
    return fault


def clear(spec: Spec, words: Sequence[str]) -> tuple[str, ...]:
    """Undo all faults of the targets and start what does not run; returns when they are back."""
    chosen = resolve(spec, "clear", words, lambda: active_mgr(spec))
    mons = [name for name in chosen if name in spec.mon_daemons]
    with alone(spec):
        # Without a quorum nobody answers what follows.
        heal(spec, mons)
        wait_back(spec, mons, {})
        before = ids_of_dead_mgrs(spec, chosen)
        _forget(spec, faults(spec), chosen)
        heal(spec, chosen)
    wait_back(spec, chosen, before)
    return chosen


def play(spec: Spec, fault_id: str) -> None:
    """The player's life: keep the fault going until its time is over, then undo it."""
    for fault in faults(spec):
        if fault.id == fault_id:
            if fault.kind == "stall":
                _stall(spec, fault)
            else:
                time.sleep(fault.left or 0.0)
            with alone(spec):
                if fault in faults(spec):
                    _undo(spec, fault, fault.daemons)
                    records.remove(spec, fault)


def _check_runs(spec: Spec, fault: Fault) -> None:
    if fault.kind in ("stall", "pause", "slow"):
        idle = [name for name in fault.daemons if not daemons.process_of(spec, name)]
        if idle:
            raise ClusterError(
                f"'{fault.kind}' cannot be played on what does not run: {', '.join(idle)}"
            )


def _strike(spec: Spec, fault: Fault) -> None:
    for name in fault.daemons:
        if fault.kind == "slow":
            asok.ask(spec, name, "config set", var=_SLOW_BY, val=[str(fault.delay)])
            asok.ask(spec, name, "config set", var=_SLOW_ON, val=["1"])
        elif fault.kind == "pause":
            # Here and not in a player, whose start takes 0.2 s: the moment is the point of it.
            daemons.send(spec, name, signal.SIGSTOP)
        elif fault.kind != "stall":
            daemons.stop(spec, name, grace=0)


def _start_player(spec: Spec, fault: Fault) -> None:
    argv = [str(REPO / "qa" / "devcluster"), "play", "--dir", str(spec.dir), fault.id]
    launch(argv, daemons.environment(spec), spec.pid_file(fault.player), spec.output(fault.player))
    if fault.kind == "stall":
        targets = [daemons.process_of(spec, name) for name in fault.daemons]
        stopped = lambda: any(process and process.stopped for process in targets)  # noqa: E731
        wait_for(stopped, 60, lambda: "the stall did not begin", every=0.02)


def _stall(spec: Spec, fault: Fault) -> None:
    """Stop and continue in turn; whatever ends the player, the daemons run on after it."""
    try:
        while fault.left is None or fault.left > 0:
            _send(spec, fault.daemons, signal.SIGSTOP)
            time.sleep(fault.stop)
            _send(spec, fault.daemons, signal.SIGCONT)
            time.sleep(fault.run)
    finally:
        _send(spec, fault.daemons, signal.SIGCONT)


def _send(spec: Spec, names: Iterable[str], number: int) -> None:
    for name in names:
        daemons.send(spec, name, number)


def _forget(spec: Spec, olds: Iterable[Fault], names: Sequence[str]) -> None:
    """Undo faults on `names`; what else the same faults hit stays hit."""
    for fault in olds:
        hit = [name for name in fault.daemons if name in names]
        if not hit:
            continue
        player = read_pid_file(spec.pid_file(fault.player))
        if player:
            end([player])
        _undo(spec, fault, hit)
        records.remove(spec, fault)
        rest = tuple(name for name in fault.daemons if name not in names)
        if rest:
            left = dataclasses.replace(fault, daemons=rest)
            records.write(spec, left)
            if player:
                _start_player(spec, left)


def _undo(spec: Spec, fault: Fault, names: Iterable[str]) -> None:
    if fault.kind in ("stall", "pause"):
        _send(spec, names, signal.SIGCONT)
    elif fault.kind == "slow":
        for name in names:
            if daemons.process_of(spec, name):  # a new life has forgotten it by itself
                asok.ask(spec, name, "config unset", var=_SLOW_ON)
                asok.ask(spec, name, "config unset", var=_SLOW_BY)
    else:
        heal(spec, names)


def _wait_stopped(spec: Spec, names: Sequence[str]) -> None:
    """The kernel takes a moment to stop a process; one that ends meanwhile is not waited for."""
    processes = [process for name in names if (process := daemons.process_of(spec, name))]
    wait_for(
        lambda: all(process.stopped or not process.alive for process in processes),
        60,
        lambda: f"not stopped: {', '.join(names)}",
        every=0.001,
    )


def _wait_down(spec: Spec, names: Sequence[str]) -> None:
    def still_up() -> list[str]:
        osds = client.ceph_json(spec, "osd", "dump", timeout=30)["osds"]
        return [str(each["osd"]) for each in osds if each["up"] and f"osd.{each['osd']}" in names]

    asked = time.monotonic() + _REPORT_SECONDS

    def down() -> bool:
        left = still_up()
        if left and time.monotonic() > asked:
            client.run(spec, ["ceph", "osd", "down", *left])
        return not left

    wait_for(down, 180, lambda: f"the mon still calls them up: {', '.join(names)}", every=0.4)
