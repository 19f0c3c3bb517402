"""CA501."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.rules import breaking
from ca_reports.rules.base import GENERAL, PATTERN, Match, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.facts.process import ProcessFacts
    from ca_reports.rules.breaking import BackwardBreak

# (what the reason or explanation says, what to do), the more special first.
_FIXES = (
    (
        "data-dependent branching",
        "decide on tensors: `torch.where(condition, a, b)` in place of the `if`",
    ),
    (
        ".item()",
        "keep the value a tensor, and read it after the backward: `.item()` has to wait for it",
    ),
    (
        "data dependent operator",
        "keep the value a tensor, and read it after the backward",
    ),
    (
        "print",
        "collect what is to be printed in a list of tensors, and print it after the backward",
    ),
    (
        "logg",
        "collect what is to be logged in a list of tensors, and log it after the backward",
    ),
)
_OTHERWISE = (
    "write it with tensor operations, or move it out of the backward; `@torch.compiler.disable` "
    "on the function makes it one break that does not grow"
)


class HookBreak(Rule):
    """Python in a hook or a Function's backward cuts the compiled backward in pieces.

    ## What it is

    A hook becomes part of the captured backward, and Dynamo compiles it along. Where it does
    what cannot be compiled (an `if` on a tensor's value, `.item()`, `print`, logging), the
    graph ends. The rest becomes a function of its own, with guards of its own.

    ## Why it costs

    Each break is one more graph to compile at the capture, one more set of guards to check and
    one more Python call in every step; and nothing is fused across it. On a GPU, reading a value
    waits for all work that was queued.

    ## Example

        def clip(grad):
            if grad.norm() > 1:
                return grad / grad.norm()
            return grad

        weight.register_hook(clip)

    ## What to do

    Leave the decision to the graph:

        def clip(grad):
            norm = grad.norm()
            return torch.where(norm > 1, grad / norm, grad)

    Collect what is to be printed or logged in a list, and print it after the backward. What must
    be Python gets `@torch.compiler.disable`: a break still, and one that nothing is guarded on.

    ## Measured

    One hook with an `if` on a small model: one capture and 6 compiled graphs; with
    `torch.where` one of each.

    ## When the rule can be wrong

    The line is Dynamo's own. A function that was disabled on purpose
    (`torch.compiler.disable`) is not reported. A break that costs little next to the kernels
    around it may be left.
    """

    code = "CA501"
    name = "hook-break"
    suggests_trial = "hooks"

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        for found in breaking.backward_breaks(facts):
            if not _is_wanted(found):
                yield _match(found, facts)


def _is_wanted(found: BackwardBreak) -> bool:
    """Whether the user wrote the break: a function that is disabled for Dynamo."""
    return found.in_user_code and "torch.compiler.disable" in found.found.reason


def _match(found: BackwardBreak, facts: ProcessFacts) -> Match:
    reason = found.found.reason.rstrip(".")
    text = found.text.lower()
    if found.in_user_code and found.line is not None and found.line.function:
        message = f"`{found.line.function}` cuts the compiled backward in pieces: {reason}"
    else:
        message = f"the compiled backward is cut in pieces: {reason}"
    return Match(
        message=message,
        fix=next((fix for words, fix in _FIXES if words in text), _OTHERWISE),
        events=breaking.events_of(facts, [found]),
        location=found.line,
        evidence=breaking.evidence_of(facts, [found]),
        count=found.found.count,
        # A recompile of what a break left is the break's, whatever guard failed.
        specificity=PATTERN + 5 if found.in_user_code else GENERAL,
        confidence="high" if found.in_user_code else "medium",
    )
