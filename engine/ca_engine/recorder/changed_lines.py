"""Tells which line of the user's changed what a failed guard reads, from the first miss on.

From CPython 3.12 on, within a hundredth of the run's time (`ca_engine.watch.monitoring`). A run
that is made to see lines (`ca run --watch-lines`) takes what it needs, on older ones by a tracer
(`ca_engine.watch.tracing`), and looks at what failed in an earlier run before it fails in this one.
"""

from __future__ import annotations

import functools
import sys
import sysconfig
from collections import defaultdict
from collections.abc import Iterable
from types import CodeType
from typing import Any

from ca_engine import guards, schema
from ca_engine.compat import dynamo, tensors
from ca_engine.recorder.held import HeldValues
from ca_engine.recorder.stack import is_users_file
from ca_engine.settings import WatchedSource
from ca_engine.watch.lines import SeenLines
from ca_engine.watch.monitoring import SHARE, LineEvents
from ca_engine.watch.tracing import TracedLines
from ca_engine.watch.watchpoints import SeenChange, Watchpoints

_LIBRARIES = tuple(
    f"{folder}/"
    for name, folder in sysconfig.get_paths().items()
    if name in ("stdlib", "platstdlib", "purelib", "platlib")
)


class ChangedLines:
    """Tells of each failed guard which line changed its value since the guard failed before.

    ``asked_for`` says that the run is made for that, whatever it takes. What is ``expected`` to
    fail is looked at from the first compile of its function on.
    """

    def __init__(
        self,
        values: HeldValues,
        *,
        asked_for: bool = False,
        expected: Iterable[WatchedSource] = (),
    ) -> None:
        def describe(value: Any) -> schema.HeldRecord:
            with tensors.without_torch_functions():
                return values.describe(value)

        self._watched = Watchpoints(describe)
        whose = self._watched, _is_users, dynamo.is_compiled_code
        self._events: SeenLines
        if asked_for and sys.version_info < (3, 12):
            self._events = TracedLines(*whose)
        else:
            self._events = LineEvents(*whose, share=None if asked_for else SHARE)
        self._expected: dict[tuple[str, int], list[str]] = defaultdict(list)
        for file, line, source in expected:
            self._expected[file, line].append(source)

    def begin(self, frame: Any) -> None:
        """Watch what is expected to fail of a frame that is compiled for the first time."""
        code = frame.f_code
        sources = self._expected.get((code.co_filename, code.co_firstlineno), ())
        for source in sources:
            self._watched.add(code, source, frame.f_locals, frame.f_globals)
        if sources and len(self._watched):
            self._events.start()

    def compile_begins(self) -> None:
        """See nothing of this thread, which compiles."""
        self._events.pause()

    def compile_ends(self) -> None:
        """Look at this thread's lines again."""
        self._events.go_on()

    def tell(self, frame: Any, reasons: list[str], failed: list[schema.FailedGuardRecord]) -> None:
        """Add to ``failed`` what is known of the frame's guards, and watch them from now on."""
        for reason, record in zip(reasons, failed, strict=False):
            guard = guards.parse(reason)[0]
            if not guard.source or guard.kind == "global_state":
                continue
            where = frame.f_code, guard.source, frame.f_locals, frame.f_globals
            change = self._watched.last_change(*where)
            if change is not None:
                record["changed"] = _told(change)
            self._watched.add(*where)
        if len(self._watched):
            self._events.start()

    def stop(self) -> None:
        """Watch nothing any more."""
        self._events.stop()
        self._watched.forget()


@functools.lru_cache(maxsize=4096)
def _is_users_path(file: str) -> bool:
    return is_users_file(file) and not file.startswith((*_LIBRARIES, "<"))


def _is_users(code: CodeType) -> bool:
    return _is_users_path(code.co_filename)


def _told(change: SeenChange) -> schema.ChangedRecord:
    place = change.place
    return {
        "file": place.file,
        "line": place.line,
        "function": place.function,
        "compiled": place.compiled,
        "before": change.before,
        "after": change.after,
    }
