"""CA611."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ca_reports.causes.located import modes
from ca_reports.causes.rules import failing
from ca_reports.causes.rules.base import Rule
from ca_reports.facts.failures import of_compiles
from ca_reports.sentences.places import in_brief

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.causes.rules.base import Match
    from ca_reports.facts.process import ProcessFacts
    from ca_reports.run.model import Failure

_TYPE = "ConstraintViolationError"
_SPECIALIZED = re.compile(
    r"You marked (?P<source>.{1,200}?) as dynamic but your code specialized it to be a constant "
    r"\((?P<value>\d{1,18})\)"
)
_ARGUMENT = re.compile(r"^L\['(?P<name>\w+)'\]\.size\(\)\[(?P<dimension>\d+)\]$")


class MarkedDynamic(Rule):
    """A size was marked dynamic, and what is compiled fixes it.

    ## What it is

    `torch._dynamo.mark_dynamic` is a demand: Dynamo raises `ConstraintViolationError` where the
    code that it compiles works for one size only. Tensors that a forward saves keep the mark, so
    it holds for a captured backward as well, which is compiled for fixed sizes unless its compiler
    is given `dynamic=True`.

    ## Why it costs

    The program stops, at its first step as a rule.

    ## Example

        torch._dynamo.mark_dynamic(x, 0)
        with torch._dynamo.compiled_autograd._enable(torch.compile(backend="inductor")):
            forward(x).sum().backward()

    ## What to do

    Of a captured backward: `torch.compile(…, dynamic=True)` for its compiler too. Of a forward:
    don't use the size as a number there, or call `maybe_mark_dynamic`, which lets Dynamo fix it.

    ## Measured

    The sample's 8 packs of 7 sizes: the error in step 0. With `dynamic=True` for the compiler of
    the backward 1 capture and 2 compiled graphs in all; with `maybe_mark_dynamic` 1 and 3; without
    a mark 2 and 5. `dynamic=True` for the forward, or for `_enable`, alone: the error again
    (torch 2.13.0, CPU).

    ## When the rule can be wrong

    It quotes torch's own error.
    """

    code = "CA611"
    name = "marked-dynamic"
    place = modes.marked
    edits = ("dynamic_marks",)
    severity = "error"

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        for failure in of_compiles(facts.failures):
            found = _SPECIALIZED.search(failure.text)
            if failure.type != _TYPE or found is None:
                continue
            if failure.in_backward:
                yield failing.match(
                    failure,
                    (
                        "the captured backward is compiled for fixed sizes, and one of them "
                        f"({found['value']}) was marked dynamic for the forward"
                    ),
                    "compile the backward for all sizes too: `torch.compile(…, dynamic=True)` in "
                    "what compiled autograd is given",
                    key="captured",
                )
                continue
            size = _size(found["source"])
            yield failing.match(
                failure,
                f"{size} was marked dynamic, and the compiled code fixes it at {found['value']}",
                f"{_leave_open(size, failure)}, or mark it with `maybe_mark_dynamic`",
                key=found["source"],
            )


def _leave_open(size: str, failure: Failure) -> str:
    """Say what not to do with a size, and in which line, if torch's error says it."""
    line = failure.location
    if line is None or line == failure.called_from:
        return f"use {size} in what is compiled without fixing it"
    return f"make {in_brief(line)}, which fixes {size}, work for any"


def _size(source: str) -> str:
    """``dimension 0 of `x```; what torch calls it where it is no plain argument."""
    found = _ARGUMENT.match(source)
    if found is None:
        return f"`{source}`"
    return f"dimension {found['dimension']} of `{found['name']}`"
