"""CA804 of a clock: it is not asked where Dynamo traces."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from ca_reports.patching import imports, loops
from ca_reports.patching.patches import Patch, RefusedError, Replacement
from ca_reports.patching.program import places
from ca_reports.program.edits import arguments
from ca_reports.program.positions import walk
from ca_reports.program.syntax import Site, targets_of
from ca_reports.torchlib import containers

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ca_reports.causes.findings import Finding
    from ca_reports.patching.program import EditableProgram, SourceFile

_OF_TIME = ("time", "perf_counter", "monotonic", "process_time", "thread_time")
_ZEROS = {
    **{f"time.{name}": "0.0" for name in _OF_TIME},
    **{f"time.{name}_ns": "0" for name in _OF_TIME},
}


def zero(finding: Finding, program: EditableProgram) -> list[Patch]:
    """Write ``0.0 if torch.compiler.is_compiling() else perf_counter()`` for each that belongs.

    Raises `RefusedError` if no clock is asked on the line, or times go into a container that is
    longer after each call, for whose length Dynamo would compile again.
    """
    file, found = loops.nodes_at(finding.location, program, ast.Call)
    asked = [call for call in found if file is not None and _zero_of(file, call)]
    if file is None or not asked:
        raise RefusedError("no clock is asked on the line")
    every = list(_of_one_time(file, file.function(asked[0]), program))
    for home, function in dict.fromkeys((home, home.function(call)) for home, call in every):
        _require_keeping_none(home, function, program)
    changes: list[Replacement] = []
    for home in dict.fromkeys(home for home, _ in every):
        program.require_unchanged(home)
        own = [call for other, call in every if other is home]
        torch, added = imports.torch(home, own[0])
        changes += added
        for call in own:
            zero = f"{_zero_of(home, call)} if {torch}.compiler.is_compiling()"
            text = _whole(home, call, f"{zero} else {home.code(call)}")
            changes.append(Replacement(home.name, *home.span(call), text))
    where = places(every)
    return [
        Patch(
            f"0 where Dynamo traces for the clock at {where}",
            tuple(changes),
            intention="makes times that compiled code takes 0: take them where it is called",
        )
    ]


def _of_one_time(
    file: SourceFile, function: Any, program: EditableProgram
) -> Iterator[tuple[SourceFile, ast.Call]]:
    """Yield the clocks of a function, of those that call it or that it calls, or share its time.

    One may hand its time to another, which subtracts it, also by an attribute: if one of them were
    0 alone, the other would be a number that every call is compiled for, and the time a wrong one.
    """
    asking: dict[Any, list[tuple[SourceFile, ast.Call]]] = {}
    for home in program.files.values():
        for call in home.all(ast.Call):
            if _zero_of(home, call):
                asking.setdefault(home.function(call), []).append((home, call))
    runs = {one: _run_by(one, program) for one in asking}
    kept = {one: _kept_by(calls) for one, calls in asking.items()}
    reads = {one: _read_by(one) for one in asking}

    def are_linked(one: Any, other: Any) -> bool:
        is_called = one in runs[other] or other in runs[one]
        return is_called or bool(kept[one] & reads[other] or kept[other] & reads[one])

    found = {function}
    waiting = [function]
    while waiting:
        one = waiting.pop()
        for other in asking:
            if other not in found and are_linked(one, other):
                found.add(other)
                waiting.append(other)
    for one, calls in asking.items():
        if one in found:
            yield from calls


def _require_keeping_none(file: SourceFile, function: Any, program: EditableProgram) -> None:
    """Raise `RefusedError` where a function adds to what is there before it is called."""
    for call in (one for one in walk(function) if isinstance(one, ast.Call)):
        if not isinstance(call.func, ast.Attribute) or call.func.attr not in containers.KEEPS:
            continue
        if not program.effects.makes(Site(file, function), call.func.value):
            kept = file.code(call.func.value)
            raise RefusedError(f"{kept} is longer after each call: Dynamo compiles for its length")


def _run_by(function: ast.AST, program: EditableProgram) -> set[ast.AST]:
    """Return the functions of the program that ``function`` calls."""
    calls = (one for one in walk(function) if isinstance(one, ast.Call))
    return {site.node for call in calls for site in program.names.callees(call)}


def _kept_by(clocks: Iterable[tuple[SourceFile, ast.Call]]) -> set[str]:
    """Return the attributes that keep what ``clocks`` say: ``self.began = perf_counter()``."""
    return {
        target.attr
        for file, call in clocks
        for target in targets_of(file.statement(call))
        if isinstance(target, ast.Attribute)
    }


def _read_by(function: ast.AST) -> set[str]:
    """Return the attributes that a function reads."""
    every = (one for one in walk(function) if isinstance(one, ast.Attribute))
    return {one.attr for one in every if isinstance(one.ctx, ast.Load)}


def _zero_of(file: SourceFile, call: ast.Call) -> str:
    """Return what the clock says where nothing is timed; empty if it is none."""
    names = file.names(call.func)
    return _ZEROS.get(next(iter(names)), "") if len(names) == 1 and not arguments(call) else ""


def _whole(file: SourceFile, call: ast.Call, text: str) -> str:
    """Return ``text`` as it may stand in the place of ``call``."""
    is_alone = isinstance(file.parent(call), ast.Assign | ast.AnnAssign | ast.AugAssign)
    return text if is_alone or file.call_given(call) is not None else f"({text})"
