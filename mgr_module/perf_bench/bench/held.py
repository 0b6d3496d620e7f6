"""Settings that are changed for a while, and put back whatever becomes of this mgr.

A change is recorded at the monitors (config-key), with the value before, *before* it is made, and
the journal is removed after all is put back. So it names all that may be in effect: any mgr can put
it back, and ``ceph-perf-bench restore`` can without one. Each process writes keys of its own, takes
over what others have recorded and removes theirs: a mgr that wakes up late overwrites nothing. The
monitors can be written while no placement group is active.

A setting that has our value is put back, one that has another is left and named. A mgr that died
may have sent a command that is carried out minutes later, so a setting whose command nobody saw
answered is looked at each minute for ten minutes more.
"""

from __future__ import annotations

import json
import logging
import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Any, Callable, Optional, Protocol, TypeVar

from ..core.clock import Clock
from ..core.loop import sleep, to_its_end
from ..core.workers import Executor, Here
from ..errors import Busy, NotFound, NotNow, PerfBenchError
from ..model.admission import (
    BALANCER,
    Changed,
    Left,
    QuiesceState,
    QuiesceStatus,
    Restored,
    SettingChange,
    UnreadableKey,
    Values,
    Waiting,
    same_value,
    why_out,
)
from ..model.finding import Claim, Gap, Look, Severity, Target, gap
from ..model.finding_kinds import RESTORE_PENDING
from ..model.json_fields import FAULTS, decode, from_json
from ..model.phrases import listed, one_line

T = TypeVar("T")

KEYS = "mgr/perf_bench/held"
# Who holds settings. Those of a round are put back by themselves, the others on request only.
ROUND, MCLOCK, RELIEF = "round", "mclock", "relief"
# Below these earlier versions kept a key for each change; they are taken over as those of others.
EARLIER_KEYS = {
    ROUND: "mgr/perf_bench/quiesce",
    MCLOCK: "mgr/perf_bench/mclock",
    RELIEF: "mgr/perf_bench/relief",
}
FORMAT = 3
# Seconds after which monitors no longer carry out a command whose sender has died. They do within
# their lease and one election (5 s each by default) once they have it; a monitor that is paged out
# or partitioned takes longer, and forwards it when it is back. Counted from when the change was
# recorded, by the clocks of mgrs, which are those of the monitors within moments.
LATE = 600.0
# Seconds that a reading stays valid for setting a value. Monitors wait 30 s for a mgr
# (mon_mgr_beacon_grace) before they name another one.
FRESH = 5.0
_TRIES = 3
# Seconds between two readings of the journal, and between two looks for late commands.
_READ_SECONDS = _AGAIN_SECONDS = 60.0
# Seconds that the end of a round waits for a monitor command in flight: its limit.
_END_SECONDS = 20.0
# The number of settings for which the commands that undo them are shown.
_MOST_COMMANDS = 8
# OSDs or pools whose changes share a key, which holds at most 64 KiB.
_PER_KEY = 100
_NUMBER = re.compile(r"(?:/osd\.|^osd/|^pool/)(\d+)/")
_KINDS = ("flag/", BALANCER, "pool/", "config/", "osd/")
_LATEST = 1e11  # unix seconds that have a date


class Monitors(Protocol):
    """Commands to the monitors, which forward those of mgr modules to the active mgr.

    Arguments are in the order of the command line. All raise CommandFailed with the daemon's
    errno, or ETIMEDOUT after a time limit.
    """

    def command(self, prefix: str, **arguments: Any) -> bytes:
        """Run a command; returns its output unparsed."""

    def command_json(self, prefix: str, **arguments: Any) -> Any:
        """Run a command; returns its JSON output."""


class Authority(Protocol):
    """This process's right to change the cluster's settings."""

    @property
    def writer(self) -> str:
        """A name that no other process has or had."""

    def check(self) -> None:
        """Ask the monitors. Raises NotNow if another mgr is active."""


class Settings(Protocol):
    """The settings of the cluster; for names and values see ``model.quiesce``.

    All raise a PerfBenchError within a time limit, NotFound if the setting does not exist (any
    more). A ``set`` that raised may have taken effect, or may do so later.
    """

    def read(self, what: str) -> Optional[str]: ...

    def forget(self) -> None:
        """Forget what was read before; the next reading asks the cluster."""

    def set(self, what: str, value: Optional[str]) -> None: ...

    def commands(self, what: str, value: Optional[str]) -> list[str]:
        """The commands with which an operator sets the value; asks nobody."""

    def moving_pools(self) -> Sequence[int]:
        """The IDs of the pools that the autoscaler is about to split or merge."""


