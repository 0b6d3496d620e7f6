"""The module's options at ceph-mgr and the monitors. Implements ModuleOptions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Callable, Optional, cast

from mgr_module import MgrModule, Option

from ..errors import InvalidValue
from ..model.installation import BUILD_OPTION
from ..model.option import ModuleOption, Threshold, Value
from .mons import Mons
from .options import value_of

# Raises InvalidValue for a text that means nothing.
Check = Callable[[str], object]


class MgrModuleOptions:
    """Reads from the mgr, and writes to the monitors: ``set_module_option`` hides their errors."""

    def __init__(
        self,
        mgr: MgrModule,
        mons: Mons,
        checks: Mapping[str, Check],
        thresholds: Callable[[], Sequence[Threshold]],
    ) -> None:
        self._mgr = mgr
        self._mons = mons
        self._checks = checks
        self._thresholds = thresholds

    def all(self) -> Sequence[ModuleOption]:
        options: list[Option] = list(self._mgr.MODULE_OPTIONS)
        # ceph-mgr adds options about logs to those of every module, and describes none of them.
        ours = [one for one in options if "desc" in one and one["name"] != BUILD_OPTION]
        return [self._read(one) for one in ours]

    def thresholds(self) -> Sequence[Threshold]:
        return self._thresholds()

    def check(self, option: ModuleOption, value: str) -> None:
        check = self._checks.get(option.name)
        if check is None or not value:
            return
        try:
            check(value)
        except InvalidValue as error:
            raise InvalidValue(str(error), field="value") from None

    def set(self, name: str, value: Optional[str]) -> None:
        where = {"who": "mgr", "name": f"mgr/perf_bench/{name}"}
        if value is None:
            self._mons.command("config rm", **where)
        else:
            self._mons.command("config set", **where, value=value)

    def _read(self, one: Any) -> ModuleOption:
        return ModuleOption(
            name=one["name"],
            kind=one["type"],
            value=cast("Value", value_of(self._mgr, one["name"])),
            default=one["default"],
            help=one["desc"],
            least=one.get("min"),
            most=one.get("max"),
            at_once=bool(one.get("runtime")),
        )
