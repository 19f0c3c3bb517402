"""Looks at watched values after each line of the user's, and keeps which line changed them.

What calls this says which line comes next (`next_line`), and where a call ends (`returned`): the
line before that has been executed by then, with all that it called. A change that is found is its.
"""

from __future__ import annotations

from _thread import get_ident
from collections.abc import Callable, Mapping
from types import CodeType
from typing import Any, NamedTuple

from ca_engine.watch import paths

# Values that are looked at: each takes a fraction of a microsecond after every line.
MAX_WATCHES = 16

_SCALARS = (int, float, bool, str, type(None), complex, bytes)
_NOTHING = object()
_SIZED = (list, tuple, dict, set, frozenset)

Describe = Callable[[Any], Any]
_At = tuple[CodeType, int, bool]


class Place(NamedTuple):
    """A line of the user's that was executed; ``compiled``: the code that Dynamo made of it was."""

    file: str
    line: int
    function: str
    compiled: bool = False


class SeenChange(NamedTuple):
    """A watched value before and after a line that changed it; None where it was not there."""

    before: Any
    after: Any
    place: Place


class _Watch:
    """One value: the code whose guard reads it, the source by which it does, the way to it."""

    __slots__ = ("code", "described", "last", "path", "read", "same", "seen", "source")

    def __init__(
        self, code: CodeType, source: str, path: paths.Path, value: Any, described: Any
    ) -> None:
        self.code, self.source, self.path = code, source, path
        self.read = path.read
        self.take(value, token(value))
        self.described = described
        self.last: SeenChange | None = None

    def take(self, value: Any, seen: tuple[Any, ...]) -> None:
        """Keep what tells ``value`` from another."""
        self.seen = seen
        # The very number or text that was there before is the commonest answer.
        self.same = value if seen[0] in _SCALARS else _NOTHING

    def is_of(self, code: CodeType, source: str, root: Any) -> bool:
        return self.code is code and self.source == source and self.path.root() is root


def token(value: Any) -> tuple[Any, ...]:
    """Return what tells a value from another, without asking it: equal ones for the same value."""
    kind = type(value)
    if kind in _SCALARS:
        # nan is another than itself
        return (kind, value if value == value else "nan")
    if kind in _SIZED:
        return (kind, len(value))
    return (kind, id(value))


class Watchpoints:
    """The watched values of a process. ``describe`` makes of a value what is written of it."""

    def __init__(self, describe: Describe) -> None:
        self._describe = describe
        self._watches: list[_Watch] = []
        self._at: _At | None = None
        self._thread = 0

    def __len__(self) -> int:
        return len(self._watches)

    def add(
        self, code: CodeType, source: str, variables: Mapping[str, Any], module: dict[str, Any]
    ) -> bool:
        """Watch what ``source`` names in a frame of ``code``. Returns whether it can be."""
        path = paths.find(source, variables, module)
        if path is None:
            return False
        if any(watch.is_of(code, source, path.root()) for watch in self._watches):
            return True
        self._watches = [watch for watch in self._watches if watch.path.root() is not None]
        if len(self._watches) >= MAX_WATCHES:
            return False
        value = path.read()
        self._watches.append(_Watch(code, source, path, value, self._told(value)))
        return True

    def last_change(
        self, code: CodeType, source: str, variables: Mapping[str, Any], module: dict[str, Any]
    ) -> SeenChange | None:
        """Return the last change that was seen of what ``source`` names in this frame."""
        begin = paths.begins(source, variables, module)
        if begin is None:
            return None
        for watch in self._watches:
            if watch.is_of(code, source, begin[0]):
                # Where nobody looks any more, later changes are not seen.
                return watch.last if token(watch.path.read()) == watch.seen else None
        return None

    def next_line(self, code: CodeType | None, line: int = 0, *, compiled: bool = False) -> None:
        """Look at all values: the running thread executes ``line`` of ``code`` next.

        None where that is not known. What another thread may have changed is nobody's.
        """
        thread = get_ident()
        for watch in self._watches:
            value = watch.read()
            if value is not watch.same and (seen := token(value)) != watch.seen:
                self._changed(watch, value, seen, self._at if thread == self._thread else None)
        self._at = None if code is None else (code, line, compiled)
        self._thread = thread

    def forget(self) -> None:
        """Watch nothing any more."""
        self._watches = []
        self._at = None

    def _changed(self, watch: _Watch, value: Any, seen: tuple[Any, ...], at: _At | None) -> None:
        before = watch.described
        watch.take(value, seen)
        watch.described = after = self._told(value)
        watch.last = None
        if at is not None:
            code, line, compiled = at
            place = Place(code.co_filename, line, code.co_qualname, compiled)
            watch.last = SeenChange(before, after, place)

    def _told(self, value: Any) -> Any:
        return None if value is paths.GONE else self._describe(value)
