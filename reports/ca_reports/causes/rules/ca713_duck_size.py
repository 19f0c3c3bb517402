"""CA713."""

from __future__ import annotations

from ca_reports.causes.located import arguments
from ca_reports.causes.rules.of_guards import GuardedRule


class DuckSize(GuardedRule):
    """Two dynamic sizes were equal when a function was compiled, and are not any more.

    ## What it is

    Dynamo gives equal dynamic sizes one symbol ("duck sizing"), and guards on the equality.

    ## Example

        @torch.compile(dynamic=True)
        def scores(queries, keys):
            return queries @ keys.T

        scores(torch.randn(4, 8), torch.randn(4, 8))    # one symbol for both
        scores(torch.randn(5, 8), torch.randn(6, 8))    # a recompile

    ## What to do

    Make the sizes differ in the first call, or set
    `torch.fx.experimental._config.use_duck_shape = False` before it.

    ## Measured

    1 recompile became none (torch 2.13.0, CPU).

    ## When the rule can be wrong

    Torch says that the equality is duck sizing's; where the code itself needs equal sizes, it
    is CA712.
    """

    code = "CA713"
    name = "duck-size"
    place = arguments.call
    edits = ("duck_sizes",)
    subjects = frozenset(("duck_size",))