@dataclass(frozen=True)
class Access:
    """What it takes to change settings. ``executor`` runs what waits for the monitors."""

    monitors: Monitors
    settings: Settings
    authority: Authority
    clock: Clock
    log: logging.Logger
    executor: Executor = field(default_factory=Here)


class _Turn:
    """Lets one coroutine after the other change settings."""

    taken = False

    async def __aenter__(self) -> None:
        while self.taken:
            await sleep(0.1)
        self.taken = True

    async def __aexit__(self, *_error: object) -> None:
        self.taken = False


class Held:
    """The settings that one user (``ROUND`` and so on) has changed.

    Its coroutines run on one loop. Its other methods may be called from any thread, and ask nobody.
    """

    def __init__(
        self,
        user: str,
        access: Access,
        running: Callable[[], Optional[str]] = lambda: None,
        fresh: float = FRESH,
    ) -> None:
        """``running`` returns the token of the running round, whose settings stay changed.

        ``fresh`` is for how many seconds a reading stays valid for setting a value.
        """
        self._access = access
        self._clock = access.clock
        self._settings = access.settings
        self._running = running
        # Nobody waits for late commands where settings are put back on request only.
        self._late = LATE if user == ROUND else 0.0
        self._fresh = fresh
        self.journal = Journal(user, access.monitors, access.authority)
        self._turn = _Turn()
        self._changes: dict[str, SettingChange] = {}
        # Settings that are back, and that a late command may change again.
        self._watched: frozenset[str] = frozenset()
        self._leaving = False
        self.is_read = False
        self._read_at = self._watched_at = -math.inf
        # Since when (unix seconds) something is not back, and why.
        self._wrong_since: Optional[float] = None
        self._why = ""
        self._last: Optional[Restored] = None

    # --- to change and put back --------------------------------------------------------------

    async def hold(
        self, holder: str, wanted: Values, until: Optional[float] = None
    ) -> tuple[SettingChange, ...]:
        """Set the wanted values; returns the changes.

        With ``until`` (unix seconds) they are put back then in any case, and so are those made so
        far if one fails; what another mgr has changed for the same holder stays. Without, they are
        put back on request, and what was before the first of several changes is what to go back to.
        Raises the errors of monitors and settings, and NotNow while changes of an earlier holder
        are not put back, or if another mgr is active.
        """
        async with self._turn:
            if self._leaving:
                raise NotNow("perf_bench is being stopped on this mgr")
            await self.do(self._access.authority.check)
            await self._read()
            await self._restore(one for one in self.changes if one.holder != holder)
            if any(one.holder != holder for one in self._shown()):
                raise NotNow(f"changes of an earlier round are not put back yet: {self._why}")
            if self.journal.unreadable:
                raise NotNow(self.journal.problem)
            self._last = None
            if until is not None and self._clock.now() >= until:
                await self._restore(self.changes)
                return ()
            try:
                return await self._make_all(holder, wanted, until)
            except Exception:
                if until is not None:
                    await self._restore(self.changes)
                raise

    async def release(
        self, names: Optional[Collection[str]] = None, holder: Optional[str] = None
    ) -> Restored:
        """Put back the changes of these settings, or of the holder. Raises nothing."""
        async with self._turn:
            return await self._restore(
                one
                for one in self.changes
                if (one.holder == holder if names is None else one.what in names)
            )

    async def read(self) -> None:
        """Read the journal. Raises the monitors' errors."""
        async with self._turn:
            await self._read()

    async def read_whole(self) -> Sequence[SettingChange]:
        """Read the journal; returns its changes. Raises NotNow if a key cannot be read, too."""
        await self.read()
        if self.journal.unreadable:
            raise NotNow(self.journal.problem)
        return self.changes

    async def step(self) -> Optional[Restored]:
        """Put back changes that no running round holds, or that are held for too long.

        Call it every few seconds. Returns the outcome, None if nothing was to do. Raises only the
        monitors' errors at the first reading.
        """
        if self._turn.taken:
            return None
        async with self._turn:
            now = self._clock.monotonic()
            if now >= self._read_at + _READ_SECONDS:
                was_read, self._read_at = self.is_read, now
                try:
                    await self._read()
                except Exception as error:  # it is read again later
                    if not was_read:
                        self._read_at = -math.inf
                        raise
                    self._access.log.warning("the journal of settings cannot be read: %s", error)
            again = now >= self._watched_at + _AGAIN_SECONDS
            if again:
                self._watched_at = now
            due = [
                change
                for change in self.changes
                if not self._is_held(change) and (again or change.what not in self._watched)
            ]
            return await self._restore(due) if due else None

    async def restore(self) -> Restored:
        """Put back now, on an operator's request. Raises Busy while a round holds settings."""
        async with self._turn:
            await self._read()
            if any(self._is_held(change) for change in self.changes):
                raise Busy(
                    "a round is running and holds these settings: end it with 'ceph perf-bench "
                    "round abort', which puts them back"
                )
            done = await self._restore(self.changes)
            return replace(done, unsaved=done.unsaved or self.journal.problem or None)

    async def leave(self) -> Restored:
        """Put all back and change nothing any more, because the module stops. Raises nothing.

        If the module is being disabled, no other mgr would do it; after a failover the round holds
        its settings again.
        """
        async with self._turn:
            self._leaving = True
            return await self._restore(self.changes)

    async def do(self, work: Callable[[], T]) -> T:
        """Run what waits for the monitors; return its result or raise its error.

        A round that is cancelled meanwhile waits until it is done: what is put back comes after it.
        """
        return await to_its_end(self._access.executor.submit(work), _END_SECONDS)

    # --- to ask, from any thread -------------------------------------------------------------

    @property
    def changes(self) -> Sequence[SettingChange]:
        """What the journal names, in the order of making."""
        return list(self._changes.values())

    def state(self) -> QuiesceState:
        """The present state. Raises NotNow until the journal is read."""
        if not self.is_read:
            raise NotNow(
                "perf_bench has not read yet which settings are changed: try again in a few seconds"
            )
        shown = self._shown()
        if self.journal.unreadable or not all(self._is_held(change) for change in shown):
            return QuiesceState.RESTORE_PENDING
        return QuiesceState.HELD if shown else QuiesceState.IDLE

    async def status(self) -> QuiesceStatus:
        """The present status. Raises NotNow until the journal is read."""
        state, shown = self.state(), self._shown()
        watched = tuple(change.what for change in self.changes if change.what in self._watched)
        if state is QuiesceState.IDLE:
            return QuiesceStatus(state, watched=watched, last=self._last)
        reasons = "; ".join(part for part in (self._why, self.journal.problem) if part)
        return QuiesceStatus(
            state,
            since=min((change.at for change in shown), default=None),
            until=max((change.until or 0.0 for change in shown), default=None),
            holder=shown[0].holder if shown else None,
            changed=tuple(await self.do(lambda: [self._changed(change) for change in shown])),
            why="" if state is QuiesceState.HELD else reasons,
            commands=tuple(self._commands(shown)),
            watched=watched,
            last=self._last,
            more_changes=max(0, len(shown) - _MOST_COMMANDS),
        )

    def looks(self) -> Sequence[Look]:
        """The journal: whether it was read, and which of its keys cannot be."""
        bad = tuple(one.key for one in self.journal.unreadable)
        gaps: list[Gap] = []
        if not self.is_read:
            gaps.append(gap("unread", "it is not read from the monitors yet", ("journal",)))
        elif bad:
            gaps.append(Gap("unreadable", self.journal.problem, "", bad, 1))
        what = "journal of the settings that rounds change"
        return [Look("restore", what, "journal", 1, (RESTORE_PENDING.code,), tuple(gaps))]

    def claims(self) -> list[Claim]:
        """One claim while changes without a running round cannot be put back."""
        pending = [one for one in self._shown() if not self._is_held(one)] if self._why else []
        bad = self.journal.unreadable
        if not bad and not pending:
            return []
        names = [change.what for change in pending]
        commands = self._commands(pending)
        commands += [f"ceph config-key get {one.key}" for one in bad[:_MOST_COMMANDS]]
        left = "no round is running, but changes of one are not put back: "
        # For more settings 'ceph-perf-bench restore' is better.
        few = f": {' && '.join(commands)}," if len(pending) <= _MOST_COMMANDS else ","
        parts = (
            f"{left}{listed(names)} ({self._why})" if pending else "",
            self.journal.problem,
            f"by hand{few} or 'ceph-perf-bench restore' on any host",
        )
        evidence = {
            "holder": pending[0].holder if pending else None,
            "changed": names,
            "unreadable": [one.key for one in bad],
            "commands": commands,
        }
        return [
            Claim(
                RESTORE_PENDING.code,
                Severity.WARNING,
                Target("settings", "cluster"),
                "; ".join(part for part in parts if part),
                evidence,
                self._clock.now() if self._wrong_since is None else self._wrong_since,
            )
        ]

    # --- the journal -------------------------------------------------------------------------

    async def _read(self) -> None:
        self._settings.forget()
        found = await self.do(self.journal.read)
        self._changes = {}
        for change in found:
            self._changes[change.what] = change.over(self._changes.get(change.what))
        self._watched &= self._changes.keys()
        self._read_at, self.is_read = self._clock.monotonic(), True
        # Another process may have put back what was left.
        self._note(self._why if self._shown() else "")

    def _note(self, why: str) -> None:
        """Note why something is not back, and since when."""
        self._why = why
        wrong = why or self.journal.unreadable
        self._wrong_since = (self._wrong_since or self._clock.now()) if wrong else None

    async def _save(self) -> Optional[str]:
        """Update the journal; returns why it could not be. The next step reads and tries again."""
        try:
            await self.do(partial(self.journal.save, self.changes))
        except Exception as error:  # noqa: BLE001 - the next step tries again
            self._read_at = -math.inf
            return _text(error)
        return None

    # --- making changes ----------------------------------------------------------------------

    async def _make_all(
        self, holder: str, wanted: Values, until: Optional[float]
    ) -> tuple[SettingChange, ...]:
        before = dict(self._changes)
        held, planned = await self._plan(holder, wanted, until)
        self._changes.update({change.what: change for change, _ in planned})
        await self.do(partial(self.journal.save, self.changes))
        while planned:
            change, now = planned.pop(0)
            fits = partial(same_value, now)
            try:
                found = await self.do(partial(self._set_if, change.what, change.want, fits))
            except BaseException:  # also where the round ends meanwhile
                for later, _ in planned:  # these are not even ordered
                    self._change(later.what, before.get(later.what))
                raise
            known = before.get(change.what)
            if fits(found):
                held.append(change.what)
                # A command of before may still come.
                late = known.late_until if known is not None else 0.0
                self._change(change.what, replace(change, late_until=late))
                self._watched -= {change.what}
            else:  # somebody has set it meanwhile
                self._change(change.what, known)
        # Until it is saved that they are made, a mgr that takes over looks for late commands.
        await self._save()
        return tuple(self._changes[what] for what in wanted if what in held)

    async def _plan(
        self, holder: str, wanted: Values, until: Optional[float]
    ) -> tuple[list[str], list[tuple[SettingChange, Optional[str]]]]:
        """The settings that are held already, and the changes to make, each with its value now."""
        held: list[str] = []
        planned: list[tuple[SettingChange, Optional[str]]] = []
        for what, want in wanted.items():
            try:
                now = await self.do(partial(self._settings.read, what))
            except NotFound:
                if until is None:
                    raise
                continue  # a pool that was removed
            known = self._changes.get(what)
            if known is not None and known.holder != holder:
                known = None  # only watched any more
            if known is not None and until is not None and not _is_open(known, now):
                held.append(what)  # ours already, or an operator has set it since
            elif not same_value(now, want):
                at = self._clock.now()
                change = SettingChange(what, now, want, at, holder, until, (), at + self._late)
                planned.append((_with_half_set(change.over(known)), now))
        return held, planned

    def _set_if(
        self, what: str, value: Optional[str], fits: Callable[[Optional[str]], bool]
    ) -> Optional[str]:
        """Set it if the present value fits, which is returned.

        Raises NotNow if this mgr is not the active one, or if asking takes so long (this process
        was stopped, or the monitors are slow) that another one may be by now.
        """
        for _ in range(_TRIES):
            began = self._clock.monotonic()
            self._access.authority.check()
            found = self._settings.read(what)
            if not fits(found):
                return found
            if self._clock.monotonic() - began < self._fresh:
                self._settings.set(what, value)
                return found
        raise NotNow(f"the monitors take longer than {self._fresh:g} s to return {what}")

    def _change(self, what: str, change: Optional[SettingChange]) -> None:
        """Have this change of the setting in the journal, or none."""
        if change is None:
            self._changes.pop(what, None)
            self._watched -= {what}
        else:
            self._changes[what] = change

    # --- putting back ------------------------------------------------------------------------

    async def _restore(self, changes: Iterable[SettingChange]) -> Restored:
        """Put back these changes, the last one first; failed ones stay in the journal."""
        ours = list(changes)
        if not ours:
            return Restored()
        try:
            await self.do(self._access.authority.check)
        except Exception as error:  # noqa: BLE001 - it is in the result, and tried again
            return Restored(unsaved=_text(error))
        done = Restored()
        for change in reversed(ours):
            done = Restored.all_of((done, await self._put_back(change)))
        done = replace(done, unsaved=await self._save())
        for left in done.left:
            state = "is gone" if left.gone else f"was set to {left.now} by somebody else"
            self._access.log.warning("%s %s: it is not put back", left.what, state)
        self._note("; ".join(f"{waiting.change.what}: {waiting.why}" for waiting in done.waiting))
        if done.put_back or done.left:
            told = Restored(done.put_back, done.left)
            self._last = Restored.all_of((self._last or Restored(), told))
        return done

    async def _put_back(self, change: SettingChange) -> Restored:
        what = change.what
        try:
            found = await self.do(partial(self._set_back, change))
        except NotFound:
            self._change(what, None)
            return Restored(left=(Left(what, change.was, None, gone=True),))
        except Exception as error:  # noqa: BLE001 - the other changes must be put back
            return Restored(waiting=(Waiting(change, _text(error)),))
        out = why_out(change, found)
        if out is not None:
            return Restored(waiting=(Waiting(change, out),))
        # Whether a command for it may still be carried out that nobody saw answered.
        may_come = self._clock.now() < change.late_until
        if may_come:
            self._watched |= {what}
        else:
            self._change(what, None)
        return _outcome(change, found, may_come)

    def _set_back(self, change: SettingChange) -> Optional[str]:
        """Set the value before if it still has ours; returns the value that it had."""
        found = self._set_if(change.what, change.was, change.is_ours)
        if change.is_ours(found):
            now = self._settings.read(change.what)
            if not same_value(now, change.was):
                raise NotNow(f"it is still {'not set' if now is None else now}")
            self._access.log.info("%s is %s again", change.what, change.was or "not set")
        return found

    # --- inside ------------------------------------------------------------------------------

    def _shown(self) -> list[SettingChange]:
        """The changes that may be in effect."""
        return [change for change in self.changes if change.what not in self._watched]

    def _is_held(self, change: SettingChange) -> bool:
        is_running = change.holder == self._running() and not self._leaving
        return is_running and self._clock.now() < (change.until or 0.0)

    def _changed(self, change: SettingChange) -> Changed:
        now: Optional[str] = None
        unread: Optional[str] = None
        try:
            now = self._settings.read(change.what)
        except Exception as error:  # noqa: BLE001 - it is only shown
            unread = _text(error)
        return Changed(change.what, change.was, change.want, now, unread)

    def _commands(self, changes: Sequence[SettingChange]) -> list[str]:
        return [
            line
            for change in list(reversed(changes))[:_MOST_COMMANDS]
            for line in self._settings.commands(change.what, change.was)
        ]


