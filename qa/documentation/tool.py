"""The page of the host tool, made from its parser; Sphinx makes the manual page of it, too."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from perf_bench.tool.main import command_line


def page() -> str:
    """The commands of the tool, as Markdown."""
    return "\n".join(_sections(command_line()))


def _sections(parser: argparse.ArgumentParser) -> Iterator[str]:
    (commands,) = (one for one in parser._actions if isinstance(one, argparse._SubParsersAction))
    yield f"## Options before the command\n\n{_options(parser)}"
    for name, command in commands.choices.items():
        usage = " ".join(command.format_usage().removeprefix("usage: ").split())
        about = (command.description or "").strip()
        about = about[:1].upper() + about[1:].rstrip(".")
        yield f"## {name}\n\n```text\n{usage}\n```\n\n{about}.\n\n{_options(command)}"


def _options(parser: argparse.ArgumentParser) -> str:
    """A list, not a table: manual pages are made of it, too."""
    return "".join(
        f"- `{_spelled(one)}`: {_help(one)}\n"
        for one in parser._actions
        if not isinstance(one, (argparse._HelpAction, argparse._SubParsersAction))
    )


def _spelled(action: argparse.Action) -> str:
    value = action.metavar or ("|".join(action.choices) if action.choices else "")
    if not action.option_strings:
        return str(value or action.dest)
    return f"{'`, `'.join(action.option_strings)} {value}".rstrip()


def _help(action: argparse.Action) -> str:
    return (action.help or "") % {"default": action.default}
