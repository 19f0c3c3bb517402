"""A table of live objects that runs no code of theirs."""

from __future__ import annotations

import weakref
from typing import Generic, TypeVar

Thing = TypeVar("Thing")
Value = TypeVar("Value")


class ByIdentity(Generic[Thing, Value]):
    """Values by the identity of objects, for as long as those live.

    Neither keeps them alive nor calls a ``__hash__`` or ``__eq__``: of a user's class,
    metaclass or tensor these may be anything. A later object of the same ``id`` is another.
    """

    def __init__(self) -> None:
        entries: dict[int, _Entry[Thing, Value]] = {}

        def forget(dead: weakref.ref[Thing]) -> None:
            assert isinstance(dead, _Entry)
            # A new object may stand in its place already.
            if entries.get(dead.key) is dead:
                del entries[dead.key]

        self._entries = entries
        self._forget = forget

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, thing: Thing) -> Value | None:
        entry = self._entries.get(id(thing))
        return None if entry is None or entry() is not thing else entry.value

    def __setitem__(self, thing: Thing, value: Value) -> None:
        entry: _Entry[Thing, Value] = _Entry(thing, self._forget)
        entry.key, entry.value = id(thing), value
        self._entries[id(thing)] = entry


class _Entry(weakref.ref[Thing], Generic[Thing, Value]):
    __slots__ = ("key", "value")
    key: int
    value: Value
