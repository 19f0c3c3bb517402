"""CA623."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.causes.located import settings
from ca_reports.causes.rules.base import Rule
from ca_reports.causes.rules.uncached import uncached

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.causes.rules.base import Match
    from ca_reports.facts.process import ProcessFacts


class PassNotCached(Rule):
    """A graph pass of your own without a `uuid()` keeps every graph out of torch's caches.

    ## What it is

    Inductor runs passes that a program registers over each graph. What such a pass does is part of
    what is compiled, and torch can name it in a key only if the pass has a `uuid()`. A plain
    function has none, so neither inductor's cache nor AOTAutogradCache is asked.

    ## Why it costs

    Every start compiles everything: forwards, backwards, C++ and Triton kernels.

    ## Example

        def count_nodes(graph): ...

        torch._inductor.config.post_grad_custom_post_pass = count_nodes

    ## What to do

    Make it a `CustomGraphPass`, whose `uuid()` changes whenever its code does:

        from torch._inductor.custom_graph_pass import CustomGraphPass, get_hash_for_files

        class CountNodes(CustomGraphPass):
            def __call__(self, graph): ...

            def uuid(self):
                return get_hash_for_files((__file__,))

    For `_pre_fusion_custom_pass` and `_post_fusion_custom_pass` it is `CustomSchedulerPass`.

    ## Measured

    A product and a sum, torch 2.13.0: 1 and 2 bypasses at every start before, hits at the second
    start after.

    ## When the rule can be wrong

    A pass whose result depends on more than its file (a setting, the time) must say so in its
    `uuid()`, or a later start runs what was compiled for another result.
    """

    code = "CA623"
    name = "pass-not-cached"
    place = settings.custom_pass
    severity = "info"

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        yield from uncached(
            facts,
            "pass",
            lambda bypass: (
                "no cache takes this function's graphs, because a pass of your own has no "
                f"`uuid()` ({bypass.target}): each start compiles them again"
            ),
        )
