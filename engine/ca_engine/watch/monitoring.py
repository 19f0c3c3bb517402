"""Has a callback called before each line of the user's, by ``sys.monitoring`` (CPython 3.12 on).

Events are set on code objects of the user's only: a library's code costs one event for each code
object, once. Without `start`, none is set, and nothing costs anything.

Looking may take a hundredth of the time since it began, and what it costs is measured. Where it
would take more, as in long loops of plain Python, it ends until it is started again. A run that is
made to see lines has no such bound.
"""

from __future__ import annotations

import sys
import weakref
from math import inf
from time import perf_counter, thread_time_ns
from types import CodeType, FrameType
from typing import Any

from ca_engine.watch.lines import IsCode, SeenLines
from ca_engine.watch.watchpoints import Watchpoints

# Of the time since the first start, and what may be spent at once.
SHARE = 0.01
GRACE = 0.01  # seconds
# CPython calls a callback in this time, measured on 3.13.
_DISPATCH = 1.2e-7  # seconds
_SAMPLES_EVERY = 32
_CHECKS_EVERY = 256
# Debuggers, coverage tools, profilers and optimizers have numbers of their own.
_TOOLS = (4, 3)
_MAX_CODES = 4_096


class LineEvents(SeenLines):
    """Sees lines by events of CPython's.

    ``share`` is the part of the time since the start that this may take; None is any.
    """

    def __init__(
        self,
        watchpoints: Watchpoints,
        is_users: IsCode,
        is_compiled: IsCode,
        share: float | None = SHARE,
    ) -> None:
        super().__init__(watchpoints, is_users, is_compiled)
        self._share = share
        # None where CPython has no such events.
        self._monitoring: Any = getattr(sys, "monitoring", None)
        self._tool: int | None = None
        self._codes: dict[int, weakref.ref[CodeType]] = {}
        self._began: float | None = None
        self._events = 0
        self._spent = 0.0

    def start(self) -> bool:
        """Begin, or go on after the time was spent. Returns whether lines are looked at now."""
        if self._is_on:
            return True
        monitoring = self._monitoring
        if monitoring is None or (self._tool is None and not self._take_tool()):
            return False
        now = perf_counter()
        if self._began is None:
            self._began = now
        if self._spent > self._allowed(now):
            return False
        self._is_on = True
        for code in self._living():
            self._set(code)
        for frame in sys._current_frames().values():
            self._set_stack(frame)
        monitoring.set_events(self._tool, monitoring.events.PY_START)
        # The line that runs now is not known: it began before.
        self.next_line(None)
        return True

    def stop(self) -> None:
        """Look at no line until the next start."""
        if not self._is_on:
            return
        self._is_on = False
        self._monitoring.set_events(self._tool, 0)
        for code in self._living():
            self._monitoring.set_local_events(self._tool, code, 0)

    def _living(self) -> list[CodeType]:
        """Return the code objects that events were set on, as far as there are any left."""
        return [found for ref in self._codes.values() if (found := ref()) is not None]

    def _take_tool(self) -> bool:
        monitoring = self._monitoring
        for tool in _TOOLS:
            if monitoring.get_tool(tool) is None:
                monitoring.use_tool_id(tool, "ca")
                events = monitoring.events
                monitoring.register_callback(tool, events.PY_START, self._code_begins)
                monitoring.register_callback(tool, events.LINE, self._line)
                monitoring.register_callback(tool, events.PY_RETURN, self._returns)
                monitoring.register_callback(tool, events.PY_YIELD, self._returns)
                self._tool = tool
                return True
        return False

    def _set_stack(self, frame: FrameType | None) -> None:
        while frame is not None:
            if self.has_lines(frame.f_code):
                self._set(frame.f_code)
            frame = frame.f_back

    def _set(self, code: CodeType) -> None:
        events = self._monitoring.events
        returns = events.PY_RETURN | events.PY_YIELD
        wanted = returns if self.is_compiled(code) else returns | events.LINE
        key = id(code)
        if key not in self._codes:
            if len(self._codes) >= _MAX_CODES:
                return
            self._codes[key] = weakref.ref(code, lambda _: self._codes.pop(key, None))
        self._monitoring.set_local_events(self._tool, code, wanted)

    def _code_begins(self, code: CodeType, _: int) -> Any:
        if self.is_compiled(code):
            self._set(code)
            self.look(code, code.co_firstlineno, compiled=True)
            return None
        if self.is_users(code):
            self._set(code)
        return self._monitoring.DISABLE

    def _line(self, code: CodeType, line: int) -> None:
        self._events += 1
        if self._events % _SAMPLES_EVERY:
            try:
                self.next_line(code, line)
            except Exception:  # it would come out of the user's line
                self.stop()
            return
        begin = thread_time_ns()
        self.look(code, line)
        took = (thread_time_ns() - begin) / 1e9
        self._spent += (took + _DISPATCH) * _SAMPLES_EVERY
        if not self._events % _CHECKS_EVERY and self._spent > self._allowed(perf_counter()):
            self.stop()

    def _returns(self, _code: CodeType, _offset: int, _value: Any) -> None:
        self.returned_from(sys._getframe(1))

    def _allowed(self, now: float) -> float:
        assert self._began is not None
        return inf if self._share is None else GRACE + self._share * (now - self._began)
