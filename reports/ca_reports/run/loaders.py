"""Reads what was recorded of the data loaders that a user's variables held."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_engine.lazy_classes import dataclass
from ca_reports.logs.fields import integer, items, mapping, read_by, read_fields, text, truth

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_LOADERS = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedLoader:
    """``schema.LoaderRecord``; what is missing or broken is None or empty.

    ``id`` is the same for one loader in one record, whatever variable held it.
    """

    id: int | None = read_by(integer)
    variable: str = read_by(lambda value: text(value) or "")
    file: str = read_by(lambda value: text(value) or "")
    line: int | None = read_by(integer)
    batch_size: int | None = read_by(integer)
    drop_last: bool | None = read_by(truth)
    samples: int | None = read_by(integer)

    @property
    def short_batch(self) -> int | None:
        """Return how many samples its last batch has where those are fewer; None if not known."""
        if not self.samples or not self.batch_size or self.drop_last is not False:
            return None
        return self.samples % self.batch_size or None


def loaders(value: object) -> tuple[RecordedLoader, ...]:
    """Read the list of a record, some dozens at most."""
    few = map(mapping, items(value)[:MAX_LOADERS])
    return tuple(RecordedLoader(**read_fields(RecordedLoader, entry)) for entry in few)


def is_of_another(seen: Iterable[RecordedLoader], full: int, size: int) -> bool:
    """Return whether batches of ``size`` are another loader's whole ones, not the last of ``full``.

    A test's batches of 130 beside a training's of 300.
    """
    every = set(seen)
    is_last = any(one.batch_size == full and one.short_batch == size for one in every)
    return not is_last and any(one.batch_size == size for one in every)
