"""The database: ``ceph perf-bench store …``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Optional, Union

from ..errors import InvalidValue, StoreUnavailable
from ..model.json_fields import iso
from ..model.store import Backup, Event, StoreJob
from .api import Api
from .question import Question
from .shape import Stamp, copied
from .status import Store, store
from .text import facts, minute, size


@dataclass(frozen=True)
class SetAside:
    """A row that cannot be read (kind row), or a file that another took the place of (file)."""

    kind: str
    what: str
    why: str
    at: Optional[Stamp] = None
    event: Optional[Event] = None
    rows_taken_over: int = 0
    missing: Sequence[str] = ()


@dataclass(frozen=True)
class StoreStatus(Store):
    """The database, its size, what of it was set aside, and its backups.

    error -- Why it does not answer.
    """

    file: Optional[str] = None
    checked_at: Optional[Stamp] = None
    set_aside: Sequence[SetAside] = ()
    backups: Sequence[Backup] = ()
    job: Optional[StoreJob] = None


@dataclass(frozen=True)
class StoreDone(StoreStatus):
    """The database after a backup or a restore; ``file`` is that of the job."""

    what: str = ""
    state: str = ""
    problem: Optional[str] = None


def status(api: Api) -> StoreStatus:
    """Show how the database is, what of it was set aside, and its backups."""
    mark, checked = api.care.state.mark, api.care.checked
    files = [
        copied(SetAside, one, kind="file", what=one.file, at=iso(one.at), rows_taken_over=one.rows)
        for one in (mark.incidents if mark else ())
    ]
    rows = [SetAside("row", str(row), row.why) for row in api.care.state.unreadable]
    return StoreStatus(
        **vars(store(api)),
        file=mark.file if mark else None,
        checked_at=iso(checked.at) if checked else None,
        set_aside=[*rows, *files],
        backups=mark.backups if mark else (),
        job=api.care.job,
    )


def check(api: Api) -> StoreStatus:
    """Check all pages and rows of the database."""
    api.care.check()
    return status(api)


def backup(api: Api) -> StoreDone:
    """Copy the database within its pool."""
    return _done(api, api.care.backup())


def restore(api: Api, backup: str, yes_i_really_mean_it: bool = False) -> StoreDone:
    """Put a backup, or a file that was set aside, in the place of the database."""
    if not backup:
        raise InvalidValue("the name of a backup is needed", field="backup")
    _sure(
        yes_i_really_mean_it,
        f"restoring {backup} puts its contents in the place of all that is stored: "
        "add --yes-i-really-mean-it",
    )
    return _done(api, api.care.restore(backup))


def reset(api: Api, yes_i_really_mean_it: bool = False) -> StoreStatus:
    """Begin with an empty database; IDs go on and the file of before stays."""
    _sure(
        yes_i_really_mean_it,
        "a reset begins with an empty history; the file in use stays in the pool: add "
        "--yes-i-really-mean-it",
    )
    api.care.reset()
    return status(api)


def _done(api: Api, job: StoreJob) -> StoreDone:
    """Raise StoreUnavailable if the job has failed: scripts go by the code of a command.

    One that still runs is told in the answer.
    """
    if job.problem:
        raise StoreUnavailable(f"the {job.what} of the database failed: {job.problem}")
    return StoreDone(**{**vars(status(api)), **{key: getattr(job, key) for key in job.KEYS}})


def _sure(sure: bool, what: str) -> None:
    if not sure:
        raise InvalidValue(what, field="yes_i_really_mean_it")


def status_text(of: StoreStatus) -> str:
    """Text of ``store status``."""
    checked = f", checked {minute(of.checked_at)} UTC" if of.checked_at else ""
    return facts(
        [
            ("backend", f"{of.backend or '-'}, {of.file or '-'}"),
            ("size", _size(of)),
            ("rounds", "-" if of.rounds is None else str(of.rounds)),
            ("schema", "-" if of.schema_version is None else str(of.schema_version)),
            ("integrity", f"{of.integrity}{checked}"),
            ("error", of.error or ""),
            ("newest job", "" if of.job is None else job_text(of.job)),
            *[("set aside", _set_aside(one)) for one in of.set_aside],
            *[
                ("backup", f"{one.file}, {minute(one.at)} UTC, {one.rows} rows")
                for one in of.backups
            ],
        ]
    )


def _size(of: StoreStatus) -> str:
    if of.bytes is None:
        return "-"
    free = f", {size(of.free_bytes)} of it unused" if of.free_bytes else ""
    return f"{size(of.bytes)} of at most {size(of.limit_bytes)}{free}"


def _set_aside(one: SetAside) -> str:
    if one.event is None:
        return f"{one.what}: {one.why}"
    taken = f", {one.rows_taken_over} rows taken over" if one.rows_taken_over else ""
    missing = f", missing: {', '.join(one.missing)}" if one.missing else ""
    return f"{one.what} {one.event.value} {minute(one.at)} UTC ({one.why}){taken}{missing}"


def job_text(job: Union[StoreJob, StoreDone]) -> str:
    """What became of a backup or a restore."""
    file = f" {job.file}" if job.file else ""
    if job.state == "running":
        return f"{job.what}{file} goes on: 'ceph perf-bench store status' tells when it is done"
    problem = f": {job.problem}" if job.problem else ""
    return f"{job.what}{file} {job.state}{problem}"


QUESTIONS = (
    Question("store status", status, text=status_text),
    Question("store check", check, text=status_text, writes=True),
    Question("store backup", backup, text=job_text, writes=True),
    Question("store restore", restore, text=job_text, writes=True),
    Question("store reset", reset, text=status_text, writes=True),
)
