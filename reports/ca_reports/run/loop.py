"""Names of backwards in the user's loop: ``ca_engine.step`` and the callbacks."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

from ca_engine.lazy_classes import dataclass
from ca_reports.logs.fields import integer, items, mapping, text

if TYPE_CHECKING:
    from collections.abc import Iterable

COLUMNS = ("loop_step", "loop_epoch", "loop_phase")
MAX_PHASE = 200
_MAX_PHASES = 10_000
_NONE = -1


@dataclass(frozen=True, slots=True)
class LoopPosition:
    """Position of the user's loop at a backward; None for each part that it did not give."""

    step: int | None = None
    epoch: int | None = None
    phase: str | None = None

    @property
    def words(self) -> str:
        """Return ``step 17, epoch 2, validation``."""
        parts = []
        if self.step is not None:
            parts.append(f"step {self.step:,}")
        if self.epoch is not None:
            parts.append(f"epoch {self.epoch:,}")
        if self.phase is not None:
            parts.append(self.phase)
        return ", ".join(parts)

    def as_json(self) -> dict[str, Any]:
        """Return the keys of ``schema.LoopPositionRecord``."""
        return {"step": self.step, "epoch": self.epoch, "phase": self.phase}


def read_position(raw: object) -> LoopPosition | None:
    """Return a ``schema.LoopPositionRecord``; None if it names nothing."""
    found = mapping(raw)
    return _position(found.get("step"), found.get("epoch"), found.get("phase"))


def read_columns(raw: dict[str, Any], rows: int) -> list[LoopPosition | None]:
    """Return the positions of ``rows`` backwards; all None where columns are missing or broken.

    Equal names that follow each other are one object.
    """
    columns = [items(raw.get(name)) for name in COLUMNS]
    if not any(columns) or any(len(column) != rows for column in columns):
        return [None] * rows
    return [_position(*row) for row in zip(*columns, strict=True)]


class Positions:
    """The positions of many backwards, in columns: a job may have millions."""

    __slots__ = ("_epochs", "_names", "_phases", "_steps")

    def __init__(self) -> None:
        """Start with no row."""
        self._steps = array("q")
        self._epochs = array("q")
        self._phases = array("h")
        self._names: dict[str, int] = {}

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self._steps)

    def extend(self, positions: Iterable[LoopPosition | None]) -> None:
        """Add rows."""
        for found in positions:
            known = found or _NOWHERE
            self._steps.append(_NONE if known.step is None else known.step)
            self._epochs.append(_NONE if known.epoch is None else known.epoch)
            self._phases.append(_NONE if known.phase is None else self._number(known.phase))

    def at(self, row: int) -> LoopPosition | None:
        """Return the position of a row; None if it has no name."""
        step, epoch, phase = self._steps[row], self._epochs[row], self._phases[row]
        if step == epoch == phase == _NONE:
            return None
        names = list(self._names)
        return LoopPosition(
            None if step == _NONE else step,
            None if epoch == _NONE else epoch,
            None if phase == _NONE else names[phase],
        )

    def _number(self, phase: str) -> int:
        if phase not in self._names and len(self._names) >= _MAX_PHASES:
            return _NONE
        return self._names.setdefault(phase, len(self._names))


_NOWHERE = LoopPosition()


def _position(step: object, epoch: object, phase: object) -> LoopPosition | None:
    name = text(phase)
    found = LoopPosition(integer(step), integer(epoch), None if name is None else name[:MAX_PHASE])
    return None if found == _NOWHERE else found
