"""Fields of our own record of a capture, each declared beside what reads it."""

from __future__ import annotations

from dataclasses import field, fields
from typing import TYPE_CHECKING, Any, cast, get_args

from ca_engine.lazy_classes import dataclass
from ca_engine.schema import CaptureKind, Miss
from ca_reports.logs.fields import (
    counts,
    duration,
    integer,
    integers,
    items,
    mapping,
    moment,
    number,
    plain,
    read_by,
    read_fields,
    shared,
    sizes_by_name,
    text,
    truth,
)
from ca_reports.run.frames import own_frames
from ca_reports.run.loaders import RecordedLoader, loaders
from ca_reports.run.loop import LoopPosition, read_position

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ca_reports.program.stack import Frame

MAX_CHANGES = 1_000
MAX_LIFTED = 10_000


@dataclass(frozen=True, slots=True)
class Node:
    """An autograd node by its C++ NodeCall index and name."""

    index: int
    name: str


@dataclass(frozen=True, slots=True)
class Change:
    """One difference to the closest earlier capture; ``before``/``after`` are JSON values.

    ``before_index`` is the node's number in that capture. ``forward`` is the line of the
    forward that made the node, if ``ca run --forward-stacks`` noted it.
    """

    index: int | None
    name: str
    attribute: str
    before: Any
    after: Any
    before_index: int | None = field(default=None, compare=False)
    forward: Frame | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class CaptureSeconds:
    """Seconds of a capture, by phase.

    ``capture``: from ``begin_capture`` until the graph stood. ``compile``: Dynamo's first
    compiles of that graph, backend included (``entire_frame_compile_time_s``), recompiles
    of it excluded; without Dynamo's metrics, what the compiler function itself took.
    ``snapshot``: what our recorder took, not part of the others.
    """

    capture: float | None = None
    compile: float | None = None
    snapshot: float | None = None

    @property
    def total(self) -> float | None:
        """Return ``capture`` + ``compile``; a part that is unknown counts as nothing."""
        if self.capture is None and self.compile is None:
            return None
        return (self.capture or 0.0) + (self.compile or 0.0)


@dataclass(frozen=True, slots=True)
class Lifted:
    """A size or scalar that became an input of a captured graph, and the node it belongs to."""

    index: int
    value: float
    node: Node | None


def _kind(value: object) -> CaptureKind:
    return cast("CaptureKind", value) if value in get_args(CaptureKind) else "unknown"


@shared
def _node(value: object) -> Node | None:
    raw = mapping(value)
    index, name = integer(raw.get("index")), text(raw.get("name"))
    return None if index is None or name is None else Node(index, name)


@shared
def _modes(value: object) -> Mapping[str, Any]:
    return {name: plain(found) for name, found in mapping(value).items()}


def _seconds(value: object) -> CaptureSeconds:
    raw = mapping(value)
    parts = ("capture", "compile", "snapshot")
    return CaptureSeconds(*(duration(raw.get(part)) for part in parts))


def _changes(value: object) -> tuple[Change, ...]:
    read = (_change(entry) for entry in items(value)[:MAX_CHANGES])
    return tuple(found for found in read if found is not None)


@shared
def _change(value: object) -> Change | None:
    raw = mapping(value)
    attribute = text(raw.get("attribute"))
    if attribute is None:
        return None
    return Change(
        integer(raw.get("index")),
        text(raw.get("name")) or "",
        attribute,
        plain(raw.get("before")),
        plain(raw.get("after")),
        integer(raw.get("before_index")),
    )


def _lifted(value: object) -> tuple[Lifted, ...]:
    found = []
    for entry in items(value)[:MAX_LIFTED]:
        raw = mapping(entry)
        index, lifted = integer(raw.get("index")), number(raw.get("value"))
        if index is None or lifted is None:
            continue
        found.append(Lifted(index, lifted, _node(raw.get("node"))))
    return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedCapture:
    """``schema.CaptureRecord`` without its graph; what is missing or broken is None or empty.

    ``stack`` holds the user's frames of the backward call, outermost first. ``carried_nodes``
    counts the autograd nodes that are older than the capture before it. ``sizes`` and
    ``scalars`` are what was lifted to graph inputs; ``accumulate_grad`` is False for
    ``autograd.grad``. ``data`` are the sizes of data by the variables that held it then,
    ``loaders`` the data loaders.
    ``loop`` is what the user's loop called this backward, ``device`` where it ran.
    """

    kind: CaptureKind = read_by(_kind)
    step: int | None = read_by(integer)
    loop: LoopPosition | None = read_by(read_position)
    device: str | None = read_by(text)
    time: float | None = read_by(moment)
    reason: str | None = read_by(text)
    node: Node | None = read_by(_node)
    key_size: int | None = read_by(integer)
    previous_key_sizes: tuple[int, ...] = read_by(integers)
    sizes_changed: tuple[int, ...] = read_by(integers)
    sizes_total: int | None = read_by(integer)
    closest_capture: int | None = read_by(integer)
    changes: tuple[Change, ...] = read_by(_changes)
    stack: tuple[Frame, ...] = read_by(own_frames)
    data: Mapping[str, tuple[int, ...]] = read_by(sizes_by_name)
    loaders: tuple[RecordedLoader, ...] = read_by(loaders)
    seconds: CaptureSeconds = read_by(_seconds)
    fx_nodes: Mapping[str, int] = read_by(counts)
    autograd_nodes: int | None = read_by(integer)
    autograd_truncated: int = read_by(lambda value: integer(value) or 0)
    carried_nodes: int | None = read_by(integer)
    inputs: int | None = read_by(integer)
    sizes: tuple[Lifted, ...] = read_by(_lifted)
    scalars: tuple[Lifted, ...] = read_by(_lifted)
    accumulate_grad: bool | None = read_by(truth)
    modes: Mapping[str, Any] = read_by(_modes)
    error: str | None = read_by(text)

    @classmethod
    def from_record(cls, raw: Mapping[str, Any]) -> RecordedCapture:
        """Read a record, or as much of one as is known."""
        return cls(**read_fields(RecordedCapture, raw))

    def values(self) -> dict[str, Any]:
        """Return its fields by name."""
        return {each.name: getattr(self, each.name) for each in fields(RecordedCapture)}

    def why(self) -> dict[str, Any]:
        """Return what is known of why it missed: the reason and the fields of ``schema.Miss``."""
        return {name: getattr(self, name) for name in ("reason", *Miss.__annotations__)}