def _outcome(change: SettingChange, found: Optional[str], may_come: bool) -> Restored:
    """What became of a change whose setting had this value, and has that of before if it was ours.

    While its command ``may_come`` nothing else is decided.
    """
    if change.is_ours(found):
        return Restored(put_back=(replace(change, want=found),))
    if may_come:
        return Restored()
    if same_value(found, change.was):
        return Restored(same=(change,))
    return Restored(left=(Left(change.what, change.was, found),))


def _is_open(change: SettingChange, now: Optional[str]) -> bool:
    """Whether a mgr that recorded the change may not have come to making it."""
    return change.late_until > 0 and same_value(now, change.was)


def _with_half_set(change: SettingChange) -> SettingChange:
    """Name what putting back may leave behind where it is cut off.

    'balancer on' records the option, which is removed after it.
    """
    is_two_steps = change.what == BALANCER and change.was is None
    return replace(change, also=(*change.also, "on")) if is_two_steps else change


def _text(error: Exception) -> str:
    said = error.message if isinstance(error, PerfBenchError) else str(error)
    return said or repr(error)


class Journal:
    """The keys of one user (``ROUND`` and so on). Its calls wait for the monitors."""

    def __init__(self, user: str, monitors: Monitors, authority: Authority) -> None:
        self._below = f"{KEYS}/{user}"
        self._earlier = EARLIER_KEYS[user]
        self._monitors = monitors
        self._authority = authority
        # As they stand at the monitors; those that cannot be read are left alone.
        self._texts: dict[str, str] = {}
        self.unreadable: tuple[UnreadableKey, ...] = ()

    @property
    def problem(self) -> str:
        """What cannot be read and what to do about it; empty if all can."""
        if not self.unreadable:
            return ""
        keys = listed([f"{one.key} ({one.why})" for one in self.unreadable])
        return (
            f"the journal of changed settings cannot be read: {keys}; print it with 'ceph "
            f"config-key get KEY', put back by hand the settings it names, then run 'ceph "
            f"config-key rm KEY'"
        )

    def read(self) -> list[SettingChange]:
        """All changes, in the order of making. Raises the monitors' errors."""
        texts: dict[str, str] = {}
        found: list[SettingChange] = []
        bad: list[UnreadableKey] = []
        for key, text in sorted(self._dump()):
            try:
                found += _changes_in(text)
            except FAULTS as error:
                bad.append(UnreadableKey(key, one_line(str(error) or repr(error))))
            else:
                texts[key] = text
        self._texts, self.unreadable = texts, tuple(bad)
        return sorted(found, key=lambda one: one.at)

    def save(self, changes: Iterable[SettingChange]) -> None:
        """Record these in keys of this process, and remove all others.

        Raises NotNow if another mgr is active, and the monitors' errors.
        """
        parts: dict[str, list[dict[str, Any]]] = {}
        for change in changes:
            number = _NUMBER.search(change.what)
            part = f".{int(number[1]) // _PER_KEY}" if number else ""
            key = f"{self._below}/{self._authority.writer}{part}"
            parts.setdefault(key, []).append(asdict(change))
        texts = {
            key: json.dumps({"format": FORMAT, "changes": part}) for key, part in parts.items()
        }
        if texts == self._texts:
            return
        self._authority.check()
        for key, text in texts.items():
            if self._texts.get(key) != text:
                self._monitors.command("config-key set", key=key, val=text)
                self._texts[key] = text
        for key in self._texts.keys() - texts.keys():
            self._monitors.command("config-key rm", key=key)
            del self._texts[key]

    def _dump(self) -> Iterator[tuple[str, Any]]:
        for below in (self._below, self._earlier):
            dump = self._monitors.command_json("config-key dump", key=below)
            if not isinstance(dump, Mapping):
                raise PerfBenchError("the monitors' answer about changed settings cannot be read")
            yield from ((key, dump[key]) for key in dump if f"{key}/".startswith(f"{below}/"))


