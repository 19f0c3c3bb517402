"""Has a callback called before each line of the user's, by ``sys.settrace``.

For CPython before 3.12, whose interpreter has no events of some code alone: a tracer is called for
each call of any Python function. So this is for a run that is made to see lines, and it is off
while something is compiled, which is a million calls.
"""

from __future__ import annotations

import sys
import threading
from types import CodeType, FrameType
from typing import Any

from ca_engine.watch.lines import IsCode, SeenLines
from ca_engine.watch.watchpoints import Watchpoints


class TracedLines(SeenLines):
    """Sees lines by a tracer, threads that ran before the start from their first compile on."""

    def __init__(self, watchpoints: Watchpoints, is_users: IsCode, is_compiled: IsCode) -> None:
        super().__init__(watchpoints, is_users, is_compiled)
        self._paused = threading.local()

    def start(self) -> bool:
        """Begin. Returns whether lines are looked at now: not beside a debugger's tracer."""
        if self._is_on:
            return True
        if sys.gettrace() is not None or threading.gettrace() is not None:
            return False
        self._is_on = True
        for frame in sys._current_frames().values():
            self._trace_stack(frame)
        threading.settrace(self._begins)
        if not getattr(self._paused, "here", False):
            sys.settrace(self._begins)
        # The line that runs now is not known: it began before.
        self.look(None)
        return True

    def stop(self) -> None:
        """Look at no line until the next start."""
        if not self._is_on:
            return
        self._is_on = False
        # Another may have taken the place.
        if sys.gettrace() == self._begins:
            sys.settrace(None)
        if threading.gettrace() == self._begins:
            threading.settrace(None)

    def pause(self) -> None:
        """See nothing in this thread, which begins to compile."""
        self._paused.here = True
        if self._is_on and sys.gettrace() == self._begins:
            sys.settrace(None)

    def go_on(self) -> None:
        """See this thread's lines again, or from now on."""
        self._paused.here = False
        if self._is_on and sys.gettrace() is None:
            sys.settrace(self._begins)

    def _trace_stack(self, frame: FrameType | None) -> None:
        while frame is not None:
            if self.has_lines(frame.f_code) and frame.f_trace is None:
                frame.f_trace = self._of_users
            frame = frame.f_back

    def _begins(self, frame: FrameType, _event: str, _: Any) -> Any:
        """Say what follows what happens in ``frame``, which begins or goes on."""
        if not self._is_on:
            # Whoever stopped it was another thread.
            if sys.gettrace() == self._begins:
                sys.settrace(None)
            return None
        code = frame.f_code
        if self.is_compiled(code):
            frame.f_trace_lines = False
            self.look(code, code.co_firstlineno, compiled=True)
            return self._of_compiled
        return self._of_users if self.is_users(code) else None

    def _of_users(self, frame: FrameType, event: str, _: Any) -> Any:
        if event == "line":
            self.look(frame.f_code, frame.f_lineno)
        elif event == "return":
            self.returned_from(frame)
        return self._of_users if self._is_on else None

    def _of_compiled(self, frame: FrameType, event: str, _: Any) -> Any:
        if event == "return":
            self.returned_from(frame)
        return self._of_compiled

    def look(self, code: CodeType | None, line: int = 0, *, compiled: bool = False) -> None:
        # Another thread may have stopped it since.
        if self._is_on:
            super().look(code, line, compiled=compiled)
