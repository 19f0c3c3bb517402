"""CA502."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ca_reports.causes.located import modes
from ca_reports.causes.rules import breaking
from ca_reports.causes.rules.base import PATTERN, Match, Rule
from ca_reports.causes.rules.ca301_hook_toggle import comes_and_goes
from ca_reports.causes.rules.hooks import torchs_own

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.facts.process import ProcessFacts


_CHECKPOINT = "checkpoint"


class CheckpointBreak(Rule):
    """Activation checkpointing of an eager forward breaks the backward at each saved tensor.

    ## What it is

    `torch.utils.checkpoint` keeps no activations: when the backward asks for one, an unpack hook
    recomputes it, in torch's own Python that Dynamo does not trace. In a compiled backward, each
    saved tensor is a graph break.

    ## Why it costs

    The backward is compiled in as many pieces as there are saved tensors, each with its own
    guards, and the recomputation runs eagerly in each step.

    ## Example

        for block in blocks:                    # eager
            x = checkpoint(block, x, use_reentrant=False)
        with compiled_autograd._enable(compiler):
            x.sum().backward()

    ## What to do

    Call `checkpoint` inside a compiled function. There torch.compile decides what to keep and
    what to recompute, and compiles both; the backend `eager` doesn't, and the breaks stay:

        @torch.compile
        def forward(x):
            for block in blocks:
                x = checkpoint(block, x, use_reentrant=False)
            return x

    ## Measured

    8 blocks: one capture and 41 compiled graphs; inside the compiled forward, one of each.

    ## When the rule can be wrong

    It relies on the name of torch's hook in the break's explanation, and misses it if a future
    torch renames that. The line is that of the backward call, as the log does not say which
    `checkpoint` call a tensor belongs to; with `ca run --forward-stacks` it is the first
    line whose tensors are recomputed. The seconds cover compiling the functions after the
    breaks, not the slower steps afterwards. Where `checkpoint` is called in some steps only, that
    is CA301, and its breaks are told as `info`.
    """

    code = "CA502"
    name = "checkpoint-break"
    place = modes.checkpoint
    edits = ("checkpoint_alike",)
    specificity = PATTERN + 10  # a recompile after a break is the break's
    located_in_forward = True

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        breaks = [
            found
            for found in breaking.backward_breaks(facts)
            if "_checkpoint_hook" in found.skipped and "unpack_hook" in found.skipped
        ]
        if breaks:
            found = breaking.match(
                facts,
                breaks,
                "torch.utils.checkpoint recomputes saved tensors of an eager forward",
                f"call `checkpoint` inside {breaking.of_compiled_forward(facts)}, so that the "
                "recomputation is compiled too",
                key=_CHECKPOINT,
                belongs=breaking.unpacks,
            )
            toggled = comes_and_goes(facts, lambda hooks: torchs_own(hooks) == _CHECKPOINT)
            yield replace(found, severity="info" if toggled else None)
