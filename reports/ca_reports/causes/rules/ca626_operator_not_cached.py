"""CA626."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.causes.rules.base import Rule
from ca_reports.causes.rules.uncached import uncached

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.causes.rules.base import Match
    from ca_reports.facts.process import ProcessFacts


class OperatorNotCached(Rule):
    """A higher-order operator, such as `torch.cond`, keeps its whole graph out of torch's caches.

    ## What it is

    `torch.cond`, `while_loop`, `scan` and their like hold graphs of their own. Torch's caches take
    only those operators that are marked as safe to keep, which most are not.

    ## Why it costs

    Every start compiles the graph around the operator again, all of it.

    ## Example

        @torch.compile
        def step(x):
            return torch.cond(x.sum() > 0, torch.sin, torch.cos, (x,))

    ## What to do

    Mark the operator before the first compile; its graphs are part of the key:

        torch._inductor.config.unsafe_marked_cacheable_functions = {
            "torch.ops.higher_order.cond": "1"
        }

    Where both branches are cheap, `torch.where` needs no operator at all.

    ## Measured

    `torch.cond` over a sine and a cosine, torch 2.13.0: bypasses at every start before, hits at
    the second start after.

    ## When the rule can be wrong

    Torch calls the setting unsafe: it has not checked that the key of such a graph holds all that
    its code depends on.
    """

    code = "CA626"
    name = "operator-not-cached"
    severity = "info"

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        yield from uncached(
            facts,
            "higher-order",
            lambda bypass: (
                f"no cache takes this function's graph, because `{bypass.target}` is in it: each "
                "start compiles it again"
            ),
        )
