"""CA627."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.causes.located import modes
from ca_reports.causes.rules.base import Rule
from ca_reports.causes.rules.uncached import uncached

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.causes.rules.base import Match
    from ca_reports.facts.process import ProcessFacts


class AutocastNotCached(Rule):
    """`torch.autocast` within a compiled function keeps its graph out of AOTAutogradCache.

    ## What it is

    Dynamo writes entering and leaving autocast into the graph as calls of two functions of torch's
    own, and AOTAutogradCache takes no graph with functions that it does not know.

    ## Why it costs

    Every start traces the forward and its backward again. Inductor's own cache of generated code
    still serves, so what is lost is the time of AOTAutograd.

    ## Example

        @torch.compile
        def step(x):
            with torch.autocast("cpu", dtype=torch.bfloat16):
                return net(x)

    ## What to do

    Enter autocast around the call of what is compiled; its state is part of the key there:

        @torch.compile
        def step(x):
            return net(x)

        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = step(x)

    If only a part of the function is meant to be under it, compile that part. Or name both
    functions before the first compile; they are torch's, whose version is part of the key:

        torch._inductor.config.unsafe_marked_cacheable_functions = {
            "torch.amp.autocast_mode._enter_autocast": "1",
            "torch.amp.autocast_mode._exit_autocast": "1",
        }

    ## Measured

    A linear layer and its backward, torch 2.13.0: a bypass at every start before, a hit at the
    second start after, with either.

    ## When the rule can be wrong

    What else the function does comes under autocast, too, once it is entered outside.
    """

    code = "CA627"
    name = "autocast-not-cached"
    severity = "info"
    place = modes.entered_autocast

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        yield from uncached(
            facts,
            "autocast",
            lambda _: (
                "AOTAutogradCache does not take this function's graph, because `torch.autocast` is "
                "entered in it: each start traces it again"
            ),
        )
