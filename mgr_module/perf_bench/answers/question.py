"""What a question is: name, arguments, rights, answer.

Commands (``answers/command``), the dashboard's questions (``answers/dashboard``), their checks and
its controllers derive from it.
"""

from __future__ import annotations

import inspect
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property, partial
from typing import (
    Annotated,
    Any,
    Callable,
    NamedTuple,
    Optional,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from ..errors import Forbidden, InvalidValue, NotFound
from ..model import phrases
from ..model.phrases import listed
from ..model.plan import PROFILES, uses_pool
from ..model.rados import POOL
from .api import Api
from .paging import Page

# Checked values by the arguments' names. An argument that was not given is absent.
Args = Mapping[str, Any]


class ArgumentKind(Enum):
    """What an argument's value is; ``_CHECKS`` has a check for every kind."""

    TEXT = "text"
    NUMBER = "number"
    FLAG = "flag"
    SIZE = "size"  # bytes, as 4K or 4096
    FILE = "file"  # the text of a file: -i FILE in the CLI
    ROUND_ID = "round"
    FINDING_ID = "finding"
    OSD_ID = "OSD"


# Types of parameters whose values are not just any text or number.
RoundId = Annotated[int, ArgumentKind.ROUND_ID]
FindingId = Annotated[int, ArgumentKind.FINDING_ID]
OsdId = Annotated[int, ArgumentKind.OSD_ID]
File = Annotated[str, ArgumentKind.FILE]
# Of a parameter that is no argument: whether the user has a right.
Allowed = Annotated[bool, "allowed"]
_KINDS = {str: ArgumentKind.TEXT, int: ArgumentKind.NUMBER, bool: ArgumentKind.FLAG}


class Text(NamedTuple):
    """What a command prints: the answer to a question whose function returns a text."""

    text: str


class Use(Enum):
    """Whether an argument must, may or cannot be given.

    SESSION: the dashboard's back end adds it from the user's session; users cannot give it.
    """

    NEEDED = "needed"
    OPTIONAL = "optional"
    SESSION = "session"
    ABSENT = "absent"


@dataclass(frozen=True)
class Argument:
    """One argument, as the CLI (``cli``) and the dashboard (``rest``) take it.

    ``rest_name`` is set where the dashboard has another name for it.
    """

    name: str
    kind: ArgumentKind = ArgumentKind.TEXT
    cli: Use = Use.OPTIONAL
    rest: Use = Use.OPTIONAL
    rest_name: str = ""

    @property
    def public_name(self) -> str:
        """Its name in the dashboard."""
        return self.rest_name or self.name


@dataclass(frozen=True)
class Question:
    """One question; a command if it has ``text`` or answers with a text, REST if it has ``rest``.

    name -- the command without "perf-bench"; the dashboard's name has "_" for " ".
    call -- gets the Api and each argument by its name (``id_`` for what is a name of Python), or
        as ``page`` those of a page. Its parameters are the arguments, needed where they have no
        default. It returns the answer, whose class is in its annotation; or (answer, rows in all)
        where the answer is a page or has one. The first line of its docstring is the help.
    own -- arguments that are not as the parameters say, or that ``call`` takes as ``**asked``.
    text -- makes the CLI's text of the answer.
    rest -- method and path, as in the schema's ``x-answers``.
    rows -- the name of the page in an answer that has one.
    fails -- what is wrong with an answer by the CLI's arguments, as --fail-on; empty for nothing.
        The answer is printed all the same.
    covers -- names of the looks (model/finding.py) of which the CLI's text ends with what could
        not be looked at.
    in_text -- arguments that the CLI sets when it prints text and not JSON.
    needs -- rights that the dashboard's users need beside that of the method.
    without -- arguments that are set for a user of the dashboard without this right.
    """

    name: str
    call: Callable[..., Any]
    own: Sequence[Argument] = ()
    text: Optional[Callable[[Any], str]] = None
    rest: str = ""
    writes: bool = False
    rows: str = ""
    fails: Optional[Callable[[Any, Args], str]] = None
    covers: Sequence[str] = ()
    in_text: Args = field(default_factory=dict)
    needs: Sequence[Need] = ()
    without: Mapping[Right, Args] = field(default_factory=dict)

    @property
    def help(self) -> str:
        """What it does, in a line."""
        return (self.call.__doc__ or "").partition("\n")[0].rstrip(".")

    @cached_property
    def arguments(self) -> Sequence[Argument]:
        """All arguments, in the order of the CLI."""
        own = {one.name: one for one in self.own}
        found: list[Argument] = []
        for name, (one, hint) in self._parameters.items():
            if hint is Page:
                found += LIST
            elif hint != Allowed:
                said = _argument(name, hint, one.default is one.empty)
                found.append(own.pop(name, said))
        pages = WHOLE_LIST if self.rest and self.listed and not self.paged else ()
        return (*own.values(), *found, *pages)

    @cached_property
    def _parameters(self) -> Mapping[str, tuple[inspect.Parameter, Any]]:
        """The parameters but ``api`` and ``**asked`` with their types, by the arguments' names."""
        hints = get_type_hints(self.call, include_extras=True)
        _, *others = inspect.signature(self.call).parameters.values()
        named = [one for one in others if one.kind is not one.VAR_KEYWORD]
        return {one.name.rstrip("_"): (one, hints[one.name]) for one in named}

    def ask(self, api: Api, args: Args) -> tuple[Any, Optional[int]]:
        """The answer to checked arguments; of a page with the number of rows in all."""
        taken = self._parameters
        given = {
            taken[name][0].name if name in taken else name: value
            for name, value in args.items()
            if name in taken or name not in Page._fields
        }
        if "page" in taken:
            given["page"] = Page.asked(args)
        found = self.call(api, **given)
        return found if self.paged else (found, None)

    @cached_property
    def _returned(self) -> Any:
        return get_type_hints(self.call).get("return")

    @property
    def paged(self) -> bool:
        """Whether the answer comes with the number of rows in all."""
        return get_origin(self._returned) is tuple

    @property
    def answer(self) -> Any:
        """The class of the answer, or list[...] of one."""
        if self._returned is str:
            return Text
        return get_args(self._returned)[0] if self.paged else self._returned

    @property
    def listed(self) -> Optional[type[Any]]:
        """The class of a list's rows."""
        row: Optional[type[Any]] = (get_args(self.answer) or [None])[0]
        return row if get_origin(self.answer) is list else None

    @property
    def is_command(self) -> bool:
        return self.text is not None or self._returned is str

    @property
    def rest_name(self) -> str:
        """Its name in the dashboard."""
        return self.name.replace(" ", "_")

    @property
    def rights(self) -> Sequence[Need]:
        """The rights that the dashboard's users need, with their conditions."""
        return (Need(BY_METHOD[self.rest.split()[0]]), *self.needs)


def _argument(name: str, hint: Any, is_needed: bool) -> Argument:
    """The argument of a parameter of this type."""
    of = get_args(hint)[0] if get_origin(hint) is Union else hint
    kind = _KINDS.get(of) or of.__metadata__[0]
    use = Use.NEEDED if is_needed else Use.OPTIONAL
    return Argument(name, kind, use, use)


def checked(taken: Mapping[str, tuple[Argument, Use]], given: Args) -> dict[str, Any]:
    """The values by the arguments' own names; ``taken`` are those there are, by their names here.

    What is None is not given. Raises InvalidValue or NotFound.
    """
    values = {}
    for name, (argument, use) in taken.items():
        value = given.get(name)
        if value is not None:
            values[argument.name] = _CHECKS[argument.kind](name, value)
        elif use is Use.NEEDED:
            raise InvalidValue(f"'{name}' is needed", field=name)
    return values


def _size(name: str, value: Any) -> str:
    """A size as ``round start --size`` takes it, or a number of bytes."""
    return phrases.text(name, value) if isinstance(value, str) else str(phrases.whole(name, value))


def _file(name: str, value: Any) -> str:
    """A whole file, whose reader checks what is in it."""
    if not isinstance(value, str):
        raise InvalidValue(f"{name} must be a text", field=name)
    return value


def _id(noun: str, name: str, value: Any) -> int:
    text = str(value) if type(value) is int else phrases.text(name, value)
    if not _is_number(text):
        raise NotFound(
            f"no {noun} '{text}': a {noun}'s ID is a number, see 'ceph perf-bench {noun} ls'"
        )
    return int(text)


def _osd_id(name: str, value: Any) -> int:
    """An OSD's ID, of "3" or "osd.3"."""
    text = str(value) if type(value) is int else phrases.text(name, value)
    digits = text.lower().removeprefix("osd.")
    if not _is_number(digits):
        raise InvalidValue(f"'{text}' is not an OSD: give its ID, as 3 or osd.3", field=name)
    return int(digits)


def _is_number(text: str) -> bool:
    # "²" is a digit too, and no number; no ID has more digits.
    return text.isascii() and text.isdigit() and len(text) <= 15


# Functions that check and convert the value of an argument of this name.
_CHECKS: Mapping[ArgumentKind, Callable[[str, Any], Any]] = {
    ArgumentKind.TEXT: phrases.text,
    ArgumentKind.NUMBER: phrases.whole,
    ArgumentKind.FLAG: phrases.flag,
    ArgumentKind.SIZE: _size,
    ArgumentKind.FILE: _file,
    ArgumentKind.ROUND_ID: partial(_id, "round"),
    ArgumentKind.FINDING_ID: partial(_id, "finding"),
    ArgumentKind.OSD_ID: _osd_id,
}


def optional(*names: str, kind: ArgumentKind = ArgumentKind.TEXT) -> tuple[Argument, ...]:
    """Arguments that may be given."""
    return tuple(Argument(name, kind) for name in names)


def needed(*names: str) -> tuple[Argument, ...]:
    """Arguments that must be given."""
    return tuple(Argument(name, cli=Use.NEEDED, rest=Use.NEEDED) for name in names)


def rest_only(arguments: Sequence[Argument]) -> tuple[Argument, ...]:
    """The same arguments, for the dashboard alone."""
    return tuple(replace(argument, cli=Use.ABSENT) for argument in arguments)


# Arguments of a list that the CLI pages, too, and of one that it prints whole.
LIST = (
    *optional("sort"),
    *optional("limit", "offset", kind=ArgumentKind.NUMBER),
    *rest_only(optional("search")),
)
WHOLE_LIST = rest_only(LIST)
# Stands for all looks.
ALL = ("*",)


# --- rights of the dashboard ---------------------------------------------------------------

# A user's permissions by scope, as {"osd": ["read", "create"]}.
Rights = Mapping[str, Collection[str]]


class Right(NamedTuple):
    """A permission in a scope; the names are Ceph's, see the dashboard's ``security.py``."""

    scope: str
    permission: str

    def __str__(self) -> str:
        return f"{self.permission} of the scope {self.scope}"


# What the dashboard's own REST controllers need by their method.
BY_METHOD = {
    "GET": Right("osd", "read"),
    "POST": Right("osd", "create"),
    "DELETE": Right("osd", "delete"),
}
POOL_CREATE = Right("pool", "create")
POOL_UPDATE = Right("pool", "update")
CONFIG_UPDATE = Right("config-opt", "update")
CONFIG_READ = Right("config-opt", "read")
READ_ONLY: Rights = {"osd": ("read",)}


@dataclass(frozen=True)
class Need:
    """A right beside that of the method.

    when -- whether these arguments need it; None if all do.
    why -- what needs it, in the refusal and in the documentation.
    """

    right: Right
    why: str = ""
    when: Optional[Callable[[Api, Mapping[str, Any]], bool]] = None


def _loads(args: Mapping[str, Any]) -> bool:
    """Whether the profile uses a pool. An unknown profile needs nothing: it is refused anyway."""
    profile = PROFILES.get(args.get("profile", ""))
    return profile is not None and uses_pool(profile)


def _bench_pool(_api: Api, args: Mapping[str, Any]) -> bool:
    return _loads(args) and (args.get("pool") or POOL) == POOL


def _other_pool(_api: Api, args: Mapping[str, Any]) -> bool:
    return _loads(args) and (args.get("pool") or POOL) != POOL


def _of_schedule(api: Api, args: Mapping[str, Any]) -> bool:
    return _bench_pool(api, {"profile": api.round_scheduler.profile(args["name"])})


_MAKES = (
    f"rounds of kind rados and of osd-sandwich use the pool {POOL}, which is made if it does not "
    "exist"
)
OF_ROUND = (
    Need(POOL_CREATE, _MAKES, _bench_pool),
    Need(POOL_UPDATE, "clients write to the pool that is named", _other_pool),
)
OF_SCHEDULE = (Need(POOL_CREATE, _MAKES, _bench_pool),)
OF_RESUMED = (Need(POOL_CREATE, _MAKES, _of_schedule),)
OF_CONFIGURATION = (Need(CONFIG_UPDATE, "it changes Ceph's configuration"),)
# Arguments that are set for a user without this right.
NO_RAISING = {CONFIG_UPDATE: {"may_raise": False}}
NO_CONFIGURATION = {CONFIG_READ: {"config": False}}


def check(rights: Rights, needs: Collection[Need]) -> None:
    """Raise Forbidden, which names every right that is missing and what needs it."""
    lacking = [need for need in needs if not has(rights, need.right)]
    if not lacking:
        return
    missing = [str(need.right) for need in lacking]
    permissions = "permission" if len(missing) == 1 else "permissions"
    sentence = f"your roles lack the {permissions} {listed(missing)}"
    why = list(dict.fromkeys(need.why for need in lacking if need.why))
    raise Forbidden(f"{sentence}: {'; '.join(why)}" if why else sentence)


def has(rights: Rights, right: Right) -> bool:
    """Whether the user has this right."""
    return right.permission in rights.get(right.scope, ())
