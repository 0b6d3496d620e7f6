"""What a question is: name, arguments, rights, answer.

Commands (``answers/command``), the dashboard's questions (``answers/dashboard``), their checks and
its controllers derive from it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, Callable, Optional

from ..api import Api
from ..paging import Page
from .rights import BY_METHOD, Need, Right

# Checked values by the arguments' names. An argument that was not given is absent.
Args = Mapping[str, Any]


class ArgumentKind(Enum):
    """What an argument's value is. The CLI and the dashboard each have a check for every kind."""

    TEXT = "text"
    NUMBER = "number"
    FLAG = "flag"
    SIZE = "size"  # bytes, as 4K or 4096
    FILE = "file"  # the text of a file: -i FILE in the CLI
    ROUND_ID = "round"
    FINDING_ID = "finding"
    OSD_ID = "OSD"


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

    ``rest_name`` is set where the dashboard has another name for it, ``missing`` where the
    dashboard's sentence for a needed argument is not the one that its kind has.
    """

    name: str
    kind: ArgumentKind = ArgumentKind.TEXT
    cli: Use = Use.OPTIONAL
    rest: Use = Use.OPTIONAL
    rest_name: str = ""
    missing: str = ""

    @property
    def public_name(self) -> str:
        """Its name in the dashboard."""
        return self.rest_name or self.name


@dataclass(frozen=True)
class Question:
    """One question; a command if it has ``plain`` or is ``raw``, REST if it has ``rest``.

    name -- the command without "perf-bench"; the dashboard's name has "_" for " ".
    call -- returns the answer as public JSON, or (answer, rows in all) where ``paged``.
    rest -- method and path, as in the schema's ``x-answers``; ``answer`` is the name there.
    also -- further routes with their answers.
    plain -- makes the CLI's text of the answer. ``raw``: the answer is a text already.
    more -- what the CLI prints below a page, with the number of rows after it.
    rest_of -- what it prints below an answer that has a page of rows in it, with the page's offset.
    counts -- the key of an answer with a page of rows in it that says how many there are.
    page -- makes the dashboard's page of a list that the CLI prints whole.
    fails -- what is wrong with an answer by the CLI's arguments, as --fail-on; empty for nothing.
        The answer is printed all the same.
    covers -- names of the looks (model/finding.py) of which the CLI's text ends with what could
        not be looked at.
    below -- what the CLI's text of the first page has before that; "" for nothing.
    in_text -- arguments that the CLI sets when it prints text and not JSON.
    note -- what the CLI prints below the text, empty for nothing.
    needs -- rights that the dashboard's users need beside that of the method.
    without -- arguments that are set for a user of the dashboard without this right.
    """

    name: str
    help: str
    call: Callable[[Api, Args], Any]
    arguments: Sequence[Argument] = ()
    plain: Optional[Callable[[Any], str]] = None
    rest: str = ""
    answer: str = ""
    also: Mapping[str, str] = field(default_factory=dict)
    writes: bool = False
    paged: bool = False
    counts: str = ""
    page: Optional[Callable[[Any, Args], tuple[Any, int]]] = None
    raw: bool = False
    more: str = "\n… {} more: --limit, --offset"
    rest_of: Optional[Callable[[Any, int], str]] = None
    fails: Optional[Callable[[Any, Args], str]] = None
    covers: Sequence[str] = ()
    below: Optional[Callable[[Api], str]] = None
    in_text: Args = field(default_factory=dict)
    note: Optional[Callable[[Api], str]] = None
    needs: Sequence[Need] = ()
    without: Mapping[Right, Args] = field(default_factory=dict)

    @property
    def is_command(self) -> bool:
        return self.plain is not None or self.raw

    @property
    def rest_name(self) -> str:
        """Its name in the dashboard."""
        return self.name.replace(" ", "_")

    @property
    def rights(self) -> Sequence[Need]:
        """The rights that the dashboard's users need, with their conditions."""
        return (Need(BY_METHOD[self.rest.split()[0]]), *self.needs)


def optional(*names: str, kind: ArgumentKind = ArgumentKind.TEXT) -> tuple[Argument, ...]:
    """Arguments that may be given."""
    return tuple(Argument(name, kind) for name in names)


def needed(
    *names: str, kind: ArgumentKind = ArgumentKind.TEXT, missing: str = ""
) -> tuple[Argument, ...]:
    """Arguments that must be given."""
    return tuple(Argument(name, kind, Use.NEEDED, Use.NEEDED, "", missing) for name in names)


def rest_only(arguments: Sequence[Argument]) -> tuple[Argument, ...]:
    """The same arguments, for the dashboard alone."""
    return tuple(replace(argument, cli=Use.ABSENT) for argument in arguments)


def keyed(*keys: str) -> Callable[[Any, Args], tuple[Any, int]]:
    """Pages of a list whose rows have these keys, searched and sorted by them."""
    return lambda rows, args: Page.asked(args).of_keyed(rows, *keys)


PAGE = optional("limit", "offset", kind=ArgumentKind.NUMBER)
SEARCH = optional("search", "sort")
# Arguments of a list that the CLI pages, too, and of one that it prints whole.
LIST = (*PAGE, *rest_only(SEARCH))
WHOLE_LIST = rest_only((*PAGE, *SEARCH))
ROUND = needed("id", kind=ArgumentKind.ROUND_ID)
