"""The journal of changed settings: one key of the monitors' config-key store for each change.

The monitors can be written while no placement group is active. A key is written once, before its
change is made, and removed after the change is undone. It contains the writer's name and is never
used again. So a command that the monitors execute late affects no other entry, two writers never
overwrite each other, and no number of changes exceeds the size of a key (64 KiB).

mClock capacities are many and are put back on request only: those set together share a key. So
are reliefs of OSDs. An older version kept all changes of a round under the prefix itself; that is
still read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, NamedTuple, Optional, Union

from ..errors import CommandFailed, PerfBenchError
from ..model.printable import one_line
from ..model.quiesce import Contents, Entry, SettingChange, UnreadableEntry
from ..model.said import say
from ..ports import Monitors

FORMAT = 2
JOURNAL = "mgr/perf_bench/quiesce"
MCLOCK_JOURNAL = "mgr/perf_bench/mclock"
RELIEF_JOURNAL = "mgr/perf_bench/relief"
# More entries than any round can have; further ones are reported as unreadable.
MOST_ENTRIES = 20_000
_MOST_BYTES = 65_536
_LATEST = 1e11  # unix seconds that have a date
_KINDS = ("flag/", "balancer", "pool/", "config/", "osd/")
# Separates the key from the setting's name where one key has several entries.
_PART = "#"


class _Note(NamedTuple):
    """Confirms that all changes of its writer with lower numbers are made."""

    key: str


class Journal:
    """Implements JournalKeeper below a prefix of the monitors' store."""

    def __init__(self, monitors: Monitors, prefix: str = JOURNAL) -> None:
        self._monitors = monitors
        self._prefix = prefix
        self._number = 0
        self._notes: tuple[str, ...] = ()

    def read(self) -> Contents:
        """All entries, and the keys that cannot be read. Raises the monitors' errors."""
        dump = self._monitors.command_json("config-key dump", key=self._prefix)
        if not isinstance(dump, dict):
            raise PerfBenchError(
                say("journal-answer", "the monitors' answer about the journal cannot be read")
            )
        entries: list[Entry] = []
        notes: list[str] = []
        bad: list[UnreadableEntry] = []
        made: set[str] = set()
        ours = [key for key in sorted(dump) if self._is_ours(key)]
        for key in ours[:MOST_ENTRIES]:
            try:
                for one, done in self._parsed(key, dump[key]):
                    if isinstance(one, _Note):
                        notes.append(one.key)
                    else:
                        entries.append(one)
                        made.update((one.key,) if done else ())
            except (ValueError, TypeError, KeyError, RecursionError) as error:
                bad.append(UnreadableEntry(key, one_line(str(error) or repr(error))))
        too_many = f"the journal has more than {MOST_ENTRIES} entries"
        bad += [UnreadableEntry(key, too_many) for key in ours[MOST_ENTRIES:]]
        self._notes = tuple(notes)
        made.update(_confirmed([entry.key for entry in entries], notes))
        return Contents(tuple(entries), tuple(bad), frozenset(made))

    def add(
        self, writer: str, holder: str, since: float, until: float, change: SettingChange
    ) -> Entry:
        entry = Entry(self._key(writer), holder, writer, since, until, change)
        self._set(entry.key, _to_json(entry))
        return entry

    def confirm(self, writer: str, holder: str, until: float) -> None:
        key = self._key(writer)
        self._set(key, {"format": FORMAT, "holder": holder, "writer": writer, "until": until})
        self._notes = (*self._notes, key)

    def add_all(
        self, writer: str, holder: str, changes: Sequence[SettingChange]
    ) -> Sequence[Entry]:
        """Record several changes under one key; these are put back on request only."""
        key = self._key(writer)
        since = min(change.at for change in changes)
        head = {"format": FORMAT, "holder": holder, "writer": writer}
        times = {"since": since, "until": since}
        self._set(key, {**head, **times, "changes": [asdict(change) for change in changes]})
        return [
            Entry(f"{key}{_PART}{change.what}", holder, writer, since, since, change)
            for change in changes
        ]

    def remove(self, *entries: Entry) -> None:
        """Remove entries; one that is already removed is no error."""
        parts: dict[str, set[str]] = {}
        for entry in entries:
            key, part, _ = entry.key.partition(_PART)
            if part:
                parts.setdefault(key, set()).add(entry.what)
            else:
                self._drop(key)
        for key, gone in parts.items():
            self._remove_parts(key, gone)

    def tidy(self, entries: Sequence[Entry]) -> None:
        """Remove the notes of writers without entries."""
        writers = {_writer(entry.key) for entry in entries}
        for key in self._notes:
            if _writer(key) not in writers:
                self._drop(key)
                self._notes = tuple(one for one in self._notes if one != key)

    # --- inside ------------------------------------------------------------------------------

    def _is_ours(self, key: str) -> bool:
        return key == self._prefix or key.startswith(f"{self._prefix}/")

    def _key(self, writer: str) -> str:
        self._number += 1
        return f"{self._prefix}/{writer}.{self._number:06d}"

    def _set(self, key: str, document: Mapping[str, Any]) -> None:
        self._monitors.command("config-key set", key=key, val=json.dumps(document))

    def _drop(self, key: str) -> None:
        try:
            self._monitors.command("config-key rm", key=key)
        except CommandFailed as error:
            if error.errno != 2:  # ENOENT: somebody has removed it already
                raise

    def _parsed(self, key: str, text: Any) -> Iterator[tuple[Union[Entry, _Note], bool]]:
        document = _document(text)
        version = document.get("format", 1)
        if not isinstance(version, int) or version > FORMAT:
            raise ValueError(f"it has format {version!r:.40}, written by a newer version")
        if "what" in document:
            yield _entry(key, document), False
        elif "changes" in document or version == 1:
            yield from _parts(key, _changes_document(document))
        else:
            yield _Note(key), False

    def _remove_parts(self, key: str, gone: set[str]) -> None:
        text = self._monitors.command_json("config-key dump", key=key).get(key)
        if text is None:
            return
        document = _changes_document(_document(text))
        left = [one for one in document["changes"] if one["what"] not in gone]
        if left:
            self._set(key, {**document, "changes": left})
        else:
            self._drop(key)


