"""CA711."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.causes.findings import DictKeys
from ca_reports.causes.located.arguments import function_at
from ca_reports.causes.rules.of_guards import GuardedRule
from ca_reports.facts.guard_paths import guard_path, referring
from ca_reports.program.uses import Reached

if TYPE_CHECKING:
    from ca_reports.causes.located.trail import Trail
    from ca_reports.causes.remedies import Remedy
    from ca_reports.program.syntax import Site


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
    compiled call, or look things up outside and pass the result. Of a set that the program changes
    between calls, such as the layers to leave out, give what is asked of it as a tensor of 0 and 1
    to weigh by: each other set is compiled for. Of a cache by length keep one
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

    @classmethod
    def remedy(cls, trail: Trail, site: Site | None) -> Remedy | None:
        """By who changes it: what the compiled code does not fill is chosen for each call."""
        if (known := super().remedy(trail, site)) is not None:
            return known
        detail, source = trail.finding.detail, trail.finding.key
        is_asked = isinstance(detail, DictKeys) and detail.is_asked
        compiled = function_at(trail.compiled_at, trail.flow)
        if not is_asked or site is None or compiled is None or guard_path(source).is_argument:
            return None
        if Reached(trail.names, compiled).has(site):
            return None
        name = referring(source)
        return trail.finding.remedy.instead(
            f"`{name}` is changed between calls, and each answer to what the compiled code asks "
            "of it is compiled for: ask outside, and pass a tensor of 0 and 1 to weigh the "
            "outcome by, which computes it in every call; few different ones cost one compile each"
        )
