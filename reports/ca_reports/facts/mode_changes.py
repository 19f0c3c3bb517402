"""What made a function be compiled for another mode: two phases of the program, or one step.

A training and an evaluation are two phases: each has its graph, and nothing is to be changed. Where
grad mode flips within one step, or gradients are kept that no backward takes, as in a warm-up for
calls in inference mode, the second compile can be saved. So can that of a job beside the training,
as of a sampler that shows texts: its input grows from call to call, which none of the training's
and of a validation does. Torch names the guard only; what
is known beside it is where each compile was called from and in which thread, in which mode its
modules were, whether the call came out of an `autograd.Function`, and when backwards began.

Grad mode is each thread's own: in a new one gradients are on, whatever another one set. So calls of
two threads come from other lines and are no phases for that.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from ca_engine.lazy_classes import dataclass
from ca_reports.facts.growing_inputs import growth_beside
from ca_reports.facts.guard_paths import guard_path

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ca_engine.guards import Guard
    from ca_reports.facts.events import RecompileFacts
    from ca_reports.facts.growing_inputs import Growth
    from ca_reports.program.stack import FunctionPass
    from ca_reports.run.model import Compile, GraphSizes

# How the other mode came about.
#   phases: calls from other lines, stretches of steps, or modules in another mode
#   recomputed: an `autograd.Function` calls it without gradients, and its backward with them
#   kept: calls with gradients that no backward takes, beside others without: an evaluation, or a
#     warm-up in another mode
#   one_line: calls from one line, within a step
#   threads: calls from two threads, of which each has a grad mode of its own
#   beside: calls without gradients between steps, of an input that grows and never has a size of
#     the training's
#   unknown: the log does not say who called
Origin = Literal["phases", "recomputed", "kept", "one_line", "threads", "beside", "unknown"]

# A function has at most so many variants by mode: train or eval, with gradients or without.
_MODES = 4
# So many backwards between two calls are a stretch of steps; with fewer both are of one step.
_STRETCH = 2


@dataclass(frozen=True, slots=True)
class ModeChange:
    """A recompile for a mode in which its function was not yet compiled.

    ``earlier`` is the compile for another mode that says how that came about, None if none does.
    ``function`` is the `autograd.Function` whose forward makes one of the two calls, if
    ``origin`` is ``recomputed``. ``growth`` is that of the input if it is ``beside``.
    """

    recompile: RecompileFacts
    origin: Origin
    earlier: Compile | None = None
    function: FunctionPass | None = None
    growth: Growth | None = None

    @property
    def keeping(self) -> Compile:
        """Return the one of the two compiles that keeps gradients; the later if that is unknown."""
        earlier = self.earlier
        keeps = earlier is not None and earlier.held is not None and earlier.held.gradients
        return earlier if earlier is not None and keeps else self.recompile.compiled

    @property
    def other(self) -> Compile | None:
        """Return the other one of the two; None if unknown."""
        now = self.recompile.compiled
        return self.earlier if self.keeping is now else now


def mode_changes(
    recompiles: Iterable[RecompileFacts],
    compiles: Mapping[str, Compile],
    began: Sequence[float],
    calls: Sequence[float] = (),
    *,
    has_ended: bool = False,
    graphs: Iterable[GraphSizes] = (),
) -> tuple[ModeChange, ...]:
    """Find the recompiles of user code in a mode that its function was not yet compiled in.

    Torch gives a reason for each earlier compile: where all of them are the mode, none was for
    this one. Grad mode is looked at before anything else, a module's after the sizes, if these
    failed before: such a reason leaves the mode open. One that brought a new backward is none, nor
    one between two calls that train the model and keep gradients, as after ``norm.eval()``: a
    *training* step came in another mode. ``compiles`` are those of user code by their ids,
    ``began`` says when backwards began, in order, ``calls`` when some calls of compiled code did;
    after the last of ``began`` no backward follows if the process ``has_ended`` by itself.
    ``graphs`` are the sizes of the inputs in all calls.
    """
    found: dict[str, list[ModeChange]] = {}
    for recompile in recompiles:
        known = found.setdefault(recompile.compiled.code_number, [])
        if (
            len(known) + 1 < _MODES
            and is_mode(recompile.guard)
            and all(
                is_mode(guard)
                or (recompile.guard.kind == "value" and guard.kind in ("size", "stride"))
                for guard in recompile.guards
            )
            and not any(caused.aot_replaced for caused in recompile.caused)
            and not _is_within_training(recompile, compiles)
        ):
            known.append(_change(recompile, compiles, began))
    by_graph = {one.graph: one for one in graphs}
    return tuple(
        replace(change, origin="kept")
        if (has_ended and _is_in_vain(change, began)) or _keeps(change, group, began, calls)
        else _beside(change, by_graph, began)
        for group in found.values()
        for change in group
    )


def is_mode(guard: Guard) -> bool:
    """Return whether a guard is on grad mode, or on a module's ``train()`` or ``eval()``."""
    if _is_state(guard):
        return "grad_mode" in guard.source
    return guard.kind == "value" and guard_path(guard.source).attribute == "training"


