"""CA624."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.causes.located import settings
from ca_reports.causes.rules.base import Rule
from ca_reports.causes.rules.uncached import uncached

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.causes.rules.base import Match
    from ca_reports.facts.process import ProcessFacts


class FrozenNotCached(Rule):
    """Freezing makes weights part of the code, which no cache keeps for the next start.

    ## What it is

    With `torch._inductor.config.freezing` inductor folds weights into the compiled code. A key
    names weights by size and type, not by value, so AOTAutogradCache takes no graph while the
    setting is on, in training too.

    ## Why it costs

    Every start traces each forward again; what was frozen is compiled again, too.

    ## Example

        torch._inductor.config.freezing = True

    ## What to do

    Leave the setting off, or set it only around what is served long enough to be worth a cold
    start, with `torch._inductor.config.patch(freezing=True)`. Whether frozen code is faster for
    this model has to be measured; starting warm without it is certain.

    ## Measured

    A linear layer in inference, torch 2.13.0: a bypass at every start before, a hit at the second
    start after.

    ## When the rule can be wrong

    A service that starts once a week and answers for a week may want the faster code.
    """

    code = "CA624"
    name = "frozen-not-cached"
    place = settings.freezing
    severity = "info"

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        yield from uncached(
            facts,
            "frozen",
            lambda _: (
                "AOTAutogradCache does not take this function's graph while freezing is on, "
                "because weights become part of the code: each start compiles it again"
            ),
        )
