"""Drafts of captures while their records come in."""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from ca_engine import reasons
from ca_engine.lazy_classes import dataclass
from ca_reports.logs.stored import StoredText
from ca_reports.run.build.bounds import STORED
from ca_reports.run.build.near import nearest_place
from ca_reports.run.model import Capture, CaptureSeconds
from ca_reports.run.recorded import RecordedCapture

if TYPE_CHECKING:
    import zstandard

    from ca_reports.run.lowered import RecordedLowering
    from ca_reports.run.model import Compile


_PART = 8
# Texts of a kind that others are compared with, and their bytes in all: unpacked and with their
# tables they take eight times that.
_BASES = 8
_MOST_BASES = 1 << 20


class Stored:
    """Keeps long texts, compressed, up to so many bytes."""

    def __init__(self, most: int = STORED, *, whole: int = STORED) -> None:
        """Start with nothing kept; ``most`` bytes may be, of which the first ``whole`` are whole.

        After these, texts of a kind are kept as what they differ in from an earlier one. It takes
        longer to unpack them, and a fraction of the memory.
        """
        self._most, self._left = most, most
        self._most_whole, self._whole = whole, whole
        self._compressor = StoredText.compressor()
        self._bases: dict[str, list[_Base]] = {}
        self._parts: dict[str, Stored] = {}

    def part(self, name: str) -> Stored:
        """Return the one of that name beside it, of an eighth of its room, which takes none of it.

        For what is long and much alike, and must not take the room of graphs.
        """
        found = self._parts.get(name)
        if found is None:
            part = Stored(self._most // _PART, whole=self._most_whole // _PART)
            found = self._parts[name] = part
        return found

    def keep(self, data: bytes | StoredText, kind: str = "") -> StoredText | None:
        """Return ``data``, kept; None if the bound is reached."""
        if self._left <= 0:
            return None
        stored = self._pack(data, kind) if isinstance(data, bytes) else data
        self._left -= len(stored.packed)
        self._whole -= len(stored.packed)
        return stored

    def _pack(self, data: bytes, kind: str) -> StoredText:
        bases = self._bases.setdefault(kind, [])
        # A program has a few graphs that take turns; those that are alike are about as long.
        base = min(bases, key=lambda base: abs(base.text.length - len(data)), default=None)
        if base is not None:
            stored = replace(StoredText.pack(data, base.compressor), base=base.text)
            if len(stored.packed) <= len(base.text.packed) / 2:
                return stored
        stored = StoredText.pack(data, self._compressor)
        if self._whole <= 0 and len(data) <= _MOST_BASES:
            bases.append(_Base(stored, StoredText.compressor(data)))
            while sum(base.text.length for base in bases) > _MOST_BASES or len(bases) > _BASES:
                del bases[0]
        return stored


class _Base(NamedTuple):
    """A text that was kept whole, and the compressor of what differs from it."""

    text: StoredText
    compressor: zstandard.ZstdCompressor


@dataclass(slots=True)
class TorchCapture:
    """Parts of a capture from torch's own records: its reason, when it ran, its code."""

    reason: str | None = None
    began: float | None = None
    ended: float | None = None
    graph: StoredText | None = None
    graph_complete: bool = True


@dataclass(slots=True)
class CaptureParts:
    """A capture: what our record says, ``recorded``, and what torch's say, ``torch``."""

    id: int
    line: int
    torch: TorchCapture = field(default_factory=TorchCapture)
    recorded: RecordedCapture | None = None
    nearest_module: str | None = None
    autograd_json: StoredText | None = None
    lowering: RecordedLowering | None = None

    def note_nearest(self, nodes: list[dict[str, Any]]) -> None:
        """Find the place nearest to what changed, while the decoded graph is at hand."""
        own = self.recorded
        if own is None or own.kind == "first":
            return
        indices = [own.node.index] if own.node is not None else [one.index for one in own.changes]
        index = next((found for found in indices if found is not None), None)
        if index is not None:
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
        """Return the capture as it stands. ``compiles`` are those of its graph."""
        known, torch = self._known(), self.torch
        firsts = [found for found in compiles if not found.has_failed_guards]
        known = replace(
            known,
            time=torch.began if known.time is None else known.time,
            stack=known.stack or next((found.stack for found in firsts if found.stack), ()),
            seconds=self._seconds(known.seconds, firsts),
        )
        return Capture(
            **known.values(),
            id=self.id,
            process=process,
            rank=rank,
            pid=pid,
            file=file,
            line=self.line,
            nearest_module=self.nearest_module,
            graph=torch.graph,
            graph_complete=torch.graph_complete,
            autograd_json=self.autograd_json,
            compile_ids=tuple(found.compile_id for found in compiles),
            run_count=None if run_counts is None else run_counts.get(self.id, 0),
            lowering=self.lowering,
        )

    def _known(self) -> RecordedCapture:
        """Our record; torch's text of the reason in place of what it lacks."""
        own, reason = self.recorded, self.torch.reason
        if own is not None and (own.reason is not None or reason is None):
            return own
        miss = reasons.parse(reason)
        said = RecordedCapture.from_record({"reason": reason, **miss})
        if own is not None:
            return replace(own, **{**said.why(), "kind": own.kind})
        # A stock log holds no reasons, but torch counts a process's captures from 0 (and
        # goes on counting after reset() and in a fork): 0 is the first, any other is not.
        first = self.id == 0 if reason is None else reasons.is_of_empty_cache(miss)
        return replace(said, kind="first") if first else said

    def _seconds(self, own: CaptureSeconds, firsts: list[Compile]) -> CaptureSeconds:
        began, ended = self.torch.began, self.torch.ended
        capture = own.capture
        if capture is None and began is not None and ended is not None:
            capture = max(0.0, ended - began)
        # torch.compile does its work when the graph first runs; a compiler function that
        # is not Dynamo's does it at once, and our record knows how long it took.
        times = [found.seconds for found in firsts if found.seconds is not None]
        compile = sum(times) if times else None if firsts else own.compile
        # It leaves the records of a compile, which may be missing from a damaged log.
        if self.lowering is not None and self.lowering.is_lowered and not firsts:
            compile = (compile or 0.0) + (self.lowering.seconds or 0.0)
        if self.lowering is not None and self.lowering.background is not None:
            compile = (compile or 0.0) + (self.lowering.background.own_seconds or 0.0)
        return CaptureSeconds(capture, compile, own.snapshot)
