"""CA902."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from ca_engine.lazy_expressions import expression
from ca_reports.causes.rules.base import Match, Rule
from ca_reports.causes.rules.size_advice import MASKED
from ca_reports.facts.evidence import Evidence
from ca_reports.torchlib.shapes import BY_VALUE
from ca_reports.words.clean import one_line
from ca_reports.words.values import listed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.facts.process import ProcessFacts
    from ca_reports.run.model import CudaGraphSkip, Frame

_INSTANCES = expression(r" \(\d+ instances?\)")
# The name without torch's namespace, its overload, and what tells an operator from its variants.
_OPERATOR = expression(r"incompatible op (?P<whole>(?:aten\.)?_?(?P<name>[A-Za-z_]+)[\w.:]*)")
_MASK = "index"  # by a mask: by other indices its size is known
_SPLIT = (
    "or let torch split the graph there: torch._inductor.config.graph_partition = True (torch 2.7 "
    "or later)"
)


class CudagraphSkipped(Rule):
    """CUDA graphs were asked for, and a compiled graph runs without one.

    ## What it is

    `mode="reduce-overhead"` asks for a CUDA graph of each compiled graph. Where Inductor meets
    something that a CUDA graph cannot replay, it leaves that compiled graph without one: an input
    that the code changes in place, a tensor on the CPU, an operator whose result has a size that
    depends on values.

    ## Why it costs

    Each kernel is started from Python again, as without `mode="reduce-overhead"`. Nothing is
    recompiled and no graph breaks, so only a line of the log says it.

    ## Example

        class Tracker:
            @torch.compile(mode="reduce-overhead")
            def update(self, feats):
                self.mean.mul_(0.9).add_(0.1 * feats)   # a plain attribute, changed in place

    ## What to do

    A tensor that is kept and changed in place: make it a buffer of the module, or call
    `torch._dynamo.mark_static_address(tensor)` before the first call. Else return the new value,
    and copy it outside of the compiled code. A tensor on the CPU: make it on the GPU, or move it
    there before the call. An operator whose result's size depends on values: choose a fixed size
    (`torch.topk`, `torch.where` with a mask), or call it outside of the compiled code.

    ## Measured

    Nothing yet: it has not run beside a GPU. The reasons are those that torch 2.13.0 writes
    (`torch/_inductor/cudagraph_utils.py`).

    ## When the rule can be wrong

    The log does not say how long the kernels take to start: where each runs long, a CUDA graph
    would have saved little.
    """

    code = "CA902"
    name = "cudagraph-skipped"

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        groups: dict[tuple[str, Frame | None], list[CudaGraphSkip]] = defaultdict(list)
        for skip in facts.process.cuda_graph_skips:
            groups[_INSTANCES.sub("", skip.reason), skip.location].append(skip)
        for (kind, line), skips in groups.items():
            ids = dict.fromkeys(skip.compile_id for skip in skips if skip.compile_id)
            of = f" of {listed(list(ids), 3)}" if ids else ""
            yield Match(
                message=f"CUDA graphs{of} were skipped: {one_line(skips[0].reason)}",
                fix=_fix(kind),
                location=line,
                evidence=tuple(
                    Evidence(
                        " ".join(filter(None, (skip.compile_id, one_line(skip.reason)))),
                        facts.process.file,
                        skip.line,
                    )
                    for skip in skips
                ),
                key=kind,
                count=len(skips),
            )


def _fix(kind: str) -> str:
    """Return what to do about a reason of torch's."""
    operator = _OPERATOR.search(kind)
    if operator is not None:
        if operator["name"] in (*BY_VALUE, _MASK):
            return (
                "choose a size that does not depend on values (torch.topk, torch.where with a "
                f"mask), or call this outside of the compiled code; {_SPLIT}"
            )
        return f"call `{one_line(operator['whole'])}` outside of the compiled code; {_SPLIT}"
    if "input storage mutation" in kind:
        return "replace the storage of an input (`set_`) outside of the compiled code"
    if "mutated inputs" in kind or "input mutation" in kind:
        return (
            "a tensor that is kept and changed in place here: make it a buffer of the module, or "
            "call torch._dynamo.mark_static_address on it before the first call; else return the "
            "new value, and copy it outside of the compiled code"
        )
    if "cpu device" in kind or "non-cuda device" in kind:
        return (
            "make this tensor on the GPU (`device=`), or move it there before the compiled code is "
            f"called; {_SPLIT}"
        )
    if "multiple devices" in kind:
        return "give each compiled function tensors of one GPU only"
    if "cudagraph_skip_dynamic_graphs" in kind:
        return (
            f"pad to one size, {MASKED}, or set torch._inductor.config.triton."
            "cudagraph_skip_dynamic_graphs = False: then each size is recorded once"
        )
    return "move this line out of the compiled code, so that the rest gets its CUDA graph"
