"""Shared by the rules about graph breaks in a compiled backward; not a rule itself.

Dynamo records a break once for each compile that met it. A captured backward is compiled as
one function; at a break the rest of it becomes a function of its own, so every break in a
backward is one more thing to compile, to guard and to call at each step.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ca_engine.lazy_classes import dataclass
from ca_engine.lazy_expressions import expression
from ca_reports.causes.rules.base import Match
from ca_reports.causes.rules.hooks import guarded_hook
from ca_reports.facts.evidence import Evidence
from ca_reports.program.stack import in_torch
from ca_reports.words.numbers import agreeing, counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ca_reports.facts.events import RecompileFacts
    from ca_reports.facts.mode_changes import ModeChange
    from ca_reports.facts.process import ProcessFacts
    from ca_reports.run.model import Event, Frame, GraphBreak

# What Dynamo leaves out of a captured backward where a checkpoint is reentrant.
REENTRANT = "CheckpointFunction.backward"
_SKIPPED = expression(r"marked that the function `(?P<name>[^`]+)` in file `")


@dataclass(frozen=True)
class BackwardBreak:
    """A break in the graph of capture ``capture``.

    ``line`` is the user's innermost line: in a hook or a Function, else the backward call.
    ``in_user_code`` says which of both. ``skipped`` is the function that Dynamo refuses to
    trace, if that was the reason.
    """

    found: GraphBreak
    capture: int
    line: Frame | None
    in_user_code: bool
    skipped: str = ""

    @property
    def text(self) -> str:
        """Reason and explanation."""
        return f"{self.found.reason}\n{self.found.explanation or ''}"

    def passes_through(self, path: str) -> bool:
        """Return whether a frame of the break's stack is in a file that ends so."""
        return any(frame.file.replace("\\", "/").endswith(path) for frame in self.found.stack)


def backward_breaks(facts: ProcessFacts) -> tuple[BackwardBreak, ...]:
    """Return the breaks in captured backwards, in the order of the log."""
    return tuple(
        _describe(found, found.capture) for found in facts.breaks if found.capture is not None
    )


def events_of(facts: ProcessFacts, breaks: Iterable[BackwardBreak]) -> tuple[Event, ...]:
    """Return the breaks and the recompiles of what was left of the backward after one of them.

    Those are of functions that would not exist without the break. Dynamo numbers the functions
    that it compiles: of a capture's, the first is the graph as it was captured. What one of the
    user's hooks reads would recompile the graph in one piece as well.
    """
    breaks = tuple(breaks)
    captures = {found.capture for found in breaks}
    first: dict[int, int] = {}
    for compiled in facts.process.compiles:
        if compiled.capture in captures:
            known = first.get(compiled.capture, compiled.function)
            first[compiled.capture] = min(known, compiled.function)
    rest = {
        compiled.function
        for compiled in facts.process.compiles
        if compiled.capture in first and compiled.function > first[compiled.capture]
    }
    of_hooks = {
        found.compiled.key
        for found in facts.graph_recompiles
        if found.compiled.function in rest and _is_of_users_hook(found)
    }
    # Also where a later backward, with a graph of its own, runs such a function with another value.
    recompiles = [
        compiled
        for compiled in facts.process.compiles
        if compiled.has_failed_guards
        and compiled.capture is not None
        and compiled.function in rest
        and compiled.key not in of_hooks
    ]
    return (*(found.found for found in breaks), *recompiles)


def recomputed(facts: ProcessFacts, breaks: Iterable[BackwardBreak]) -> tuple[ModeChange, ...]:
    """Return the recompiles of what a reentrant checkpoint runs again in a backward that it broke.

    A checkpoint that isn't reentrant would save them, and break such a backward oftener, unless it
    is inside of what is compiled. Measured on torch 2.13.0, three blocks compiled by themselves:
    breaks 4 → 12 and recompiles 1 → 0; with the model compiled 0 and 0.
    """
    captures = {found.capture for found in breaks if found.skipped == REENTRANT}
    return tuple(
        change for change in facts.mode_changes if change.recompile.compiled.ran_in in captures
    )


