"""CA805."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ca_reports.rules.splitting import Split, SplittingRule

if TYPE_CHECKING:
    from ca_reports.facts.forward_breaks import ForwardBreak

_DISABLED = re.compile(r"torch\.compiler\.disable|_dynamo\.disable|_disable\b")
# An optimizer's step that a scheduler has wrapped, which torch leaves to Python.
_STEP = re.compile(r"module: torch\.optim\.\w+, qualname: \w+\.step\b")
_OF_TORCH = "nothing: torch runs this step in Python and compiles what it calls"
_FUNCTION = re.compile(
    r"<(?:bound method|function) (?P<disabled>[\w.<>]+?) (?:at|of) |qualname: (?P<marked>[\w.<>]+)"
    r"|that the function `(?P<skipped>[^`]+)`"
)


class SkippedFunction(SplittingRule):
    """A function that Dynamo was told to skip is called in the compiled forward.

    ## What it is

    `torch.compiler.disable` and `torch._dynamo.graph_break()` end the graph because the program
    says so; other functions torch itself has marked, such as `Optimizer.zero_grad`.

    ## Why it costs

    The graph ends there. What is left becomes a function of its own: one more to compile, with
    guards of its own and a call through Python in each step, and nothing is fused across the
    break.

    ## Example

        @torch.compile
        def forward(x):
            hidden = torch.tanh(x)
            torch._dynamo.graph_break()
            return hidden * 2

    ## What to do

    Remove a `graph_break()` that is no longer needed. Call a marked function outside of what
    is compiled: the optimizer after the compiled forward and loss. A function of yours that is
    disabled for a reason is better called before or after the compiled part.

    ## Measured

    The example: 2 compiled graphs; without the call 1 (torch 2.13.0, CPU).

    ## When the rule can be wrong

    A call of a disabled function (`torch.compiler.disable`) was somebody's decision, and a
    break in torch's own optimizers is torch's: both are reported as info, which fails no gate.
    """

    code = "CA805"
    name = "skipped-function"

    def split(self, found: ForwardBreak) -> Split:
        name, deliberate = _function(found)
        is_torchs = _STEP.search(found.words) is not None
        return Split(
            f"`{name}`" + (", which is disabled for Dynamo," if deliberate else ""),
            _OF_TORCH if is_torchs else _fix(name, deliberate=deliberate),
            key=name,
            severity="info" if deliberate or is_torchs else None,
        )


def _function(found: ForwardBreak) -> tuple[str, bool]:
    """The function's name, and whether somebody disabled it on purpose."""
    if "graph_break()" in found.words:
        return "torch._dynamo.graph_break()", False
    named = _FUNCTION.search(found.words)
    name = next(filter(None, named.groups()), "") if named else ""
    return name or "a skipped function", bool(_DISABLED.search(found.first.reason))


def _fix(name: str, *, deliberate: bool) -> str:
    if name.endswith("graph_break()"):
        return "remove the call, or compile the two parts by themselves"
    if deliberate:
        return f"call `{name}` before or after the compiled part, if it need not be in between"
    if name.startswith("Optimizer."):
        return f"compile the forward and the loss only, and call `{name}` outside"
    return f"call `{name}` outside of what is compiled"
