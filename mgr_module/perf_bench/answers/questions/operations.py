"""Questions that run the cluster: schedules, settings of rounds, mClock, the doctor."""

from __future__ import annotations

from typing import Any

from ...errors import InvalidValue
from ...model.plan import ScheduleRequest
from .. import doctor, quiesce, schedules, store
from ..api import Api
from ..paging import Page
from .question import LIST, WHOLE_LIST, Args, ArgumentKind, Question, keyed, needed, optional
from .rights import NO_RAISING, OF_CONFIGURATION, OF_RESUMED, OF_SCHEDULE

_SURE = "yes_i_really_mean_it"
_SCHEDULE = needed("name", missing="the name of a schedule is needed")


def _propose(api: Api, args: Args) -> Any:
    if args.get("apply"):
        return api.mclock.apply(args.get("beyond", False))
    return api.mclock.proposed()


def _relieve(api: Api, args: Args) -> Any:
    if args.get("undo"):
        if "affinity" in args or "reweight" in args:
            raise InvalidValue("--undo goes without --affinity and --reweight", field="undo")
        return api.relief.undo(args["id"])
    asked = args.get("affinity"), args.get("reweight"), bool(args.get(_SURE))
    return api.relief.relieve(args["id"], *asked)


QUESTIONS = (
    Question(
        "schedule add",
        "Start rounds of a profile by themselves, as --every 1d or --cron '0 3 * * 6'",
        lambda api, args: api.schedules.add(ScheduleRequest(**args)),
        (
            *needed("name", "profile"),
            *optional("every", "cron", "window", "timezone", "osds", "missed"),
        ),
        schedules.next_runs_text,
        rest="POST schedule",
        answer="Schedule",
        writes=True,
        needs=OF_SCHEDULE,
        without=NO_RAISING,
    ),
    Question(
        "schedule ls",
        "List schedules with their next runs",
        lambda api, _args: api.schedules.ls(),
        WHOLE_LIST,
        schedules.schedules_text,
        rest="GET schedule",
        answer="[Schedule]",
        page=keyed(
            *("name", "profile", "every", "every_seconds", "cron", "window", "timezone", "osds"),
            *("missed", "paused", "next", "last_round", "last_result", "problem"),
        ),
    ),
    Question(
        "schedule rm",
        "Remove a schedule",
        lambda api, args: api.schedules.rm(args["name"]),
        _SCHEDULE,
        lambda answer: f"{answer.name} is removed",
        rest="DELETE schedule/NAME",
        writes=True,
    ),
    Question(
        "schedule pause",
        "Start nothing by a schedule",
        lambda api, args: api.schedules.pause(args["name"]),
        _SCHEDULE,
        schedules.next_runs_text,
        rest="POST schedule/NAME/pause",
        answer="Schedule",
        writes=True,
    ),
    Question(
        "schedule resume",
        "Let a schedule go on",
        lambda api, args: api.schedules.resume(args["name"]),
        _SCHEDULE,
        schedules.next_runs_text,
        rest="POST schedule/NAME/resume",
        answer="Schedule",
        writes=True,
        needs=OF_RESUMED,
    ),
    Question(
        "quiesce status",
        "Show what a round has changed in the cluster's settings",
        lambda api, _args: api.quiesce.status(),
        plain=quiesce.quiesce_text,
        rest="GET quiesce",
        answer="Quiesce",
    ),
    Question(
        "quiesce restore",
        "Put back what a round changed, where none runs any more",
        lambda api, _args: api.quiesce.restore(),
        plain=quiesce.restored_text,
        rest="POST quiesce/restore",
        answer="QuiesceRestored",
        writes=True,
        needs=OF_CONFIGURATION,
    ),
    Question(
        "store status",
        "Show how the database is, what of it was set aside, and its backups",
        lambda api, _args: api.store.status(),
        plain=store.status_text,
    ),
    Question(
        "store check",
        "Check all pages and rows of the database",
        lambda api, _args: api.store.check(),
        plain=store.status_text,
        writes=True,
    ),
    Question(
        "store backup",
        "Copy the database within its pool",
        lambda api, _args: api.store.backup(),
        plain=store.job_text,
        writes=True,
    ),
    Question(
        "store restore",
        "Put a backup, or a file that was set aside, in the place of the database",
        lambda api, args: api.store.restore(args["backup"], bool(args.get(_SURE))),
        (
            *needed("backup", missing="the name of a backup is needed"),
            *optional(_SURE, kind=ArgumentKind.FLAG),
        ),
        store.job_text,
        writes=True,
    ),
    Question(
        "store reset",
        "Begin with an empty database; IDs go on and the file of before stays",
        lambda api, args: api.store.reset(bool(args.get(_SURE))),
        optional(_SURE, kind=ArgumentKind.FLAG),
        store.status_text,
        writes=True,
    ),
    Question(
        "mclock ls",
        "List the IOPS that mClock takes OSDs to be capable of, and those measured",
        lambda api, args: api.mclock.ls(Page.asked(args)),
        LIST,
        doctor.capacities_text,
        rest="GET mclock",
        answer="[Capacity]",
        paged=True,
    ),
    Question(
        "mclock propose",
        "Propose capacities by what rounds measured; set them with --apply",
        _propose,
        optional("apply", "beyond", kind=ArgumentKind.FLAG),
        doctor.proposed_text,
        writes=True,
    ),
    Question(
        "mclock apply",
        "Set the capacities that are proposed",
        lambda api, args: api.mclock.apply(args.get("beyond", False)),
        optional("beyond", kind=ArgumentKind.FLAG),
        rest="POST mclock/apply",
        answer="Applied",
        writes=True,
        needs=OF_CONFIGURATION,
    ),
    Question(
        "mclock restore",
        "Put back the capacities that were before",
        lambda api, _args: api.mclock.restore(),
        plain=doctor.restored_text,
        rest="POST mclock/restore",
        answer="Applied",
        writes=True,
        needs=OF_CONFIGURATION,
    ),
    Question(
        "option ls",
        "List the module's options with their values, defaults and bounds",
        lambda api, _args: api.options.ls(),
        WHOLE_LIST,
        rest="GET option",
        answer="[ModuleOption]",
        page=keyed("name", "group", "type", "help"),
    ),
    Question(
        "option thresholds",
        "List the thresholds of the detector of slow OSDs that are in effect",
        lambda api, _args: api.options.thresholds(),
        WHOLE_LIST,
        rest="GET option/threshold",
        answer="[Threshold]",
        page=keyed("name", "value", "default"),
    ),
    Question(
        "option set",
        "Set an option of the module, without a value to its default",
        lambda api, args: api.options.set(args["name"], args.get("value")),
        (*needed("name"), *optional("value")),
        rest="POST option/NAME/value",
        answer="ModuleOption",
        writes=True,
        needs=OF_CONFIGURATION,
    ),
    Question(
        "osd relieve",
        "Take load off an OSD, with --undo put back what was: osd relieve 7 --affinity 0",
        _relieve,
        (
            *needed("id", kind=ArgumentKind.OSD_ID),
            *optional("affinity", "reweight"),
            *optional("undo", _SURE, kind=ArgumentKind.FLAG),
        ),
        doctor.relieved_text,
        writes=True,
    ),
    Question(
        "relief ls",
        "List OSDs that are relieved, since when, and what the OSD map has now",
        lambda api, _args: api.relief.ls(),
        plain=doctor.reliefs_text,
    ),
    Question(
        "doctor",
        "Advise on settings and hosts, with evidence and the command that mends it",
        lambda api, args: api.doctor.advice(args.get("osd")),
        (*optional("osd", kind=ArgumentKind.OSD_ID), *WHOLE_LIST),
        doctor.advice_text,
        covers=("doctor",),
        rest="GET doctor",
        answer="[Advice]",
        page=doctor.advice_page,
    ),
)
