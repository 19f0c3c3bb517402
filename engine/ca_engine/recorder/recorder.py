"""Keeps count of backwards and writes the records of `ca_engine.schema`."""

from __future__ import annotations

import atexit
import os
import platform
import socket
import sys
import time
from collections import deque
from collections.abc import Callable
from multiprocessing import parent_process
from multiprocessing.util import Finalize, register_after_fork
from pathlib import Path
from time import perf_counter
from typing import Any, Literal, NamedTuple

import torch

from ca_engine import compat, schema, steps, trace
from ca_engine.recorder.difference import closeness, find_changes
from ca_engine.recorder.draft import CaptureDraft
from ca_engine.recorder.forward import ForwardLines, ForwardStacks, read_lines
from ca_engine.recorder.hazards import Hazards, describe_error
from ca_engine.recorder.modules import Switches, switch_changes
from ca_engine.recorder.snapshot import Snapshooter, number_nodes
from ca_engine.recorder.stack import find_backward_call, user_frames_of
from ca_engine.version import __version__

# A hit must cost next to nothing, so backwards are written in batches. The first batches are
# small and then double, so that a job that hangs after a few backwards has told of them.
FLUSH_SECONDS = 1.0
FLUSH_ROWS = 1_000
# Earlier captures that a new one is compared with.
REMEMBERED_CAPTURES = 8


# A backward: its step, its capture, when it began and ended, whether it missed, whether it
# failed, its loop position. A plain tuple: making one of a class costs half of a hit.
BackwardRow = tuple[int, int, float, float, bool, bool, steps.Position | None]


class _Earlier(NamedTuple):
    capture: int
    graph: list[schema.AutogradNode]
    switches: Switches


