"""The backwards of one process: each counted, and each run of a captured graph noted in a row."""

from __future__ import annotations

from collections.abc import Callable
from sys import exc_info
from time import perf_counter
from typing import Any

import torch

from ca_engine import steps, trace
from ca_engine.compat import compiled_autograd, dynamo
from ca_engine.recorder.captures import Captures
from ca_engine.recorder.forward import ForwardStacks, NodeLines, read_lines
from ca_engine.recorder.hazards import Hazards
from ca_engine.recorder.open_capture import OpenCapture
from ca_engine.recorder.rows import BackwardRows
from ca_engine.recorder.snapshot import number_nodes
from ca_engine.recorder.stack import find_backward_call
from ca_engine.recorder.step_times import StepTimes


class Runs:
    """Watches backwards start, and captured graphs run.

    ``before_rows`` is called before rows are written.
    """

    def __init__(self, captures: Captures, before_rows: Callable[[], None]) -> None:
        self._captures = captures
        self._before_rows = before_rows
        self._rows = BackwardRows()
        self._eager = StepTimes("backward", before_rows)
        self._named = StepTimes("named", before_rows)
        self.hazards = Hazards(lambda: self.steps)
        self._forward: ForwardStacks | None = None
        self.begin_again(None)

    def begin_again(self, forward: ForwardStacks | None) -> None:
        """Reset counts; ``forward`` notes lines from now on."""
        self.stop()
        self.is_on = True
        steps.listener = self._named.note
        self._forward = forward
        self.forget_counts()

    def forget_counts(self) -> None:
        """Forget the counts: a forked child has run no backward yet."""
        self.steps = 0
        self._rows.forget()
        self._eager.forget()
        self._named.forget()
        # Whether a backward started that did not end in a captured graph's run so far, and
        # whether any ever did: see `_look_back`.
        self._is_open = self._was_left_open = False
        self.hazards.forget_counts()
        if self._forward is not None:
            self._forward.forget()

    def stop(self) -> None:
        """Graphs that were captured until now run unobserved."""
        self.is_on = False
        steps.listener = None
        if self._forward is not None:
            self._forward.forget()

    def hits(self) -> int:
        return self._rows.hits()

    def take_step(self) -> int:
        """Return the number of a backward that has just reached compiled autograd."""
        step = self.steps
        self.steps = step + 1
        return step

    def flush(self) -> None:
        """Write the backwards and steps since the last flush."""
        if self._rows.pending:
            self._before_rows()
        self._rows.flush()
        self._eager.flush()
        self._named.flush()

    def backward_starts(self) -> None:
        """To be called at the start of every backward, captured or not."""
        if self._is_open:
            self._look_back()
        self._is_open = True
        if not compiled_autograd.is_on():
            self.hazards.backward_starts_disabled()
            if self.is_on and not dynamo.is_tracing():
                self._eager.note()
        if self._forward is not None:
            self._forward.backward_starts()

    def _look_back(self) -> None:
        """Note that the backward before this one did not end in a captured graph's run.

        It ran in eager, was refused, failed in its capture, or still runs: around this one, or in
        another thread. Which of them it was cannot be told, so all later ones look back, too.
        """
        self._was_left_open = True
        self._captures.give_up_unfinished()
        handled = exc_info()[1]
        if handled is not None:
            self.hazards.error_is_handled(handled)

    def observe(self, open_capture: OpenCapture, wrapper: Callable[..., Any]) -> Callable[..., Any]:
        """Return ``wrapper``, C++'s entry into a captured graph, with each call counted.

        The first call is the miss itself, every later one a hit.
        """
        # Nothing of the open capture itself: what is returned lives as long as the cache's entry.
        first_step: int | None = open_capture.step
        capture, hazards, checks_nans = open_capture.id, self.hazards, open_capture.checks_nans
        regions = open_capture.regions
        compare_modes = hazards.watch(capture, checks_nans=checks_nans, regions=regions)
        is_watched = checks_nans or bool(regions)

        # Behind a long backward none of this is in the processor's cache any more, and each
        # function, method or object that a hit touches costs up to a microsecond.

        def run(*args: Any) -> Any:
            nonlocal first_step
            if not self.is_on:
                return wrapper(*args)
            miss = first_step is not None
            if first_step is None:
                step = self.steps
                self.steps = step + 1
            else:
                step, first_step = first_step, None
                self._captures.first_run(capture, args)
            forward = self._forward
            if forward is not None and forward.noted and not miss:
                _read_lines(forward, step, capture)
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


def _read_lines(forward: ForwardStacks, step: int, capture: int) -> None:
    """Read the noted lines of this hit's forward, once for each capture."""
    if not trace.is_listening() or not forward.is_read(capture):
        return
    lines = NodeLines([], [], [])
    try:
        if forward.is_new(capture):
            call = find_backward_call()
            lines = read_lines(number_nodes(call.roots, call.inputs))
    except Exception:
        # As in `Captures.begin`: no line is worth the user's backward.
        lines = NodeLines([], [], [])
    forward.write(step, capture, lines)
