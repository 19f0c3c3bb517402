"""CA620."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.causes.rules.base import Rule
from ca_reports.causes.rules.uncached import uncached

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.causes.rules.base import Match
    from ca_reports.facts.process import ProcessFacts


class FunctionNotCached(Rule):
    """A custom autograd Function keeps its whole graph out of AOTAutogradCache.

    ## What it is

    With Inductor, AOTAutogradCache keeps compiled forwards and backwards on disk, and takes only
    graphs of operations that it knows to be safe to keep. A `torch.autograd.Function` is none of
    them unless a setting says so.

    ## Why it costs

    Every start traces the forward and its backward again. Inductor's own cache of generated code
    still serves, so what is lost is the time of AOTAutograd.

    ## Example

        class Double(torch.autograd.Function): ...

        @torch.compile
        def step(x):
            return Double.apply(x)

    ## What to do

    Before the first compile, if the Function depends on nothing but its arguments:

        torch._functorch.config.autograd_cache_allow_custom_autograd_functions = True

    Its name and code are no part of the key as such, but the operations that it is traced to are.

    ## Measured

    An elementwise Function, torch 2.13.0: a bypass at every start before, a hit at the second
    start after.

    ## When the rule can be wrong

    A Function that reads a global or a file while it is traced must not be cached: leave the
    setting off.
    """

    code = "CA620"
    name = "function-not-cached"
    severity = "info"

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        yield from uncached(
            facts,
            "custom function",
            lambda _: (
                "AOTAutogradCache does not take this function's graph, because a custom autograd "
                "Function is in it: each start traces it again"
            ),
        )
