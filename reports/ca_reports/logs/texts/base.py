"""Base of the kinds of text: lines in, records out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ca_reports.logs.record import Record


class TextLog(ABC):
    """Takes the lines of one file that are no structured records; of each kind one per file.

    It puts together the records that the structured trace would hold, with ``from_text`` set;
    then all that comes after the reader knows them. ``lines`` counts those that were of this
    kind; ``nothing`` says what to do about a file that has them and not one record. One of the
    ``marks`` is in each of its lines: the reader steps over a run of lines that has no kind's,
    unless the text of one goes on in lines without (``is_open``).
    """

    marks: ClassVar[tuple[bytes, ...]]
    nothing: ClassVar[str]
    is_open = False

    def __init__(self) -> None:
        """Start with nothing read."""
        self.lines = 0

    @abstractmethod
    def line(self, number: int, data: bytes) -> Iterable[Record]:
        """Take line ``number`` (one-based); the records that it completes.

        A line of another kind is not counted. Neither the line nor any text raises, and both
        take time in proportion to their length.
        """

    @abstractmethod
    def finish(self) -> Iterator[Record]:
        """Return the records of what is still open at the end of the file."""
