"""What is known so far of a capture or a compile while its records come in."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ca_engine import reasons
from ca_reports.build.bounds import STORED
from ca_reports.build.near import nearest_place
from ca_reports.build.stacks import in_torch
from ca_reports.loop import LoopPosition, read_position
from ca_reports.model import (
    Capture,
    CaptureSeconds,
    Change,
    Compile,
    Hazard,
    Lifted,
    Node,
    StoredText,
    own_frame,
)
from ca_reports.read.fields import (
    integer,
    integers,
    items,
    mapping,
    number,
    own_frames,
    plain,
    text,
)

if TYPE_CHECKING:
    from ca_engine.schema import CaptureKind, Miss
    from ca_reports.model import Frame


_KINDS: dict[str, CaptureKind] = {
    "first": "first",
    "new_autograd_node": "new_autograd_node",
    "changed_shapes": "changed_shapes",
    "unknown": "unknown",
}
MAX_CHANGES = 1_000
MAX_LIFTED = 10_000
MAX_HAZARDS = 1_000


class Stored:
    """Keeps long texts, compressed, up to so many bytes."""

    def __init__(self, most: int = STORED) -> None:
        """Start with nothing kept; ``most`` bytes may be."""
        self._left = most

    def keep(self, data: bytes) -> StoredText | None:
        """``data``, kept; None if the bound is reached."""
        if self._left <= 0:
            return None
        stored = StoredText.pack(data)
        self._left -= len(stored.packed)
        return stored


@dataclass(slots=True)
class CompileDraft:
    """A compile of Dynamo's; ``code`` is the compiled code, ``stack`` who called it."""

    compile_id: str
    capture: int | None
    recompile_reason: str | None = None
    restart_reasons: tuple[str, ...] = ()
    code: Frame | None = None
    stack: tuple[Frame, ...] = ()
    seconds: float | None = None
    time: float | None = None
    fail_type: str | None = None
    fail_reason: str | None = None
    attempts: int = 1
    graphs: int = 0
    phases: dict[str, float] = field(default_factory=dict)
    line: int = 0
    internal: bool = False
    guards: StoredText | None = None

    def build(self, process: int, rank: int | None, pid: int | None) -> Compile:
        """The compile as it stands."""
        called_from = own_frame(self.stack)
        # A model whose hooks torch calls is compiled through a function of torch's.
        users = self.code is not None and not in_torch(self.code.file)
        compiled = self.code if users else called_from or self.code
        return Compile(
            compile_id=self.compile_id,
            process=process,
            rank=rank,
            pid=pid,
            capture=self.capture,
            recompile_reason=self.recompile_reason,
            restart_reasons=self.restart_reasons,
            location=called_from if self.capture is not None else compiled,
            stack=self.stack,
            seconds=self.seconds,
            time=self.time,
            fail_type=self.fail_type,
            fail_reason=self.fail_reason,
            attempts=self.attempts,
            graphs=self.graphs,
            phases=self.phases,
            line=self.line,
            internal=self.internal,
            guards=self.guards,
        )


