"""A log → the log that tlparse gets: every record parsed, and written again by us.

tlparse makes names of files from names in records and joins them as they are (0.4.3), so a
log could make it write anywhere. No list of bad names would be complete: a key may be escaped,
a kind new. It therefore never sees a byte of a record as the log has it.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import orjson

from ca_engine.lazy_expressions import expression
from ca_reports.logs.fields import integer
from ca_reports.logs.records import CONTEXT, RecordReader

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO

    from ca_reports.logs.damage import DamageLog
    from ca_reports.logs.record import Record

# A few MB packed may unpack to any size, and tlparse keeps in memory what it reads.
MAX_BYTES = 2 << 30
_LONGEST_NAME = 100
_UNSAFE = expression(r"[^A-Za-z0-9_.-]+")
# How tlparse knows the code that Dynamo wrote; it makes `eval_with_key_3` of it.
_EVAL_WITH_KEY = expression(r"<eval_with_key>\.\d{1,9}")
_NAMES = ("name", "filename")
_IDS = ("compiled_autograd_id", "frame_id", "frame_compile_id", "attempt", "rank")
_MAX_ID = 2**32  # tlparse keeps them in 32 bits


class TooLarge(Exception):  # noqa: N818
    """The log holds more than `MAX_BYTES`."""


def rewrite(
    file: str,
    read: Callable[[int], bytes],
    out: BinaryIO,
    damage: DamageLog,
    most: int = MAX_BYTES,
) -> int:
    """Write the records of a log to ``out`` and return how many there were.

    Names are made safe, payloads get the md5 of what is written, and what is damaged is left
    out (``damage`` says so). Raises ``TooLarge`` beyond ``most`` bytes, and what ``read`` raises.
    """
    reader = RecordReader(file, read, None, damage)
    written = count = 0
    for record in reader.records():
        if record.from_text:
            continue
        try:
            data = _record(record, reader.time)
        except TypeError as error:  # nested deeper than orjson writes
            damage.add(file, record.line, "bad_record", f"cannot be written again: {error}")
            continue
        written += len(data)
        if written > most:
            raise TooLarge
        out.write(data)
        count += 1
    return count


def safe_name(name: str) -> str:
    """Return ``name`` as one part of a path that is no path itself, and as short as files allow."""
    if _EVAL_WITH_KEY.fullmatch(name):
        return name
    return _UNSAFE.sub("_", name)[:_LONGEST_NAME].lstrip(".") or "unnamed"


def _record(record: Record, time: bytes) -> bytes:
    envelope: dict[str, Any] = {}
    for key, value in record.envelope.items():
        if key in _IDS:
            if (found := integer(value)) is not None and found < _MAX_ID:
                envelope[key] = found
        elif key in CONTEXT:
            if key == "stack":
                envelope[key] = value
        else:
            kind = safe_name(key)  # which may be another one: of ".link"
            if kind in CONTEXT:
                continue
            if isinstance(value, dict):
                envelope[kind] = _body(kind, value)
            elif _names_nothing(kind, value):
                envelope[kind] = value
    payload = b""
    if record.payload is not None:
        # tlparse reads lines of UTF-8, and "\r" before a newline as part of the newline.
        text = record.payload.decode("utf-8", "replace").replace("\r", "").encode()
        envelope["has_payload"] = hashlib.md5(text, usedforsecurity=False).hexdigest()
        payload = b"\t" + text.replace(b"\n", b"\n\t") + b"\n"
    line = b"V%s %d torch/rewritten.py:%d] " % (time, record.pid or 0, record.line)
    return line + orjson.dumps(envelope) + b"\n" + payload


def _last(path: str) -> str:
    """Return the part of ``path`` that tlparse shows, whatever system wrote it."""
    return path.replace("\\", "/").rpartition("/")[2]


def _names_nothing(kind: str, body: Any) -> bool:
    """Return whether no file can be named by a body that is no object.

    tlparse reads a struct from a list of its fields as well. Torch writes lists of one kind only:
    a text to be interned, with its number.
    """
    return kind == "str" or not isinstance(body, (list, str))


def _body(kind: str, body: dict[str, Any]) -> dict[str, Any]:
    body = {
        key: safe_name(_last(value) if key == "filename" else value)
        if key in _NAMES and isinstance(value, str)
        else value
        for key, value in body.items()
    }
    if kind == "link" and not str(body.get("url")).startswith(("https://", "http://")):
        body["url"] = ""
    return body
