"""The graph breaks of compiled forwards, by the user's line that they are at."""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from ca_engine.lazy_classes import dataclass
from ca_engine.lazy_expressions import expression
from ca_reports.facts.break_kinds import kind_of
from ca_reports.facts.guard_paths import ON_STACK, guard_path
from ca_reports.facts.recompile_limits import step_starts
from ca_reports.facts.resumes import codes_begun_as, resumed_after
from ca_reports.program.stack import in_torch, is_installed, is_standard_library, own_frame

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ca_reports.facts.break_kinds import BreakKind
    from ca_reports.run.model import Compile, Frame, GraphBreak, Process

Owner = Literal["user", "library", "torch"]

# Where a break in torch's own code is that of the call that led there: Dynamo's stand-ins for
# Python functions, and thin wrappers around operators.
_WRAPPERS = expression(
    r"/torch/(?:_dynamo/|_tensor\.py$|functional\.py$|nn/functional\.py$|_ops\.py$|autograd/"
    r"|utils/_contextlib\.py$)"
)
_HOOK_CALL = expression(r"\bhook\(")
_MODULE_CALL = "/torch/nn/modules/module.py"
# What a tensor has of the one that it was computed from.
_PASSED_ON = frozenset(
    ("size", "stride", "rank", "dtype", "device", "requires_grad", "dispatch_keys")
)
# What a function is given, too: a parameter in one call, a tensor in the next.
_GIVEN = _PASSED_ON | {"type"}
_OPTION = expression(r"`?(?:torch\._dynamo\.config\.)(?P<name>\w+)")


@dataclass(frozen=True)
class ForwardBreak:
    """All breaks at one line of the user's.

    ``owner`` is whose code breaks: the user's, a library's, or torch's own; ``broken_at`` is the
    line there, ``line`` the user's that leads to it. ``resumed`` are the compiles of what was left
    of the functions and of those called from Python since, ``recompiled`` their recompiles.
    ``made`` are the recompiles for what the break made: not for the kind or the sizes of an
    argument, which the first part of the function, or what the program calls, was recompiled for as
    well. ``caller`` is the compiled function that called the broken one, and is split with it; None
    where that is the broken one itself, or unknown. Where the break ended its compile, it is the
    function that was compiled. ``compiled`` is that function, None where it is not known.
    """

    kind: BreakKind
    owner: Owner
    line: Frame | None
    broken_at: Frame | None
    caller: Frame | None
    breaks: tuple[GraphBreak, ...]
    resumed: tuple[Compile, ...]
    recompiled: tuple[Compile, ...]
    made: tuple[Compile, ...]
    compiled: Frame | None = None

    @property
    def first(self) -> GraphBreak:
        """Return the break that decided on the kind."""
        return next(found for found in self.breaks if kind_of(found) == self.kind)

    @property
    def count(self) -> int:
        """Count the breaks."""
        return sum(found.count for found in self.breaks)

    @property
    def words(self) -> str:
        """Return torch's words for the break: its kind, explanation and context."""
        first = self.first
        return f"{first.reason}\n{first.explanation or ''}\n{first.context or ''}"

    @property
    def option(self) -> str | None:
        """Find the setting of ``torch._dynamo.config`` that torch's hints name; else None."""
        for hint in self.first.hints:
            if found := _OPTION.search(hint):
                return found["name"]
        return None

    @property
    def in_hook(self) -> bool:
        """Return whether the line is in a hook of a module."""
        stack = self.first.stack
        for caller, called in pairwise(stack):
            if called == self.broken_at:
                path = caller.file.replace("\\", "/")
                return path.endswith(_MODULE_CALL) and bool(_HOOK_CALL.search(caller.code))
        return False


def forward_breaks(process: Process) -> tuple[ForwardBreak, ...]:
    """Return breaks of the forwards of a process, in the order of the log, one for each line."""
    groups: dict[tuple[object, ...], list[GraphBreak]] = {}
    for found in process.graph_breaks:
        if not found.in_backward:
            at = _place(found)
            groups.setdefault((at.file, at.line) if at else (found.reason,), []).append(found)
    resumed = resumed_after(process)
    made = _made_by_breaks(process, resumed.values())
    codes = {compiled.compile_id: compiled.code for compiled in process.compiles}
    return tuple(
        _described(
            found,
            [one for broken in found for one in resumed.get(broken.key, ())],
            made,
            codes.get(found[0].compile_id or ""),
        )
        for found in groups.values()
    )


