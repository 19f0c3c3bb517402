"""Hooks of modules that a compiled graph does not know: they are registered, and never run.

Dynamo makes the calls of a model's parts, with their hooks, part of the graph, and by default
does not guard on a part's having none (``skip_nnmodule_hook_guards``). So a hook that is registered
on a part after the compile is not called, and nobody says so. What the parts had at the compile is
compared before a graph runs, once the process registered a hook since: that is a comparison of two
numbers for each run. Where a part has a hook, Dynamo notices one more, and that it goes; the graph
has the hook by its place, so that another function of the same code, there, is called (measured on
torch 2.13.0: a closure that is registered for each call, and removed after it).
"""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any, NamedTuple

import torch

from ca_engine import schema, trace
from ca_engine.compat.graph_hooks import TABLES, HookedGraph, observe_hooked, registrations
from ca_engine.compat.graph_inputs import Compiled
from ca_engine.recorder.held import UnreadableError, follow
from ca_engine.recorder.objects import describe_hook, hooks_code
from ca_engine.recorder.stack import find_backward_call

# Hooks that are written, and parts of one graph that are looked at.
MAX_HOOKS = 100
_MOST_PARTS = 2_000
# Where the program goes on to register hooks, as of tensors in each step, and none is of a part:
# so many registrations pass at most until the parts are looked at again.
_MOST_PASSED = 64


class _Part(NamedTuple):
    """A module in a graph, the keys of its hooks that are known, and the code of the graph's own.

    ``own`` are those that the module had at the compile, in their order.
    """

    name: str
    module: weakref.ref[torch.nn.Module]
    known: dict[str, set[int]]
    own: dict[str, tuple[CodeType | None, ...]]


class LateHooks:
    """Write ``ca_late_hook`` where a graph runs beside a hook that it does not have.

    ``before`` is called before a record is written.
    """

    def __init__(self, before: Callable[[], None]) -> None:
        self._before = before
        self._stop: Callable[[], None] | None = None
        self.forget()

    def begin_again(self) -> None:
        """Look at the graphs that are compiled from now on."""
        self.forget()
        self.is_on = True
        if self._stop is None:
            self._stop = observe_hooked(self.observe)

    def forget(self) -> None:
        self.is_on = False
        self._written = 0

    def stop(self) -> None:
        """Compare nothing any more."""
        self.forget()
        if self._stop is not None:
            self._stop()
            self._stop = None

    def observe(self, graph: HookedGraph, made: Compiled) -> Compiled:
        """Return ``made``, a compiled graph, with its parts' hooks compared before it runs."""
        if not self.is_on or not trace.is_listening():
            return made
        parts = list(_parts(graph))
        if not parts:
            return made
        compile_id = graph.compile_id
        seen, passed, wait = registrations(), 0, 1

        def run(*args: Any) -> Any:
            if registrations() != seen:
                look()
            return made(*args)

        def look() -> None:
            nonlocal seen, passed, wait
            now = registrations()
            passed += now - seen
            seen = now
            if not self.is_on or passed < wait:
                return
            passed = 0
            try:
                found = self._compare(compile_id, parts)
            except Exception:  # it would come out of the user's call
                found = False
            wait = 1 if found else min(2 * wait, _MOST_PASSED)

        return run

    def _compare(self, compile_id: str, parts: list[_Part]) -> bool:
        """Write the hooks that the graph lacks, once each; return whether there are any."""
        found = False
        for part in parts:
            module = part.module()
            for table, known in part.known.items() if module is not None else ():
                hooks = _table(module, table)
                part.known[table] = set(hooks)  # the key of one that goes is never given again
                own = part.own[table]
                for at, (key, hook) in enumerate(hooks.items()):
                    is_own = at < len(own) and own[at] is not None and own[at] is hooks_code(hook)
                    if key not in known and not is_own:
                        found = True
                        self._write(compile_id, part.name, table, hook)
        return found

    def _write(self, compile_id: str, part: str, table: str, hook: Any) -> None:
        self._written += 1
        if self._written > MAX_HOOKS or not trace.is_listening():
            return
        record: schema.LateHookRecord = {
            "schema_version": schema.SCHEMA_VERSION,
            "time": time.time(),
            "graph": compile_id,
            "module": part,
            "hook": describe_hook(TABLES[table], None, hook),
            "stack": [{**frame, "code": ""} for frame in find_backward_call().stack],
        }
        self._before()
        trace.compact_artifact(schema.LATE_HOOK_RECORD, lambda: record)


def _parts(graph: HookedGraph) -> Iterator[_Part]:
    for name in graph.names[:_MOST_PARTS]:
        try:
            module = follow(name, graph.variables, graph.module)
        except UnreadableError:
            continue
        if issubclass(type(module), torch.nn.Module):
            tables = {table: _table(module, table) for table in TABLES}
            known = {table: set(hooks) for table, hooks in tables.items()}
            own = {table: tuple(map(hooks_code, hooks.values())) for table, hooks in tables.items()}
            yield _Part(name, weakref.ref(module), known, own)


def _table(module: Any, name: str) -> dict[int, Any]:
    """Return the hooks of one kind; none where the module has an object of its own there."""
    found = object.__getattribute__(module, "__dict__").get(name)
    return dict(found) if isinstance(found, dict) else {}
