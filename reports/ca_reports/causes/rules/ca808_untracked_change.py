"""CA808."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ca_reports.causes.located.own_gradients import asked_for, own_gradient
from ca_reports.causes.located.trail import recorded_line
from ca_reports.causes.remedies import BY_HAND, Remedy
from ca_reports.causes.remedies import remedy as remedy_of
from ca_reports.causes.rules.splitting import Split, SplittingRule
from ca_reports.program.syntax import parameters_of, targets_of

if TYPE_CHECKING:
    from ca_reports.causes.located.trail import Trail
    from ca_reports.facts.forward_breaks import ForwardBreak
    from ca_reports.program.syntax import Site


class UntrackedChange(SplittingRule):
    """The compiled forward changes an object in a way that Dynamo cannot follow.

    ## What it is

    Dynamo keeps track of what a function changes and does it after the graph. It cannot for
    some: `.data` or `requires_grad` of a tensor made in the graph, attributes of types and of C
    objects, storage that is resized.

    ## Example

        @torch.compile
        def forward(x):
            hidden = torch.tanh(x)
            hidden.data = hidden.clamp(-0.5, 0.5)
            return hidden * 2

    ## What to do

    Make a new value in place of the change, and return it:

        return hidden.clamp(-0.5, 0.5) * 2

    Change objects before or after the compiled part. A function that asks for a gradient to take it
    by itself (`x.requires_grad = True`, `y.backward()`, `x.grad`) has no use for a new value: write
    the derivative down as a formula, or take it by `torch.func.grad`, which Dynamo traces.

    ## Measured

    The example: 2 compiled graphs; with a new value 1 (torch 2.13.0, CPU). An activation that keeps
    its derivative, in two layers: 7 graphs; by `torch.func.grad` 1.

    ## When the rule can be wrong

    The line is Dynamo's own. Attributes of modules and of plain objects, and in-place
    operations on tensors, are tracked, and not reported.
    """

    code = "CA808"
    name = "untracked-change"
    breaks = "mutation"
    place = recorded_line

    @classmethod
    def remedy(cls, trail: Trail, site: Site | None) -> Remedy | None:
        """By what the change is for, where the source shows that."""
        found = own_gradient(site)
        if found is not None:
            return remedy_of(found.advice, BY_HAND)
        name = asked_for(site)
        if not name or site is None or not _is_made_there(site, name):
            return None
        return trail.finding.remedy.instead(
            f"split the function in two, and compile each: one that makes `{name}`, and one that "
            "uses it; between their calls, outside of both, ask for its gradient as here"
        )

    def split(self, found: ForwardBreak) -> Split:
        line = found.line.code if found.line is not None else ""
        return Split(
            f"the change `{line}`" if line else "a change that Dynamo cannot follow",
            "make a new value and return it, or change the object outside the compiled code",
            key=found.first.reason,
        )


def _is_made_there(site: Site, name: str) -> bool:
    """Return whether the function of a line makes what it calls ``name``, and is not given it."""
    function = site.scope
    assert isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
    return name not in parameters_of(function) and any(
        isinstance(target, ast.Name) and target.id == name
        for node in ast.walk(function)
        for target in targets_of(node)
    )
