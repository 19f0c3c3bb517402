r"""Text of a log in one line of something else: a JSON string, an entry of a JSON log or of syslog.

Issues and chats have logs as they come out of tools, once escaped or more often:
``{"stderr": "V1126 09:34:50.006000 …\nV1126 …"}``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import orjson

from ca_engine.lazy_expressions import expression

if TYPE_CHECKING:
    from collections.abc import Iterator

# A beginning of torch's or of Python's, which stands behind an escaped end of a line; behind a
# ``\n`` in a line of source there is none.
_BEGINNING = (
    rb"(?:\\u001b[^\\]{0,10}|\[rank\d{1,6}\]: ?){0,2}(?:[> ]{0,16})(?:"
    rb"[VIWEC]\d{4} \d\d:\d\d:| {0,8}File \\{0,7}\"|Traceback \(most recent call last\)"
    rb"|Graph [Bb]reak in user code at |Graph Break Reason: |Recompiling function "
    rb"|triggered by the following guard failure|function: ')"
)
_NEXT = expression(rb"\\n" + _BEGINNING)
# What rsyslog makes of the end of a line: the octal number of its character.
_SYSLOGS_END = b"#012"
_SYSLOGS_NEXT = expression(_SYSLOGS_END + _BEGINNING)
_HEAD = expression(rb"[VIWEC]\d{4} \d\d:\d\d:\d\d\.\d{6} ")
# Up to the quote that ends it, or the end of the line, where it was cut.
_IN_DOUBLE = expression(rb"\"((?:[^\"\\]|\\.)*)(?:\"|$)")
_IN_SINGLE = expression(rb"'((?:[^'\\]|\\.)*)(?:'|$)")
_ESCAPE = expression(rb"\\(?:u([0-9a-fA-F]{4})|(.))")
_MEANT = {b"n": b"\n", b"t": b"\t", b"r": b"\r"}
# Tools hand the output of tools on.
_DEEPEST = 4
_MOST_VALUES = 1_000


def may_hold_lines(data: bytes) -> bool:
    """Return whether ``data``, one line, has what `lines_in` looks for."""
    return b"\\n" in data or _SYSLOGS_END in data or data.lstrip()[:1] == b"{"


def lines_in(data: bytes, depth: int = _DEEPEST) -> list[bytes] | None:
    """Return the lines that ``data``, one line, holds escaped; None if it is none of these."""
    lines = _lines_in(data)
    if lines is None or depth == 0:
        return lines
    return [one for line in lines for one in lines_in(line, depth - 1) or [line]]


def _lines_in(data: bytes) -> list[bytes] | None:
    if _SYSLOGS_NEXT.search(data):
        return data.split(_SYSLOGS_END)
    ends = len(_NEXT.findall(data))
    if ends:
        for string in (_IN_DOUBLE, _IN_SINGLE):
            held = [found[1] for found in string.finditer(data) if _NEXT.search(found[1])]
            if sum(len(_NEXT.findall(text)) for text in held) == ends:
                break
        else:
            held = [data]
        return [line for text in held for line in _ESCAPE.sub(_unescaped, text).split(b"\n")]
    stripped = data.strip().removesuffix(b",")
    if stripped[:1] not in (b"{", b'"') or not (b"\\n" in stripped or _HEAD.search(stripped)):
        return None
    try:
        found = orjson.loads(stripped)
    except orjson.JSONDecodeError:
        return None
    told = [text for text in _texts(found) if b"\n" in text or _HEAD.search(text)]
    return [line for text in told for line in text.split(b"\n")]


def _texts(found: object) -> Iterator[bytes]:
    """Yield the strings of what was JSON, in their order."""
    waiting = [found]
    for _ in range(_MOST_VALUES):
        if not waiting:
            return
        value = waiting.pop()
        if isinstance(value, str):
            yield value.encode("utf-8", "replace")
        elif isinstance(value, (dict, list)):
            waiting += reversed(list(value.values()) if isinstance(value, dict) else value)


def _unescaped(found: re.Match[bytes]) -> bytes:
    if found[1] is not None:
        return chr(int(found[1], 16)).encode("utf-8", "replace")
    return _MEANT.get(found[2], found[2])
