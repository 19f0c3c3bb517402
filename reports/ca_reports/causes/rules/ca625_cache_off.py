"""CA625."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.causes.located import settings
from ca_reports.causes.rules.base import Rule
from ca_reports.causes.rules.uncached import uncached

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.causes.rules.base import Match
    from ca_reports.facts.process import ProcessFacts


class CacheOff(Rule):
    """A cache of compiled graphs is turned off, so each start compiles or traces them again.

    ## What it is

    `torch._inductor.config.fx_graph_cache = False` or `TORCHINDUCTOR_FX_GRAPH_CACHE=0` turns off
    the cache of compiled graphs. AOTAutogradCache builds on it and is not asked either.
    `torch._functorch.config.enable_autograd_cache = False` or `TORCHINDUCTOR_AUTOGRAD_CACHE=0`
    turns off that one alone.

    ## Why it costs

    Every start compiles everything; without AOTAutogradCache alone it traces everything, and takes
    inductor's code from the cache. The setting is often left over from debugging.

    ## Example

        torch._inductor.config.fx_graph_cache = False

    ## What to do

    Remove the line, or unset the variable. To compile afresh once, name another folder:
    `TORCHINDUCTOR_CACHE_DIR=$(mktemp -d)`.

    ## Measured

    A GELU and a mean, torch 2.13.0: a bypass at every start before, a hit at the second start
    after.

    ## When the rule can be wrong

    It says what the log shows; whether the cache was turned off on purpose it can't know.
    """

    code = "CA625"
    name = "cache-off"
    place = settings.caches
    severity = "info"

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        yield from uncached(
            facts,
            "off",
            lambda _: (
                "torch's caches were not asked for this function's graph, because inductor's is "
                "turned off: each start compiles it again"
            ),
        )
        yield from uncached(
            facts,
            "not asked",
            lambda _: (
                "AOTAutogradCache was not asked for this function's graph, because it is turned "
                "off: each start traces it again"
            ),
        )
