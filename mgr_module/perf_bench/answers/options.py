"""Options of the module: ``option ls``, ``option thresholds``, ``option set``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, Optional, Protocol, Union

from ..errors import InvalidValue, NotFound
from ..model import admission as noun
from ..model.admission import Threshold, Value
from .shape import copied

_WORDS = {"true": True, "false": False}
# What the first letters of a name say of what the option is about; the first that fits counts.
_GROUPS = (
    ("watch", ("watch",)),
    ("thresholds", ("detector", "crc_")),
    ("rounds", ("bench_", "max_", "admission_", "guard", "quiesce")),
    ("history", ("keep_",)),
    ("metrics", ("metrics_",)),
)


@dataclass(frozen=True)
class ModuleOption:
    """An option of the module, mgr/perf_bench/NAME.

    min and max are bounds of an int, at_once: a change needs no other mgr to become active.
    """

    name: str
    group: Literal["watch", "thresholds", "rounds", "history", "metrics", "health"]
    type: Literal["bool", "int", "str"]
    value: Union[bool, int, str]
    default: Union[bool, int, str]
    min: Optional[int]
    max: Optional[int]
    help: str
    at_once: bool


class ModuleOptions(Protocol):
    """The options, and the thresholds that one of them changes."""

    def all(self) -> Sequence[noun.ModuleOption]:
        """Every option that operators may set."""

    def thresholds(self) -> Sequence[Threshold]:
        """The thresholds in effect on this mgr."""

    def check(self, option: noun.ModuleOption, value: str) -> None:
        """Raise InvalidValue if a text is not what the option's users understand."""

    def set(self, name: str, value: Optional[str]) -> None:
        """Set an option at the monitors; None for its default. Raises CommandFailed."""


class OptionAnswers:
    """Options as they are, and changes of them."""

    def __init__(self, options: ModuleOptions) -> None:
        self._options = options

    def ls(self) -> list[ModuleOption]:
        """All options with their values, defaults and bounds."""
        return [option_answer(one) for one in self._options.all()]

    def thresholds(self) -> Sequence[Threshold]:
        """The detector's thresholds in effect."""
        return self._options.thresholds()

    def set(self, name: str, value: Optional[str]) -> ModuleOption:
        """Set an option, without a value to its default. Raises InvalidValue or NotFound."""
        option = next((one for one in self._options.all() if one.name == name), None)
        if option is None:
            raise NotFound(f"perf_bench has no option '{name[:40]}'")
        if value is None:
            self._options.set(name, None)
            return option_answer(replace(option, value=option.default))
        checked = _checked(option, value.strip())
        self._options.check(option, value.strip())
        self._options.set(name, str(checked).lower() if option.kind == "bool" else str(checked))
        return option_answer(replace(option, value=checked))


def option_answer(one: noun.ModuleOption) -> ModuleOption:
    """An option with its group; those of no other group raise health checks."""
    return copied(
        ModuleOption, one, group=group(one.name), type=one.kind, min=one.least, max=one.most
    )


def group(name: str) -> str:
    """What an option is about."""
    return next((word for word, starts in _GROUPS if name.startswith(starts)), "health")


def _checked(option: noun.ModuleOption, text: str) -> Value:
    """The value that a text stands for. Raises InvalidValue."""
    if option.kind == "bool":
        if text not in _WORDS:
            raise InvalidValue(
                f"{option.name} is true or false, not '{text[:40]}'",
                field="value",
            )
        return _WORDS[text]
    if option.kind != "int":
        return text
    least = 0 if option.least is None else option.least
    try:
        number = int(text)
    except ValueError:
        number = least - 1
    if number < least or (option.most is not None and number > option.most):
        raise InvalidValue(_no_number(option, least, text[:40]), field="value")
    return number


def _no_number(option: noun.ModuleOption, least: int, given: str) -> str:
    name = option.name
    if not option.most:
        return f"{name} is a whole number from {least}, not '{given}'"
    return f"{name} is a whole number from {least} to {option.most}, not '{given}'"
