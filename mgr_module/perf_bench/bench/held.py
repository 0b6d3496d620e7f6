"""Settings that are changed for a while, and put back whatever becomes of this mgr.

What is to be changed is recorded at the monitors (config-key), with the value before, *before* the
first change is made, and removed after the last is put back. So the record names all that may be in
effect: any mgr can put it back, and ``ceph-perf-bench restore`` can without one. Each process
writes keys of its own, takes over what others have recorded and removes theirs: a mgr that wakes up
late overwrites nothing. The monitors can be written while no placement group is active.

A setting that has our value is put back, one that has another is left and named. A mgr that died
while it made changes may have sent a command that is carried out minutes later, so what it has
recorded is looked at each minute for ten minutes more.
"""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Any, Callable, Optional, Protocol, TypeVar

from ..core.clock import Clock
from ..core.loop import ASK_SECONDS, to_its_end
from ..core.workers import Executor, Here, answer_of
from ..errors import Busy, NotFound, NotNow
from ..model.admission import (
    BALANCER,
    Changed,
    Fate,
    Outcome,
    QuiesceState,
    QuiesceStatus,
    Restored,
    SettingChange,
    Values,
    same_value,
    setting_name,
    why_out,
)
from ..model.finding import Claim, Gap, Look, Severity, Target
from ..model.finding_kinds import RESTORE_PENDING
from ..model.json_fields import FAULTS, decode, from_json
from ..model.phrases import listed, one_line, time_text
from .held_kinds import ClusterSettings, Monitors

T = TypeVar("T")
# Whether a value is the one that is looked for.
Fits = Callable[[Optional[str]], bool]

KEYS = "mgr/perf_bench/held"
# Who holds settings. Those of a round are put back by themselves, the others on request only.
ROUND, MCLOCK, RELIEF = "round", "mclock", "relief"
# Below these 1.0.0 kept a key for each change; they are taken over as those of other processes.
EARLIER_KEYS = {user: f"mgr/perf_bench/{user}" for user in (MCLOCK, RELIEF)}
EARLIER_KEYS[ROUND] = "mgr/perf_bench/quiesce"
FORMAT = 3
# Seconds after which monitors no longer carry out a command whose sender has died. They do within
# their lease and one election (5 s each by default) once they have it; a monitor that is paged out
# or partitioned takes longer, and forwards it when it is back. Counted from when the change was
# recorded, by the clocks of mgrs, which are those of the monitors within moments.
LATE = 600.0
# Seconds that a reading stays valid for setting a value: up to six runs of the client in the tool.
# Monitors wait 30 s for a mgr (mon_mgr_beacon_grace) before they name another one.
_FRESH_SECONDS = 20.0
# Seconds between two readings of the record, and between two looks for late commands.
_AGAIN_SECONDS = 60.0
# Seconds that the end of a round waits for changes that are being made: a monitor's limit.
_END_SECONDS = 20.0
# Seconds that a command waits: for some of the monitors' commands, each of which has 15 s, or for
# those of 200 OSDs, each a tenth of a second on slow disks.
_WAIT = 60.0
# Kinds of settings that are in the OSD map.
_IN_THE_OSD_MAP = ("flag/", "pool/", "osd/")
# Changes in a key, which holds at most 64 KiB.
_PER_KEY = 100


class Authority(Protocol):
    """This process's right to change the cluster's settings."""

    @property
    def writer(self) -> str:
        """A name that no other process has or had."""

    def check(self) -> None:
        """Ask the monitors. Raises NotNow if another mgr is active."""


@dataclass(frozen=True)
class Access:
    """What it takes to change settings.

    ``executor`` runs what waits for the monitors, one after the other in the order of asking;
    ``beside`` what one of these may ask side by side.
    """

    monitors: Monitors
    settings: ClusterSettings
    authority: Authority
    clock: Clock
    log: logging.Logger
    executor: Executor = field(default_factory=Here)
    beside: Executor = field(default_factory=Here)


