"""Records → processes, captures, compiles: each fact from the record that knows it best.

Our own records (``ca_engine.schema``) come first; what they lack, or a log without them,
is filled from torch's own: the reasons' artifact, the captured graph's code, the
``compiled_autograd`` pair of chromium events, Dynamo's compilation metrics and stacks.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import orjson

from ca_engine import reasons, schema
from ca_engine.incarnation import incarnation_of
from ca_reports.logs.fields import (
    duration,
    impossible_times,
    integer,
    items,
    mapping,
    message,
    moment,
    number,
    read_fields,
    text,
    texts,
)
from ca_reports.logs.record import Wanted
from ca_reports.program.stack import (
    function_pass,
    is_captured_graph,
    is_generated,
    is_helper,
    is_internal,
    is_recomputed,
    resume_line,
    user_frames,
    user_function,
)
from ca_reports.run import pinned
from ca_reports.run.background import BackgroundGraph
from ca_reports.run.build import breaks, cudagraphs, errors, phases
from ca_reports.run.build.bounds import Bounds
from ca_reports.run.build.called_sizes import MAX_GRAPHS, read_sizes
from ca_reports.run.build.changed_inputs import (
    BACKWARD,
    FORWARD,
    changed_in_place,
    read_after_change,
)
from ca_reports.run.build.compiles import built
from ca_reports.run.build.cudagraphs import CudaGraphs
from ca_reports.run.build.drafts import CaptureParts
from ca_reports.run.build.forward import ForwardLines
from ca_reports.run.build.graph_lines import graph_lines
from ca_reports.run.build.handed import Handed
from ca_reports.run.build.inputs import graph_inputs
from ca_reports.run.build.lookups import KERNELS, LOOKUPS, NOT_SAVED, PROFILES, LookupReader
from ca_reports.run.build.nodes import PlainNodes
from ca_reports.run.build.rows import Rows, StepStarts, read_calls
from ca_reports.run.build.trials import read_trial
from ca_reports.run.cached import CacheFileUse
from ca_reports.run.cells import MAX_CELLS, Cell, read_cells
from ca_reports.run.compiler_settings import compiler_settings
from ca_reports.run.frames import torch_frames
from ca_reports.run.held import RecordedGuards
from ca_reports.run.late_hooks import MAX_LATE_HOOKS, LateHook
from ca_reports.run.lowered import RecordedLowering
from ca_reports.run.model import (
    ALL_KINDS,
    Compile,
    CompiledCall,
    End,
    Failure,
    Frame,
    GraphBreak,
    Hazard,
    JobGroup,
    Process,
    Trial,
    own_frame,
)
from ca_reports.run.recorded import RecordedCapture
from ca_reports.run.refusals import LIMIT_IS_ERROR, LIMIT_TYPES, refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from ca_reports.logs.damage import DamageLog
    from ca_reports.logs.record import Record
    from ca_reports.logs.stored import StoredText
    from ca_reports.run.build.drafts import Stored
    from ca_reports.run.model import Capture, GraphSizes, LogKind

# Bounds on what one process may bring into memory; beyond them damage says so.
MAX_GRAPH_BREAKS = 5_000
MAX_HAZARDS = 1_000
_MAX_GPUS = 64
# Of one recompile; torch writes one for each earlier compile.
MAX_REASONS = 64
# Graphs of forwards that are kept of each code, and how long each may be.
MAX_FORWARDS = 4
MAX_FORWARD = 1_000_000
# Of one compile: a cache is asked once for each graph.
MAX_BYPASSES = 8

_GRAPH = "compiled_autograd_graph"
_OUTPUT_GRAPH = "dynamo_output_graph"
_OF_FORWARDS = frozenset((_OUTPUT_GRAPH, FORWARD, BACKWARD))
_GRAPH_BEFORE = "compiled_autograd_graph_pre_reordering"
_REASONS = "compiled_autograd_compile_reasons"
_GRAPH_BREAK = "dynamo_graph_break_reason"
# The errors after which Dynamo leaves a function to Python, unless it was told `fullgraph=True`.
_BREAKS = frozenset(("Unsupported", "UserError")) | LIMIT_TYPES
_ERROR = "dynamo_error"
_BACKWARD_METRICS = "bwd_compilation_metrics"
_MAX_REASON = 200_000
_RECOMPILE = "recompile_reasons"
_WANTED_ARTIFACTS = frozenset(
    (
        *LOOKUPS,
        NOT_SAVED,
        KERNELS,
        *PROFILES,
        _GRAPH_BEFORE,
        _REASONS,
        _GRAPH_BREAK,
        _RECOMPILE,
        _ERROR,
        schema.RUN_RECORD,
        schema.CAPTURE_RECORD,
        schema.BACKWARDS_RECORD,
        schema.HAZARD_RECORD,
        schema.GUARDS_RECORD,
        schema.FORWARD_RECORD,
        schema.LOWERING_RECORD,
        schema.GPU_WAITS_RECORD,
        schema.CORE_WAITS_RECORD,
        schema.STEPS_RECORD,
        schema.CALLS_RECORD,
        schema.SIZES_RECORD,
        schema.BACKGROUND_RECORD,
        schema.END_RECORD,
        schema.TRIAL_RECORD,
        schema.CACHE_FILE_RECORD,
        schema.CELLS_RECORD,
        schema.GROUP_RECORD,
        schema.LATE_HOOK_RECORD,
        schema.CUDAGRAPH_SKIP_RECORD,
    )
)
_GUARDS = "dynamo_cpp_guards_str"
_FLAG = '"compiled_autograd": true'
_RECORDING = f'"{cudagraphs.EVENT}"'.encode()
_CAPTURING = b'"compiled_autograd"'


def _is_payload_wanted(record: Record) -> bool:
    kind = record.kind
    if kind == "artifact":
        return record.name in _WANTED_ARTIFACTS
    # The code of forwards' graphs: what they make of padding, which lines keys differ in, and what
    # they change in place.
    is_forward = record.envelope.get("compiled_autograd_id") is None
    return kind in (_GRAPH, _GUARDS, "chromium_event") or (kind in _OF_FORWARDS and is_forward)


def _is_payload_kept(record: Record) -> bool:
    return record.kind in (_GRAPH, _GUARDS) or record.name == _GRAPH_BEFORE


def _is_payload_for_findings(record: Record) -> bool:
    """Leave out what a captured graph was compiled for."""
    of_capture = record.kind == _GUARDS and record.envelope.get("compiled_autograd_id") is not None
    return not of_capture and _is_payload_wanted(record)


def wanted_by(bounds: Bounds) -> Wanted:
    """Return what a builder with these bounds reads."""
    wanted = WANTED if bounds.all_guards else WANTED_FOR_FINDINGS
    if not bounds.cache_keys:
        return wanted
    payload = wanted.payload
    return wanted._replace(
        # The code of graphs, whose lines keys differ in.
        payload=lambda record: record.kind == _OUTPUT_GRAPH or payload(record)
    )


# What a `ProcessBuilder` reads: `ProcessBuilder._kinds` and `ProcessBuilder._artifacts`.
WANTED = Wanted(
    kinds=frozenset(
        ("dynamo_start", *_OF_FORWARDS, "compilation_metrics", _BACKWARD_METRICS, pinned.KIND)
    ),
    payload=_is_payload_wanted,
    kept=_is_payload_kept,
    events=(_CAPTURING, _RECORDING),
)
# All but what no figure and no finding comes from: the guards of captured graphs.
WANTED_FOR_FINDINGS = WANTED._replace(payload=_is_payload_for_findings)


class ProcessBuilder:
    """Takes the records of one process, in order, and makes a ``Process`` of them."""

    def __init__(
        self, file: str, damage: DamageLog, stored: Stored, bounds: Bounds | None = None
    ) -> None:
        """``file`` names the trace in damage; ``stored`` is shared by the whole file."""
        self._bounds = bounds or Bounds()
        self._from_text = True
        self._holds: set[LogKind] = set()
        self.file = file
        self.rank: int | None = None
        self.pid: int | None = None
        self.records = 0
        self._damage = damage
        self._stored = stored
        self._guards_stored = stored.part("guards of captured graphs")
        self._forward_guards_stored = stored.part("guards of forwards")
        self._forward_graphs_stored = stored.part("graphs of forwards")
        self._forwards_kept: Counter[str] = Counter()
        # What the last forward's graph changes in place: its backward's graph follows.
        self._changed: dict[str, Frame | None] = {}
        self._nodes = PlainNodes()
        self._captures: dict[int, CaptureParts] = {}
        self._compiles: dict[str, Compile] = {}
        self._breaks: dict[tuple[str, Frame | None, str], GraphBreak] = {}
        self._breaks_left_out = 0
        # Compiles that an error ended which is a break, unless no break is recorded; with the
        # exception's text.
        self._ended: list[tuple[Compile, str]] = []
        self._raised: list[Failure] = []
        self._broken: set[str | None] = set()
        self._flag = False
        # Functions that call backward while they are compiled, as (file, name).
        self._steps: set[tuple[str, str]] = set()
        # What failed of a lowered graph, by its capture, until Dynamo compiles that.
        self._failed_guards: dict[int, str] = {}
        # Dynamo's numbers of code that was compiled outside of captured backwards.
        self._own_code: set[int] = set()
        # Up to torch 2.6 captures have no number: how many there are, and of which the code is.
        self._unnumbered = 0
        self._captured_code: dict[int, int] = {}
        self._cuda_graphs = CudaGraphs(self._bounds.compiles)
        self._lookups = LookupReader(keys=self._bounds.cache_keys)
        self._backward_calls: dict[Frame, tuple[Frame, ...]] = {}
        self._run: dict[str, Any] | None = None
        self._end: End | None = None
        self._group: JobGroup | None = None
        self._hazards: list[Hazard] = []
        self._late_hooks: list[LateHook] = []
        self._hazard_counts: dict[int | None, int] = {}
        self._forward = ForwardLines()
        self._gpu_waits: dict[str, float] = {}
        self._core_waits: dict[str, float] = {}
        self._background: dict[str, BackgroundGraph] = {}
        self._gpus: dict[str, None] = {}
        self._trial: Trial | None = None
        self._cache_file: CacheFileUse | None = None
        self._cells: list[Cell] = []
        self._last: float | None = None
        # Some captures are in no record, which was torn, say.
        self._rows = Rows(self._bounds.rows, 2 * self._bounds.captures)
        self._steps_noted = StepStarts(self._bounds.rows)
        self._calls: list[CompiledCall] = []
        self._graph_sizes: dict[str, GraphSizes] = {}
        self._line = 0
        self._left_out = ""
        self._ids: tuple[object, ...] = ()
        self._built = Handed()
        # The last graph before reordering: the final one follows, unless the capture failed.
        self._before: tuple[CaptureParts, bytes | StoredText] | None = None
        self._kinds: dict[str, Callable[[Record], None]] = {
            _GRAPH: self._graph,
            "chromium_event": self._chromium_event,
            "dynamo_start": self._dynamo_start,
            _OUTPUT_GRAPH: self._dynamo_output_graph,
            FORWARD: self._aot_forward_graph,
            BACKWARD: self._aot_backward_graph,
            "compilation_metrics": self._compilation_metrics,
            _BACKWARD_METRICS: self._backward_metrics,
            _GUARDS: self._guards,
            pinned.KIND: self._pinned_size,
        }
        self._artifacts: dict[str, Callable[[Record], None]] = {
            **dict.fromkeys(LOOKUPS, self._cache_lookup),
            NOT_SAVED: self._not_saved,
            KERNELS: self._kernels,
            **dict.fromkeys(PROFILES, self._profile),
            _GRAPH_BEFORE: self._graph_before,
            _REASONS: self._reasons,
            _RECOMPILE: self._recompile_reasons,
            _GRAPH_BREAK: self._graph_break,
            _ERROR: self._dynamo_error,
            schema.RUN_RECORD: self._ca_run,
            schema.CAPTURE_RECORD: self._ca_capture,
            schema.BACKWARDS_RECORD: self._ca_backwards,
            schema.HAZARD_RECORD: self._ca_hazard,
            schema.GUARDS_RECORD: self._ca_guards,
            schema.FORWARD_RECORD: self._ca_forward,
            schema.LOWERING_RECORD: self._ca_lowering,
            schema.GPU_WAITS_RECORD: self._ca_gpu_waits,
            schema.CORE_WAITS_RECORD: self._ca_core_waits,
            schema.STEPS_RECORD: self._ca_steps,
            schema.CALLS_RECORD: self._ca_calls,
            schema.SIZES_RECORD: self._ca_sizes,
            schema.BACKGROUND_RECORD: self._ca_background,
            schema.END_RECORD: self._ca_end,
            schema.TRIAL_RECORD: self._ca_trial,
            schema.CACHE_FILE_RECORD: self._ca_cache_file,
            schema.CELLS_RECORD: self._ca_cells,
            schema.GROUP_RECORD: self._ca_group,
            schema.LATE_HOOK_RECORD: self._ca_late_hook,
            schema.CUDAGRAPH_SKIP_RECORD: self._ca_cudagraph_skip,
        }

    def add(self, record: Record) -> None:
        """Take one record; of the wrong shape it is damage, never an exception."""
        self.records += 1
        self._from_text &= record.from_text
        if record.from_text:
            self._note_text(record)
        self._line = record.line
        known = record.envelope.get
        # Of ten records, nine belong where the one before them did.
        ids = (
            known("compiled_autograd_id"), known("frame_id"), known("frame_compile_id"),
            known("attempt"), known("rank"), record.pid,
        )  # fmt: skip
        if ids != self._ids:
            self._ids = ids
            self._note_ids(record)
        if record.kind == "artifact":
            handler = self._artifacts.get(record.name)
        else:
            handler = self._kinds.get(record.kind)
        if handler is not None:
            handler(record)

    def build(self, index: int, rank: int | None) -> Process:
        """Return the process as number ``index`` of the run; ``rank`` if the records name none."""
        if self.rank is None:
            self.rank = rank
        self._keep_before()
        self._breaks_as_errors()
        self._limit_as_error()
        run = self._run or {}
        run_counts = self._rows.run_counts if self._rows.count else None
        if self._from_text and self._captures:
            self._note_helpers()
        compiles = built(self._compiles.values(), index, self.rank, self.pid)
        own: dict[int, list[Compile]] = {}
        for compiled in compiles:
            if compiled.capture is not None:
                own.setdefault(compiled.capture, []).append(compiled)
        captures: Iterable[Capture] = (
            self._forward.locate(
                draft.build(index, self.rank, self.pid, self.file, own.get(id, []), run_counts)
            )
            for id, draft in sorted(self._captures.items())
        )
        if self._from_text and len(self._backward_calls) == 1:
            # Text has no stacks, but Dynamo's break at the only call of backward that it met.
            (stack,) = self._backward_calls.values()
            captures = (found if found.stack else replace(found, stack=stack) for found in captures)
            compiles = tuple(
                replace(found, stack=stack, location=own_frame(stack))
                if found.capture is not None and not found.stack
                else found
                for found in compiles
            )
        captures, compiles = self._built.again(captures, compiles)
        installed = moment(run.get("time"))
        start = moment(run.get("started")) or installed
        if start is not None and installed is not None:
            start = min(start, installed)
        return Process(
            index=index,
            file=self.file,
            rank=self.rank,
            pid=self.pid,
            records=self.records,
            recorded=self._run is not None,
            from_text=self._from_text,
            holds=frozenset(self._holds) if self._from_text else ALL_KINDS,
            start=start,
            last=self._last,
            **read_fields(Process, run),
            flag=self._flag,
            captures=captures,
            compiles=compiles,
            graph_breaks=tuple(
                replace(
                    found,
                    process=index,
                    in_step=any((one.file, one.function) in self._steps for one in found.stack),
                )
                for found in self._breaks.values()
            ),
            graph_breaks_left_out=self._breaks_left_out,
            cuda_graphs=self._cuda_graphs.build(index, compiles),
            cuda_graph_skips=self._cuda_graphs.skips(compiles),
            cache_lookups=tuple(replace(one, process=index) for one in self._lookups.lookups),
            kernels=tuple(self._lookups.kernels),
            profiles=tuple(self._lookups.profiles),
            cache_file=self._cache_file,
            cells=tuple(self._cells[:MAX_CELLS]),
            group=self._group,
            is_running=self._end is None and self._is_alive(),
            backwards=self._rows.build() if self._rows.batches else None,
            hazards=tuple(
                replace(found, process=index, count=self._hazard_counts.get(found.id, 1))
                for found in self._hazards
            ),
            late_hooks=tuple(self._late_hooks),
            gpu_waits=self._gpu_waits,
            core_waits=self._core_waits,
            gpus=tuple(self._gpus),
            step_starts=self._steps_noted.build(),
            calls=tuple(self._calls),
            graph_sizes=tuple(self._graph_sizes.values()),
            background=tuple(self._background.values()),
            noted_forwards=tuple(self._forward.steps),
            trial=self._trial,
            raised=tuple(self._raised),
            end=self._end,
        )  # fmt: skip

    def _is_alive(self) -> bool:
        """Return whether the process is one of this machine's now."""
        own = text((self._run or {}).get("incarnation"))
        return own is not None and self.pid is not None and own == incarnation_of(self.pid)

    def gives_tracebacks(self, other: ProcessBuilder) -> bool:
        """Hand ``other`` the exceptions that tracebacks told of, if that is all there is here."""
        if len(self._raised) < self.records:
            return False
        other._raised += self._raised
        other.records += self.records
        return True

    def _note_text(self, record: Record) -> None:
        """Note what kinds of records a text was logged with."""
        if record.kind == "dynamo_start":  # `+dynamo`, which turns on the others as well
            self._holds |= {"compiles", "recompiles", "graph_breaks"}
        elif record.artifact in ("recompiles", "recompiles_verbose"):
            self._holds.add("recompiles")
        elif record.artifact == "graph_breaks":
            self._holds.add("graph_breaks")
        elif record.kind == _GRAPH or record.name == _REASONS:
            self._holds.add("captures")

    def _note_helpers(self) -> None:
        """Find what torch calls around captured graphs, where no stack tells."""
        for draft in self._compiles.values():
            known = draft.stack or draft.capture is not None or draft.code is None
            if not known and draft.code is not None:
                draft.internal = is_helper(draft.code.file)

    # ---- which capture and which compile a record belongs to

    def _note_ids(self, record: Record) -> None:
        envelope = record.envelope
        rank = integer(envelope.get("rank"))
        if rank is not None:
            self.rank = rank
        if record.pid is not None:
            self.pid = record.pid
        raw = envelope.get("compiled_autograd_id")
        capture = integer(raw)
        if raw is not None and capture is None:
            self._bad(record, "compiled_autograd_id is not a whole number")
            return
        frame = integer(envelope.get("frame_id"))
        compiled = integer(envelope.get("frame_compile_id"))
        if capture is not None:
            self._capture(capture)
        if frame is None or compiled is None:
            return
        prefix = "" if capture is None else f"!{capture}/"
        draft = self._compile(f"{prefix}{frame}/{compiled}", capture)
        attempt = integer(envelope.get("attempt"))
        if draft is not None and attempt is not None:
            draft.attempts = max(draft.attempts, attempt + 1)

    def _capture(self, id: int) -> CaptureParts | None:
        draft = self._captures.get(id)
        if draft is None:
            if len(self._captures) >= self._bounds.captures:
                self._damage.add(self.file, self._line, "too_many", "more captures than are kept")
                return None
            draft = self._captures[id] = CaptureParts(id, self._line)
        return draft

    def _compile(self, compile_id: str, capture: int | None) -> Compile | None:
        draft = self._compiles.get(compile_id)
        if draft is None:
            if len(self._compiles) >= self._bounds.compiles:
                # The records of a compile follow each other: of each it is said once.
                if compile_id != self._left_out:
                    self._left_out = compile_id
                    self._damage.add(
                        self.file, self._line, "too_many_compiles", "more compiles than are kept"
                    )
                return None
            draft = Compile(compile_id, 0, None, None, capture, line=self._line)
            # Dynamo numbers code, whoever runs it: what has been compiled outside of captures is
            # the program's.
            if capture is None:
                self._own_code.add(draft.function)
            elif draft.function in self._own_code:
                draft.capture = None
            self._compiles[compile_id] = draft
        return draft

    def _captured(self, record: Record) -> CaptureParts | None:
        """Return the capture of a record that was written during a capture."""
        id = integer(record.envelope.get("compiled_autograd_id"))
        return None if id is None else self._captures.get(id)

    def _compiled(self, record: Record) -> Compile | None:
        compile_id = _compile_id(record)
        return None if compile_id is None else self._compiles.get(compile_id)

    # ---- torch's own records

    def _graph(self, record: Record) -> None:
        draft, code = self._captured(record), record.packed or record.payload
        if record.envelope.get("compiled_autograd_id") is None:
            draft = self._capture(len(self._captures))  # up to torch 2.6 captures have no number
            self._unnumbered += draft is not None
        if draft is not None and code is not None:
            if self._before is not None and self._before[0] is draft:
                self._before = None
            draft.torch.graph = self._keep(code, "the graph's code")
            draft.torch.graph_complete = True

    def _graph_before(self, record: Record) -> None:
        draft, code = self._captured(record), record.packed or record.payload
        if draft is not None and code is not None and draft.torch.graph is None:
            self._keep_before()
            self._before = (draft, code)

    def _keep_before(self) -> None:
        """Keep the graph before its nodes were put in order, since no final one came."""
        if self._before is not None:
            draft, code = self._before
            self._before = None
            draft.torch.graph = self._keep(code, "the graph's code")
            draft.torch.graph_complete = False

    def _reasons(self, record: Record) -> None:
        """All reasons of this cache entry; the last is this capture's."""
        found = texts(self._json(record))
        draft = self._captured(record)
        if draft is None or not found:
            return
        id, reason = reasons.split_id(found[-1])
        if id is None or id == draft.id:
            draft.torch.reason = reason
        else:
            self._bad(record, f"the last reason belongs to !{id}, not to {draft.id}")

    def _chromium_event(self, record: Record) -> None:
        payload = record.payload
        # One of fifty events is about a capture: do not decode the others.
        if payload is None:
            return
        if _RECORDING in payload:
            self._saw(self._cuda_graphs.add(mapping(self._json(record)), record.line))
            return
        if _CAPTURING not in payload:
            return
        event = mapping(self._json(record))
        if event.get("name") != "compiled_autograd":
            return
        id = integer(mapping(event.get("args")).get("graph_id"))
        draft = self._captured(record) if id is None else self._capture(id)
        micro = number(event.get("ts"))
        if draft is None or micro is None:
            return
        time = moment(micro / 1e6)
        self._saw(time)
        if time is None:
            self._bad(record, "ts is no possible time")
        elif event.get("ph") == "B":
            draft.torch.began = time
        elif event.get("ph") == "E":
            draft.torch.ended = time

    def _dynamo_start(self, record: Record) -> None:
        draft = self._compiled(record)
        if draft is not None:
            stack = torch_frames(mapping(record.body).get("stack"), record.strings)
            if draft.capture is not None and is_recomputed(stack):
                draft.capture = None
            elif self._unnumbered and draft.capture is None and is_captured_graph(stack):
                self._give_to_capture(draft)
            is_captured = draft.capture is not None
            draft.stack = user_frames(stack, captured=is_captured)
            if draft.capture in self._failed_guards:
                draft.recompile_reason = self._failed_guards.pop(draft.capture)
            draft.internal = not is_captured and is_internal(stack)
            draft.within = None if is_captured else function_pass(stack)

    def _give_to_capture(self, draft: Compile) -> None:
        """Note the capture of a compile without its number: the last, or that of the same code."""
        draft.capture = self._captured_code.setdefault(draft.function, len(self._captures) - 1)
        draft.compile_id = f"!{draft.capture}/{draft.compile_id}"

    def _dynamo_output_graph(self, record: Record) -> None:
        draft = self._compiled(record)
        if draft is not None:
            draft.graphs += 1
            if draft.capture is None and not draft.inputs:
                sizes = mapping(mapping(record.body).get("sizes"))
                draft.inputs = graph_inputs(sizes) or draft.inputs
            if record.payload is None:
                return
            if self._bounds.cache_keys and not draft.graph_lines:
                draft.graph_lines = graph_lines(record.payload.decode("utf-8", "replace"))
            if draft.capture is None and draft.graphs == 1:
                self._keep_forward(draft, record.payload)

    def _keep_forward(self, draft: Compile, code: bytes) -> None:
        """Keep the code of a forward's graph, of the first few compiles of its code."""
        number = draft.code_number
        if self._forwards_kept[number] < MAX_FORWARDS and len(code) <= MAX_FORWARD:
            self._forwards_kept[number] += 1
            draft.graph_code = self._forward_graphs_stored.keep(code)

    def _aot_forward_graph(self, record: Record) -> None:
        self._changed = changed_in_place(record.payload) if record.payload is not None else {}

    def _aot_backward_graph(self, record: Record) -> None:
        changed, self._changed = self._changed, {}
        draft = self._compiled(record) if changed else None
        if draft is not None and record.payload is not None:
            read = (*draft.read_after_change, *read_after_change(record.payload, changed))
            draft.read_after_change = tuple(dict.fromkeys(read))

    def _guards(self, record: Record) -> None:
        draft, guards = self._compiled(record), record.packed or record.payload
        if draft is not None and guards is not None:
            is_forward = draft.capture is None
            stored = self._forward_guards_stored if is_forward else self._guards_stored
            draft.guards = stored.keep(guards)

    def _pinned_size(self, record: Record) -> None:
        draft = self._compiled(record)
        if draft is None or draft.capture is not None or len(draft.pinned) >= pinned.MAX_PINNED:
            return
        for found in pinned.pinned_sizes(record.body, record.strings):
            if found not in draft.pinned:  # each attempt writes its own
                draft.pinned = (*draft.pinned, found)

    def _compilation_metrics(self, record: Record) -> None:
        metrics = mapping(record.body)
        draft = self._compiled(record)
        if "cudagraph_skip_reason" in metrics:
            self._skipped(metrics, record)
            if record.from_text:
                return
        if draft is None:
            # Older torch writes these after the compile's context has ended.
            draft = self._compile_named(text(metrics.get("compile_id")))
        if draft is None:
            return
        file = text(metrics.get("co_filename"))
        if file is not None:
            name = text(metrics.get("co_name")) or ""
            first, at = integer(metrics.get("co_firstlineno")) or 0, resume_line(name)
            code = draft.code = Frame(file, first, user_function(name), "")
            draft.resumes = None if at is None else replace(code, line=at)
        settings = metrics.get("dynamo_config")
        if isinstance(settings, str):
            self._flag |= _FLAG in settings
            draft.settings = compiler_settings(settings)
        self._check_times(record, metrics)
        seconds = duration(metrics.get("entire_frame_compile_time_s"))
        draft.seconds = seconds if seconds is not None else draft.seconds
        draft.phases = phases.split(metrics) or draft.phases
        draft.cache = phases.cache_lookups(metrics) or draft.cache
        draft.saved = phases.seconds_saved(metrics)
        draft.kernels = phases.kernel_seconds(metrics)
        draft.inductor = phases.inductor_seconds(metrics)
        draft.time = moment(metrics.get("start_time"))
        self._saw(draft.time, draft.seconds)
        # The metrics name the first of them only.
        draft.recompile_reason = draft.recompile_reason or message(metrics.get("recompile_reason"))
        draft.fail_type = text(metrics.get("fail_type"))
        draft.fail_reason = message(metrics.get("fail_reason"))
        if draft.fail_type is not None:
            self._ended_with(draft, metrics)

    def _ended_with(self, draft: Compile, metrics: Mapping[str, Any]) -> None:
        """Note a compile that an error ended; a break at no line is of a limit."""
        reason = text(metrics.get("fail_reason"))
        file = text(metrics.get("fail_user_frame_filename"))
        if file is not None and not is_generated(file):
            line = integer(metrics.get("fail_user_frame_lineno")) or 0
            draft.fail_line = Frame(file, line, "", "")
        if draft.fail_type not in _BREAKS:
            is_suppressed = metrics.get("config_suppress_errors") is True
            draft.failed = "suppressed" if is_suppressed else "raised"
        elif reason is not None and file is not None and len(self._ended) < MAX_GRAPH_BREAKS:
            self._ended.append((draft, reason[:_MAX_REASON]))

    def _backward_metrics(self, record: Record) -> None:
        """Read that the backward of a forward was compiled, which its first run does."""
        metrics = mapping(record.body)
        self._skipped(metrics, record)
        draft, failed = self._compiled(record), text(metrics.get("fail_type"))
        if draft is None:
            draft = self._compile_named(text(metrics.get("compile_id")))
        if draft is not None and failed is not None:
            draft.fail_type, draft.failed = failed, "in_backward"
            draft.fail_reason = message(metrics.get("fail_reason"))

    def _skipped(self, metrics: Mapping[str, Any], record: Record) -> None:
        """Note a compiled graph that runs without a CUDA graph though one was asked for.

        Torch sets the reason only of a graph with something on a GPU.
        """
        reason = text(metrics.get("cudagraph_skip_reason"))
        if reason is not None:
            compile_id = _compile_id(record) or text(metrics.get("compile_id"))
            self._cuda_graphs.skip(reason, compile_id, record.line)

    def _dynamo_error(self, record: Record) -> None:
        """Read a traceback, of a compile that has records of its own or in a text without any."""
        if not record.from_text or record.payload is None or len(self._raised) >= MAX_HAZARDS:
            return
        text = record.payload.decode("utf-8", "replace")
        found = errors.failure(text, self.file, record.line)
        is_suppressed = mapping(record.body).get("suppressed") is True
        self._raised.append(replace(found, suppressed=is_suppressed))

    def _cache_lookup(self, record: Record) -> None:
        raw = mapping(self._json(record))
        draft = self._compiled(record)
        is_bypass = record.name in phases.BYPASSES
        if is_bypass and draft is not None and len(draft.bypasses) < MAX_BYPASSES:
            draft.bypasses = (*draft.bypasses, phases.bypass_reason(record.name, raw))
        wrong = self._lookups.add(record.name, raw, _compile_id(record), record.line)
        if wrong is not None:
            self._bad(record, wrong)

    def _not_saved(self, record: Record) -> None:
        self._lookups.add_not_saved(mapping(self._json(record)), _compile_id(record))

    def _kernels(self, record: Record) -> None:
        self._lookups.add_kernels(mapping(self._json(record)), _compile_id(record))

    def _profile(self, record: Record) -> None:
        if record.payload is not None:
            self._lookups.add_profile(record.name, record.payload.decode("utf-8", "replace"))

    def _compile_named(self, compile_id: str | None) -> Compile | None:
        parts = compile_id.split("/") if compile_id else []
        capture = None
        if len(parts) == 3 and parts[0].startswith("!") and parts[0][1:].isdecimal():
            capture = int(parts.pop(0)[1:19])
        if len(parts) != 2 or not all(part.isdecimal() for part in parts):
            return None
        prefix = "" if capture is None else f"!{capture}/"
        if capture is not None:
            self._capture(capture)
        return self._compile(f"{prefix}{'/'.join(parts)}", capture)

    def _recompile_reasons(self, record: Record) -> None:
        """One reason is written as bare text although the record says json, several as a list."""
        draft = self._compiled(record)
        if draft is None or record.payload is None or draft.recompile_reason:
            return
        try:
            found = texts(orjson.loads(record.payload))[:MAX_REASONS]
        except orjson.JSONDecodeError:
            found = ()
        bare = record.payload.decode("utf-8", "replace")
        draft.recompile_reason = message("\n".join(found) or bare)

    def _graph_break(self, record: Record) -> None:
        if record.payload is None:
            return
        found = breaks.parse(record.payload[:_MAX_REASON].decode("utf-8", "replace"))
        draft = self._compiled(record)
        self._broken.add(None if draft is None else draft.compile_id)
        if draft is not None and draft.capture is None and is_internal(found.stack):
            draft.internal = True
            self._breaks_left_out += 1
            return
        if found.ours:
            self._breaks_left_out += 1
            if found.stack:
                self._steps.add((found.stack[-1].file, found.stack[-1].function))
                if len(self._backward_calls) < 2:
                    self._backward_calls.setdefault(found.stack[-1], found.stack)
            return
        capture = (
            integer(record.envelope.get("compiled_autograd_id")) if draft is None else draft.capture
        )
        self._add_break(found, _compile_id(record), capture, record.line)

    def _add_break(
        self,
        found: breaks.Break,
        compile_id: str | None,
        capture: int | None,
        line: int,
        *,
        is_error: bool = False,
    ) -> None:
        one = GraphBreak(
            compile_id=compile_id,
            process=0,
            reason=found.reason,
            explanation=found.explanation,
            location=found.location,
            stack=found.stack,
            count=1,
            number=found.number,
            hints=found.hints,
            context=found.context,
            given_up=found.given_up,
            in_loop=found.in_loop,
            is_error=is_error,
            capture=capture,
            skipped=found.skipped,
            in_operator=found.in_operator,
        )
        earlier = self._breaks.get(one.cause)
        if earlier is not None:
            self._breaks[one.cause] = replace(earlier, count=earlier.count + 1)
        elif len(self._breaks) < MAX_GRAPH_BREAKS:
            self._breaks[one.cause] = one
        else:
            self._damage.add(self.file, line, "too_many", "more graph breaks than are kept")

    def _breaks_as_errors(self) -> None:
        """Take the compiles that ended at a break: with ``fullgraph=True`` none is recorded.

        Their metrics have torch's text and the line. What leads there is the compile's own stack.
        """
        ended_with = "" if self._end is None else self._end.error_text or ""
        for draft, reason in self._ended:
            if draft.internal or draft.compile_id in self._broken:
                continue
            draft.failed = "raised"
            place = draft.fail_line
            if draft.capture is not None or place is None:
                continue
            found = breaks.of_error(reason, place, ended_with)
            first, outer = found.stack[0], draft.stack
            if outer and (outer[-1].file, outer[-1].function) == (first.file, first.function):
                outer = outer[:-1]
            whole = replace(found, stack=(*outer, *found.stack))
            self._add_break(whole, draft.compile_id, None, draft.line or 0, is_error=True)
        if not self._ended:
            self._raised_breaks()
        self._ended.clear()

    def _raised_breaks(self) -> None:
        """Take the breaks of which a text has the exception alone, and no compile."""
        for raised in self._raised:
            kind, _, reason = raised.text.partition(": ")
            if kind not in _BREAKS or raised.in_backward or refusal(reason) is not None:
                continue
            found = breaks.of_traceback(reason)
            if found.stack:
                self._add_break(found, None, None, raised.line, is_error=True)

    def _limit_as_error(self) -> None:
        """Join the exception of a limit, of which a text has the traceback, with its warning."""
        error = next((one for one in self._raised if one.type == LIMIT_IS_ERROR), None)
        refused = [one for one in self._compiles.values() if one.is_refused]
        if error is not None and len(refused) == 1:
            refused[0].failed, refused[0].fail_type = "raised", error.type
            refused[0].fail_reason = error.text.removeprefix(f"{error.type}: ")

    # ---- our own records

    def _ca_run(self, record: Record) -> None:
        raw = self._own(record)
        if raw is not None and self._run is None:
            self._run = raw
            self.pid = integer(raw.get("pid")) or self.pid
            rank = integer(raw.get("rank"))
            self.rank = rank if rank is not None else self.rank

    def _ca_capture(self, record: Record) -> None:
        raw = self._own(record)
        if raw is None:
            return
        id = integer(raw.get("id"))
        draft = None if id is None else self._capture(id)
        if draft is None:
            self._bad(record, "a capture without an id")
            return
        nodes = [node for node in items(raw.get("autograd_graph")) if mapping(node)]
        draft.line, draft.recorded = record.line, RecordedCapture.from_record(raw)
        self._saw(draft.recorded.time, draft.recorded.seconds.capture)
        if nodes:
            draft.note_nearest(nodes)
            draft.autograd_json = self._keep(self._nodes.as_json(nodes), "the autograd graph")

    def _ca_lowering(self, record: Record) -> None:
        raw = self._own(record)
        id = None if raw is None else integer(raw.get("capture"))
        draft = None if id is None else self._capture(id)
        if raw is None:
            return
        if draft is None:
            self._bad(record, "a lowering without a capture")
            return
        found, before = RecordedLowering.from_record(raw), draft.lowering
        if before is not None and before.background is not None:
            self._in_background(draft, before, found)
            return
        if found.is_left_to_dynamo and draft.lowering is not None:
            # It was lowered, and Dynamo compiles it after all: that is the compile to come.
            draft.lowering = replace(draft.lowering, reason=found.reason, detail=found.detail)
            self._failed_guards[draft.id] = found.detail or "a guard of lowering"
            return
        known = draft.lowering
        is_more = known is not None and known.is_lowered and found.is_lowered
        draft.lowering = known.for_more_sizes(found) if known and is_more else found
        if found.is_lowered:
            # The record follows the compile that it tells of.
            own = (one for one in reversed(self._compiles.values()) if one.capture == draft.id)
            compiled = next(own, None)
            if compiled is not None and "dynamo" in compiled.phases:
                parts = dict(compiled.phases)
                parts["lowering"] = parts.pop("dynamo")
                compiled.phases = parts

    def _in_background(
        self, draft: CaptureParts, before: RecordedLowering, found: RecordedLowering
    ) -> None:
        """Join a later record of a graph that was to be compiled beside the training."""
        # What lowering took when the graph first ran stands in the record of that.
        seconds = (before.seconds or 0.0) + (found.seconds or 0.0)
        background = found.background
        # A guard fails after it took over, which is the time that counts.
        is_later = background is not None and background.state == "guard"
        time = before.time if is_later else found.time
        draft.lowering = replace(found, seconds=seconds, time=time)
        if not found.is_lowered:
            self._failed_guards[draft.id] = found.detail or "it can't be lowered"

    def _ca_gpu_waits(self, record: Record) -> None:
        raw = self._own(record)
        if raw is None:
            return
        events = [text(entry) for entry in items(raw.get("event"))]
        waited = [duration(entry) for entry in items(raw.get("waited"))]
        if len(events) != len(waited) or None in events or None in waited:
            self._bad(record, "columns of unequal length or of the wrong type")
            return
        for event, seconds in zip(events, waited, strict=True):
            known = self._gpu_waits.get(event or "")
            if known is not None or len(self._gpu_waits) < self._bounds.compiles:
                self._gpu_waits[event or ""] = (known or 0.0) + (seconds or 0.0)
        if (device := text(raw.get("device"))) and len(self._gpus) < _MAX_GPUS:
            self._gpus[device] = None

    def _ca_core_waits(self, record: Record) -> None:
        raw = self._own(record)
        if raw is None:
            return
        event, seconds = text(raw.get("event")), duration(raw.get("waited"))
        if event is None or seconds is None:
            self._bad(record, "an event and its seconds of another type")
            return
        known = self._core_waits.get(event)
        if known is not None or len(self._core_waits) < self._bounds.compiles:
            self._core_waits[event] = (known or 0.0) + seconds

    def _ca_background(self, record: Record) -> None:
        raw = self._own(record)
        if raw is None:
            return
        found = BackgroundGraph.from_record(raw)
        if found.graph is None:
            self._bad(record, "a graph without an id")
        elif found.graph in self._background or len(self._background) < self._bounds.compiles:
            self._background[found.graph] = found
            self._saw(found.time)

    def _ca_backwards(self, record: Record) -> None:
        raw = self._own(record)
        if raw is None:
            return
        last = self._rows.add(raw)
        if last is None:
            self._bad(record, "columns of unequal length or of the wrong type")
            return
        self._saw(last)

    def _ca_steps(self, record: Record) -> None:
        raw = self._own(record)
        if raw is None:
            return
        last = self._steps_noted.add(raw)
        if last is None:
            self._bad(record, "steps without times")
            return
        self._saw(last)

    def _ca_calls(self, record: Record) -> None:
        raw = self._own(record)
        if raw is None:
            return
        calls = read_calls(raw)
        if calls is None:
            self._bad(record, "calls without times")
            return
        self._calls += calls[: max(0, self._bounds.rows - len(self._calls))]
        self._saw(max(call.time + call.seconds for call in calls))

    def _ca_sizes(self, record: Record) -> None:
        raw = self._own(record)
        if raw is None:
            return
        found = read_sizes(raw)
        if found is None:
            self._bad(record, "sizes without a graph, or without calls")
        elif found.graph in self._graph_sizes or len(self._graph_sizes) < MAX_GRAPHS:
            self._graph_sizes[found.graph] = found

    def _ca_hazard(self, record: Record) -> None:
        raw = self._own(record)
        if raw is None:
            return
        found = Hazard(0, self.file, record.line, **read_fields(Hazard, raw))
        if found.kind and len(self._hazards) < MAX_HAZARDS:
            self._hazards.append(found)
        else:
            self._bad(record, "a hazard without a kind, or more of them than are kept")

    def _ca_guards(self, record: Record) -> None:
        raw = self._own(record)
        draft = self._compiled(record) if raw is not None else None
        if raw is None or draft is None:
            return
        # Dynamo may begin a compile more than once; what the frame held stays the same.
        draft.held = draft.held or RecordedGuards.from_record(raw)
        if draft.time is None:  # torch tells it at the end of the compile
            draft.time = moment(raw.get("time"))

    def _ca_forward(self, record: Record) -> None:
        raw = self._own(record)
        if raw is not None and not self._forward.add(raw):
            self._bad(record, "lines of a forward that name no node or no frame")

    def _ca_trial(self, record: Record) -> None:
        raw = self._own(record)
        if raw is not None:
            self._trial = read_trial(raw)

    def _ca_cache_file(self, record: Record) -> None:
        raw = self._own(record)
        if raw is not None:
            self._cache_file = CacheFileUse.from_record(raw)

    def _ca_cells(self, record: Record) -> None:
        raw = self._own(record)
        if raw is not None:
            self._cells += read_cells(raw)

    def _ca_group(self, record: Record) -> None:
        raw = self._own(record)
        if raw is not None:
            self._group = JobGroup(**read_fields(JobGroup, raw))

    def _ca_late_hook(self, record: Record) -> None:
        raw = self._own(record)
        if raw is None:
            return
        found = LateHook.from_record(raw, record.line)
        if found is not None and len(self._late_hooks) < MAX_LATE_HOOKS:
            self._late_hooks.append(found)
        else:
            self._bad(record, "a hook of no module, or more of them than are kept")

    def _ca_cudagraph_skip(self, record: Record) -> None:
        raw = self._own(record)
        reason = None if raw is None else text(raw.get("reason"))
        if reason is not None:
            self._cuda_graphs.skip(reason, None, record.line)

    def _ca_end(self, record: Record) -> None:
        raw = self._own(record)
        if raw is None:
            return
        self._end = End(**read_fields(End, raw))
        counts = items(raw.get("hazards"))[:MAX_HAZARDS]
        self._hazard_counts = {id: integer(found) or 1 for id, found in enumerate(counts)}

    # ---- helpers

    def _own(self, record: Record) -> dict[str, Any] | None:
        raw = self._json(record)
        if raw is None:
            return None
        if not isinstance(raw, dict):
            self._bad(record, "not a JSON object")
            return None
        self._saw(moment(raw.get("time")))
        version = raw.get("schema_version")
        if type(version) is int and version > schema.SCHEMA_VERSION:
            self._damage.add(
                self.file, record.line, "newer_schema",
                f"{record.name} has schema {version}; this ca knows {schema.SCHEMA_VERSION}",
            )  # fmt: skip
        self._check_times(record, raw)
        return raw

    def _check_times(self, record: Record, raw: dict[str, Any]) -> None:
        """Say which times cannot be; they are left out, and the record stands."""
        for name in impossible_times(raw):
            self._bad(record, f"{name} is no possible time")

    def _json(self, record: Record) -> Any:
        """Return the decoded payload; None if there is none or if it does not decode."""
        if record.payload is None:
            return None
        try:
            return orjson.loads(record.payload)
        except orjson.JSONDecodeError as error:
            self._damage.add(
                self.file, record.line, "bad_payload",
                f"{record.name or record.kind}: not JSON: {error}",
            )  # fmt: skip
            return None

    def _keep(self, data: bytes | StoredText, what: str) -> Any:
        stored = self._stored.keep(data, what)
        if stored is None:
            self._damage.add(self.file, self._line, "not_kept", f"{what}: storage limit reached")
        return stored

    def _saw(self, time: float | None, seconds: float | None = None) -> None:
        """Something happened at ``time`` that took ``seconds``."""
        if time is not None:
            self._last = max(self._last or time, time + (seconds or 0.0))

    def _bad(self, record: Record, detail: str) -> None:
        self._damage.add(
            self.file, record.line, "bad_record", f"{record.name or record.kind}: {detail}"
        )


def _compile_id(record: Record) -> str | None:
    frame = integer(record.envelope.get("frame_id"))
    compiled = integer(record.envelope.get("frame_compile_id"))
    if frame is None or compiled is None:
        return None
    capture = integer(record.envelope.get("compiled_autograd_id"))
    return f"{frame}/{compiled}" if capture is None else f"!{capture}/{frame}/{compiled}"
