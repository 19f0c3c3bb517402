r"""Text of a log in one line of something else: a JSON string, an entry of a JSON log, a `repr`.

Issues and chats have logs as they come out of tools:
``{"stderr": "V1126 09:34:50.006000 …\nV1126 …"}``.
"""

from __future__ import annotations

import re

import orjson

# An escaped end of a line with a head of torch's behind it; a ``\n`` in a line of source has none.
_NEXT = re.compile(rb"\\n(?:\\u001b[^\\]{0,10}|\[rank\d{1,6}\]: ?){0,2}[VIWEC]\d{4} \d\d:\d\d:")
_HEAD = re.compile(rb"[VIWEC]\d{4} \d\d:\d\d:\d\d\.\d{6} ")
_ESCAPE = re.compile(rb"\\(?:u([0-9a-fA-F]{4})|(.))")
_MEANT = {b"n": b"\n", b"t": b"\t", b"r": b"\r"}


def lines_in(data: bytes) -> list[bytes] | None:
    """Return the lines that ``data``, one line, holds escaped; None if it is none of these."""
    if _NEXT.search(data) is not None:
        return _ESCAPE.sub(_unescaped, data).split(b"\n")
    stripped = data.strip().removesuffix(b",")
    if stripped[:1] not in (b"{", b'"') or _HEAD.search(stripped) is None:
        return None
    try:
        found = orjson.loads(stripped)
    except orjson.JSONDecodeError:
        return None
    texts = list(found.values()) if type(found) is dict else [found]
    told = [text.encode() for text in texts if type(text) is str]
    return [line for text in told if _HEAD.search(text) for line in text.split(b"\n")]


def _unescaped(found: re.Match[bytes]) -> bytes:
    if found[1] is not None:
        return chr(int(found[1], 16)).encode("utf-8", "replace")
    return _MEANT.get(found[2], found[2])
