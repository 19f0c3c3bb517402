"""CA705."""

from __future__ import annotations

from ca_reports.causes.rules.of_guards import GuardedRule


class GlobalValue(GuardedRule):
    """A global variable that a compiled function reads changes.

    ## What it is

    Dynamo takes module-level numbers as constants and guards on them.

    ## Example

        SCALE = 1.0

        @torch.compile
        def scaled(x):
            return x * SCALE

        for SCALE in (1.0, 0.9, 0.8):
            scaled(x)

    ## What to do

    Pass the number as an argument, as a tensor if nothing but formulas needs it.

    ## Measured

    4 recompiles for 5 values became none (torch 2.13.0, CPU).

    ## When the rule can be wrong

    An attribute of a global object is reported as an int or float (CA701, CA702).
    """

    code = "CA705"
    name = "global-value"
    edits = ("tensor_number", "eager_rare_calls", "record_outside", "record_apart")
    subjects = frozenset(("global",))