@dataclass(slots=True)
class CaptureDraft:
    """A capture.

    ``kind``, ``reason`` and the rest are set by our own record; ``torch_reason``,
    ``began`` and ``ended`` come from torch's.
    """

    id: int
    line: int
    kind: CaptureKind | None = None
    reason: str | None = None
    torch_reason: str | None = None
    began: float | None = None
    ended: float | None = None
    step: int | None = None
    loop: LoopPosition | None = None
    time: float | None = None
    node: Node | None = None
    key_size: int | None = None
    previous_key_sizes: tuple[int, ...] = ()
    sizes_changed: tuple[int, ...] = ()
    sizes_total: int | None = None
    changes: tuple[Change, ...] = ()
    closest_capture: int | None = None
    stack: tuple[Frame, ...] = ()
    nearest_module: str | None = None
    seconds_raw: dict[str, Any] = field(default_factory=dict)
    graph: StoredText | None = None
    graph_complete: bool = True
    fx_nodes: dict[str, int] = field(default_factory=dict)
    autograd_nodes: int | None = None
    autograd_truncated: int = 0
    carried_nodes: int | None = None
    autograd_json: StoredText | None = None
    inputs: int | None = None
    sizes: tuple[Lifted, ...] = ()
    scalars: tuple[Lifted, ...] = ()
    accumulate_grad: bool | None = None
    modes: dict[str, Any] = field(default_factory=dict)
    error: str | None = None

    def take(self, raw: dict[str, Any], line: int) -> None:
        """Fill in what our own record says (``schema.CaptureRecord``, any field missing)."""
        kind = raw.get("kind")
        self.kind = _KINDS.get(kind, "unknown") if isinstance(kind, str) else "unknown"
        self.line = line
        self.step = integer(raw.get("step"))
        self.loop = read_position(raw.get("loop"))
        self.time = number(raw.get("time"))
        self.reason = text(raw.get("reason"))
        node = mapping(raw.get("node"))
        index, name = integer(node.get("index")), text(node.get("name"))
        if index is not None and name is not None:
            self.node = Node(index, name)
        self.key_size = integer(raw.get("key_size"))
        self.previous_key_sizes = integers(raw.get("previous_key_sizes"))
        self.sizes_changed = integers(raw.get("sizes_changed"))
        self.sizes_total = integer(raw.get("sizes_total"))
        self.stack = own_frames(raw.get("stack"))
        self.inputs = integer(raw.get("inputs"))
        self.seconds_raw = mapping(raw.get("seconds"))
        self.fx_nodes = {
            key: count
            for key, value in mapping(raw.get("fx_nodes")).items()
            if (count := integer(value)) is not None
        }
        self.autograd_nodes = integer(raw.get("autograd_nodes"))
        self.autograd_truncated = integer(raw.get("autograd_truncated")) or 0
        self.carried_nodes = integer(raw.get("carried_nodes"))
        self.closest_capture = integer(raw.get("closest_capture"))
        self.changes = _changes(raw.get("changes"))
        self.sizes = _lifted(raw.get("sizes"))
        self.scalars = _lifted(raw.get("scalars"))
        accumulate = raw.get("accumulate_grad")
        self.accumulate_grad = accumulate if isinstance(accumulate, bool) else None
        self.modes = {name: plain(found) for name, found in mapping(raw.get("modes")).items()}
        self.error = text(raw.get("error"))

    def note_near(self, nodes: list[dict[str, Any]]) -> None:
        """Find the place nearest to what changed, while the decoded graph is at hand."""
        index = self.node.index if self.node is not None else None
        if index is None:
            index = next((entry.index for entry in self.changes if entry.index is not None), None)
        if index is not None and self.kind != "first":
            self.nearest_module = nearest_place(nodes, index)

    def build(
        self,
        process: int,
        rank: int | None,
        pid: int | None,
        file: str,
        compiles: list[Compile],
        run_counts: dict[int, int] | None,
    ) -> Capture:
        """The capture as it stands. ``compiles`` are those of its graph."""
        reason = self.reason or self.torch_reason
        miss = reasons.parse(reason)
        firsts = [found for found in compiles if not found.is_recompile]
        stack = self.stack or next((found.stack for found in firsts if found.stack), ())
        return Capture(
            id=self.id,
            process=process,
            rank=rank,
            pid=pid,
            kind=self._kind(miss) if reason is not None else self._kind(None),
            file=file,
            line=self.line,
            step=self.step,
            loop=self.loop,
            time=self.time if self.time is not None else self.began,
            reason=reason,
            node=self.node or (Node(**miss["node"]) if miss["node"] is not None else None),
            key_size=_or(self.key_size, miss["key_size"]),
            previous_key_sizes=self.previous_key_sizes or tuple(miss["previous_key_sizes"]),
            sizes_changed=self.sizes_changed or tuple(miss["sizes_changed"]),
            sizes_total=_or(self.sizes_total, miss["sizes_total"]),
            changes=self.changes,
            closest_capture=self.closest_capture,
            stack=stack,
            nearest_module=self.nearest_module,
            seconds=self._seconds(firsts),
            graph=self.graph,
            graph_complete=self.graph_complete,
            fx_nodes=self.fx_nodes,
            autograd_nodes=self.autograd_nodes,
            autograd_truncated=self.autograd_truncated,
            carried_nodes=self.carried_nodes,
            autograd_json=self.autograd_json,
            inputs=self.inputs,
            sizes=self.sizes,
            scalars=self.scalars,
            accumulate_grad=self.accumulate_grad,
            modes=self.modes,
            error=self.error,
            compile_ids=tuple(found.compile_id for found in compiles),
            run_count=None if run_counts is None else run_counts.get(self.id, 0),
        )

    def _kind(self, miss: Miss | None) -> CaptureKind:
        if self.kind is not None:
            return self.kind
        if miss is not None:
            return "first" if reasons.is_of_empty_cache(miss) else miss["kind"]
        # A stock log holds no reasons, but torch counts a process's captures from 0 (and
        # goes on counting after reset() and in a fork): 0 is the first, any other is not.
        return "first" if self.id == 0 else "unknown"

    def _seconds(self, firsts: list[Compile]) -> CaptureSeconds:
        capture = number(self.seconds_raw.get("capture"))
        if capture is None and self.began is not None and self.ended is not None:
            capture = max(0.0, self.ended - self.began)
        known = [found.seconds for found in firsts if found.seconds is not None]
        # torch.compile does its work when the graph first runs; a compiler function that
        # is not Dynamo's does it at once, and our record knows how long it took.
        own = number(self.seconds_raw.get("compile")) if not firsts else None
        return CaptureSeconds(
            capture=capture,
            compile=sum(known) if known else own,
            snapshot=number(self.seconds_raw.get("snapshot")),
        )


