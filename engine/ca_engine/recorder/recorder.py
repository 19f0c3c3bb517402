"""The recorder of a process: when recordings begin and end, whatever the process does."""

from __future__ import annotations

import atexit
import os
from collections.abc import Callable
from dataclasses import replace
from multiprocessing import parent_process
from multiprocessing.util import Finalize, register_after_fork

from ca_engine import trace
from ca_engine.recorder.call_sizes import CallSizes
from ca_engine.recorder.call_times import CallTimes
from ca_engine.recorder.captures import Captures
from ca_engine.recorder.cells import Cells
from ca_engine.recorder.core_waits import CoreWaits
from ca_engine.recorder.cudagraph_skips import CudaGraphSkips
from ca_engine.recorder.forward import ForwardStacks
from ca_engine.recorder.gpu import GpuWaits
from ca_engine.recorder.groups import Groups
from ca_engine.recorder.late_hooks import LateHooks
from ca_engine.recorder.open_capture import OpenCapture
from ca_engine.recorder.process import RecordedProcess, Totals
from ca_engine.recorder.runs import Runs
from ca_engine.settings import Settings

# Captures wait for a core under one name: their ids come later, and one is under way at a time.
_CAPTURE = "capture"


class Recorder:
    """The records of one process. Observes captures through `observer.ObservedCompiler`.

    Everything is written to torch's structured trace; without one nothing is recorded. There
    is one for the whole process, however often it is recorded: captured graphs live in torch's
    cache from one recording to the next, and tell their hits to whoever saw their capture.
    """

    def __init__(self, settings: Settings | None = None) -> None:
        self.captures = Captures()
        self.runs = Runs(self.captures, self.ensure_started)
        self.gpu = GpuWaits()
        self.cudagraph_skips = CudaGraphSkips()
        self.cores = CoreWaits()
        self.calls = CallTimes(self.ensure_started)
        self.sizes = CallSizes(self.ensure_started)
        self.hooks = LateHooks(self.ensure_started)
        self.cells = Cells()
        self.groups = Groups(self.ensure_started)
        self.begin_again(settings or Settings())
        os.register_at_fork(after_in_child=self._forget_counts)
        register_after_fork(self, Recorder._end_with_multiprocessing)
        if parent_process() is not None:
            # A child that was forked before it imported torch: nothing forks it any more.
            self._end_with_multiprocessing()

    def begin_again(self, settings: Settings | None = None) -> None:
        """Reset counts and forget earlier captures; other ``settings`` hold from now on."""
        if settings is not None:
            self._settings = settings
        self._process: RecordedProcess | None = None
        forward = ForwardStacks.chosen(self._settings.forward_stacks)
        self.captures.begin_again(forward)
        self.runs.begin_again(forward)
        self.calls.forget()
        self.cells.forget()
        self.groups.forget()
        self.sizes.begin_again(on=self._settings.sizes)
        self.hooks.begin_again()

    def _forget_counts(self) -> None:
        """In a forked child, which has run no backward yet.

        Most forked children load data and never run one: those that do say then who they are.
        """
        self._process = None
        self._settings = replace(self._settings, started=None)
        self.captures.forget_counts()
        self.runs.forget_counts()
        self.gpu.forget()
        self.cores.forget()
        self.calls.forget()
        self.groups.forget()
        self.sizes.forget()
        self.hooks.forget()

    def _end_with_multiprocessing(self) -> None:
        """End with `multiprocessing`: a child that it forked ends by `os._exit`, without atexit."""
        Finalize(self, self._ends_once, exitpriority=0)

    def _ends_once(self) -> None:
        atexit.unregister(self.process_ends)  # spawned children go on to that as well
        self.process_ends()

    def process_starts(self) -> None:
        self._process = RecordedProcess(self._settings)

    def ensure_started(self) -> None:
        if self._process is None:
            self.process_starts()

    def process_ends(self) -> None:
        """To be called when the interpreter ends."""
        self.settle()
        if self._process is not None:
            self.end(self._process.uncaught())

    def end(self, error: BaseException | None = None) -> None:
        """End the recording, because of ``error`` if there is one."""
        self.settle()
        if self._process is not None:
            self._process.end(self._totals(), error)
        self._process = None
        self.captures.forget_earlier()
        trace.settle()

    def stop(self) -> None:
        """Record nothing until the next recording begins."""
        self.runs.stop()
        self.calls.stop()
        self.sizes.stop()
        self.hooks.stop()
        self.cudagraph_skips.stop()

    def begin_part(self) -> Callable[[BaseException | None], None]:
        """Write the begin of a recording within this one; return what writes its end."""
        process = RecordedProcess(self._settings, self._totals())
        self.cells.forget()
        self.groups.forget()
        self.cudagraph_skips.forget()

        def end(error: BaseException | None) -> None:
            process.end(self._totals(), error)

        return end

    def settle(self) -> None:
        """Flush pending records so that a reader sees them. Not from within a backward."""
        self.captures.settle()
        self.runs.flush()
        self.calls.flush()
        self.sizes.flush()
        self.gpu.write()
        trace.settle()

    def capture_begins(self, capture: OpenCapture) -> None:
        """Begin a capture: a backward missed the cache."""
        self.ensure_started()
        self.cells.write(self._settings)
        self.groups.write()
        self.gpu.capture_begins(capture)
        self.cores.begins(_CAPTURE)
        self.captures.begin(capture, self.runs.take_step())

    def capture_ends(self, capture: OpenCapture) -> None:
        """Its graph stands, and runs next."""
        self.captures.end(capture)
        self.gpu.capture_ends(capture, capture.id)
        self.cores.ends(_CAPTURE, f"!{capture.id}")

    def compile_begins(self, compile_id: str) -> None:
        """Dynamo or AOTAutograd compiles."""
        self.cells.write(self._settings)
        self.groups.write()
        self.gpu.compile_begins(compile_id)
        self.cores.begins(compile_id)
        self.runs.hazards.compile_begins(compile_id)

    def compile_ends(self, compile_id: str) -> None:
        """Dynamo or AOTAutograd is done."""
        self.gpu.compile_ends(compile_id)
        self.cudagraph_skips.compile_ends()
        self.cores.ends(compile_id, compile_id)

    def _totals(self) -> Totals:
        hazards, left_out = self.runs.hazards.totals()
        return Totals(
            backwards=self.runs.steps,
            captures=self.captures.count,
            failed_captures=self.captures.failed,
            hits=self.runs.hits(),
            hazards=hazards,
            hazards_left_out=left_out,
        )
