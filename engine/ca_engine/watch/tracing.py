"""Has a callback called before each line of the user's, by ``sys.settrace``.

For CPython before 3.12, whose interpreter has no events of some code alone: a tracer is called for
each call of any Python function. So this is for a run that is made to see lines, and it is off
while something is compiled, which is a million calls.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any

from ca_engine.watch.watchpoints import Watchpoints

IsCode = Callable[[CodeType], bool]


class TracedLines:
    """Calls `Watchpoints.next_line` before each line of code that ``is_users``.

    Code that ``is_compiled`` is what Dynamo made of the user's: its begin and its end are told.
    Threads that ran before the start are looked at from their first compile on.
    """

    def __init__(self, watchpoints: Watchpoints, is_users: IsCode, is_compiled: IsCode) -> None:
        self._watchpoints = watchpoints
        self._is_users = is_users
        self._is_compiled = is_compiled
        self._is_on = False
        self._paused = threading.local()
        os.register_at_fork(after_in_child=self._forked)
        atexit.register(self.stop)  # later, modules lose what they hold

    @property
    def is_on(self) -> bool:
        """Return whether lines are looked at."""
        return self._is_on

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
        self._look(None)
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
            if self._has_lines(frame.f_code) and frame.f_trace is None:
                frame.f_trace = self._of_users
            frame = frame.f_back

    def _has_lines(self, code: CodeType) -> bool:
        return self._is_users(code) and not self._is_compiled(code)

    def _begins(self, frame: FrameType, _event: str, _: Any) -> Any:
        """Say what follows what happens in ``frame``, which begins or goes on."""
        if not self._is_on:
            # Whoever stopped it was another thread.
            if sys.gettrace() == self._begins:
                sys.settrace(None)
            return None
        code = frame.f_code
        if self._is_compiled(code):
            frame.f_trace_lines = False
            self._look(code, code.co_firstlineno, compiled=True)
            return self._of_compiled
        return self._of_users if self._is_users(code) else None

    def _of_users(self, frame: FrameType, event: str, _: Any) -> Any:
        if event == "line":
            self._look(frame.f_code, frame.f_lineno)
        elif event == "return":
            self._returns(frame)
        return self._of_users if self._is_on else None

    def _of_compiled(self, frame: FrameType, event: str, _: Any) -> Any:
        if event == "return":
            self._returns(frame)
        return self._of_compiled

    def _returns(self, frame: FrameType) -> None:
        # Of the caller's line more is executed than what it called: it stores the result, say.
        caller = frame.f_back
        while caller is not None and not self._has_lines(caller.f_code):
            caller = caller.f_back
        if caller is None:
            self._look(None)
        else:
            self._look(caller.f_code, caller.f_lineno or 0)

    def _look(self, code: CodeType | None, line: int = 0, *, compiled: bool = False) -> None:
        if not self._is_on:
            return
        try:
            self._watchpoints.next_line(code, line, compiled=compiled)
        except Exception:  # it would come out of the user's line
            self.stop()

    def _forked(self) -> None:
        """In a child, which mostly loads data."""
        self.stop()
        self._watchpoints.forget()
