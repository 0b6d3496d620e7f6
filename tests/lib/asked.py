"""Questions as commands and the dashboard ask them, and what they are put to in a test."""

from __future__ import annotations

import json
from dataclasses import MISSING, fields
from typing import Any

from perf_bench.answers import command
from perf_bench.answers.api import Api
from perf_bench.answers.questions import QUESTIONS
from perf_bench.answers.shape import to_json


def asking(**services: Any) -> Api:
    """The Api with these services or what is made of them (``bench``, ``store``); no others."""
    needed = (one.name for one in fields(Api) if one.default is MISSING)
    own = {one.name for one in fields(Api)}
    given = {**dict.fromkeys(needed), **{name: services[name] for name in own & services.keys()}}
    made = Api(**given)
    vars(made).update({name: services[name] for name in services.keys() - own})
    return made


def ask(api: Api, question: str, **arguments: Any) -> Any:
    """The answer to a question; with the number of rows where it is a page."""
    (asked,) = (one for one in QUESTIONS if one.name == question)
    answer, total = asked.ask(api, arguments)
    return (answer, total) if asked.paged else answer


def json_of(api: Api, question: str, **arguments: Any) -> Any:
    """The same as JSON."""
    return to_json(ask(api, question, **arguments))


def types(api: Api, words: str, file: str = "", /, **arguments: Any) -> command.Reply:
    """What the command says to these words, and the content of a file with ``-i``."""
    return command.dispatch(api, {"prefix": f"perf-bench {words}", **arguments}, file)


def prints(api: Api, words: str, file: str = "", /, **arguments: Any) -> str:
    """What the command prints, which must be good."""
    code, out, err = types(api, words, file, **arguments)
    assert (code, err) == (0, "")
    return out


def asks(api: Api, words: str, **arguments: Any) -> Any:
    """The same as JSON."""
    return json.loads(prints(api, words, format="json", **arguments))