def _changes_in(text: Any) -> list[SettingChange]:
    """The changes of a key, also of one that an earlier version has written. Raises FAULTS."""
    document = from_json(text, "it")
    if not isinstance(document, dict):
        raise TypeError("it is not a JSON object")
    version = document.get("format", 1)
    if version not in range(1, FORMAT + 1):
        raise ValueError(f"it has format {version!r:.40}, written by a newer version")
    # Earlier versions had a key for each change, or beside several what they share.
    alone = [document] if "what" in document else []
    found = [_checked({**document, **one}) for one in document.get("changes", alone)]
    if version < FORMAT:  # they said elsewhere whether a command was answered
        found = [replace(change, late_until=change.at + LATE) for change in found]
    return found


def _checked(saved: Any) -> SettingChange:
    change = decode(SettingChange, saved)
    values = (change.was, change.want, *change.also)
    texts = [change.what, change.holder, *(value for value in values if value is not None)]
    if any(not text or len(text) > 1024 or not text.isprintable() for text in texts):
        raise ValueError("a name or value is not a short text")
    if not change.what.startswith(_KINDS):
        raise ValueError(f"no setting is called '{change.what[:80]}'")
    times = (change.at, change.until or 0.0, change.late_until)
    if not all(0 <= time <= _LATEST for time in times):
        raise ValueError("a time is not one")
    return change
