"""CA621."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.causes.located import settings
from ca_reports.causes.rules.base import Rule
from ca_reports.causes.rules.uncached import uncached
from ca_reports.torchlib.dynamo import ENTERED_BY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.causes.rules.base import Match
    from ca_reports.facts.bypassed import Bypass
    from ca_reports.facts.process import ProcessFacts


class UnknownFunctionNotCached(Rule):
    """A function that Dynamo put into the graph as it is keeps that graph out of AOTAutogradCache.

    ## What it is

    `torch.compiler.allow_in_graph` and its like put a call of your function into the graph without
    tracing into it. AOTAutogradCache's key has the function's name and not its code, so the cache
    takes no such graph unless you vouch for the function.

    ## Why it costs

    Every start traces the forward and its backward again. Inductor's own cache of generated code
    still serves, so what is lost is the time of AOTAutograd.

    ## Example

        @torch.compiler.allow_in_graph
        def scaled(x):
            return x * 3

    ## What to do

    Name the function before the first compile, with a text that you change whenever its code does:

        torch._inductor.config.unsafe_marked_cacheable_functions = {"model.scaled": "1"}

    Or take `allow_in_graph` away where Dynamo can trace into the function. Enter
    `torch.nn.attention.sdpa_kernel`, which puts functions of torch's into the graph, around the
    call of the compiled function.

    ## Measured

    A function of one multiplication, torch 2.13.0: a bypass at every start before, a hit at the
    second start after. A layer of attention under `sdpa_kernel`: a bypass at each of three starts,
    also with one of its functions in the setting; around the call a miss and two hits.

    ## When the rule can be wrong

    The setting is called unsafe for a reason: if the function's code changes and the text does not,
    the next start runs what was compiled for the old code.
    """

    code = "CA621"
    name = "unknown-function-not-cached"
    severity = "info"

    place = settings.entered_manager

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        yield from uncached(facts, "function", _message)


def _message(bypass: Bypass) -> str:
    manager = ENTERED_BY.get(bypass.target or "")
    why = (
        f"it does not know `{bypass.target}`, which is in it"
        if manager is None
        else f"`{manager}` is entered in it"
    )
    return (
        f"AOTAutogradCache does not take this function's graph, because {why}: each start traces "
        "it again"
    )
