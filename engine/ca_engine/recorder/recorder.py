"""Keeps count of backwards and writes the records of `ca_engine.schema`."""

from __future__ import annotations

import atexit
import os
import time
from collections import deque
from collections.abc import Callable
from multiprocessing import parent_process
from multiprocessing.util import Finalize, register_after_fork
from sys import exc_info
from time import perf_counter
from typing import Any, NamedTuple

import torch

from ca_engine import schema, steps, trace
from ca_engine.compat import compiled_autograd
from ca_engine.recorder.difference import find_changes, find_closest
from ca_engine.recorder.draft import CaptureDraft
from ca_engine.recorder.forward import ForwardLines, ForwardStacks, read_lines
from ca_engine.recorder.hazards import Hazards, autocast_now, describe_error
from ca_engine.recorder.modules import Switches, switch_changes
from ca_engine.recorder.process import RecordedProcess, Totals
from ca_engine.recorder.rows import BackwardRows
from ca_engine.recorder.snapshot import Snapshooter, number_nodes
from ca_engine.recorder.stack import find_backward_call
from ca_engine.settings import Settings

# Earlier captures that a new one is compared with.
REMEMBERED_CAPTURES = 8


class _Earlier(NamedTuple):
    capture: int
    graph: list[schema.AutogradNode]
    switches: Switches


