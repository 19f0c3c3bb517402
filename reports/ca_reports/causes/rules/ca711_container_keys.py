"""CA711."""

from __future__ import annotations

from ca_reports.causes.rules.of_guards import GuardedRule


class ContainerKeys(GuardedRule):
    """The keys of a dict, or the members of a set, differ from call to call.

    ## What it is

    Dynamo compiled the function for a dict with certain keys in a certain order, or for a key that
    was or was not there. A cache that the forward fills fails its guard at every new key.

    ## Example

        def forward(self, x):
            n = x.shape[0]
            if n not in self.masks:             # a cache
                self.masks[n] = torch.ones(n, 1)
            return x * self.masks[n]

    ## What to do

    Give a batch the same keys in the same order in every call. Fill caches before the first
    compiled call, or look things up outside and pass the result. Of a cache by length keep one
    tensor for the longest and slice it: a key needs the number, so no length becomes dynamic.

    ## Measured

    1 recompile became none (torch 2.13.0, CPU).

    ## When the rule can be wrong

    A size is taken for a key where the keys are the sizes that varied, or all less by one number,
    or one part of them. Where backwards are captured too, such recompiles are CA102's.
    """

    code = "CA711"
    name = "container-keys"
    edits = ("filled_cache", "sorted_keys", "eager_rare_calls", "record_outside", "record_apart")
    subjects = frozenset(("keys",))
