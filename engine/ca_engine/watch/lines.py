"""The base of every way of seeing lines: whose they are, and the look at watched values."""

from __future__ import annotations

import atexit
import os
from abc import ABC, abstractmethod
from collections.abc import Callable
from types import CodeType, FrameType

from ca_engine.watch.watchpoints import Watchpoints

IsCode = Callable[[CodeType], bool]


class SeenLines(ABC):
    """Calls `Watchpoints.next_line` before each line of code that ``is_users``.

    Code that ``is_compiled`` is what Dynamo made of the user's: its begin and its end are told.
    """

    def __init__(self, watchpoints: Watchpoints, is_users: IsCode, is_compiled: IsCode) -> None:
        self._watchpoints = watchpoints
        self.next_line = watchpoints.next_line
        self.is_users = is_users
        self.is_compiled = is_compiled
        self._is_on = False
        os.register_at_fork(after_in_child=self._forked)
        atexit.register(self.stop)  # later, modules lose what they hold

    @property
    def is_on(self) -> bool:
        """Return whether lines are looked at."""
        return self._is_on

    @abstractmethod
    def start(self) -> bool:
        """Begin, or go on. Returns whether lines are looked at now."""

    @abstractmethod
    def stop(self) -> None:
        """Look at no line until the next start."""

    def pause(self) -> None:  # noqa: B027 -- most cost nothing meanwhile
        """See nothing in this thread, which begins to compile."""

    def go_on(self) -> None:  # noqa: B027
        """See this thread's lines again, or from now on."""

    def has_lines(self, code: CodeType) -> bool:
        """Return whether the lines of ``code`` are looked at."""
        return self.is_users(code) and not self.is_compiled(code)

    def returned_from(self, frame: FrameType) -> None:
        """Look at what ``frame``, which ends, has changed: its caller's line goes on."""
        # More of that is executed than what it called: it stores the result, say.
        caller = frame.f_back
        while caller is not None and not self.has_lines(caller.f_code):
            caller = caller.f_back
        if caller is None:
            self.look(None)
        else:
            self.look(caller.f_code, caller.f_lineno or 0)

    def look(self, code: CodeType | None, line: int = 0, *, compiled: bool = False) -> None:
        """Look at what is watched: ``line`` of ``code`` is executed next, None is not known."""
        try:
            self.next_line(code, line, compiled=compiled)
        except Exception:  # it would come out of the user's line
            self.stop()

    def _forked(self) -> None:
        """In a child, which mostly loads data."""
        self.stop()
        self._watchpoints.forget()
