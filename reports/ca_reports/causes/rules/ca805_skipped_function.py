"""CA805."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ca_engine.lazy_expressions import expression
from ca_reports.causes.rules.splitting import Split, SplittingRule

if TYPE_CHECKING:
    from ca_reports.facts.forward_breaks import ForwardBreak

_DISABLED = expression(r"torch\.compiler\.disable|_dynamo\.disable|_disable\b")
# An optimizer's step that a scheduler has wrapped, which torch leaves to Python.
_STEP = expression(r"module: torch\.optim\.\w+, qualname: \w+\.step\b")
_OPTIMIZER = expression(r"torch[/\\]optim[/\\]\w+\.py$")
_OF_TORCH = "nothing: torch runs this step in Python and compiles what it calls"
# What `torch.compiler.disable(reason=...)` was given; torch writes None for nothing.
_REASON = expression(r"\(reason: (?!None\))(?P<reason>[^\n]{1,200}?)\)(?=\s|$)")
_FUNCTION = expression(
    r"<(?:bound method|function) (?P<disabled>[\w.<>]+?) (?:at|of) |qualname: (?P<marked>[\w.<>]+)"
    r"|that the function `(?P<skipped>[^`]+)`"
)


class SkippedFunction(SplittingRule):
    """A function that Dynamo was told to skip is called in the compiled forward.

    ## What it is

    `torch.compiler.disable` and `torch._dynamo.graph_break()` end the graph because the program
    says so; other functions torch itself has marked, such as `Optimizer.zero_grad`.

    ## Example

        @torch.compile
        def forward(x):
            hidden = torch.tanh(x)
            torch._dynamo.graph_break()
            return hidden * 2

    ## What to do

    Remove a `graph_break()` that is no longer needed. Call a marked function outside the
    compiled code: the optimizer after the compiled forward and loss. A function of yours that is
    disabled for a reason is better called before or after the compiled part.

    ## Measured

    The example: 2 compiled graphs; without the call 1 (torch 2.13.0, CPU).

    ## When the rule can be wrong

    A function that is disabled with a reason (`torch.compiler.disable(reason=...)`) was somebody's
    decision, and a break in torch's own optimizers is torch's: both are reported as info, which
    fails no gate. So is a disabled function of which torch's words do not say whether there was a
    reason, as those of older versions.
    """

    code = "CA805"
    name = "skipped-function"
    breaks = "skipped"
    edits = ("compiled_again",)

    def split(self, found: ForwardBreak) -> Split:
        name, is_disabled = _function(found)
        reason = _REASON.search(found.words) if is_disabled else None
        is_unreasoned = "(reason: None)" in found.words
        is_torchs = _STEP.search(found.words) is not None
        at = found.broken_at
        is_of_optimizer = at is not None and _OPTIMIZER.search(at.file) is not None
        # Where the step alone is compiled, torch breaks it on purpose.
        if found.first.in_step and is_of_optimizer and name.endswith("graph_break()"):
            step = _fix("Optimizer.step", is_disabled=False)
            return Split(f"`{name}`", step, name, severity="info", is_of_call=True)
        told = f", which is disabled for Dynamo{_because(reason)}," if is_disabled else ""
        return Split(
            f"`{name}`{told}",
            _OF_TORCH if is_torchs else _fix(name, is_disabled=is_disabled),
            key=name,
            function=name.rpartition(".")[2],
            is_note=is_torchs,
            severity="info" if is_torchs or (is_disabled and not is_unreasoned) else None,
        )


def _because(reason: re.Match[str] | None) -> str:
    return "" if reason is None else f" ({reason['reason']})"


def _function(found: ForwardBreak) -> tuple[str, bool]:
    """Return the function's name, and whether somebody disabled it."""
    if "graph_break()" in found.words:
        return "torch._dynamo.graph_break()", False
    named = _FUNCTION.search(found.words)
    name = next(filter(None, named.groups()), "") if named else ""
    return name or "a skipped function", bool(_DISABLED.search(found.first.reason))


def _fix(name: str, *, is_disabled: bool) -> str:
    if name.endswith("graph_break()"):
        return "remove the call, or compile the two parts by themselves"
    if is_disabled:
        return (
            f"call `{name}` before or after the compiled part, or remove its "
            "`torch.compiler.disable` where Dynamo can trace it by now; one that has to stay is "
            'told as info where it gives a reason (`torch.compiler.disable(reason="...")`)'
        )
    if name.startswith("Optimizer."):
        return f"compile the forward and the loss only, and call `{name}` outside"
    return f"call `{name}` outside the compiled code"
