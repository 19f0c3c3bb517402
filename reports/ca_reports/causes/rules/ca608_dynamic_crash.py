"""CA608."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_engine.lazy_expressions import expression
from ca_reports.causes.rules import failing
from ca_reports.causes.rules.base import PATTERN, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.causes.rules.base import Match
    from ca_reports.facts.process import ProcessFacts

# A size such as s57 is a symbol: only dynamic shapes have them.
_INVALID = expression(
    r"invalid gradient at index (?P<index>\d+) - got (?P<got>\[[^\]]*\bs\d+[^\]]*\])"
    r"(?: but expected shape compatible with (?P<expected>\[[^\]]*\]))?"
)


class DynamicCrash(Rule):
    """With dynamic shapes, torch refuses the symbolic shape of a gradient.

    ## What it is

    With `dynamic=True` sizes are symbols (`s57`). Torch compares the shape of each gradient with
    what the next node expects, and raises `invalid gradient at index 0 - got [s57, s13]` where it
    cannot see that two symbols are the same size. A hook or an `autograd.Function` that returns
    a gradient of the wrong shape raises the same error.

    ## Why it costs

    The program stops.

    ## Example

        torch.compile(step, dynamic=True)

    ## What to do

    Run the step once with `dynamic=False`. If it works, keep that, and pad to a few lengths if
    sizes vary; or omit `dynamic`, so that only sizes that changed become symbols. If it fails
    too, that error gives the sizes as numbers: correct the Function or hook of that shape.

    ## Measured

    Seen with torch 2.13 and `dynamic=True`; gone with `dynamic=False`. Of 23 small programs
    written to raise it on a CPU, only those with a Function that returns a wrong shape did.

    ## When the rule can be wrong

    It cannot tell a bug in torch from one in a Function or a hook: symbols do not say which
    sizes they stand for. Without symbols (`dynamic=False`) this rule is silent.
    """

    code = "CA608"
    name = "dynamic-crash"
    severity = "error"
    specificity = PATTERN
    suggests_trial = "shapes"

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        for failure in facts.failures:
            found = _INVALID.search(failure.text)
            if found is None:
                continue
            expected = f", expected {found['expected']}" if found["expected"] else ""
            yield failing.match(
                failure,
                (
                    "with dynamic shapes, torch refuses the symbolic shape of a gradient: got "
                    f"{found['got']}{expected}"
                ),
                (
                    "run the step once with `dynamic=False`: if it works, keep that and pad sizes "
                    "that vary to a few lengths, with a mask for what is added; if not, an "
                    "autograd.Function or a hook returns a gradient of that shape"
                ),
            )
