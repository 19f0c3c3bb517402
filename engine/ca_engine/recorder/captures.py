"""The captures of one process, from the miss to the record."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any, NamedTuple

from ca_engine import schema, trace
from ca_engine.compat import compiled_autograd
from ca_engine.recorder.difference import find_changes, find_closest
from ca_engine.recorder.forward import ForwardStacks
from ca_engine.recorder.modules import ModuleState, state_changes
from ca_engine.recorder.open_capture import OpenCapture
from ca_engine.recorder.snapshot import GraphSnapshotter
from ca_engine.recorder.stack import find_backward_call

# Earlier captures that a new one is compared with.
REMEMBERED_CAPTURES = 8


class _Earlier(NamedTuple):
    capture: int
    call: tuple[tuple[str, int], ...]
    graph: list[schema.AutogradNode]
    module_state: ModuleState


class Captures:
    """Has each capture described while its graph is whole, compared, and written before it runs."""

    def __init__(self) -> None:
        self._earlier: deque[_Earlier] = deque(maxlen=REMEMBERED_CAPTURES)
        self.begin_again(None)

    def begin_again(self, forward: ForwardStacks | None) -> None:
        """Reset counts and forget earlier captures; ``forward`` notes lines from now on."""
        self._forward = forward
        self._snapshotter = GraphSnapshotter()
        self.forget_counts()
        self.forget_earlier()

    def forget_counts(self) -> None:
        """Forget the counts: a forked child captured nothing; what is in flight isn't its own."""
        self.count = self.failed = 0
        self._unfinished: OpenCapture | None = None
        self._unwritten: OpenCapture | None = None

    def forget_earlier(self) -> None:
        self._earlier.clear()

    def begin(self, capture: OpenCapture, step: int) -> None:
        """Describe the backward that missed while its autograd graph is still whole."""
        self.settle()
        self._unfinished = capture
        capture.begins(step)
        if not trace.is_listening():
            return
        with capture.diagnosed():
            capture.is_called_under_modes()
            call = find_backward_call()
            capture.is_called_from(call)
            noted = self._forward is not None and self._forward.noted
            capture.has_graph(self._snapshotter.take(call, with_lines=noted))

    def nodes_end(self) -> None:
        """C++ has been through all nodes: what fails now fails with an error that we see."""
        self._unfinished = None

    def end(self, capture: OpenCapture) -> None:
        """Take the graph. C++ runs it next, with the hooks that the record is to name."""
        self._mark_first(capture)
        self.count += 1
        if trace.is_listening():
            self._unwritten = capture

    def fail(self, capture: OpenCapture, error: BaseException) -> None:
        self._unfinished = None
        self.failed += 1
        # Torch keeps the failed graph's key in its cache, and with a verbose logger its next
        # lookup of that key ends in an internal assert, where without one it is captured
        # again. From here on there are no reasons, until torch's cache is cleared.
        compiled_autograd.set_verbose_logger(None)
        capture.fails(error)
        if trace.is_listening():
            self._mark_first(capture)
            capture.settle_graph()
            self._write(capture)

    def _mark_first(self, capture: OpenCapture) -> None:
        if not self.count:
            capture.is_first()

    def first_run(self, id: int, arguments: Sequence[Any]) -> None:
        """Capture ``id`` runs for the first time: writes it, so that it is there if that fails."""
        # Asked for by its id: who calls this lives as long as the cache's entry.
        if self._unwritten is not None and self._unwritten.id == id:
            self._unwritten.runs_with(arguments)
            self._write_unwritten()

    def settle(self) -> None:
        """Write what is not written yet. Not from within a backward: its capture would end."""
        self.give_up_unfinished()
        self._write_unwritten()

    def give_up_unfinished(self) -> None:
        """Drop captures that a node ended by raising: C++ drops the compiler without a word.

        So it is found out at the next backward, before C++ meets the failed key again. A backward
        of another thread may come while the capture is still under way.
        """
        if self._unfinished is not None and self._unfinished.is_given_up:
            self.fail(
                self._unfinished, RuntimeError("the capture was abandoned by an error in a node")
            )

    def _write_unwritten(self) -> None:
        capture, self._unwritten = self._unwritten, None
        if capture is None:
            return
        # What hooks are is the user's, and may be anything.
        with capture.diagnosed():
            capture.settle_graph()
            self._compare(capture)
        self._write(capture)

    def _compare(self, capture: OpenCapture) -> None:
        graph, module_state = capture.autograd_graph, capture.module_state
        if self._earlier:
            # A backward that is called elsewhere is another one, however alike: a generator's.
            same = [each for each in self._earlier if each.call == capture.call] or list(
                self._earlier
            )
            closest = same[find_closest([each.graph for each in same], graph)]
            changes = state_changes(closest.module_state, module_state)
            changes += find_changes(closest.graph, graph)
            capture.differs_from(closest.capture, changes)
        self._earlier.append(_Earlier(capture.id, capture.call, graph, module_state))

    def _write(self, capture: OpenCapture) -> None:
        trace.compact_artifact(schema.CAPTURE_RECORD, capture.record, capture=capture.id)
        if self._forward is not None and capture.lines is not None:
            self._forward.write(capture.step, capture.id, capture.lines)
