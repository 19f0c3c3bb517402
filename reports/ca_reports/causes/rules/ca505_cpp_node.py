"""CA505."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_engine.lazy_expressions import expression
from ca_reports.causes.rules import breaking
from ca_reports.causes.rules.base import PATTERN, Match, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.causes.rules.breaking import BackwardBreak
    from ca_reports.facts.process import ProcessFacts

_RUNNER = "run_non_traceable_cpp_in_eager"
_NODE = expression(r"'torch::autograd::CppNode<(?P<name>[^'\n]+?)>'")


class CppNode(Rule):
    """A C++ autograd function is not marked as traceable, and runs eagerly.

    ## What it is

    The backward of a C++ `torch::autograd::Function` may do anything, so compiled autograd
    captures it only if it is marked as traceable. Otherwise the captured graph calls it through
    a function that Dynamo skips: a graph break.

    ## Why it costs

    The compiled backward is split at every such node, and each step goes through Python there.

    ## Example

        struct Triple : public torch::autograd::Function<Triple> {
          static at::Tensor forward(AutogradContext*, const at::Tensor& x) { return x * 3; }
          static variable_list backward(AutogradContext*, variable_list grads) {
            return {grads[0] * 3};
          }
        };

    ## What to do

    If its backward calls only torch's operators, reads no values of tensors, and keeps all its
    state in `ctx`, mark it:

        static constexpr bool is_traceable = true;

    ## Measured

    One such node: one capture and 2 compiled graphs; marked, one of each.

    ## When the rule can be wrong

    A backward that calls a library, or depends on globals, must not be marked: what it did at
    the capture would be replayed forever. The line is that of the backward call; C++ leaves no
    line of the forward.
    """

    code = "CA505"
    name = "cpp-node"
    specificity = PATTERN + 10  # a recompile after a break is the break's

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        for found in breaking.backward_breaks(facts):
            if _RUNNER in found.text:
                name = _name_of(found)
                yield Match(
                    message=(
                        f"the C++ autograd function {name} is not marked as traceable: the "
                        "compiled backward is split there, and the function runs eagerly"
                    ),
                    fix=(
                        "if its backward calls only torch's operators, add "
                        f"`static constexpr bool is_traceable = true;` in {name}"
                    ),
                    events=breaking.events_of(facts, [found]),
                    noticed_at=found.line,
                    evidence=breaking.evidence_of(facts, [found]),
                    count=found.found.count,
                    key=name,
                    group="",
                )


def _name_of(found: BackwardBreak) -> str:
    """From the line of the captured graph that calls it."""
    for frame in reversed(found.found.stack):
        if node := _NODE.search(frame.code):
            return f"`{node['name']}`"
    return "of an extension"
