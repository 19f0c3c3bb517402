"""`step`: what a training loop calls the backwards that follow.

Standard library only and no torch: a script may name its steps whether it is recorded or
not. Unrecorded, a call stores three values and does nothing else.
"""

from __future__ import annotations

from operator import index
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple

from ca_engine.compat.marks import leave_to_python

if TYPE_CHECKING:
    from collections.abc import Callable

    from ca_engine.schema import LoopPositionRecord

MAX_PHASE = 200
# Phases whose steps are counted at a time; a program that makes up new names for ever must
# not fill the memory with them.
_MAX_COUNTED = 64

_BREAK = "call ca_engine.step() outside of compiled code, around the call of the step"


class Position(NamedTuple):
    """Position of the user's loop; None for each part that it does not give."""

    step: int | None
    epoch: int | None
    phase: str | None

    def as_record(self) -> LoopPositionRecord:
        """As `ca_engine.schema` has it."""
        return {"step": self.step, "epoch": self.epoch, "phase": self.phase}


NOWHERE = Position(None, None, None)


class NamedStep:
    """Returned by `step`; a ``with`` statement restores the earlier name at its end."""

    __slots__ = ("_before", "position")

    def __init__(self, position: Position, before: Position | None) -> None:
        self.position = position
        self._before = before

    def __enter__(self) -> Position:
        return self.position

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        global current
        current = self._before


# One for the process, as autograd may run a backward in a thread of its own.
current: Position | None = None
# Called at each name that is given: the recorder's, while it records.
listener: Callable[[], None] | None = None
_next: dict[str | None, tuple[int | None, int]] = {}


def step(
    number: int | None = None, *, epoch: int | None = None, phase: str | None = None
) -> NamedStep:
    """Name the backwards that follow, in what ``ca run`` or `record` writes.

    ``ca explain-recompiles`` then says "step 17, epoch 2, validation" instead of counting
    backwards. ``number`` is the loop's own; left out, steps are counted from 0, anew for
    each epoch of each phase. ``phase`` is any text. What is left out is unknown, not what an
    earlier call said.

    A call holds until the next one; used in a ``with`` statement, until its end, and what
    held before holds again. It holds for the whole process, all threads. Without a
    recording it does next to nothing. Call it outside of compiled functions: inside of one
    it is a graph break.

    Raises TypeError for a number or an epoch that is no integer or a phase that is no text,
    ValueError for what is below 0.

        >>> import ca_engine
        >>> for epoch in range(2):
        ...     for batch in range(3):
        ...         with ca_engine.step(batch, epoch=epoch, phase="train"):
        ...             pass  # forward, backward, optimizer.step()
    """
    global current
    if phase is not None and not isinstance(phase, str):
        raise TypeError(f"phase is a text such as 'train', not {phase!r}")
    phase = phase[:MAX_PHASE] if phase is not None else None
    epoch = None if epoch is None else index(epoch)
    if number is None:
        last_epoch, following = _next.get(phase, (epoch, 0))
        number = following if last_epoch == epoch else 0
    else:
        number = index(number)
    if number < 0 or (epoch is not None and epoch < 0):
        raise ValueError(f"steps and epochs count from 0: step {number}, epoch {epoch}")
    if phase not in _next and len(_next) >= _MAX_COUNTED:
        del _next[next(iter(_next))]
    _next[phase] = (epoch, number + 1)
    before, current = current, Position(number, epoch, phase)
    if listener is not None:
        listener()
    return NamedStep(current, before)


def forget() -> None:
    """Forget the names: what follows has none."""
    global current
    current = None


# Dynamo would otherwise trace the change of a global variable, and compile anew for every number.
for _function in (step, forget, NamedStep.__enter__, NamedStep.__exit__):
    leave_to_python(_function, _BREAK)
