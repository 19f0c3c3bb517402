"""CA603."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ca_reports.causes.located import modes
from ca_reports.causes.rules import failing
from ca_reports.causes.rules.base import PATTERN, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.causes.rules.base import Match
    from ca_reports.facts.process import ProcessFacts

# Under compiled autograd, and without it.
_TEXTS = (
    "does not currently support higher order gradients",
    "does not currently support double backward",
)


_UNCOMPILED = ": call the module that was given to `torch.compile` there, and not the compiled one"


class CreateGraph(Rule):
    """A gradient of a gradient goes through a compiled forward.

    ## What it is

    AOTAutograd compiles a forward and its backward, but no backward of that backward. With
    `create_graph=True` (gradient penalties, meta-learning, Hessian products) one is needed,
    and the capture raises an error, or the second backward where compiled autograd is off.

    ## Why it costs

    The program stops.

    ## Example

        critic = torch.compile(critic)
        (slope,) = torch.autograd.grad(critic(x).sum(), x, create_graph=True)
        (slope.norm() - 1).square().backward()

    ## What to do

    Keep the part that is differentiated twice in eager mode. Its first backward runs outside
    compiled autograd; the second is captured and compiled like any other:

        with torch._dynamo.compiled_autograd._disable():
            (slope,) = torch.autograd.grad(critic(x).sum(), x, create_graph=True)

    ## Measured

    The error; and with the fix, a run with one capture.

    ## When the rule can be wrong

    It quotes torch's own error.
    """

    code = "CA603"
    name = "create-graph"
    place = modes.create_graph
    severity = "error"
    specificity = PATTERN

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        for failure in facts.failures:
            if any(text in failure.text for text in _TEXTS):
                eager = "keep the forward that is differentiated twice in eager mode"
                first = "take its first gradient under `torch._dynamo.compiled_autograd._disable()`"
                found = failing.match(
                    failure,
                    (
                        "a gradient of a gradient goes through a compiled forward, whose backward "
                        "cannot be differentiated"
                    ),
                    f"{eager}, and {first}" if facts.captures else eager + _UNCOMPILED,
                )
                yield found if facts.captures else replace(found, edits=("eager_differentiated",))
