"""CA501."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.causes.findings import KeptGradient
from ca_reports.causes.located import modes
from ca_reports.causes.rules import breaking
from ca_reports.causes.rules.base import GENERAL, PATTERN, Match, Rule
from ca_reports.causes.rules.ca301_hook_toggle import comes_and_goes, is_of_retain_grad

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.causes.findings import Finding
    from ca_reports.causes.located.trail import Search
    from ca_reports.causes.rules.breaking import BackwardBreak
    from ca_reports.facts.process import ProcessFacts

# What `retain_grad()` is called, where it stands in a compiled backward.
_KEPT = "call_cpp_tensor_pre_hooks"
# (what the reason or explanation says, what to do), the more special first.
_FIXES = (
    (
        _KEPT,
        "use a tensor hook in place of `retain_grad()`: `x.register_hook(…)` is given the same "
        "gradient and can be compiled",
    ),
    (
        "data-dependent branching",
        "decide on tensors: `torch.where(condition, a, b)` in place of the `if`",
    ),
    (
        ".item()",
        "keep the value as a tensor and read it after the backward: `.item()` waits for the device",
    ),
    (
        "data dependent operator",
        "keep the value as a tensor and read it after the backward",
    ),
    (
        "print",
        "collect the tensors in a list and print them after the backward",
    ),
    (
        "logg",
        "collect the tensors in a list and log them after the backward",
    ),
)
_OTHERWISE = (
    "write it with tensor operations, or move it out of the backward; with "
    "`@torch.compiler.disable` on the function it is one break without guards"
)


class HookBreak(Rule):
    """Python in a hook or a Function's backward splits the compiled backward.

    ## What it is

    A hook becomes part of the captured backward, and Dynamo compiles it too. Where it does
    something that cannot be compiled (an `if` on a tensor's value, `.item()`, `print`, logging),
    the graph ends. The rest becomes another function with its own guards.

    ## Why it costs

    Each break adds a graph to compile at the capture, a set of guards to check and a Python
    call in every step; and nothing is fused across it. On a GPU, reading a value waits for all
    queued work.

    ## Example

        def clip(grad):
            if grad.norm() > 1:
                return grad / grad.norm()
            return grad

        weight.register_hook(clip)

    ## What to do

    Let the graph decide:

        def clip(grad):
            norm = grad.norm()
            return torch.where(norm > 1, grad / norm, grad)

    Collect what you print or log in a list, and print it after the backward. If it must be
    Python, decorate it with `@torch.compiler.disable`: still a break, but one without guards.

    ## Measured

    One hook with an `if` on a small model: one capture and 6 compiled graphs; with
    `torch.where`, one of each.

    ## When the rule can be wrong

    The line is Dynamo's own. A function that was disabled on purpose
    (`torch.compiler.disable`) is not reported. A break that costs little next to the kernels
    around it can stay. Where `retain_grad()` is called in some steps only, that is CA301, and its
    break is told as `info`: one change mends both.
    """

    code = "CA501"
    name = "hook-break"
    edits = (
        "choose_in_hook",
        "report_after_graph",
        "choose_on_value",
        "kept_entry",
        "after_backward",
    )
    suggests_trial = "hooks"

    @classmethod
    def search(cls, finding: Finding) -> Search | None:
        """Search for the `retain_grad()`; of other breaks Dynamo names the line."""
        return modes.retained_gradient if isinstance(finding.detail, KeptGradient) else None

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        for found in breaking.backward_breaks(facts):
            if not _is_wanted(found):
                yield _match(found, facts)


def _is_wanted(found: BackwardBreak) -> bool:
    """Return whether the user wrote the break: a function that is disabled for Dynamo."""
    return found.in_user_code and "torch.compiler.disable" in found.found.reason


def _match(found: BackwardBreak, facts: ProcessFacts) -> Match:
    reason = found.found.reason.rstrip(".")
    text = found.text.lower()
    keeps = _KEPT in text
    if keeps:
        message = "`retain_grad()` splits the compiled backward: it is a hook in C++"
    elif found.in_user_code and found.line is not None and found.line.function:
        message = f"`{found.line.function}` splits the compiled backward: {reason}"
    else:
        message = f"the compiled backward is split: {reason}"
    return Match(
        message=message,
        fix=next((fix for words, fix in _FIXES if words in text), _OTHERWISE),
        events=breaking.events_of(facts, [found]),
        noticed_at=found.line,
        key="retain_grad" if keeps else "",
        detail=KeptGradient() if keeps else None,
        group="" if keeps else None,
        evidence=breaking.evidence_of(facts, [found]),
        count=found.found.count,
        severity="info" if keeps and comes_and_goes(facts, is_of_retain_grad) else None,
        # A recompile of what a break left is the break's, whatever guard failed.
        specificity=PATTERN + 5 if found.in_user_code else GENERAL,
        confidence="high" if found.in_user_code else "medium",
    )