class Recorder:
    """The records of one process. Observes captures through `observer.ObservedCompiler`.

    Everything is written to torch's structured trace; without one nothing is recorded.
    """

    def __init__(
        self,
        engine: Literal["ca", "torch"],
        *,
        enabled: bool = False,
        backend: str | None = None,
        dynamic: bool | None = None,
        forward_stacks: bool = False,
    ) -> None:
        self._engine = engine
        self._enabled = enabled
        self._backend = backend
        self._dynamic = dynamic
        self._epoch = time.time() - perf_counter()
        self._snapshooter = Snapshooter()
        self._earlier: deque[_Earlier] = deque(maxlen=REMEMBERED_CAPTURES)
        self._unfinished: CaptureDraft | None = None
        self._unwritten: CaptureDraft | None = None
        self.hazards = Hazards(lambda: self._steps)
        self.forward = ForwardStacks() if forward_stacks else None
        self._forget_counts()
        self._is_introduced = False
        os.register_at_fork(after_in_child=self._start_in_child)
        register_after_fork(self, Recorder._end_with_multiprocessing)
        if parent_process() is not None:
            # A child that was forked before it imported torch: nothing forks it any more.
            self._end_with_multiprocessing()

    def _forget_counts(self) -> None:
        """A forked child has run no backward yet; what is in flight is its parent's."""
        self._steps = self._captures = self._failed_captures = self._hits = 0
        self._rows: list[BackwardRow] = []
        self._batch = 1
        self._flush_at = perf_counter() + FLUSH_SECONDS
        self._unfinished = None
        self._unwritten = None
        # Whether a backward started that did not end in a captured graph's run, so far.
        self._is_open = False
        self.hazards.forget_counts()
        if self.forward is not None:
            self.forward.forget()

    def _end_with_multiprocessing(self) -> None:
        """A child that `multiprocessing` forked ends by `os._exit`, without atexit."""
        Finalize(self, self._ends_once, exitpriority=0)

    def _ends_once(self) -> None:
        atexit.unregister(self.process_ends)  # spawned children go on to that as well
        self.process_ends()

    def _start_in_child(self) -> None:
        self._forget_counts()
        # Most forked children load data and never run a backward: those that do say then
        # who they are.
        self._is_introduced = False

    # The process

    def process_starts(self) -> None:
        self._is_introduced = True
        # Torch counts for the whole process, of which this may be a part.
        self._graphs_before = compat.unique_graphs()
        self._cache_before = compat.aot_cache_counters()
        rank = os.environ.get("RANK", "")
        record: schema.RunRecord = {
            "schema_version": schema.SCHEMA_VERSION,
            "time": time.time(),
            "pid": os.getpid(),
            "ppid": os.getppid(),
            "rank": int(rank) if rank.isdecimal() else None,
            "argv": list(sys.argv),
            "cwd": _current_folder(),
            "executable": sys.executable,
            "host": socket.gethostname(),
            "platform": platform.platform(),
            "versions": {
                "python": platform.python_version(),
                "torch": torch.__version__,
                "ca": __version__,
            },
            "engine": self._engine,
            "enabled": self._enabled,
            "backend": self._backend,
            "dynamic": self._dynamic,
        }
        trace.compact_artifact(schema.RUN_RECORD, lambda: record)

    def settle(self) -> None:
        """Writes what is not written yet. Not from within a backward: its capture would end."""
        self._give_up_unfinished()
        self._write_unwritten()
        self.flush()

    def begin_anew(self) -> None:
        """Nothing before this counts, and no earlier capture is compared with."""
        self._forget_counts()
        self.forget()

    def forget(self) -> None:
        """Frees the earlier captures' graphs; nothing is compared with them any more."""
        self._earlier.clear()

    def process_ends(self) -> None:
        self.settle()
        error: BaseException | None = getattr(sys, "last_value", None)
        hazards, hazards_left_out = self.hazards.totals()
        record: schema.EndRecord = {
            "schema_version": schema.SCHEMA_VERSION,
            "time": time.time(),
            "backwards": self._steps,
            "captures": self._captures,
            "failed_captures": self._failed_captures,
            "hits": self._hits,
            "unique_graphs": max(0, compat.unique_graphs() - self._graphs_before),
            "error": None if error is None else type(error).__name__,
            "error_text": None if error is None else describe_error(error),
            "error_stack": [] if error is None else user_frames_of(error),
            "hazards": hazards,
            "hazards_left_out": hazards_left_out,
            "aot_cache": {
                name: count
                for name, counted in compat.aot_cache_counters().items()
                if (count := counted - self._cache_before.get(name, 0)) > 0
            },
        }
        trace.compact_artifact(schema.END_RECORD, lambda: record)

    # Captures

    def capture_begins(self, draft: CaptureDraft) -> None:
        """A miss: describes the backward while its autograd graph is still whole."""
        if not self._is_introduced:
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
        call = find_backward_call()
        draft.stack = call.stack
        draft.modes = _modes()
        try:
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

    def capture_ends(self, draft: CaptureDraft) -> None:
        """The graph stands. C++ runs it next, with the hooks that the record is to name."""
        self._unfinished = None
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
        compat.set_verbose_logger(None)
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
        if not compat.torch_engine.compiled_autograd_enabled:
            self.hazards.backward_starts_disabled()
        if self.forward is not None:
            self.forward.backward_starts()

    def _look_back(self) -> None:
        """The backward before this one did not end in a captured graph's run.

        It ran in eager, was refused, failed in its capture, or is still running around this one.
        """
        self._give_up_unfinished()
        handled = sys.exc_info()[1]
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
            # Of equally close ones the latest: `max` keeps the first of a tie.
            closest = max(
                reversed(self._earlier), key=lambda earlier: closeness(earlier.graph, graph)
            )
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
        first_step: int | None = self._steps - 1
        capture, hazards, forward = draft.id, self.hazards, self.forward
        checks_nans = bool(draft.modes.get("anomaly"))
        compare_modes = hazards.watch(capture, checks_nans=checks_nans, regions=draft.regions)
        is_watched = checks_nans or bool(draft.regions)

        # Behind a long backward none of this is in the processor's cache any more, and each
        # function, method or object that a hit touches costs up to a microsecond.

        def run(*args: Any) -> Any:
            nonlocal first_step
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
                self._is_open = False
                self._rows.append((step, capture, begin, end, miss, failed, loop))
                if end > self._flush_at or len(self._rows) >= self._batch:
                    self._batch = min(2 * self._batch, FLUSH_ROWS)
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

    def flush(self) -> None:
        """Writes the backwards since the last flush."""
        rows, self._rows = self._rows, []
        self._flush_at = perf_counter() + FLUSH_SECONDS
        if not rows:
            return
        step, capture, begin, end, miss, failed, loop = zip(*rows, strict=True)
        self._hits += miss.count(False)
        if not trace.is_listening():
            return
        start = begin[0]
        record: schema.BackwardsRecord = {
            "schema_version": schema.SCHEMA_VERSION,
            "time": self._epoch + start,
            "step": list(step),
            "capture": list(capture),
            "start": [round(each - start, 6) for each in begin],
            "seconds": [round(to - since, 6) for since, to in zip(begin, end, strict=True)],
            "miss": [int(each) for each in miss],
            "failed": [int(each) for each in failed],
        }
        if any(loop):
            positions = [each or steps.NOWHERE for each in loop]
            record["loop_step"] = [position.step for position in positions]
            record["loop_epoch"] = [position.epoch for position in positions]
            record["loop_phase"] = [position.phase for position in positions]
        trace.compact_artifact(schema.BACKWARDS_RECORD, lambda: record)


def _modes() -> dict[str, object]:
    """What else can make a backward differ."""
    return {
        "grad_enabled": torch.is_grad_enabled(),
        "autocast": {
            device: str(torch.get_autocast_dtype(device))
            for device in ("cpu", "cuda")
            if torch.is_autocast_enabled(device)
        },
        "deterministic": torch.are_deterministic_algorithms_enabled(),
        "default_dtype": str(torch.get_default_dtype()),
        "matmul_precision": torch.get_float32_matmul_precision(),
        "threads": torch.get_num_threads(),
    }


def _current_folder() -> str:
    try:
        return str(Path.cwd())
    except FileNotFoundError:  # the script removed it
        return ""
