"""CA712."""

from __future__ import annotations

from ca_reports.causes.rules.of_guards import GuardedRule


class SizeCondition(GuardedRule):
    """Code branches on a dynamic size, and a new size took the other branch.

    ## What it is

    The function asks whether a size is even, or greater than a number; or an operation of torch's
    asks so for it. The graph is valid on one side only.

    ## Example

        def forward(self, x):
            if x.shape[0] % 2:                  # odd batches are compiled apart
                x = pad(x)

    ## What to do

    Pad to the multiple before the call, or move the branch out of the compiled function.

    ## Measured

    1 recompile became none (torch 2.13.0, CPU).

    ## When the rule can be wrong

    Sizes of 0 and 1 are CA103; a size that is compiled for each of its values is CA102.
    """

    code = "CA712"
    name = "size-condition"
    edits = ("pad_always",)
    subjects = frozenset(("size_condition",))
