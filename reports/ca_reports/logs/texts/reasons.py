"""The lists of ``recompile_reasons``, as torch's trace holds them and tlparse's pages show them.

Each list is of one call: why each version that was there before it did not fit. It names neither
the function nor the compile that followed, whose number is the one after the newest version. ::

    [
      "0/1: state is None  # if state is None:  # cell.py:44 in forward",
      "0/0: grad_mode is enabled"
    ]
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from ca_engine.lazy_expressions import expression
from ca_reports.logs.decoration import Decoration, without_colours
from ca_reports.logs.record import Record
from ca_reports.logs.texts.base import TextLog

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_ID = rb"(?:!\d{1,18}/)?\d{1,18}/\d{1,18}: "
_INLINE = expression(rb"\[\s*(?=\"" + _ID + rb")")
_ITEM = expression(rb"\"" + _ID)
_VERSION = expression(r"(?:!(\d{1,18})/)?(\d{1,18})/(\d{1,18}): ")
# torch keeps at most so many versions of a function: its accumulated limit is 256.
_MOST = 1_000


class RecompileReasons(TextLog):
    """Takes the lines of one file that are of such a list."""

    marks = (b'["', b'[ "', b"[\n", b"[\r\n")
    nothing = "it holds lists of guards that failed, but none names the versions of one function"

    def __init__(self) -> None:
        """Start outside of a list."""
        super().__init__()
        self._close()

    def _close(self) -> None:
        self.is_open = False
        self._begin = 0
        self._items: list[str] = []
        self._decoration = Decoration(b"")

    def line(self, number: int, data: bytes) -> Iterable[Record]:
        """Take line ``number`` (one-based); the record of the list that it ends."""
        plain = without_colours(data).rstrip()
        if self.is_open:
            text = self._decoration.strip(plain)
            item = None if text is None else self._item(text)
            if item is not None:
                return self._end() if item else ()
            done = self._end()
        else:
            done = ()
        begins = _INLINE.search(plain)
        if begins is not None:
            self._open(number, plain[: begins.start()])
            if self._whole(plain[begins.start() :]) or self._item(plain[begins.end() :]):
                return (*done, *self._end())
        elif plain.endswith(b"["):
            self._open(number, plain[:-1])
        return done

    def finish(self) -> Iterator[Record]:
        """Yield the record of a list that the file ends in."""
        yield from self._end()

    def _open(self, number: int, before: bytes) -> None:
        self.is_open, self._begin, self._decoration = True, number, Decoration(before)

    def _item(self, text: bytes) -> bool | None:
        """Take an item that has its own line; whether the list ends there, None if it is none."""
        if text.strip().rstrip(b",;") == b"]":
            self.lines += bool(self._items)
            return True
        item = text.strip().rstrip(b",;")  # a paste may have a sign more than JSON has
        is_last = item.endswith(b"]")
        item = item.removesuffix(b"]").rstrip()
        if not _ITEM.match(item) or not item.endswith(b'"') or len(self._items) >= _MOST:
            return None
        return is_last if self._add([_decoded(item)]) else None

    def _whole(self, text: bytes) -> bool:
        """Take a list that is all in one line."""
        items = _decoded(text[: text.rfind(b"]") + 1])
        return isinstance(items, list) and self._add(items[:_MOST])

    def _add(self, items: list[Any]) -> bool:
        if not all(isinstance(item, str) and _VERSION.match(item) for item in items):
            return False
        self._items += items
        self.lines += 1
        return True

    def _end(self) -> tuple[Record, ...]:
        items, begin = self._items, self._begin
        self._close()
        versions = [found.groups() for item in items if (found := _VERSION.match(item))]
        if len({version[:2] for version in versions}) != 1:
            return ()
        capture, frame, _ = versions[0]
        envelope = {
            "frame_id": int(frame),
            "frame_compile_id": max(int(version[2]) for version in versions) + 1,
        }
        if capture is not None:
            envelope["compiled_autograd_id"] = int(capture)
        record = Record(
            line=begin,
            kind="artifact",
            name="recompile_reasons",
            body={"name": "recompile_reasons"},
            envelope=envelope,
            pid=None,
            strings={},
            payload=orjson.dumps(items),
            from_text=True,
            artifact="recompiles",
        )
        return (record,)


def _decoded(text: bytes) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
