"""The questions as commands of the ``ceph`` CLI."""

from __future__ import annotations

import errno
from collections.abc import Mapping
from typing import Any

from ..answers.questions import QUESTIONS
from ..api import Api
from ..errors import PerfBenchError, VerdictNamed
from ..model.phrases import sentence
from .command import carried_out, descriptor

# (return code, stdout, stderr) as ceph-mgr wants it.
Reply = tuple[int, str, str]

_COMMANDS = {f"perf-bench {one.name}": one for one in QUESTIONS if one.is_command}


def descriptors() -> list[dict[str, Any]]:
    """The commands as ``MgrModule.COMMANDS`` takes them."""
    return [descriptor(question) for question in _COMMANDS.values()]


def dispatch(api: Api, order: Mapping[str, Any], file: str = "") -> Reply:
    """Carry out one command; ``file`` is what came with -i.

    Every error of the family becomes its errno and one sentence. The client prints an answer that
    comes with an error, too.
    """
    question = _COMMANDS.get(order.get("prefix", ""))
    if question is None:
        return -errno.EINVAL, "", sentence(f"unknown command '{order.get('prefix')}'")
    try:
        return 0, carried_out(api, question, order, file), ""
    except VerdictNamed as error:
        return -error.errno, error.answer, sentence(str(error))
    except PerfBenchError as error:
        return -error.errno, "", sentence(str(error))