class Held:
    """The settings that one user (``ROUND`` and so on) has changed.

    What asks the monitors is run by ``do``, one call after the other, so that only one thread at a
    time changes anything here. The other methods ask nobody, and any thread may call them.
    """

    def __init__(
        self, user: str, access: Access, running: Callable[[], Optional[str]] = lambda: None
    ) -> None:
        """``running`` returns the token of the running round, whose settings stay changed."""
        self._access = access
        self._clock = access.clock
        self._settings = access.settings
        self._running = running
        # Nobody waits for late commands where settings are put back on request only.
        self._late, self._limit = (LATE, ASK_SECONDS) if user == ROUND else (0.0, _WAIT)
        self._below = f"{KEYS}/{user}/"
        self._earlier = EARLIER_KEYS[user]
        # The keys at the monitors with their texts, and those that cannot be read, each with the
        # reason: they are left alone.
        self._texts: dict[str, str] = {}
        self._unreadable: tuple[str, ...] = ()
        # Replaced, not changed: other threads read it.
        self._changes: Mapping[str, SettingChange] = {}
        self.is_read = False
        # When the record is read next (monotonic).
        self._due = -math.inf
        # Why something is not back.
        self._why = ""
        self._last: Optional[Restored] = None

    async def do(self, work: Callable[[], T]) -> T:
        """Run what waits for the monitors; return its result or raise its error.

        A round that is cancelled meanwhile waits until it is done: what is put back comes after it.
        """
        return await to_its_end(self._access.executor.submit(work), _END_SECONDS)

    def ask(self, work: Callable[[], T]) -> T:
        """As ``do``, from any thread but the loop's.

        Raises NotConfirmed after a time limit: then it goes on all the same.
        """
        return answer_of(self._access.executor.submit(work), self._limit)

    # --- to change and put back: run these by ``do`` -------------------------------------------

    def hold(
        self, holder: str, wanted: Values, until: Optional[float] = None
    ) -> tuple[SettingChange, ...]:
        """Set the wanted values; returns the changes.

        With ``until`` (unix seconds) they are put back then in any case, and so are those made so
        far if one fails; what another mgr has changed for the same holder stays. Without, they are
        put back on request, and what was before the first of several changes is what to go back to.
        Raises the errors of monitors and settings, and NotNow while changes of an earlier holder
        are not put back, or if another mgr is active.
        """
        self.read_whole()
        self.release(lambda one: one.holder != holder)
        if any(one.holder != holder for one in self._shown()):
            raise NotNow(f"changes of an earlier round are not put back yet: {self._why}")
        self._last = None
        try:
            return self._make(holder, wanted, until)
        except Exception:
            if until is not None:
                self.release()
            raise

    def release(self, is_chosen: Callable[[SettingChange], bool] = lambda _one: True) -> Restored:
        """Put back these changes, the last one first; failed ones stay in the record.

        Raises nothing.
        """
        ours = list(filter(is_chosen, self.changes))
        if not ours:
            return Restored()
        set_ = self._set({one.what: (one.was, one.is_ours) for one in reversed(ours)})
        found = tuple([self._outcome(one, set_[one.what]) for one in reversed(ours)])
        done = Restored(found, self._saved())
        self._why = "; ".join(f"{one.change.what}: {one.why}" for one in done.waiting)
        if done.put_back or done.left:
            self._last = Restored((*(self._last.outcomes if self._last else ()), *found))
        return done

    def undo(self, is_chosen: Callable[[SettingChange], bool]) -> Restored:
        """Put back these changes of the record as it is now, on an operator's request.

        Raises NotNow if it cannot be read or written, and the monitors' errors.
        """
        self.read_whole()
        done = self.release(is_chosen)
        if done.unsaved is not None:
            raise NotNow(f"the journal of changed settings: {done.unsaved}")
        return done

    def step(self) -> Restored:
        """Put back changes that no running round holds, or that are held for too long.

        Call it every few seconds. Raises the monitors' errors.
        """
        now = self._clock.monotonic()
        again = now >= self._due
        if again:
            self.read()
            self._due = now + _AGAIN_SECONDS
        return self.release(lambda one: not self._is_held(one) and (again or not one.back))

    def restore(self) -> Restored:
        """Put back now, on an operator's request. Raises Busy while a round holds settings."""
        self.read()
        if any(self._is_held(change) for change in self.changes):
            raise Busy(
                "a round is running and holds these settings: end it with 'ceph perf-bench "
                "round abort', which puts them back"
            )
        done = self.release()
        return replace(done, unsaved=done.unsaved or self.problem or None)

    def read_whole(self) -> Sequence[SettingChange]:
        """As ``read``; returns the changes. Raises NotNow if a key cannot be read, too."""
        self.read()
        if self.problem:
            raise NotNow(self.problem)
        return self.changes

    def status(self) -> QuiesceStatus:
        """The present status, once the record is read."""
        shown = self._shown()
        return QuiesceStatus(
            self.state(),
            since=min((change.at for change in shown), default=None),
            until=max((change.until or 0.0 for change in shown), default=None),
            holder=shown[0].holder if shown else None,
            changed=tuple(
                Changed(one.what, one.was, one.want, *self.present(one.what)) for one in shown
            ),
            why="; ".join(filter(None, (self._why, self.problem))) or None,
            commands=tuple(self._commands(shown)),
            watched=tuple(one.what for one in self.changes if one.back),
            last=self._last,
        )

    def present(self, what: str) -> tuple[Optional[str], Optional[str]]:
        """The value that a setting has now, or why that is not known."""
        try:
            return self._settings.read(what), None
        except Exception as error:  # noqa: BLE001 - it is only shown
            return None, _text(error)

    # --- to ask, from any thread -------------------------------------------------------------

    @property
    def changes(self) -> Sequence[SettingChange]:
        """What the record names, in the order of making."""
        return list(self._changes.values())

    @property
    def problem(self) -> str:
        """What cannot be read and what to do about it; empty if all can."""
        keys = listed(self._unreadable)
        return keys and (
            f"the journal of changed settings cannot be read: {keys}; print it with "
            "'ceph config-key get KEY', put back by hand the settings it names, then run "
            "'ceph config-key rm KEY'"
        )

    def state(self) -> QuiesceState:
        """The present state, once the record is read."""
        shown = self._shown()
        if self.problem or not all(self._is_held(change) for change in shown):
            return QuiesceState.RESTORE_PENDING
        return QuiesceState.HELD if shown else QuiesceState.IDLE

    def looks(self) -> Sequence[Look]:
        """The record: whether it was read, and whether all of it can be."""
        code, why = "unreadable", self.problem
        if not self.is_read:
            code, why = "unread", "it is not read from the monitors yet"
        gaps = (Gap(code, why).of(("journal",)),) if why else ()
        what = "journal of the settings that rounds change"
        return [Look("restore", what, "journal", 1, (RESTORE_PENDING.code,), gaps)]

    def claims(self) -> list[Claim]:
        """One claim while changes without a running round cannot be put back."""
        pending = [one for one in self._shown() if not self._is_held(one)] if self._why else []
        if not pending and not self.problem:
            return []
        names, commands = [change.what for change in pending], self._commands(pending)
        left = f"no round is running, but changes of one are not put back: {listed(names)}"
        typed = f"{' && '.join(commands)}, or " if commands else ""
        by_hand = f"by hand: {typed}'ceph-perf-bench restore' on any host"
        parts = (f"{left} ({self._why})" if pending else "", self.problem, by_hand)
        message = "; ".join(filter(None, parts))
        evidence = {
            "holder": pending[0].holder if pending else None,
            "changed": names,
            "unreadable": list(self._unreadable),
            "commands": commands,
        }
        since = min((change.at for change in pending), default=self._clock.now())
        target = Target("settings", "cluster")
        return [Claim(RESTORE_PENDING.code, Severity.WARNING, target, message, evidence, since)]

    # --- the record at the monitors ------------------------------------------------------------

    def read(self) -> None:
        """Read the record; run it by ``do``. Raises the monitors' errors."""
        self._settings.forget()
        texts: dict[str, str] = {}
        changes: dict[str, SettingChange] = {}
        bad: list[str] = []
        for below in (self._below, self._earlier):
            dump = self._access.monitors.command_json("config-key dump", key=below)
            for key, text in sorted(dump.items()):
                try:
                    found = changes_in(text)
                except FAULTS as error:
                    bad.append(f"{key} ({one_line(_text(error))})")
                    continue
                texts[key] = text
                changes.update({one.what: one.over(changes.get(one.what)) for one in found})
        self._texts, self._changes, self._unreadable = texts, changes, tuple(bad)
        self.is_read = True
        if not self._shown():  # another process may have put back what was left
            self._why = ""

    def save(self) -> None:
        """Record the changes in keys of this process, and remove all other keys.

        Raises NotNow if another mgr is active, and the monitors' errors.
        """
        changes, texts = self.changes, {}
        for number in range(0, len(changes), _PER_KEY):
            part = [asdict(change) for change in changes[number : number + _PER_KEY]]
            key = f"{self._below}{self._access.authority.writer}.{number // _PER_KEY:03d}"
            texts[key] = json.dumps({"format": FORMAT, "changes": part})
        if texts == self._texts:
            return
        self._access.authority.check()
        for key, text in texts.items():
            if self._texts.get(key) != text:
                self._access.monitors.command("config-key set", key=key, val=text)
                self._texts[key] = text
        for key in self._texts.keys() - texts.keys():
            self._access.monitors.command("config-key rm", key=key)
            del self._texts[key]

    def _saved(self) -> Optional[str]:
        """Record the changes; returns why that failed. The next step reads and tries again."""
        try:
            self.save()
        except Exception as error:  # noqa: BLE001 - the next step tries again
            self._due = -math.inf
            return _text(error)
        return None

    # --- making changes ----------------------------------------------------------------------

    def _make(
        self, holder: str, wanted: Values, until: Optional[float]
    ) -> tuple[SettingChange, ...]:
        before, at = self._changes, self._clock.now()
        planned: dict[str, tuple[SettingChange, Fits]] = {}
        for what, want in wanted.items():
            try:
                now = self._settings.read(what)
            except NotFound:
                continue  # a pool that was removed
            known = before.get(what)
            if known is not None and known.holder != holder:
                known = None  # only watched any more
            # A mgr that recorded it may not have come to making it.
            is_open = known is None or (known.late_until > 0 and same_value(now, known.was))
            # Else it is ours already, or an operator has set it since.
            if (until is None or is_open) and not same_value(now, want):
                # 'balancer on' sets its option, which is removed after it: that may be cut off.
                also = ("on",) if what == BALANCER and now is None else ()
                change = SettingChange(what, now, want, at, holder, until, also, at + self._late)
                planned[what] = change.over(known), partial(same_value, now)
        self._changes = {**before, **{what: change for what, (change, _) in planned.items()}}
        self.save()
        found = self._set({what: (one.want, fits) for what, (one, fits) in planned.items()})
        for what, (change, fits) in planned.items():
            known = before.get(what)
            if found[what].exception():
                continue  # raised below; it stays in the record, for it may be made all the same
            if fits(found[what].result()):
                # A command of before may still come.
                late = 0.0 if known is None else known.late_until
                self._change(what, replace(change, late_until=late))
            else:  # somebody has set it meanwhile
                self._change(what, known)
        for one in found.values():
            one.result()
        # Until it is saved that they are made, a mgr that takes over looks for late commands.
        self._saved()
        return tuple(one for one in self.changes if one.what in wanted and one.holder == holder)

    def _set(
        self, wanted: Mapping[str, tuple[Optional[str], Fits]]
    ) -> Mapping[str, Future[Optional[str]]]:
        """Set each value whose present one fits; returns what was found, or why it failed.

        Those in the OSD map side by side: the monitors take a second for each change of it, and the
        same second for several.
        """
        found: dict[str, Future[Optional[str]]] = {}
        for what, (value, fits) in wanted.items():
            executor = self._access.beside if what.startswith(_IN_THE_OSD_MAP) else Here()
            found[what] = executor.submit(partial(self._set_if, what, value, fits))
        return found

    def _set_if(self, what: str, value: Optional[str], fits: Fits) -> Optional[str]:
        """Set it if the present value fits, which is returned.

        Raises NotNow if this mgr is not the active one, or if asking takes so long (this process
        was stopped, or the monitors are slow) that another one may be by now.
        """
        began = self._clock.monotonic()
        self._access.authority.check()
        found = self._settings.read(what)
        if fits(found):
            if self._clock.monotonic() - began >= _FRESH_SECONDS:
                raise NotNow(f"the monitors take too long to return {what}")
            self._settings.set(what, value)
        return found

    def _change(self, what: str, change: Optional[SettingChange]) -> None:
        """Have this change of the setting in the record, or none."""
        others = {name: one for name, one in self._changes.items() if name != what}
        self._changes = others if change is None else {**self._changes, what: change}

    # --- putting back ------------------------------------------------------------------------

    def _outcome(self, change: SettingChange, set_: Future[Optional[str]]) -> Outcome:
        """What became of a change whose value before was set if it still had ours."""
        what = change.what
        try:
            found = set_.result()
            is_ours = change.is_ours(found)
            now = self._settings.read(what) if is_ours else found
        except NotFound:
            self._change(what, None)
            return Outcome(change, Fate.GONE)
        except Exception as error:  # noqa: BLE001 - the other changes must be put back
            return Outcome(change, Fate.WAITING, why=_text(error))
        why = why_out(change, found)
        if why is None and is_ours and not same_value(now, change.was):
            why = f"it is still {'not set' if now is None else now}"
        if why is not None:
            return Outcome(change, Fate.WAITING, now, why)
        # Whether a command for it may still be carried out that nobody saw answered.
        may_come = self._clock.now() < change.late_until
        self._change(what, replace(change, back=True) if may_come else None)
        late = f"a mgr that ended may still change it until {time_text(change.late_until + 60)}"
        is_same = same_value(found, change.was)
        fate = Fate.LATER if may_come else Fate.NOTHING if is_same else Fate.LEFT
        if is_ours:
            change, fate = replace(change, want=found), Fate.PUT_BACK
        self._access.log.info("%s: %s, was %s, is %s", what, fate.value, change.was, now)
        return Outcome(change, fate, now, late if may_come else "")

    # --- inside ------------------------------------------------------------------------------

    def _shown(self) -> list[SettingChange]:
        """The changes that may be in effect."""
        return [change for change in self.changes if not change.back]

    def _is_held(self, change: SettingChange) -> bool:
        return change.holder == self._running() and self._clock.now() < (change.until or 0.0)

    def _commands(self, changes: Sequence[SettingChange]) -> list[str]:
        return [
            line
            for change in reversed(changes)
            for line in self._settings.commands(change.what, change.was)
        ]


def _text(error: Exception) -> str:
    return str(error) or repr(error)


def changes_in(text: Any) -> list[SettingChange]:
    """The changes that a key names, also one that 1.0.0 has written. Raises FAULTS."""
    document = from_json(text, "it")
    version = document.get("format", 1)
    if version not in range(1, FORMAT + 1):
        raise ValueError(f"it has format {version!r:.40}, written by a newer version")
    # 1.0.0 had a key for each change, and said elsewhere whether its command was answered.
    alone = [document] if "what" in document else []
    found = [decode(SettingChange, {**document, **one}) for one in document.get("changes", alone)]
    for change in found:
        setting_name(change.what, "what")
    if version < FORMAT:
        found = [replace(change, late_until=change.at + LATE) for change in found]
    return found
