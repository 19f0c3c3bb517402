"""CA716."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ca_reports.causes.rules.base import PATTERN
from ca_reports.causes.rules.cascades import what_changed
from ca_reports.causes.rules.of_guards import GuardedRule
from ca_reports.causes.rules.splitting import AGAIN

if TYPE_CHECKING:
    from ca_reports.causes.rules.base import Match
    from ca_reports.facts.guarded_things import GuardedThing
    from ca_reports.facts.process import ProcessFacts
    from ca_reports.run.model import Frame


class ResumedValue(GuardedRule):
    """The rest of a function after a graph break is compiled for a value that was computed.

    ## What it is

    `.item()`, `float(t)` or `int(t)` breaks the graph. What follows is a function of its own to
    Dynamo, with the number as an argument, which its guards compare.

    ## Why it costs

    Each new number compiles the rest of the function again, up to the recompile limit, and the
    break itself splits the graph in every call.

    ## Example

        @torch.compile
        def scaled(x):
            rounds = int(x.abs().max())      # breaks the graph
            for _ in range(rounds):          # compiled for each number of rounds
                x = x / 2
            return x

    ## What to do

    Remove the break: keep the value a tensor, with `torch.where` instead of an `if`. With
    `torch._dynamo.config.capture_scalar_outputs = True` a number that is only computed with, or is
    a size or the bound of a slice, stays in the graph; as an index of a list it raises.

    ## Measured

    4 recompiles and the graph break became none (torch 2.13.0, CPU).

    ## When the rule can be wrong

    A variable of the rest of a function is taken as computed where the break is one for a
    tensor's value; an argument of the function that is a number may also change.
    """

    code = "CA716"
    name = "resumed-value"
    edits = ("resumed_value",)
    subjects = frozenset(("resumed",))

    def what(self, thing: GuardedThing) -> str:
        """Return the break, and what the number was."""
        found = thing.break_before
        where = (
            "a graph break"
            if found is None or found.location is None
            else (f"the graph break in line {found.location.line}")
        )
        told = f": {thing.history}" if thing.history else f" (`{thing.guard.text}` failed)"
        if thing.path.is_on_stack:
            return f"after {where} the rest is compiled for the value that was computed{told}"
        return f"after {where} the rest is compiled for {what_changed(thing)}"

    def match(self, thing: GuardedThing, facts: ProcessFacts) -> Match:
        """Say it with the break, which is the cause: both are one finding."""
        found, broken = super().match(thing, facts), thing.break_before
        if broken is None or (thing.path.is_on_stack and thing.times < AGAIN):
            return found  # the break's rule says it
        here = (one for one in facts.forward_breaks if broken.key in {b.key for b in one.breaks})
        split = next(here, None)
        if split is None or split.owner != "user" or split.kind == "builtin":
            return found  # the rule of such a call claims what it gave
        return replace(found, events=(*found.events, *split.breaks), specificity=PATTERN + 6)

    def to_edit(self, thing: GuardedThing) -> Frame | None:
        """Return the break, which is what to change."""
        return None if thing.break_before is None else thing.break_before.location
