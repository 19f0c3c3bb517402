"""CA809."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_engine.lazy_expressions import expression
from ca_reports.causes.located.own_gradients import own_gradient
from ca_reports.causes.located.trail import recorded_line
from ca_reports.causes.remedies import BY_HAND, Remedy
from ca_reports.causes.remedies import remedy as remedy_of
from ca_reports.causes.rules.splitting import Split, SplittingRule
from ca_reports.torchlib.dynamo import BUILDS_CLASS

if TYPE_CHECKING:
    from ca_reports.causes.located.trail import Trail
    from ca_reports.facts.forward_breaks import ForwardBreak
    from ca_reports.program.syntax import Site

_CLASS = expression(r"class (\w+)")
# What torch says of many kinds, and nobody can do.
_EMPTY = ("please report", "please file", "it may be possible to write", "this graph break is fund")


class OtherBreak(SplittingRule):
    """The compiled forward is split for a reason that no other rule covers.

    ## What it is

    Torch knows some 500 kinds of graph breaks. The finding has torch's name and number of this
    one, its explanation and its hint; `https://meta-pytorch.github.io/compile-graph-break-site`
    describes each.

    ## Example

        @torch.compile
        def forward(x):
            hidden = torch.tanh(x)
            noise = torch.empty_like(x).random_(0, 2)
            return hidden * noise

    ## What to do

    Do what torch's hint says, or move the line out of the compiled code. Here an operation that
    Dynamo traces does the same: `torch.randint_like(x, 0, 2)`. A class that a compiled function
    defines is defined once, outside of it: what comes after the break is compiled for each class.

    ## Measured

    The example: 2 compiled graphs; with `torch.randint_like` 1 (torch 2.13.0, CPU).

    ## When the rule can be wrong

    The cause is as sure as torch's own text. A version of torch without numbers for its kinds
    says less.
    """

    code = "CA809"
    name = "other-break"
    breaks = "other"
    edits = ("reordered_call",)
    place = recorded_line

    @classmethod
    def remedy(cls, trail: Trail, site: Site | None) -> Remedy | None:
        """Return what takes the gradient that a function takes of its own by `backward()`.

        With torch's hint, `trace_autograd_ops`, 2.13.0 raises there; `autograd.grad` it traces.
        """
        found = own_gradient(site)
        if found is None or not found.is_backward:
            return None
        return remedy_of(found.advice, BY_HAND)

    def split(self, found: ForwardBreak) -> Split:
        reason = found.first.reason.rstrip(".")
        number = f" ({found.first.number})" if found.first.number else ""
        return Split(
            f"“{reason}”{number}",
            _of_class(found)
            or _hint(found)
            or "move the line out of the compiled code, or write it in another way",
            key=found.first.number or "",
        )


def _of_class(found: ForwardBreak) -> str | None:
    """Say where a class is to be defined that the compiled code defines."""
    at = found.broken_at
    named = None if at is None else _CLASS.match(at.code.strip())
    if at is None or named is None or BUILDS_CLASS not in found.first.reason:
        return None
    return (
        f"define the class `{named[1]}` once, outside of `{at.function}`, such as at module level: "
        "Dynamo can't trace that, and each call makes another class, for which the rest is "
        "recompiled"
    )


def _hint(found: ForwardBreak) -> str | None:
    """Torch's first hint that says what to do."""
    for hint in found.first.hints:
        if not hint.lower().startswith(_EMPTY):
            return hint
    return None
