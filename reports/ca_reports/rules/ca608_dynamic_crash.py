"""CA608."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ca_reports.rules.base import PATTERN, Match, Rule
from ca_reports.rules.failing import failures

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.facts.process import ProcessFacts

# A size such as s57 is a symbol: only dynamic shapes have them.
_INVALID = re.compile(
    r"invalid gradient at index (?P<index>\d+) - got (?P<got>\[[^\]]*\bs\d+[^\]]*\])"
    r"(?: but expected shape compatible with (?P<expected>\[[^\]]*\]))?"
)


class DynamicCrash(Rule):
    """A gradient's symbolic shape does not fit: a fault of torch's under dynamic shapes.

    ## What it is

    With ``dynamic=True`` sizes are symbols (``s57``). Where torch compares the shape of a
    gradient with what the next node expects, it can fail to see that two symbols are the same
    size, and raises ``invalid gradient at index 0 - got [s57, s13]``.

    ## Why it costs

    The program stops.

    ## Example

        torch.compile(step, dynamic=True)

    ## What to do

    Compile the backward with static shapes (``dynamic=False``), and pad to a few lengths if they
    vary. Or leave ``dynamic`` out: then only sizes that did change become symbols.

    ## Measured

    Seen with torch 2.13 and ``dynamic=True``; gone with ``dynamic=False``.

    ## When the rule can be wrong

    A gradient of the wrong shape from a hook or a Function of one's own raises the same words.
    Then the shapes are numbers, and this rule is silent.
    """

    code = "CA608"
    name = "dynamic-crash"
    severity = "error"
    specificity = PATTERN

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        for failure in failures(facts):
            found = _INVALID.search(failure.text)
            if found is None:
                continue
            expected = f", expected {found['expected']}" if found["expected"] else ""
            yield Match(
                message=(
                    "a gradient's symbolic shape is refused under dynamic shapes: got "
                    f"{found['got']}{expected}"
                ),
                fix=(
                    "compile the backward with `dynamic=False`; where sizes vary, pad them to a "
                    "few lengths"
                ),
                events=failure.events,
                location=failure.line,
                evidence=(failure.evidence,),
            )
