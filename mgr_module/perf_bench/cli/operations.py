"""Commands that look after the cluster: when rounds start, what is set and put back, advice."""

from __future__ import annotations

from ..api import Api
from ..api.paging import Page
from ..model.schedule import ScheduleRequest
from ..report import advice, mclock, quiesce, schedules
from .command import Answer, Args, Command, paged
from .ids import osd_id


def _schedule_add(api: Api, args: Args) -> Answer:
    names = ("every", "cron", "window", "timezone", "osds", "missed")
    given = {name: args.get(name) for name in names}
    return Answer(
        api.schedules.add(ScheduleRequest(args["name"], args["profile"], **given)),
        schedules.next_runs,
    )


def _schedule_ls(api: Api, _args: Args) -> Answer:
    return Answer(api.schedules.ls(), schedules.schedules)


def _schedule_rm(api: Api, args: Args) -> Answer:
    return Answer(api.schedules.rm(args["name"]), lambda shown: f"{shown['name']} is removed")


def _schedule_pause(api: Api, args: Args) -> Answer:
    return Answer(api.schedules.pause(args["name"]), schedules.next_runs)


def _schedule_resume(api: Api, args: Args) -> Answer:
    return Answer(api.schedules.resume(args["name"]), schedules.next_runs)


def _quiesce_status(api: Api, _args: Args) -> Answer:
    return Answer(api.quiesce.status(), quiesce.quiesce_text)


def _quiesce_restore(api: Api, _args: Args) -> Answer:
    return Answer(api.quiesce.restore(), quiesce.restored_text)


def _mclock_ls(api: Api, args: Args) -> Answer:
    shape, total = api.mclock.ls(Page.asked(args))
    return Answer(shape, paged(mclock.capacities, total, args))


def _mclock_propose(api: Api, args: Args) -> Answer:
    if args.get("apply"):
        return Answer(api.mclock.apply(), mclock.applied)
    return Answer(api.mclock.propose(), mclock.proposals)


def _mclock_restore(api: Api, _args: Args) -> Answer:
    return Answer(api.mclock.restore(), mclock.restored)


def _doctor(api: Api, args: Args) -> Answer:
    return Answer(
        api.doctor.advice(None if args.get("osd") is None else osd_id(args["osd"])), advice.sheet
    )


COMMANDS = (
    Command(
        "schedule add",
        "rw",
        "Start rounds of a profile by themselves, as --every 1d or --cron '0 3 * * 6'",
        "name:Str profile:Str every?:Str cron?:Str window?:Str timezone?:Str osds?:Str missed?:Str",
        _schedule_add,
    ),
    Command("schedule ls", "r", "List schedules with their next runs", "", _schedule_ls),
    Command("schedule rm", "rw", "Remove a schedule", "name:Str", _schedule_rm),
    Command("schedule pause", "rw", "Start nothing by a schedule", "name:Str", _schedule_pause),
    Command("schedule resume", "rw", "Let a schedule go on", "name:Str", _schedule_resume),
    Command(
        "quiesce status",
        "r",
        "Show what a round has changed in the cluster's settings",
        "",
        _quiesce_status,
    ),
    Command(
        "quiesce restore",
        "rw",
        "Put back what a round changed, where none runs any more",
        "",
        _quiesce_restore,
    ),
    Command(
        "mclock ls",
        "r",
        "List the IOPS that mClock takes OSDs to be capable of, and those measured",
        "limit?:Int offset?:Int",
        _mclock_ls,
    ),
    Command(
        "mclock propose",
        "rw",
        "Propose capacities by what rounds measured; set them with --apply",
        "apply?:Bool",
        _mclock_propose,
    ),
    Command(
        "mclock restore", "rw", "Put back the capacities that were before", "", _mclock_restore
    ),
    Command(
        "doctor",
        "r",
        "Advise on settings and hosts, with evidence and the command that mends it",
        "osd?:Str",
        _doctor,
    ),
)