def _is_within_training(recompile: RecompileFacts, compiles: Mapping[str, Compile]) -> bool:
    """Return whether a part of a model is in another mode, and the model trains before and now."""
    others = [compiles.get(one.failed or "") for one in recompile.guards if one.kind == "value"]
    held = [None if one is None else one.held for one in (recompile.compiled, *others)]
    return bool(others) and all(one and one.gradients and one.training for one in held)


def _is_state(guard: Guard) -> bool:
    return guard.kind == "global_state"


def _change(
    recompile: RecompileFacts, compiles: Mapping[str, Compile], began: Sequence[float]
) -> ModeChange:
    now = recompile.compiled
    failed = (compiles.get(guard.failed or "") for guard in recompile.guards if _is_state(guard))
    earlier = [other for other in failed if other is not None]
    for other in earlier:
        function = _recomputing(now, other)
        if function is not None:
            return ModeChange(recompile, "recomputed", other, function)
    if any(guard.kind == "value" for guard in recompile.guards):
        return ModeChange(recompile, "phases")
    origins = [(_origin(now, other, began), other) for other in earlier]
    for origin in ("one_line", "threads", "unknown"):
        for told, other in origins:
            if told == origin:
                return ModeChange(recompile, told, other)
    if not origins:
        return ModeChange(recompile, "unknown")
    return ModeChange(recompile, "phases", origins[0][1])


def _is_in_vain(change: ModeChange, began: Sequence[float]) -> bool:
    """Return whether no backward follows what keeps gradients, and grad mode alone differs.

    The call may be the earlier, as of a warm-up. A model that trains in one of the two calls only
    is left to its phases: another process may take the gradients.
    """
    keeping, other = change.keeping, change.other
    if change.origin != "phases" or other is None or None in (keeping.held, other.held):
        return False
    if keeping.time is None or not _is_state(change.recompile.guard):
        return False
    assert keeping.held is not None
    assert other.held is not None
    is_one_mode = keeping.held.training == other.held.training
    is_last = not began or began[-1] < keeping.time
    return bool(keeping.held.gradients) and is_one_mode and is_last


def _keeps(
    change: ModeChange, group: Sequence[ModeChange], began: Sequence[float], calls: Sequence[float]
) -> bool:
    """Return whether an evaluation keeps gradients that no backward takes, and others do not.

    Before the next backward, if there is one, other calls come.
    """
    compiled = change.recompile.compiled
    held, time = compiled.held, compiled.time
    if held is None or not held.gradients or time is None or not calls:
        return False
    if change.recompile.guard.kind != "value" or not any(
        other.recompile.compiled.is_of_evaluation for other in group
    ):
        return False
    position = bisect_left(began, time)
    return position == len(began) or any(time < call < began[position] for call in calls)


def _beside(
    change: ModeChange, graphs: Mapping[str, GraphSizes], began: Sequence[float]
) -> ModeChange:
    """Return ``change`` as a job beside the training, if it is one: steps are trained after it."""
    other = change.other
    if change.origin != "phases" or other is None or other.held is None or not began:
        return change
    if other.held.gradients is not False or other.time is None or began[-1] < other.time:
        return change
    trained, called = graphs.get(change.keeping.compile_id), graphs.get(other.compile_id)
    growth = None if trained is None or called is None else growth_beside(called, trained)
    return change if growth is None else replace(change, origin="beside", growth=growth)


def _recomputing(now: Compile, other: Compile) -> FunctionPass | None:
    """Find the `autograd.Function` whose forward makes one of two calls, and needs the other.

    Where an evaluation made the compile without gradients, the Function's backward needs one with
    them in any case.
    """
    for one, beside in ((now, other), (other, now)):
        if one.within is None or one.within.is_backward:
            continue
        is_recomputed = beside.within is not None and beside.within.is_of(one.within)
        # Some blocks are checkpointed, and others of their class are not.
        if is_recomputed or (beside.within is None and one.within.is_checkpoint):
            return one.within
    return None


def _origin(now: Compile, other: Compile, began: Sequence[float]) -> Origin:
    """Return how a call in one grad mode and one in the other came about."""
    before, after = _path(other), _path(now)
    are_threads = None not in (now.held, other.held) and _thread(now) != _thread(other)
    if before and after and before != after and not are_threads:
        return "phases"
    if not (before and after and now.held and other.held):
        return "unknown"  # torch's own stack lacks the innermost call
    trained, trains = other.held.training, now.held.training
    if None not in (trained, trains) and trained != trains:
        return "phases"
    if now.time is None or other.time is None:
        return "unknown"
    between = bisect_left(began, now.time) - bisect_left(began, other.time)
    if between >= _STRETCH:
        return "phases"
    return "threads" if are_threads else "one_line"


def _thread(compiled: Compile) -> str | None:
    """Return the thread that compiled; None for the main one, and where that was not recorded."""
    return None if compiled.held is None else compiled.held.thread


def _path(compiled: Compile) -> tuple[tuple[str, int], ...]:
    """Return the lines that led to the call; empty if unknown."""
    held = compiled.held
    stack = compiled.stack if held is None or not held.stack else held.stack
    return tuple((frame.file, frame.line) for frame in stack)
