"""CA901."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from ca_reports.causes.rules.base import Match, Rule
from ca_reports.causes.rules.size_advice import MASKED
from ca_reports.facts.evidence import Evidence
from ca_reports.words.numbers import counted, duration

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.facts.process import ProcessFacts
    from ca_reports.run.model import CudaGraph

# A graph that was recorded twice may have two ways of being reached, and then be done.
_FEW = 2


class CudagraphRerecord(Rule):
    """CUDA graphs are recorded again and again: a stall without any compile.

    ## What it is

    With `mode="reduce-overhead"`, Inductor records the kernels of a compiled graph once as a CUDA
    graph and replays it. A CUDA graph fits one set of sizes and one place of its inputs in
    memory. For another length, or for parameters that moved, torch records one more.

    ## Why it costs

    A recording waits for the GPU, runs everything once more, and keeps memory of its own. Nothing
    is compiled and no guard fails, so torch's logs of recompiles say nothing about it.

    ## Example

        compiled = torch.compile(model, mode="reduce-overhead", dynamic=True)
        for words in sentences:                 # a new length each time
            backward(compiled(words).sum())     # a new CUDA graph each time

    ## What to do

    Pad the inputs to one length, or to a few: each is recorded once. Where lengths must vary, turn
    CUDA graphs off for graphs with dynamic shapes:

        torch._inductor.config.triton.cudagraph_skip_dynamic_graphs = True

    Where sizes do not vary, keep parameters, gradients and buffers where they are: set gradients to
    zero in place (`zero_grad(set_to_none=False)`), and copy into tensors instead of replacing them.

    ## Measured

    Nothing yet: no GPU was at hand. The records are those that torch 2.13.0 writes
    (`torch/_inductor/cudagraph_trees.py`).

    ## When the rule can be wrong

    A graph that is reached in two ways (after another graph, or in training and in validation) is
    recorded for each, and then never again; twice is therefore reported with low confidence. The
    record does not say why a graph was recorded again.
    """

    code = "CA901"
    name = "cudagraph-rerecord"

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        recordings: dict[str, list[CudaGraph]] = defaultdict(list)
        for graph in facts.process.cuda_graphs:
            recordings[graph.compile_id].append(graph)
        again = {id: found for id, found in recordings.items() if len(found) > 1}
        if not again:
            return
        events = tuple(graph for graph in facts.process.cuda_graphs if graph.is_rerecord)
        most = max(map(len, again.values()))
        yield Match(
            message=(
                f"{counted(len(events), 'CUDA graph')} recorded again, for "
                f"{counted(len(again), 'compiled graph')}: one of them {most} times in all"
            ),
            fix=(
                f"pad the inputs to one length, {MASKED}, or set torch._inductor.config.triton."
                "cudagraph_skip_dynamic_graphs = True; if sizes do not vary, keep parameters and "
                "gradients where they are: zero_grad(set_to_none=False)"
            ),
            events=events,
            noticed_at=next((graph.location for graph in events if graph.location), None),
            evidence=tuple(
                Evidence(
                    f"{graph.compile_id}: recording {graph.number + 1}, {duration(graph.seconds)}",
                    facts.process.file,
                    graph.line,
                )
                for graph in events
            ),
            key="recorded again",
            confidence="low" if most <= _FEW else "medium",
        )
