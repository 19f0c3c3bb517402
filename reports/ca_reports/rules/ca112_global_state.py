"""CA112."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.rules.base import SPECIFIC, Match, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.facts.events import RecompileFacts
    from ca_reports.facts.process import ProcessFacts

_CALLS = {
    "grad_mode": "torch.no_grad / set_grad_enabled",
    "autocast": "torch.autocast",
    "num_threads": "torch.set_num_threads",
    "deterministic_algorithms": "torch.use_deterministic_algorithms",
    "default_dtype": "torch.set_default_dtype",
    "allow_tf32": "torch.backends.cuda.matmul.allow_tf32",
    "allow_fp16_reduce": "torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction",
    "allow_bf16_reduce": "torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction",
    "torch_function": "torch._C.DisableTorchFunction",
}


class GlobalState(Rule):
    """A global setting of torch changed after the graph was compiled.

    ## What it is

    Autocast, grad mode, the number of threads, deterministic algorithms, the default dtype or
    the matmul precision changed between two backwards, or between two calls of a compiled
    function.

    ## Why it costs

    Dynamo guards on all of them. When one changes, the captured graph is recompiled, and so is
    a compiled function that calls `backward`.

    ## Example

        for step in range(steps):
            torch.use_deterministic_algorithms(step == 2)
            backward(loss)

    ## What to do

    Set it once, before the first step. If a part of the step (an evaluation, a metric) needs
    another value, use a `with` block that ends before the backward.

    ## Measured

    2 compiles of the captured graph became 1 (torch 2.13.0, CPU).

    ## When the rule can be wrong

    The guard names the setting, not the code that changed it: the line shown is where the
    backward ran; the change is somewhere before it. One compile for training and one for an
    evaluation under `torch.no_grad` is CA715, and no loss.
    """

    code = "CA112"
    name = "global-state"
    specificity = SPECIFIC

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        inherent = {found.compiled.key for found in facts.evaluation_variants}
        groups: dict[str, list[RecompileFacts]] = {}
        for recompile in facts.recompiles:
            if recompile.guard.kind == "global_state" and recompile.compiled.key not in inherent:
                groups.setdefault(recompile.guard.source, []).append(recompile)
        for state, group in groups.items():
            # The line of the backward tells more than that of a wrapper around it.
            first = next((found for found in group if found.capture is not None), group[0])
            is_backward = first.capture is not None or any(found.caused for found in group)
            what = "backwards" if is_backward else "calls"
            calls = [call for name, call in _CALLS.items() if name in state]
            yield Match(
                message=f"torch's global state changed between {what}: {state or 'unnamed'}",
                fix=(
                    f"set {' and '.join(calls) or state or 'it'} once, before the first step, or "
                    f"end the block that changes it before the {what[:-1]}"
                ),
                events=tuple(event for recompile in group for event in recompile.events),
                noticed_at=first.location,
                evidence=tuple(recompile.evidence for recompile in group),
                key=state,
            )
