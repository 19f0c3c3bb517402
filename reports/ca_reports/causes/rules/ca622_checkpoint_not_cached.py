"""CA622."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.causes.located import modes
from ca_reports.causes.rules.base import Rule
from ca_reports.causes.rules.uncached import uncached

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.causes.rules.base import Match
    from ca_reports.facts.process import ProcessFacts


class CheckpointNotCached(Rule):
    """A checkpoint's policy without a `cache_hash` keeps its graph out of AOTAutogradCache.

    ## What it is

    Selective activation checkpointing asks a function of yours what to keep. What it answers is
    part of what is compiled and no part of the graph, so AOTAutogradCache wants a name for it.

    ## Why it costs

    Every start traces the forward and its backward again. Inductor's own cache of generated code
    still serves, so what is lost is the time of AOTAutograd.

    ## Example

        contexts = functools.partial(create_selective_checkpoint_contexts, policy)
        checkpoint(block, x, use_reentrant=False, context_fn=contexts)

    ## What to do

    Give what you pass as `context_fn` a text that you change whenever the policy does; of a
    `functools.partial`, the partial itself:

        contexts.cache_hash = "save matrix products, 1"

    ## Measured

    A product and a sine, torch 2.13.0: a bypass at every start before, a hit at the second start
    after.

    ## When the rule can be wrong

    If the policy changes and the text does not, the next start runs what was compiled for the old
    policy: its results are the same, its memory and time are not.
    """

    code = "CA622"
    name = "checkpoint-not-cached"
    severity = "info"
    place = modes.checkpoint_context

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        yield from uncached(
            facts,
            "checkpoint",
            lambda _: (
                "AOTAutogradCache does not take this function's graph, because the `context_fn` of "
                "a checkpoint in it has no `cache_hash`: each start traces it again"
            ),
        )
