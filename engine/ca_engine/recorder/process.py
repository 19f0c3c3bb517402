"""Records of the process, at the start of a recording and at its end."""

from __future__ import annotations

import os
import platform
import socket
import sys
import time
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

import torch

from ca_engine import schema, trace
from ca_engine.cache_keys import relevant
from ca_engine.compat import dynamo
from ca_engine.incarnation import incarnation_of
from ca_engine.recorder.errors import describe_error, origin
from ca_engine.recorder.gpu import used_gpus
from ca_engine.recorder.stack import user_frames_of
from ca_engine.redaction import redact_arguments, redact_text
from ca_engine.settings import Settings
from ca_engine.version import __version__


class Totals(NamedTuple):
    """Counts of one process so far; ``hazards`` are those of each place, by its id."""

    backwards: int = 0
    captures: int = 0
    failed_captures: int = 0
    hits: int = 0
    hazards: tuple[int, ...] = ()
    hazards_left_out: int = 0


class RecordedProcess:
    """Writes ``ca_run`` when it is made and ``ca_end`` when told; between them is the recording."""

    def __init__(self, settings: Settings, before: Totals | None = None) -> None:
        """``before`` holds the totals before this recording; they are subtracted at its end."""
        self._before = before or Totals()
        self._secrets = settings.secrets
        # Torch counts for the whole process, of which this may be a part.
        self._graphs_before = dynamo.unique_graphs()
        self._cache_before = dynamo.cache_counters()
        self._error_before = id(_last_error())
        rank = os.environ.get("RANK", "")
        record: schema.RunRecord = {
            "schema_version": schema.SCHEMA_VERSION,
            "time": time.time(),
            "started": settings.started if before is None else None,
            "pid": os.getpid(),
            "incarnation": incarnation_of(os.getpid()),
            "ppid": os.getppid(),
            "rank": int(rank) if rank.isdecimal() else None,
            "argv": redact_arguments(sys.argv, settings.secrets),
            "cwd": _current_folder(),
            "executable": sys.executable,
            "host": socket.gethostname(),
            "platform": platform.platform(),
            "versions": {
                "python": platform.python_version(),
                "torch": torch.__version__,
                "ca": __version__,
            },
            "environment": relevant(os.environ),
            "engine": settings.engine,
            "engine_needs": settings.engine_needs,
            "enabled": settings.enable,
            "backend": settings.backend,
            "dynamic": settings.dynamic,
        }
        trace.compact_artifact(schema.RUN_RECORD, lambda: record)

    def uncaught(self) -> BaseException | None:
        """Return the exception that ends the interpreter; none that an interactive one survived."""
        error = _last_error()
        return None if id(error) == self._error_before else error

    def end(self, totals: Totals, error: BaseException | None) -> None:
        """``error`` is what ended the recording; the exit of a program is none."""
        if isinstance(error, SystemExit):
            error = None
        before = self._before
        came_from, cause = (None, None) if error is None else origin(error)
        record: schema.EndRecord = {
            "schema_version": schema.SCHEMA_VERSION,
            "time": time.time(),
            "backwards": totals.backwards - before.backwards,
            "captures": totals.captures - before.captures,
            "failed_captures": totals.failed_captures - before.failed_captures,
            "hits": totals.hits - before.hits,
            "unique_graphs": max(0, dynamo.unique_graphs() - self._graphs_before),
            "error": None if error is None else type(error).__name__,
            "error_text": self._told(error),
            "error_stack": [] if error is None else user_frames_of(error),
            "error_origin": came_from,
            "error_cause": None if cause is error else self._told(cause),
            "hazards": [
                count - earlier
                for count, earlier in zip_longest(totals.hazards, before.hazards, fillvalue=0)
            ],
            "hazards_left_out": totals.hazards_left_out - before.hazards_left_out,
            "aot_cache": self._counted("aot"),
            "fx_cache": self._counted("fx"),
            "devices": used_gpus(),
            "recompile_limit": dynamo.recompile_limit(),
        }
        trace.compact_artifact(schema.END_RECORD, lambda: record)

    def _counted(self, cache: str) -> dict[str, int]:
        before = self._cache_before[cache]
        return {
            name: count
            for name, counted in dynamo.cache_counters()[cache].items()
            if (count := counted - before.get(name, 0)) > 0
        }

    def _told(self, error: BaseException | None) -> str | None:
        return None if error is None else redact_text(describe_error(error), self._secrets)


def _last_error() -> BaseException | None:
    error: BaseException | None = getattr(sys, "last_value", None)
    return error


def _current_folder() -> str:
    try:
        return str(Path.cwd())
    except FileNotFoundError:  # the script removed it
        return ""