class Recorder:
    """The records of one process. Observes captures through `observer.ObservedCompiler`.

    Everything is written to torch's structured trace; without one nothing is recorded. There
    is one for the whole process, however often it is recorded: captured graphs live in torch's
    cache from one recording to the next, and tell their hits to whoever saw their capture.
    """

    def __init__(self, settings: Settings | None = None) -> None:
        self._earlier: deque[_Earlier] = deque(maxlen=REMEMBERED_CAPTURES)
        self._rows = BackwardRows()
        self.hazards = Hazards(lambda: self._steps)
        self.begin_anew(settings or Settings())
        os.register_at_fork(after_in_child=self._forget_counts)
        register_after_fork(self, Recorder._end_with_multiprocessing)
        if parent_process() is not None:
            # A child that was forked before it imported torch: nothing forks it any more.
            self._end_with_multiprocessing()

    # Recordings

    def begin_anew(self, settings: Settings | None = None) -> None:
        """Reset counts and forget earlier captures."""
        if settings is not None:
            self._settings = settings
            self.forward = ForwardStacks() if settings.forward_stacks else None
        self.is_on = True
        self._snapshooter = Snapshooter()
        self._forget_counts()
        self._earlier.clear()

    def _forget_counts(self) -> None:
        """A forked child has run no backward yet; what is in flight is its parent's.

        Most forked children load data and never run one: those that do say then who they are.
        """
        self._process: RecordedProcess | None = None
        self._steps = self._captures = self._failed_captures = 0
        self._rows.forget()
        self._unfinished: CaptureDraft | None = None
        self._unwritten: CaptureDraft | None = None
        # Whether a backward started that did not end in a captured graph's run so far, and
        # whether any ever did: see `_look_back`.
        self._is_open = self._was_left_open = False
        self.hazards.forget_counts()
        if self.forward is not None:
            self.forward.forget()

    def _end_with_multiprocessing(self) -> None:
        """A child that `multiprocessing` forked ends by `os._exit`, without atexit."""
        Finalize(self, self._ends_once, exitpriority=0)

    def _ends_once(self) -> None:
        atexit.unregister(self.process_ends)  # spawned children go on to that as well
        self.process_ends()

    def process_starts(self) -> None:
        self._process = RecordedProcess(self._settings)

    def process_ends(self) -> None:
        """To be called when the interpreter ends."""
        self.settle()
        if self._process is not None:
            self.end(self._process.uncaught())

    def end(self, error: BaseException | None = None) -> None:
        """What began anew ends here, because of ``error`` if there is one."""
        self.settle()
        if self._process is not None:
            self._process.end(self._totals(), error)
        self._process = None
        self._earlier.clear()

    def begin_part(self) -> Callable[[BaseException | None], None]:
        """Writes the begin of a recording within this one; returns what writes its end."""
        process = RecordedProcess(self._settings, self._totals())

        def end(error: BaseException | None) -> None:
            process.end(self._totals(), error)

        return end

    def _totals(self) -> Totals:
        counts, left_out = self.hazards.totals()
        return Totals(
            backwards=self._steps,
            captures=self._captures,
            failed_captures=self._failed_captures,
            hits=self._rows.hits(),
            hazards=counts,
            hazards_left_out=left_out,
        )

    def settle(self) -> None:
        """Writes what is not written yet. Not from within a backward: its capture would end."""
        self._give_up_unfinished()
        self._write_unwritten()
        self.flush()

    def flush(self) -> None:
        """Writes the backwards since the last flush."""
        if self._process is None and self._rows.pending:
            self.process_starts()
        self._rows.flush()

    # Captures

    def capture_begins(self, draft: CaptureDraft) -> None:
        """A miss: describes the backward while its autograd graph is still whole."""
        if self._process is None:
            self.process_starts()
        self._give_up_unfinished()
        self._write_unwritten()
        self._unfinished = draft
        draft.step = self._steps
        draft.loop = steps.current
        self._steps += 1
        draft.time = time.time()
        if not trace.is_listening():
            return
        begin = perf_counter()
        draft.modes = _modes()
        try:
            call = find_backward_call()
            draft.stack = call.stack
            noted = self.forward is not None and self.forward.noted
            snapshot = self._snapshooter.take(call, with_lines=noted)
            draft.lines = snapshot.lines
            draft.autograd_graph = snapshot.nodes
            draft.switches = snapshot.switches
            draft.carried_nodes = snapshot.carried
        except Exception as error:
            # A diagnosis that fails must not take the user's backward with it.
            draft.modes["snapshot_error"] = f"{type(error).__name__}: {error}"
        draft.snapshot_seconds = perf_counter() - begin

    def nodes_end(self) -> None:
        """C++ has been through all nodes: what fails now fails with an error that we see."""
        self._unfinished = None

    def capture_ends(self, draft: CaptureDraft) -> None:
        """The graph stands. C++ runs it next, with the hooks that the record is to name."""
        draft.is_first = not self._captures
        self._captures += 1
        if trace.is_listening():
            self._unwritten = draft

    def _write_unwritten(self) -> None:
        """Writes the latest capture: before its graph runs, so that it is there if that fails."""
        draft, self._unwritten = self._unwritten, None
        if draft is None:
            return
        begin = perf_counter()
        try:
            draft.settle_graph()
            self._compare(draft)
        except Exception as error:
            # As in `capture_begins`: what hooks are is the user's, and may be anything.
            draft.modes["snapshot_error"] = f"{type(error).__name__}: {error}"
        draft.snapshot_seconds += perf_counter() - begin
        self._write_capture(draft)

    def capture_failed(self, draft: CaptureDraft, error: BaseException) -> None:
        self._unfinished = None
        self._failed_captures += 1
        # Torch keeps the failed graph's key in its cache, and with a verbose logger its next
        # lookup of that key ends in an internal assert, where without one it is captured
        # again. From here on there are no reasons, until torch's cache is cleared.
        compiled_autograd.set_verbose_logger(None)
        draft.error = describe_error(error)
        if trace.is_listening():
            draft.is_first = not self._captures
            draft.settle_graph()
            self._write_capture(draft)

    def backward_starts(self) -> None:
        """To be called at the start of every backward, captured or not."""
        if self._is_open:
            self._look_back()
        self._is_open = True
        if not compiled_autograd.is_on():
            self.hazards.backward_starts_disabled()
        if self.forward is not None:
            self.forward.backward_starts()

    def _look_back(self) -> None:
        """The backward before this one did not end in a captured graph's run.

        It ran in eager, was refused, failed in its capture, or still runs: around this one, or in
        another thread. Which of them it was cannot be told, so all later ones look back, too.
        """
        self._was_left_open = True
        self._give_up_unfinished()
        handled = exc_info()[1]
        if handled is not None:
            self.hazards.error_is_handled(handled)

    def _give_up_unfinished(self) -> None:
        """When a node raises during capture, C++ drops the compiler without a word.

        So it is found out at the next backward, before C++ meets the failed key again.
        """
        if self._unfinished is not None:
            self.capture_failed(
                self._unfinished, RuntimeError("the capture was abandoned by an error in a node")
            )

    def _compare(self, draft: CaptureDraft) -> None:
        graph = draft.autograd_graph
        if self._earlier:
            closest = self._earlier[find_closest([each.graph for each in self._earlier], graph)]
            draft.closest_capture = closest.capture
            draft.changes = switch_changes(closest.switches, draft.switches)
            draft.changes += find_changes(closest.graph, graph)
        self._earlier.append(_Earlier(draft.id, graph, draft.switches))

    def _write_capture(self, draft: CaptureDraft) -> None:
        trace.compact_artifact(schema.CAPTURE_RECORD, draft.record, capture=draft.id)
        if self.forward is not None and draft.lines is not None:
            self.forward.is_new(draft.id)
            self._write_lines(draft.step, draft.id, draft.lines)

    def _write_lines(self, step: int, capture: int, lines: ForwardLines) -> None:
        record: schema.ForwardRecord = {
            "schema_version": schema.SCHEMA_VERSION,
            "time": time.time(),
            "step": step,
            "capture": capture,
            "frames": lines.frames,
            "nodes": lines.nodes,
            "positions": lines.positions,
        }
        trace.compact_artifact(schema.FORWARD_RECORD, lambda: record)

    # Backwards

    def observe_runs(self, draft: CaptureDraft, wrapper: Callable[..., Any]) -> Callable[..., Any]:
        """``wrapper``, C++'s entry into a captured graph, with each call counted.

        The first call is the miss itself, every later one a hit.
        """
        first_step: int | None = draft.step
        capture, hazards = draft.id, self.hazards
        checks_nans = bool(draft.modes.get("anomaly"))
        compare_modes = hazards.watch(capture, checks_nans=checks_nans, regions=draft.regions)
        is_watched = checks_nans or bool(draft.regions)

        # Behind a long backward none of this is in the processor's cache any more, and each
        # function, method or object that a hit touches costs up to a microsecond.

        def run(*args: Any) -> Any:
            nonlocal first_step
            if not self.is_on:
                return wrapper(*args)
            miss = first_step is not None
            if first_step is None:
                step = self._steps
                self._steps = step + 1
            else:
                step, first_step = first_step, None
                # Not through `draft`: this function lives as long as the cache's entry.
                if self._unwritten is not None and self._unwritten.id == capture:
                    self._unwritten.observe_hook_objects(args)
                    self._write_unwritten()
            forward = self.forward
            if forward is not None and forward.noted and not miss:
                self._read_lines(forward, step, capture)
            if is_watched or torch.is_anomaly_enabled():
                compare_modes(step)
            loop = steps.current
            begin = perf_counter()
            failed = True
            try:
                result = wrapper(*args)
                failed = False
            except BaseException as error:
                hazards.backward_failed(step, capture, error)
                raise
            finally:
                end = perf_counter()
                self._is_open = self._was_left_open
                rows = self._rows
                rows.pending.append((step, capture, begin, end, miss, failed, loop))
                if end > rows.flush_at or len(rows.pending) >= rows.batch:
                    self.flush()
                if forward is not None:
                    forward.backward_ends(missed=miss)
            return result

        return run

    def _read_lines(self, forward: ForwardStacks, step: int, capture: int) -> None:
        """The forward of this hit was noted; its lines are read for each capture once."""
        if not trace.is_listening():
            return
        lines = ForwardLines([], [], [])
        try:
            if forward.is_new(capture):
                call = find_backward_call()
                lines = read_lines(number_nodes(call.roots, call.inputs))
        except Exception:
            # As in `capture_begins`: no line is worth the user's backward.
            lines = ForwardLines([], [], [])
        self._write_lines(step, capture, lines)


def _modes() -> dict[str, object]:
    """What else can make a backward differ."""
    return {
        "grad_enabled": torch.is_grad_enabled(),
        "autocast": {device: f"torch.{dtype}" for device, dtype in autocast_now().items()},
        "deterministic": torch.are_deterministic_algorithms_enabled(),
        "default_dtype": str(torch.get_default_dtype()),
        "matmul_precision": torch.get_float32_matmul_precision(),
        "threads": torch.get_num_threads(),
    }
