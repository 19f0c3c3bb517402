"""Events that were handed out: what nothing came to is the same object at the next time."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ca_reports.run.model import Capture, Compile

T = TypeVar("T")


class Handed:
    """The captures and compiles of a process that grows, as they were handed out last.

    Whoever watches it keeps what was found in one look until the next diagnosis, and a capture with
    its compile takes a kilobyte: they would be there two or three times.
    """

    def __init__(self) -> None:
        """Start with none."""
        self._captures: tuple[Capture, ...] = ()
        self._compiles: tuple[Compile, ...] = ()

    def again(
        self, captures: Iterable[Capture], compiles: Iterable[Compile]
    ) -> tuple[tuple[Capture, ...], tuple[Compile, ...]]:
        """Return these with the former objects for those that are as before."""
        self._captures = _kept(self._captures, captures, _is_same)
        self._compiles = _kept(self._compiles, compiles, lambda one, other: one == other)
        return self._captures, self._compiles


def _kept(before: Sequence[T], now: Iterable[T], is_same: Callable[[T, T], bool]) -> tuple[T, ...]:
    known = len(before)
    return tuple(
        before[place] if place < known and is_same(before[place], found) else found
        for place, found in enumerate(now)
    )


def _is_same(before: Capture, now: Capture) -> bool:
    # Lines of the forward may come later, and are in no comparison.
    return (
        before == now
        and before.lines == now.lines
        and all(
            one.forward == other.forward
            for one, other in zip(before.changes, now.changes, strict=True)
        )
    )
