"""Finds records that tell a report nothing, so that they are stepped over undecoded.

Of ten records in a whole trace of torch's seven describe tensors and sizes, and one is an event
whose time nobody asks for. What is stepped over has the form that torch writes at its begin and
at its end, and one head; of an event the payload is what its head says. So a torn record is
never among it.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from ca_engine.lazy_expressions import expression

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_HEAD = rb"[VIWEC]\d{4} \d\d:\d\d:\d\d\.\d{6} "
_PLACE = rb" [^\]\n]{1,1024}:\d{1,9}\] "
_KIND = (
    rb'\{"(?:describe_(?:storage|tensor|source)|create_(?:unbacked_)?symbol|'
    rb'guard_added(?:_fast)?)": \{[^\n]*\}'
)
# Which capture's, compile's and rank's it is.
_OWNER = rb'(?:, "[a-z_]{1,64}": \d{1,18})*'
# No more at once, because a run that turns out to hold anything else is searched again.
_RUN = (
    _KIND + rb"(" + _OWNER + rb")\}\n"
    + rb"(?:" + _HEAD + rb"\1" + _PLACE + _KIND + rb"\2\}\n){0,63}"
)  # fmt: skip
_EVENT = rb'\{"chromium_event": \{\}(' + _OWNER + rb'), "has_payload": "([0-9a-f]{32})"\}\n\t'
# In one expression, so that the head of what is neither is looked at once.
_QUIET = expression(_HEAD + rb"(\d{1,20})" + _PLACE + rb"(?:" + _RUN + rb"|" + _EVENT + rb")")
_HEAD_END = expression(rb"\] \{")
_PAYLOAD_END = expression(rb"\n[^\t]")
_LONGEST_EVENT = 1 << 12
_MOST_OF_OTHERS = 1 << 16


class QuietRun(NamedTuple):
    """Whole records from one place in a buffer to ``end``, of one process and one compile.

    No records: whole lines of something else.
    ``owner`` is what each envelope holds beside its kind: frame_id, attempt, rank and so on.
    """

    end: int
    records: int
    lines: int
    pid: int
    owner: dict[str, Any]


class QuietRuns:
    """Finds the runs in the buffers of one file."""

    def __init__(self, loud: Sequence[bytes]) -> None:
        """Events whose payload holds one of ``loud`` are to be read."""
        self._loud = tuple(loud)
        self._tail = b"\0"
        self._owner: dict[str, Any] | None = None

    def at(self, buffer: bytes, position: int) -> QuietRun | None:
        """Return the run that begins at ``position``, None if no such record begins there."""
        found = _QUIET.match(buffer, position)
        if found is None:
            return None
        pid, tail, of_event, digest = found.groups()
        if digest is None:
            end = found.end()
            records = lines = buffer.count(b"\n", position, end)
            # Another process's record, written into the middle of one of these?
            if len(_HEAD_END.findall(buffer, position, end)) != records:
                return None
        else:
            tail = of_event
            last = _PAYLOAD_END.search(buffer, found.end(), found.end() + _LONGEST_EVENT)
            if last is None:
                return None
            payload = buffer[found.end() : last.start()].replace(b"\n\t", b"\n")
            md5 = hashlib.md5(payload, usedforsecurity=False).hexdigest()
            if md5.encode() != digest or any(loud in payload for loud in self._loud):
                return None
            end = last.start() + 1
            records, lines = 1, 2 + payload.count(b"\n")
        if tail != self._tail:
            self._tail, self._owner = tail, _decoded(tail)
        if self._owner is None:
            return None
        return QuietRun(end, records, lines, int(pid), self._owner)


def other_lines(buffer: bytes, position: int, part: re.Pattern[bytes]) -> QuietRun | None:
    """Return the lines from ``position`` on that are no part of a record, nor of any kind of text.

    None if there are none. ``part`` is what `part_of_record` returned. What other programs print
    may be millions of short lines: one search goes over many of them.
    """
    most = position + _MOST_OF_OTHERS
    found = part.search(buffer, position, most)
    end = buffer.rfind(b"\n", position, most if found is None else found.start()) + 1
    return QuietRun(end, 0, buffer.count(b"\n", position, end), 0, {}) if end else None


def part_of_record(marks: Iterable[bytes]) -> re.Pattern[bytes]:
    """Return what is in each line of a record, and of text of the kinds with these ``marks``."""
    return re.compile(b"|".join((rb"\] \{", rb"\n\t", *map(re.escape, marks))))


def _decoded(tail: bytes) -> dict[str, Any] | None:
    try:
        owner: dict[str, Any] = orjson.loads(b"{" + tail[2:] + b"}")
    except orjson.JSONDecodeError:
        return None
    return None if "has_payload" in owner else owner
