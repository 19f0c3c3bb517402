"""One record of torch's structured trace, and the bounds that hold wherever it comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ca_engine.lazy_classes import dataclass
from ca_engine.lazy_expressions import expression

if TYPE_CHECKING:
    from collections.abc import Callable

    from ca_reports.logs.stored import StoredText

# The longest payload that is kept. A captured graph of 7,000 nodes is about 2 MB.
MAX_PAYLOAD = 1 << 24
# Linux has at most 2**22 processes. Logs of 2024 wrote thread identities in that place.
MAX_PID = 1 << 22

ANSI = expression(rb"\x1b\[[0-9;?]*[ -/]*[@-~]")


@dataclass(slots=True)
class Record:
    """One record. ``kind`` is its key in the envelope, ``name`` that of an ``artifact``.

    ``body`` is what stands under the kind. ``payload`` is None unless it was wanted and
    arrived undamaged; ``packed`` stands for it where a helper has read and packed it.
    ``strings`` are the file names interned so far (shared, grows). ``from_text`` says that it was
    put together from text (``texts``), logged as ``artifact`` ("": by a logger that is on without
    TORCH_LOGS, or under ``+dynamo``); ``life`` counts the processes that had this pid in the file
    one after the other.
    """

    line: int
    kind: str
    name: str
    body: Any
    envelope: dict[str, Any]
    pid: int | None
    strings: dict[int, str]
    payload: bytes | None = None
    packed: StoredText | None = None
    from_text: bool = False
    artifact: str = ""
    life: int = 0


class Wanted(NamedTuple):
    """Selection of records: all of the ``kinds``, and of others those whose payload is wanted.

    ``payload`` says that of a record, still without one; ``kept`` of a wanted one whether it is
    only kept, not looked into. ``events`` are texts; of chromium events only those are wanted
    whose payload holds one of them.
    """

    kinds: frozenset[str]
    payload: Callable[[Record], bool]
    kept: Callable[[Record], bool]
    events: tuple[bytes, ...]
