"""Questions about the module's options."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Optional, Protocol

from ..errors import InvalidValue, NotFound
from ..model.json_fields import Json
from ..model.options import ModuleOption, Threshold, Value
from ..report import options as shapes

_WORDS = {"true": True, "false": False}


class ModuleOptions(Protocol):
    """The options, and the thresholds that one of them changes."""

    def all(self) -> Sequence[ModuleOption]:
        """Every option that operators may set."""

    def thresholds(self) -> Sequence[Threshold]:
        """The thresholds in effect on this mgr."""

    def check(self, option: ModuleOption, value: str) -> None:
        """Raise InvalidValue if a text is not what the option's users understand."""

    def set(self, name: str, value: Optional[str]) -> None:
        """Set an option at the monitors; None for its default. Raises CommandFailed."""


class OptionApi:
    """Options as they are, and changes of them."""

    def __init__(self, options: ModuleOptions) -> None:
        self._options = options

    def ls(self) -> list[Json]:
        """All options with their values, defaults and bounds."""
        return [shapes.option(one) for one in self._options.all()]

    def thresholds(self) -> list[Json]:
        """The detector's thresholds in effect."""
        return [shapes.threshold(one) for one in self._options.thresholds()]

    def set(self, name: str, value: Optional[str]) -> Json:
        """Set an option, without a value to its default. Raises InvalidValue or NotFound."""
        option = next((one for one in self._options.all() if one.name == name), None)
        if option is None:
            raise NotFound(f"perf_bench has no option '{name[:40]}'")
        if value is None:
            self._options.set(name, None)
            return shapes.option(replace(option, value=option.default))
        checked = _checked(option, value.strip())
        self._options.check(option, value.strip())
        self._options.set(name, str(checked).lower() if option.kind == "bool" else str(checked))
        return shapes.option(replace(option, value=checked))


def _checked(option: ModuleOption, text: str) -> Value:
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


def _no_number(option: ModuleOption, least: int, given: str) -> str:
    name = option.name
    if not option.most:
        return f"{name} is a whole number from {least}, not '{given}'"
    return f"{name} is a whole number from {least} to {option.most}, not '{given}'"
