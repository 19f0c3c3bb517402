"""Times calls of compiled functions: the cost of a recompile limit without named steps.

A loop that only infers has no backwards to count. What `torch.compile` returned is called once for
each batch or request, and still is when Dynamo has given a function up.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable
from threading import get_ident
from time import perf_counter
from typing import NamedTuple

from ca_engine import schema, trace
from ca_engine.compat import patches
from ca_engine.recorder.stack import users_frame

# A call begins and ends. So many moments are kept, the latest.
MOMENTS = 800
_MOST = MOMENTS + 1
_NEVER = _MOST + 1
# When, the identities of the call, of what is called (0 at the end) and of the thread, and the
# user's line, of a begin.
_Place = tuple[str, int]
_Moment = tuple[float, int, int, int, _Place | None]


class _Call(NamedTuple):
    callback: int
    start: float
    seconds: float
    place: _Place | None


class CallTimes:
    """Keep when calls from outside of compiled code began and ended; write few of them.

    A function is recompiled some times before it hits a limit, so calls are watched from the
    first recompile on: without one nothing costs anything (each call takes some µs of CPU). Those
    before a recompile and those after it can be compared, so both are written. ``before`` is
    called before they are.
    """

    def __init__(self, before: Callable[[], None]) -> None:
        self._before = before
        self._epoch = time.time() - perf_counter()
        self._stop: patches.Undo | None = None
        self.forget()

    def forget(self) -> None:
        self.stop()
        self._moments: deque[_Moment] = deque(maxlen=_MOST)
        self._write_at = _NEVER
        self._callables: dict[int, int] = {}

    def stop(self) -> None:
        """Watch no calls until the next recompile."""
        if self._stop is not None:
            self._stop()
            self._stop = None

    def changes(self, call: int, callback: int) -> None:
        """Note that ``call`` begins or ends: see `patches.watch_compiled_calls`."""
        moments = self._moments
        frame = users_frame() if callback else None
        place = None if frame is None else (frame.f_code.co_filename, frame.f_lineno)
        moments.append((perf_counter(), call, callback, get_ident(), place))
        if len(moments) >= self._write_at:
            self.flush()

    def recompiles(self) -> None:
        """Write the calls before a recompile, and those that follow as soon as there are enough."""
        if self._stop is None:
            self._stop = patches.watch_compiled_calls(self.changes)
        self.flush()
        self._write_at = MOMENTS

    def flush(self) -> None:
        """Write the calls that ended since the last flush."""
        self._write_at = _NEVER
        calls = self._take()
        if not calls:
            return
        self._before()
        first = min(call.start for call in calls)
        numbers = self._callables
        known = dict.fromkeys(call.place for call in calls if call.place is not None)
        places = {place: number for number, place in enumerate(known)}
        record: schema.CallsRecord = {
            "schema_version": schema.SCHEMA_VERSION,
            "time": self._epoch + first,
            "callable": [numbers.setdefault(call.callback, len(numbers)) for call in calls],
            "start": [round(call.start - first, 7) for call in calls],
            "seconds": [round(call.seconds, 7) for call in calls],
            "place": [-1 if call.place is None else places[call.place] for call in calls],
            "places": list(places),
        }
        trace.compact_artifact(schema.CALLS_RECORD, lambda: record)

    def _take(self) -> list[_Call]:
        """Return the calls that ended. Those that did not stay for later."""
        moments = self._moments
        # Where the oldest moments are gone, a call's end may look like a begin.
        is_whole = len(moments) < _MOST
        # Other threads may add meanwhile.
        taken = [moments.popleft() for _ in range(len(moments))]
        calls, outermost = _pair(taken, {moment[3] for moment in taken} if is_whole else set())
        moments.extendleft(sorted(outermost, reverse=True))
        return calls


def _pair(moments: Iterable[_Moment], known: set[int]) -> tuple[list[_Call], list[_Moment]]:
    """Return the outermost calls of each thread that ended, and the begins of those that did not.

    Of a thread that is not ``known`` the moments before its first end are left out.
    """
    calls: list[_Call] = []
    begun: dict[int, _Moment] = {}
    for moment in moments:
        at, call, callback, thread, _ = moment
        outermost = begun.get(thread)
        if outermost is None:
            if callback and thread in known:
                begun[thread] = moment
        elif call == outermost[1]:
            calls.append(_Call(outermost[2], outermost[0], at - outermost[0], outermost[4]))
            del begun[thread]
        if not callback:
            known.add(thread)
    return calls, list(begun.values())