def _made_by_breaks(process: Process, resumed: Iterable[Iterable[Compile]]) -> frozenset[str]:
    """Return recompiles that the breaks made, which no argument of a function that is called did.

    Those of resume functions, for what came out of the line of the break, unless the first part of
    the function is recompiled for the same kind of change. And those of functions that Python calls
    since the break, for what these are given, unless any function that the program itself calls is;
    or for the constants that each call of them has, as the graph would have them.
    """
    every = [one for group in resumed for one in group]
    recompiled = [one for one in every if one.has_failed_guards]
    if not recompiled:
        return frozenset()
    begun_as = codes_begun_as(process)
    apart = {one.code_number for one in every if not one.resumes}
    keys = {one.key for one in every}
    by_code: dict[str, list[Compile]] = {}
    of_calls: set[str] = set()
    for compiled in process.compiles:
        if compiled.has_failed_guards:
            by_code.setdefault(compiled.code_number, []).append(compiled)
            if compiled.key not in keys:
                of_calls |= _kinds(compiled)
    made = {
        one.compile_id
        for code in apart
        for one in _for_constants([one for one in recompiled if one.code_number == code], process)
    }
    for one in recompiled:
        code = one.code_number
        begun = begun_as.get(code, "")
        if ON_STACK in (one.recompile_reason or ""):
            # What the break made of the first part, it made of the rest as well.
            first = [each for each in by_code.get(begun, ()) if each.compile_id not in made]
            is_own = not _kinds(one) & _PASSED_ON & set().union(*map(_kinds, first))
        else:
            is_own = bool({code, begun} & apart) and _is_of_what_is_given(one, of_calls)
        if is_own:
            made.add(one.compile_id)
    return frozenset(made)


def _for_constants(recompiles: Sequence[Compile], process: Process) -> Sequence[Compile]:
    """Return the recompiles of a function if its calls in one step differ in a Python value.

    A hook that each layer has with another name: the graph would have each. A value that changes
    from step to step is no such constant, so all have to come in one step, and none in the next.
    """
    starts = step_starts(process)
    times = [one.time for one in recompiles if one.time is not None]
    are_of_values = all(guard.kind == "value" for one in recompiles for guard in one.failed_guards)
    if not times or len(times) < len(recompiles) or not are_of_values:
        return ()
    steps = {bisect_left(starts, time) for time in times}
    first = next(
        one.time for one in process.compiles if one.code_number == recompiles[0].code_number
    )
    is_one = first is not None and steps == {bisect_left(starts, first)}
    return recompiles if is_one and max(steps) + 1 < len(starts) else ()


def _is_of_what_is_given(compiled: Compile, of_calls: set[str]) -> bool:
    """Return whether an argument that no caller changed is of another kind in a recompile."""
    failed = compiled.failed_guards
    return bool(failed) and all(
        guard.kind in _GIVEN and guard_path(guard.source).is_variable and guard.kind not in of_calls
        for guard in failed
    )


def _kinds(compiled: Compile) -> set[str]:
    return {guard.kind for guard in compiled.failed_guards}


def _described(
    breaks: list[GraphBreak],
    rest: Iterable[Compile],
    made: frozenset[str],
    compiled: Frame | None,
) -> ForwardBreak:
    # A context manager is made and entered in one line: that it cannot be entered is the cause.
    kinds = [kind_of(found) for found in breaks]
    at = _place(breaks[0])
    rest = tuple(rest)
    return ForwardBreak(
        kind="context" if "context" in kinds else kinds[0],
        owner=_owner(at),
        line=at if _owner(at) == "user" else _users_line(breaks[0].stack, rest) or at,
        broken_at=at,
        caller=_ended(compiled, breaks[0]) if breaks[0].is_error else _caller(compiled, at),
        breaks=tuple(breaks),
        resumed=tuple(found for found in rest if not found.has_failed_guards),
        recompiled=tuple(found for found in rest if found.has_failed_guards),
        made=tuple(found for found in rest if found.compile_id in made),
        compiled=compiled,
    )


def _users_line(stack: Sequence[Frame], rest: Iterable[Compile]) -> Frame | None:
    """Return the innermost line of the user's that leads to a break in code of others.

    Of frames that follow each other and have one name, torch's stack has the last (``forward`` of a
    library's module in one of the user's): what is left of the user's function then goes on there.
    """
    line = own_frame(stack)
    after = [one.resumes for one in rest if one.resumes and _owner(one.resumes) == "user"]
    if not after or any((frame.file, frame.function) == _function(after[0]) for frame in stack):
        return line
    return after[0]


def _function(frame: Frame) -> tuple[str, str]:
    return frame.file, frame.function


def _ended(compiled: Frame | None, broken: GraphBreak) -> Frame | None:
    """Return the function whose compile ended: in a traceback the first below torch's frames."""
    return compiled if compiled is not None or broken.compile_id else broken.stack[0]


def _caller(compiled: Frame | None, broken: Frame | None) -> Frame | None:
    """Return ``compiled`` unless it is the broken function, which was traced as a part of it."""
    if compiled is None or broken is None or not broken.function:
        return None
    is_same = (compiled.file, compiled.function) == (broken.file, broken.function)
    return None if is_same else compiled


def _place(found: GraphBreak) -> Frame | None:
    """Return the innermost frame that is not just on torch's or Python's way to the break."""
    for frame in reversed(found.stack):
        path = frame.file.replace("\\", "/")
        thin = in_torch(path) and _WRAPPERS.search(path)
        if not (thin or is_standard_library(path) or path.startswith("<frozen")):
            return frame
    return found.location


def _owner(place: Frame | None) -> Owner:
    if place is None:
        return "user"
    if in_torch(place.file):
        return "torch"
    return "library" if is_installed(place.file) else "user"
