"""CA710."""

from __future__ import annotations

from ca_reports.causes.remedies import NoEdits
from ca_reports.causes.rules.of_guards import GuardedRule


class ContainerLength(GuardedRule):
    """A list, tuple, dict or ModuleList that a compiled function uses has another length.

    ## What it is

    Dynamo unrolls loops over Python containers, so it compiles for their length.

    ## Example

        def forward(self, boxes):               # a list of tensors
            return sum(self.head(box) for box in boxes)

    ## What to do

    Stack the tensors into one, or pad the list to one length. Build all modules before the first
    call. Keep a history that grows outside of the forward.

    ## Measured

    3 recompiles for 4 lengths became none (torch 2.13.0, CPU).

    ## When the rule can be wrong

    A dict whose keys are guarded as well is CA711.
    """

    code = "CA710"
    name = "container-length"
    edits = (
        NoEdits("what fills it is rewritten by hand"),
        "eager_rare_calls",
        "record_outside",
        "record_apart",
        "filled_cache",
    )
    subjects = frozenset(("length",))
