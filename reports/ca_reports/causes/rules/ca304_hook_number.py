"""CA304."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.causes.located import modes
from ca_reports.causes.rules.base import PATTERN, Match, Rule
from ca_reports.causes.rules.hooks import GuardedHook, guarded_hook
from ca_reports.words.values import listed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.facts.process import ProcessFacts


class HookNumber(Rule):
    """A number in a hook's closure or default arguments changes.

    ## What it is

    Each step makes a hook with another int or float: an annealed scale, the step's number, also as
    an argument that `functools.partial` binds. The hook's code is the same, so the backward hits.

    ## Why it costs

    Dynamo compiles hooks into the captured backward and guards on the numbers they close over.
    Another number fails the guard, and the graph is recompiled.

    ## Example

        handle = weight.register_hook(lambda grad, scale=scale: grad * scale)

    ## What to do

    Close over a tensor, if the hook only computes with it: `scale = torch.tensor(scale)`. Its value
    is an input of the graph. Or register one hook, once, that reads a tensor you fill in place.

    ## Measured

    1 capture and 2 compiles became 1 and 1 (torch 2.13.0, CPU). Dynamo makes a
    number dynamic once it has changed, if it can, so there may be no third compile.

    ## When the rule can be wrong

    The guard gives the old number; the new one is known only if it changed once more. Where the
    guard is on what is computed from a dynamic number, no value is known.
    """

    code = "CA304"
    name = "hook-number"
    place = modes.hook_state
    edits = ("tensor_default",)
    specificity = PATTERN + 1
    suggests_trial = "hooks"

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        groups: dict[tuple[int, int | None, str], list[GuardedHook]] = {}
        for recompile in facts.graph_recompiles:
            guarded = guarded_hook(recompile)
            if guarded is not None and guarded.is_number and recompile.capture is not None:
                key = (recompile.capture.capture.id, guarded.index, guarded.rest)
                groups.setdefault(key, []).append(guarded)
        for found in groups.values():
            first = found[0]
            guards = (guarded.recompile.guard for guarded in found)
            values = [str(guard.expected) for guard in guards if guard.expected is not None]
            was = f"was {listed(values, 5)} and then changed" if values else "changed"
            example = f" (`torch.tensor({values[0]})`)" if values else ""
            variable = _place(first)
            yield Match(
                message=(
                    f"the captured backward was recompiled: a number in {variable} of {first.told} "
                    f"{was}"
                ),
                fix=(
                    f"put a tensor into {variable} instead of the number{example}, if the hook "
                    "only computes with it; what needs its value (an `if`, a `range`, an index, "
                    "Python's `math`) is computed where the hook is made"
                ),
                events=tuple(guarded.recompile.compiled for guarded in found),
                location=first.location,
                evidence=tuple(guarded.recompile.evidence for guarded in found),
                key=first.key,
                detail=first.detail,
            )


def _place(guarded: GuardedHook) -> str:
    if guarded.bound:
        return f"the bound argument `{guarded.bound}`"
    return "the closure" if guarded.detail.cell is not None else "the default arguments"