def _document(text: Any) -> Mapping[str, Any]:
    if not isinstance(text, str) or len(text) > _MOST_BYTES:
        raise ValueError("it is not a text of at most 64 KiB")
    try:
        document = json.loads(text)
    except ValueError:
        raise ValueError("it is not JSON") from None
    if not isinstance(document, dict):
        raise TypeError("it is not a JSON object")
    return document


def _to_json(entry: Entry) -> dict[str, Any]:
    change = entry.change
    return {
        "format": FORMAT,
        "holder": entry.holder,
        "writer": entry.writer,
        "since": entry.since,
        "until": entry.until,
        "what": change.what,
        "was": change.was,
        "want": change.want,
        "at": change.at,
    }


def _entry(key: str, document: Mapping[str, Any]) -> Entry:
    what = _text(document, "what")
    if not what.startswith(_KINDS):
        raise ValueError(f"no setting is called '{what[:80]}'")
    change = SettingChange(
        what, _value(document, "was"), _value(document, "want"), _time(document, "at")
    )
    if change.was == change.want:
        raise ValueError(f"it changes {what} to what it was")
    return Entry(
        key,
        _text(document, "holder"),
        _text(document, "writer"),
        _time(document, "since"),
        _time(document, "until"),
        change,
    )


def _changes_document(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """The document with its list of ``changes``.

    An older version's document of mClock capacities has by OSD the option, old and new value; it
    is converted.
    """
    if "changes" in document:
        return document
    changes = [
        {"what": f"config/osd.{int(osd)}/{option}", "was": was, "want": want, "made": True}
        for osd, (option, was, want) in document.items()
    ]
    return {"holder": "mclock", "since": 0.0, "until": 0.0, "changes": changes}


def _parts(key: str, document: Mapping[str, Any]) -> Iterator[tuple[Entry, bool]]:
    head = {name: document[name] for name in ("holder", "since", "until")}
    head["writer"] = document.get("writer", "old")
    if not isinstance(document["changes"], list):
        raise TypeError("its changes are not a list")
    for change in document["changes"]:
        if not isinstance(change, dict):
            raise TypeError("a change is not a JSON object")
        merged = {"at": 0.0, **change, **head}
        yield _entry(f"{key}{_PART}{change['what']}", merged), change.get("made") is True


def _text(document: Mapping[str, Any], name: str) -> str:
    value = document[name]
    if not isinstance(value, str) or not value or len(value) > 1024 or not value.isprintable():
        raise ValueError(f"its {name} is not a short text")
    return value


def _value(document: Mapping[str, Any], name: str) -> Optional[str]:
    return None if document[name] is None else _text(document, name)


def _time(document: Mapping[str, Any], name: str) -> float:
    value = document[name]
    # Between these numbers every whole one is a float, too; neither NaN nor infinity is.
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= _LATEST:
        raise ValueError(f"its {name} is not a time")
    return float(value)


def _writer(key: str) -> str:
    return key.rpartition(".")[0]


def _confirmed(keys: list[str], notes: list[str]) -> Iterator[str]:
    """The entries whose writer has written a later key, which it does only after the change."""
    last: dict[str, str] = {}
    for key in (*keys, *notes):
        writer = _writer(key)
        last[writer] = max(last.get(writer, ""), key)
    return (key for key in keys if _PART not in key and key < last[_writer(key)])
