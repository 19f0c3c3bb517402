"""CA709."""

from __future__ import annotations

from ca_reports.causes.located import arguments, dimensions
from ca_reports.causes.remedies import NoEdits
from ca_reports.causes.rules.of_guards import GuardedRule


class RankChange(GuardedRule):
    """The number of dimensions of an input changes from call to call.

    ## What it is

    Dynamo compiled the function for tensors of a number of dimensions. Dynamic shapes do not help:
    sizes can be dynamic, their number cannot.

    ## Example

        for step in range(steps):
            model(x if step % 2 else x[0])      # a batch, a single sample

    ## What to do

    Reshape before the call: `x[None]` for a single sample.

    ## Measured

    1 recompile became none (torch 2.13.0, CPU).

    ## When the rule can be wrong

    It is the guard that torch names first; other properties of the tensor may have changed with it.
    """

    code = "CA709"
    name = "rank-change"
    place = arguments.or_call(dimensions.rank)
    edits = (
        NoEdits("which number of dimensions is meant is not known"),
        "eager_outlier",
        "eager_rare_calls",
    )
    subjects = frozenset(("rank",))
