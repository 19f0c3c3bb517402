"""CA613."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.causes.located import modes
from ca_reports.causes.rules import failing
from ca_reports.causes.rules.base import Rule
from ca_reports.facts.failures import of_compiles

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.causes.rules.base import Match
    from ca_reports.facts.process import ProcessFacts

_TEXT = "First bucket should be smaller/equal to other buckets"


class DdpFirstBucket(Rule):
    """DistributedDataParallel's buckets are smaller than torch.compile can split for.

    ## What it is

    Dynamo splits a DDP module's graph at its buckets, so that gradients are sent while the rest
    of the backward runs. It takes the first bucket for 1 MB, DDP's default, and asserts that the
    others are no smaller.

    ## Why it costs

    The program stops when the module is called first.

    ## Example

        model = DistributedDataParallel(torch.compile(model), bucket_cap_mb=0.5)

    ## What to do

    Give `bucket_cap_mb` at least 1. To keep smaller buckets, leave the graph in one piece:

        torch._dynamo.config.optimize_ddp = False

    ## Measured

    With gloo and one process: `AssertionError` at the first call; with `bucket_cap_mb=1`, and with
    `optimize_ddp = False`, none, and the same losses (torch 2.13.0, CPU).

    ## When the rule can be wrong

    It quotes torch's own error.
    """

    code = "CA613"
    name = "ddp-first-bucket"
    place = modes.data_parallel
    edits = ("bucket_of_ddp",)
    severity = "error"

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        for failure in of_compiles(facts.failures):
            if _TEXT in failure.text:
                yield failing.match(
                    failure,
                    "DDP's `bucket_cap_mb` is below 1, and torch.compile cannot split the graph "
                    "for such buckets",
                    "give DistributedDataParallel `bucket_cap_mb=1` or more, or set "
                    "`torch._dynamo.config.optimize_ddp = False`",
                    key="bucket",
                )
