"""CA303."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from ca_reports.causes.findings import KeptByHook
from ca_reports.causes.located import modes
from ca_reports.causes.located.arguments import inside
from ca_reports.causes.located.changes import variable_of_cell
from ca_reports.causes.located.counted_keys import counted_key
from ca_reports.causes.located.number_advice import are_seen, as_tensors, read_outside, value_needed
from ca_reports.causes.remedies import BY_HAND
from ca_reports.causes.remedies import remedy as remedy_of
from ca_reports.causes.rules.base import PATTERN, Match, Rule
from ca_reports.causes.rules.hooks import GuardedHook, guarded_hook
from ca_reports.facts.guard_paths import readable, verbatim
from ca_reports.program.syntax import FunctionNode, Site
from ca_reports.program.uses import Need, Reached, attribute_reads, reads_in, uses_of
from ca_reports.torchlib import containers
from ca_reports.words.numbers import times

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ca_reports.causes.located.trail import Trail
    from ca_reports.causes.remedies import Remedy
    from ca_reports.facts.process import ProcessFacts
    from ca_reports.program.uses import Use


# What asks for the value of a number, which a tensor is not.
_ASKING = frozenset(Need) - {Need.NOTHING, Need.UNSEEN}
# What decides the code or the sizes of a backward, which its forward can't do for it.
_SHAPING = frozenset((Need.LOOP, Need.SLICES, Need.SLICE, Need.SIZE))
# How a custom Function keeps it for its backward.
_SAVED = "`ctx.save_for_backward(torch.tensor(…))`"


class HookState(Rule):
    """Python state that a hook reads or writes changes from backward to backward.

    ## What it is

    A hook counts its calls, appends to a list, fills a dict, or reads an attribute or a global
    that other code changes. The backward of a custom Function reads a Python value from `ctx`.

    ## Why it costs

    Dynamo compiles hooks into the captured backward and guards on all Python state that they
    read. When the state changes, the graph is recompiled although the backward itself hit; at
    the recompile limit it runs uncompiled from then on.

    ## Example

        def hook(grad):
            norms.append(grad.norm())          # guard: len(norms) == 3
            return grad

    ## What to do

    Keep the state in tensors that the hook updates in place. A custom Function saves what its
    backward needs as a tensor in its forward, and computes with it by torch's functions:
    `math.exp` asks for the number. A list gets its next entry after the
    backward, from a tensor that the hook overwrites. A dict that saved-tensor hooks fill gets the
    same keys in each step: start their numbers again, or pack the value itself. Where
    Python needs the value in the hook and nothing else will do, decorate it with
    `torch.compiler.disable`: a few graph breaks, but no compile in each step.

    ## Measured

    1 capture and 9 compiles, up to the limit, became 1 and 1 with a tensor, also where the list is
    filled after the backward; with `torch.compiler.disable` 1 and 4 (torch 2.13.0, CPU).
    Saved-tensor hooks with a number counted up as the key, 4 steps: 3 recompiles; with numbers that
    start again, or the value packed itself, none.

    ## When the rule can be wrong

    The guard names the first difference. A second piece of state shows only once the first is
    fixed.
    """

    code = "CA303"
    name = "hook-state"
    place = modes.hook_state
    edits = ("tensor_state", "saved_tensor", "after_backward")
    specificity = PATTERN
    suggests_trial = "hooks"

    @classmethod
    def remedy(cls, trail: Trail, site: Site | None) -> Remedy | None:
        """By what the hook does with the state, where its source shows that."""
        known = trail.finding.detail
        if not isinstance(known, KeptByHook):
            return None
        if known.lacks is not None:
            return remedy_of(_same_keys(known, known.lacks, trail), BY_HAND)
        reads = _reads(known, trail)
        if not reads:
            return None
        own = trail.finding.remedy
        if any(map(_fills, reads)):
            return own.instead(
                f"{known.hook} fills `{known.state}` in the backward, which is compiled for each "
                "length: let it overwrite one tensor (`.copy_()`; one for each parameter that it "
                f"is on), and add that to `{known.state}` after the backward"
            )
        hook = _hook_function(trail)
        reached = None if hook is None else Reached(trail.names, hook)
        uses = uses_of(trail.names, reads, reached)
        needed = value_needed(uses, _ASKING)
        if known.of_function:
            return own.instead(_of_context(known.state, uses, needed))
        if needed is None:
            outside = ""
            if hook is not None and known.attribute:
                outside = read_outside(known.attribute, hook, trail.finding.location, trail)
            scope = f" in {known.hook}" if outside and are_seen(uses) else ""
            return own.instead(
                f"keep `{known.state}` in a tensor that {known.hook} updates in place"
                f"{as_tensors(uses)}{scope}{outside}"
            )
        return own.instead(
            f"`{known.state}` is {needed}, so that each value is compiled for: ask for it outside "
            f"of {known.hook}, before or after the backward; with `torch.where` in the place of a "
            f"branch it can be a tensor; or decorate {known.hook} with `@torch.compiler.disable`, "
            "which ends the graph there in each backward"
        )

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        groups: dict[tuple[int, int | None, str], list[GuardedHook]] = {}
        for recompile in facts.graph_recompiles:
            guarded = guarded_hook(recompile)
            if guarded is not None and not guarded.is_number and recompile.capture is not None:
                path = guarded.path.text if guarded.index is None else ""
                key = (recompile.capture.capture.id, guarded.index, path)
                groups.setdefault(key, []).append(guarded)
        for found in groups.values():
            first = found[0]
            often = times(len(found))
            guard = _named(" ".join(first.recompile.guard.text.split()), first)
            yield Match(
                message=(
                    f"the captured backward was recompiled {often}: Python state that {first.told} "
                    f"reads changed; first failed guard: {guard}"
                ),
                fix=_fix(first),
                events=tuple(guarded.recompile.compiled for guarded in found),
                location=first.location,
                evidence=tuple(guarded.recompile.evidence for guarded in found),
                key=first.key,
                edits=("saved_tensor",) if first.function is not None else self.edits,
                detail=replace(first.detail, hook=_hook(first), state=_state(first)),
            )


def _of_context(state: str, uses: Sequence[Use], needed: str | None) -> str:
    """Say what to keep for the backward of a custom Function in the place of a number."""
    if needed is None:
        return f"save `{state}` as a tensor in the forward ({_SAVED}){as_tensors(uses)}"
    start = f"`{state}` is {needed}, so that each value is compiled for"
    needs = {use.need for use in uses}
    if needs & _SHAPING:
        return f"{start}: keep one value in every step, and mask the rest"
    choice = "; with `torch.where` in the place of a branch it can be a tensor"
    return (
        f"{start}: compute what the backward needs of it in the forward, and save that as a tensor "
        f"({_SAVED}){choice if Need.TEST in needs else ''}"
    )


def _same_keys(known: KeptByHook, lacks: int, trail: Trail) -> str:
    """Say how a dict gets the same keys in each step."""
    counted = counted_key(known, trail)
    if counted is None:
        return (
            f"fill `{known.state}` under the same keys in each step: the backward was compiled for "
            f"the key {lacks}, and each new one is compiled for"
        )
    value = f"; or let `{counted.filler}` return the value itself in place of its key"
    return (
        f"`{counted.filler}` fills `{counted.table}` under a number that is counted up for ever, "
        f"and the backward is compiled for each: start `{counted.counter}` again in each step, "
        f"once its backward has run{value if counted.is_returned else ''}"
    )


def _reads(known: KeptByHook, trail: Trail) -> list[Site]:
    """Return where the hook, or what it calls, reads the state; empty if unknown."""
    hook = _hook_function(trail)
    if hook is None or known.entry:
        return []
    line = trail.finding.location
    if known.cell is not None and not known.attribute:
        name = variable_of_cell(known.cell, line, trail.flow)
        return reads_in(hook, name) if name else []
    if not known.attribute or known.default is not None:
        return []
    reached = Reached(trail.names, hook)
    return [
        one for one in attribute_reads(trail.names, known.attribute, reached) if reached.has(one)
    ]


def _hook_function(trail: Trail) -> Site | None:
    start = inside(trail.finding.location, trail.flow)
    is_function = start is not None and isinstance(start.scope, FunctionNode)
    return Site(start.module, start.scope) if is_function else None  # type: ignore[union-attr, arg-type]


def _fills(read: Site) -> bool:
    """Return whether a list or dict that is read there gets another length."""
    parents = read.module.parents
    user = parents.get(read.node)
    if isinstance(user, ast.Attribute):
        called = parents.get(user)
        is_called = isinstance(called, ast.Call) and called.func is user
        return is_called and user.attr in containers.FILLS
    if not isinstance(user, ast.Subscript) or not isinstance(user.ctx, ast.Store):
        return False
    return not isinstance(user.slice, ast.Constant)


def _hook(guarded: GuardedHook) -> str:
    return f"`{guarded.hook.short_name}`" if guarded.hook and guarded.hook.name else "the hook"


def _fix(guarded: GuardedHook) -> str:
    state = _state(guarded)
    if guarded.lacks is not None:
        return f"fill `{state}` under the same keys in each step: each new one is compiled for"
    if guarded.function is not None:
        return (
            f"save `{state}` as a tensor in the forward ({_SAVED}), if the backward computes with "
            "it by torch's functions only (`torch.exp`, where `math.exp` needs a number); or "
            "compute in the forward what the backward needs of it, and save that"
        )
    hook = _hook(guarded)
    return (
        f"keep `{state}` in a tensor that {hook} updates in place, if it only computes with it; "
        f"or decorate {hook} with `@torch.compiler.disable`, which ends the graph there in each "
        "backward (`ca try` runs it so)"
    )


def _state(guarded: GuardedHook) -> str:
    """Return ``self.norms`` for ``hooks[0].norms``, as the hook's own code says it."""
    if guarded.index is None:
        return guarded.path.said.removeprefix(f"{guarded.path.imported}.")
    own = guarded.path.text if guarded.lacks is None else guarded.recompile.guard.source
    return _named(own, guarded)


def _named(text: str, guarded: GuardedHook) -> str:
    """Return ``text`` with what Dynamo calls ``hooks[0]`` as the hook's own code says it.

    What its closure keeps has a name in the source only.
    """
    if guarded.index is None or [step.kind for step in guarded.path.steps[1:2]] == ["cell"]:
        return verbatim(text)
    if guarded.function is not None:
        own = "ctx"
    elif guarded.hook is None or not guarded.hook.name:
        own = "the hook"
    else:
        name = guarded.hook.short_name
        own = "self" if name.endswith(".__call__") else name
    return readable(text, own)
