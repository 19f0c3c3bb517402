"""CA505."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ca_reports.rules import breaking
from ca_reports.rules.base import PATTERN, Match, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.facts.process import ProcessFacts
    from ca_reports.rules.breaking import BackwardBreak

_RUNNER = "run_non_traceable_cpp_in_eager"
_NODE = re.compile(r"'torch::autograd::CppNode<(?P<name>[^'\n]+?)>'")


class CppNode(Rule):
    """An autograd function in C++ is not marked as traceable, and runs in eager.

    ## What it is

    A `torch::autograd::Function` in C++ may do anything in its backward, so compiled autograd
    captures it only if it says that it may be. Else the captured graph calls it as it is, through
    a function that is disabled for Dynamo: a graph break.

    ## Why it costs

    The backward is compiled in two pieces around every such node, and each step passes through
    Python between them.

    ## Example

        struct Triple : public torch::autograd::Function<Triple> {
          static at::Tensor forward(AutogradContext*, const at::Tensor& x) { return x * 3; }
          static variable_list backward(AutogradContext*, variable_list grads) {
            return {grads[0] * 3};
          }
        };

    ## What to do

    If its backward calls torch's operators only, does not read values of tensors, and keeps all
    of its state in `ctx`, say so:

        static constexpr bool is_traceable = true;

    ## Measured

    One such node: one capture and 2 compiled graphs; marked one of each.

    ## When the rule can be wrong

    A backward that calls a library, or depends on globals, must not be marked: what it does at
    the capture would be repeated for ever. The line is that of the backward call; C++ leaves no
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
                        "compiled backward is cut there, and it runs in eager"
                    ),
                    fix=(
                        "if its backward calls torch's operators only: "
                        f"`static constexpr bool is_traceable = true;` in {name}"
                    ),
                    events=breaking.events_of(facts, [found]),
                    location=found.line,
                    evidence=breaking.evidence_of(facts, [found]),
                    count=found.found.count,
                )


def _name_of(found: BackwardBreak) -> str:
    """From the line of the captured graph that calls it."""
    for frame in reversed(found.found.stack):
        if node := _NODE.search(frame.code):
            return f"`{node['name']}`"
    return "of an extension"
