"""What torch's loggers write before a message, by version and by who formats it.

- since torch 2.5, ``TorchLogsFormatter``:
  ``[rank0]:V1121 09:34:50.006000 26265 torch/_dynamo/guards.py:5396] [4/1] [__recompiles] text``
- torch 2.1 to 2.4:
  ``[2023-11-21 09:34:50,006] [4/1] torch._dynamo.guards.__recompiles: [DEBUG] text``
- the same without what stands before the file, as people cut it for an issue:
  ``…/torch/_dynamo/guards.py:5396] [4/1] [__recompiles] text``
- the ids and the artifact alone, behind what a server's own logger writes in the place of torch's:
  ``(Worker pid=4711) 12:48:04.272000 [4/1] [__recompiles] text``
- Python's ``logging.basicConfig``, whichever torch:
  ``DEBUG:torch._dynamo.guards.__recompiles:text``, without a time, and only before the first line
"""

from __future__ import annotations

import re
import time
from datetime import datetime
from typing import NamedTuple

from ca_engine.lazy_expressions import expression

_CONTEXT = rb"\[(?P<context>[!\d/_-]{1,60})\]"
_RANK = rb"(?:\[rank(?P<rank>\d{1,6})\]:)?"
_LEVEL = rb"(?:DEBUG|INFO|WARNING|ERROR|CRITICAL)"
_LOGGER = rb"(?P<place>torch(?:\.(?!__)\w{1,60}){0,12})(?:\.__(?P<artifact>[a-z_]{1,60}))?"
_HEAD = expression(
    _RANK + rb"[VIWEC](?P<time>\d{4} \d\d:\d\d:\d\d\.\d{6}) (?P<pid>\d{1,20}) "
    rb"(?P<place>[^\]\n]{1,1024}:\d{1,9})\] (?:"
    + _CONTEXT
    + rb" )?(?:\[__(?P<artifact>[a-z_]{1,60})\] ?)?"
)
_BRACKETED = expression(
    rb"\[(?P<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3})\] "
    + _RANK
    + rb"(?: ?"
    + _CONTEXT
    + rb" )?"
    + _LOGGER
    + rb": \["
    + _LEVEL
    + rb"\] ?"
)
_CUT = expression(
    rb"(?<!\S)(?P<place>[^\s\]]{0,1000}torch/[\w/]{1,200}\.py:\d{1,9})\] (?=\[(?:[!\d]|__))(?:"
    + _CONTEXT
    + rb" )?(?:\[__(?P<artifact>[a-z_]{1,60})\] ?)?"
)
_NAMED = expression(rb"\b" + _LEVEL + rb":" + _LOGGER + rb": ?(?:" + _CONTEXT + rb" )?")
# Without an artifact only a recompile limit's: ids in brackets stand in other texts, too.
_BARE = expression(
    rb"(?<!\S)"
    + _CONTEXT
    + rb" (?:\[__(?P<artifact>[a-z_]{1,60})\] ?"
    + rb"|(?=torch\._dynamo hit config\.| {3}function: '| {3}last reason: ))"
)
# What is left of a head where a log was cut within it.
_TORN = expression(
    rb"(?P<place>[^\s\]]{0,1000})\] (?:" + _CONTEXT + rb" )?\[__(?P<artifact>[a-z_]{1,60})\] ?"
)
_PID = expression(rb"\bpid[=: ]{1,2}(\d{1,20})\b", re.ASCII)
# Month, day, hour, minute, second, microsecond in the time of a head.
_STAMP = ((0, 2), (2, 4), (5, 7), (8, 10), (11, 13), (14, 20))
_TOMORROW = 86_400.0  # seconds; clocks of other hosts and other time zones

# One of these is in each line that a head begins.
MARKS = (
    b"] [", b": [", b":torch.", b"] torch._dynamo hit ", b"]    function: '", b"]    last reason: "
)  # fmt: skip


class Head(NamedTuple):
    """What stands before a message, from ``begin`` to ``end`` of its line.

    ``pid`` is empty where the format has none. ``is_repeated``: before each line of a message.
    """

    begin: int
    end: int
    rank: int | None
    stamp: bytes | None
    pid: bytes
    place: bytes
    context: bytes | None
    artifact: bytes | None
    is_repeated: bool = True

    @property
    def is_torchs(self) -> bool:
        """Return whether it has a compile's ids or an artifact, which other loggers don't know."""
        return self.context is not None or self.artifact is not None


def find_head(line: bytes, position: int = 0) -> Head | None:
    """Find the first head at or after ``position``; None if there is none."""
    found = _HEAD.search(line, position)
    if found is not None:
        return _of(found, found["time"], found["pid"])
    if position:
        return None  # only lines of the format of today were seen torn into one another
    found = _BRACKETED.search(line)
    if found is not None:
        return _of(found, found["time"], b"")
    found = _CUT.search(line)
    if found is not None:
        return Head(
            found.start("place"), found.end(), None, None, b"", found["place"], found["context"],
            found["artifact"],
        )  # fmt: skip
    found = _NAMED.search(line)
    if found is not None:
        return Head(
            found.start(), found.end(), None, None, b"", found["place"], found["context"],
            found["artifact"], is_repeated=False,
        )  # fmt: skip
    found = _BARE.search(line)
    if found is None:
        return None
    pid = _PID.search(line, 0, found.start())
    return Head(
        found.start(), found.end(), None, None, b"" if pid is None else pid[1], b"",
        found["context"], found["artifact"],
    )  # fmt: skip


def find_torn_head(line: bytes) -> Head | None:
    """Find the end of a head at the begin of a log that was cut within it."""
    found = _TORN.match(line)
    if found is None:
        return None
    return Head(
        0, found.end(), None, None, b"", found["place"], found["context"], found["artifact"]
    )


def _of(found: re.Match[bytes], stamp: bytes, pid: bytes) -> Head:
    rank = found["rank"]
    return Head(
        found.start(), found.end(), None if rank is None else int(rank), stamp, pid,
        found["place"], found["context"], found["artifact"],
    )  # fmt: skip


def seconds(stamp: bytes) -> float | None:
    """Return ``1121 06:36:28.935000`` or ``2023-11-21 06:36:28,935``, local time, since the epoch.

    Without a year it is taken for the last such moment of this machine's clock that is not in the
    future.
    """
    if stamp[4:5] == b"-":
        try:
            return datetime.fromisoformat(stamp.replace(b",", b".").decode("ascii")).timestamp()
        except (ValueError, OverflowError, OSError):
            return None
    month, day, hour, minute, second, micro = (
        int(stamp[begin:end]) for begin, end in _STAMP
    )  # fmt: skip
    now = time.time()
    this_year = time.localtime(now).tm_year
    for year in (this_year, this_year - 1):
        try:
            found = datetime(year, month, day, hour, minute, second, micro).timestamp()
        except (ValueError, OverflowError, OSError):
            continue  # the 29th of February, or damage
        if found <= now + _TOMORROW:
            return found
    return None