def of_compiled_forward(facts: ProcessFacts) -> str:
    """Name the forwards in which a checkpoint breaks no backward, and say if none here is one.

    Only where AOTAutograd compiles the backward with the forward. Measured on torch 2.13.0, three
    checkpoints: 9 breaks in an eager forward and in one of backend="eager", 0 with aot_eager.
    """
    told = "a forward that `torch.compile` compiles with aot_eager or inductor"
    known = [one.phases for one in facts.process.compiles if one.capture is None and one.phases]
    if known and not any("aot" in phases for phases in known):
        return f'{told} (with backend="eager", as here, the breaks stay)'
    return told


def _is_of_users_hook(recompile: RecompileFacts) -> bool:
    guarded = guarded_hook(recompile)
    if guarded is None:
        return False
    return guarded.function is not None or bool(guarded.hook and guarded.hook.location)


def count_of(breaks: Iterable[BackwardBreak]) -> int:
    """Count the breaks; one place may break often."""
    return sum(found.found.count for found in breaks)


def evidence_of(facts: ProcessFacts, breaks: Iterable[BackwardBreak]) -> tuple[Evidence, ...]:
    """Return one for each distinct break."""
    return tuple(
        Evidence(
            f"{found.found.compile_id}: {times(found.found.count)} {found.found.reason}",
            facts.process.file,
        )
        for found in breaks
    )


def forward_line(
    facts: ProcessFacts,
    breaks: Iterable[BackwardBreak],
    belongs: Callable[[Mapping[str, Any]], bool],
) -> Frame | None:
    """Find the forward line that made the first node, of one kind, of the broken backwards.

    None where no lines were noted (``ca run --forward-stacks``). A first capture has them as
    well, from the hits that follow it.
    """
    for broken in breaks:
        known = facts.by_id.get(broken.capture)
        if known is None or not known.capture.lines:
            continue
        for node in known.nodes:
            line = known.capture.lines.get(int(node.get("index", -1)))
            if line is not None and belongs(node):
                return line
    return None


def unpacks(node: Mapping[str, Any]) -> bool:
    """Return whether a node's saved tensors have hooks."""
    return any(hook.get("kind") == "unpack_hook" for hook in node.get("hook_list", ()))


def times(count: int) -> str:
    """Return ``3 ×``."""
    return f"{count:,} ×"


def match(
    facts: ProcessFacts,
    breaks: Sequence[BackwardBreak],
    where: str,
    fix: str,
    *,
    key: str,
    belongs: Callable[[Mapping[str, Any]], bool],
) -> Match:
    """Make the match of one cause's breaks: ``3 graph breaks in the compiled backward, where …``.

    ``belongs`` says of a node of the broken backwards whether it has to do with the cause.
    """
    count = count_of(breaks)
    return Match(
        message=f"{breaks_in_words(count)} in the compiled backward, where {where}",
        fix=fix,
        events=events_of(facts, breaks),
        noticed_at=breaks[0].line,
        location=forward_line(facts, breaks, belongs),
        evidence=evidence_of(facts, breaks),
        key=key,
        count=count,
    )


def breaks_in_words(count: int) -> str:
    """Return ``a graph break`` or ``8 graph breaks``."""
    return agreeing(count, "a graph break", counted(count, "graph break"))


def is_users(file: str) -> bool:
    """Return whether ``file`` is the user's: not torch's, not this tool's, not generated."""
    path = file.replace("\\", "/")
    return not (in_torch(path) or "/ca_engine/" in path or path.startswith("<"))


def _describe(found: GraphBreak, capture: int) -> BackwardBreak:
    # The stack: the user's call of backward, the engine, the captured graph, what it calls.
    graph = max(
        (at for at, frame in enumerate(found.stack) if frame.file.startswith("<eval_with_key>")),
        default=-1,
    )
    inside = [frame for frame in found.stack[graph + 1 :] if graph >= 0 and is_users(frame.file)]
    calls = [frame for frame in found.stack[: graph + 1] if is_users(frame.file)]
    line, in_user_code = None, True
    if found.location is not None and is_users(found.location.file):
        line = found.location
    elif inside:
        line = inside[-1]
    else:
        in_user_code = False
        users = calls or [frame for frame in found.stack if is_users(frame.file)]
        line = users[-1] if users else None
    skipped = _SKIPPED.search(found.explanation or "")
    return BackwardBreak(
        found,
        capture,
        line,
        in_user_code,
        skipped["name"] if skipped else "",
    )
