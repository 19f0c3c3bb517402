"""CA503."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.causes.located import modes
from ca_reports.causes.rules import breaking
from ca_reports.causes.rules.base import PATTERN, Match, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.facts.process import ProcessFacts


class SaveOnCpuBreak(Rule):
    """`save_on_cpu` breaks the compiled backward at each saved tensor.

    ## What it is

    `torch.autograd.graph.save_on_cpu` moves saved tensors to host memory, and back when the
    backward needs them. Its unpack hook is one of torch's functions that Dynamo skips, so each
    saved tensor is a graph break.

    ## Why it costs

    The backward is compiled in as many pieces as there are saved tensors. The pieces share their
    code, so Dynamo also recompiles them for each new shape and rank, up to its limit.

    ## Example

        with torch.autograd.graph.save_on_cpu():
            loss = model(x).sum()

    ## What to do

    Use your own hooks, which Dynamo traces:

        def pack(tensor):
            return tensor.device, tensor.to("cpu")

        def unpack(packed):
            device, tensor = packed
            return tensor.to(device)

        with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
            loss = model(x).sum()

    For a compiled forward, activation offloading of torch.compile does the same.

    ## Measured

    A model of two layers: one capture and 9 breaks; with your own hooks, one compiled graph.

    ## When the rule can be wrong

    It relies on the name of torch's hook in the break's explanation, and misses it if a future
    torch renames that. The line is that of the backward call; with `ca run --forward-stacks`,
    the first one whose tensors were moved. For `pin_memory=True`, `pack` must allocate pinned
    memory itself.
    """

    code = "CA503"
    name = "save-on-cpu-break"
    place = modes.save_on_cpu
    edits = ("own_offload",)
    specificity = PATTERN + 10  # a recompile after a break is the break's
    located_in_forward = True

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        breaks = [
            found
            for found in breaking.backward_breaks(facts)
            if found.skipped.startswith("save_on_cpu") or "unpack_from_cpu" in found.skipped
        ]
        if breaks:
            yield breaking.match(
                facts,
                breaks,
                "save_on_cpu brings saved tensors back",
                "use `torch.autograd.graph.saved_tensors_hooks(pack, unpack)` with your own "
                'functions: `tensor.to("cpu")` in one, `tensor.to(device)` in the other',
                key="save_on_cpu",
                belongs=breaking.unpacks,
            )
