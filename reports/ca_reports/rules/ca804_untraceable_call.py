"""CA804."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ca_reports.rules.splitting import Split, SplittingRule

if TYPE_CHECKING:
    from ca_reports.facts.forward_breaks import ForwardBreak

_MODULE = re.compile(r"^module: (?P<module>[\w.]+), qualname: (?P<name>[\w.]+)", re.M)
_NAMED = re.compile(r"(?:builtin operator|Python builtin|builtin|trace method) `(?P<name>[^`]+)`")
# Modules in C behind those that users import.
_PUBLIC = {"posix": "os", "nt": "os", "_io": "io", "builtins": ""}


class UntraceableCall(SplittingRule):
    """A function that Dynamo cannot trace is called in the compiled forward.

    ## What it is

    Builtins (`open`, `time.time`), functions of C extensions and some of NumPy have no Python
    code that Dynamo could follow, and it knows no equivalent. It ends the graph and lets Python
    call them.

    ## Why it costs

    The graph ends there. What is left becomes a function of its own: one more to compile, with
    guards of its own and a call through Python in each step, and nothing is fused across the
    break.

    ## Example

        @torch.compile
        def forward(x):
            hidden = torch.tanh(x)
            process = os.getpid()
            return hidden * 2, process

    ## What to do

    Call it outside of what is compiled, and pass in what it gives. A function that works on
    tensors can become an operator (`torch.library.custom_op`).

    ## Measured

    The example: 2 compiled graphs; called outside 1 (torch 2.13.0, CPU).

    ## When the rule can be wrong

    The line is Dynamo's own. Some functions can be traced by a later version of torch.
    """

    code = "CA804"
    name = "untraceable-call"

    def split(self, found: ForwardBreak) -> Split:
        name = _function(found)
        return Split(
            f"`{name}`" if name else "a call that Dynamo cannot trace",
            "call it outside of what is compiled, and pass in what it gives; a function of "
            "tensors can become an operator (`torch.library.custom_op`)",
            key=name,
        )


def _function(found: ForwardBreak) -> str:
    """``os.getpid``; empty if torch does not name it."""
    called = _MODULE.search(found.words)
    if called is not None:
        module = _PUBLIC.get(called["module"], called["module"])
        return f"{module}.{called['name']}".lstrip(".")
    named = _NAMED.search(found.words)
    name = named["name"].strip(".") if named else ""
    # Deep in Python's own code, on the way from a call in the user's line.
    return "" if name.startswith("__") else name