def _or(first: int | None, second: int | None) -> int | None:
    return second if first is None else first


def _changes(value: object) -> tuple[Change, ...]:
    found = []
    for entry in items(value)[:MAX_CHANGES]:
        raw = mapping(entry)
        attribute = text(raw.get("attribute"))
        if attribute is not None:
            found.append(
                Change(
                    integer(raw.get("index")),
                    text(raw.get("name")) or "",
                    attribute,
                    plain(raw.get("before")),
                    plain(raw.get("after")),
                    integer(raw.get("before_index")),
                )
            )
    return tuple(found)


def _lifted(value: object) -> tuple[Lifted, ...]:
    found = []
    for entry in items(value)[:MAX_LIFTED]:
        raw = mapping(entry)
        index, lifted = integer(raw.get("index")), number(raw.get("value"))
        if index is None or lifted is None:
            continue
        node = mapping(raw.get("node"))
        owner, name = integer(node.get("index")), text(node.get("name"))
        of = None if owner is None or name is None else Node(owner, name)
        found.append(Lifted(index, lifted, of))
    return tuple(found)


class HazardDrafts:
    """The ``ca_hazard`` records of a process; how often each happened comes at its end."""

    def __init__(self) -> None:
        """Start with none."""
        self._records: list[tuple[dict[str, Any], int]] = []
        self._counts: list[int] = []

    def take(self, raw: dict[str, Any], line: int) -> bool:
        """Keep a record, unless it has no kind or there are too many."""
        if text(raw.get("kind")) is None or len(self._records) >= MAX_HAZARDS:
            return False
        self._records.append((raw, line))
        return True

    def count(self, counts: list[Any]) -> None:
        """How often each hazard happened, by its id."""
        self._counts = [integer(found) or 1 for found in counts[:MAX_HAZARDS]]

    def build(self, process: int, file: str) -> tuple[Hazard, ...]:
        """The hazards in the order of the log."""
        return tuple(
            Hazard(
                kind=text(raw.get("kind")) or "",
                process=process,
                file=file,
                line=line,
                step=integer(raw.get("step")),
                capture=integer(raw.get("capture")),
                then=plain(raw.get("then")),
                now=plain(raw.get("now")),
                option=plain(raw.get("option")),
                error=text(raw.get("error")),
                stack=own_frames(raw.get("stack")),
                count=self._count_of(integer(raw.get("id"))),
            )
            for raw, line in self._records
        )

    def _count_of(self, id: int | None) -> int:
        if id is None or not 0 <= id < len(self._counts):
            return 1
        return self._counts[id]
