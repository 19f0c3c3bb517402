"""CA806."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_engine.lazy_expressions import expression
from ca_reports.causes.rules.splitting import Split, SplittingRule

if TYPE_CHECKING:
    from ca_reports.facts.forward_breaks import ForwardBreak

_MANAGER = expression(r"enter a `(?P<name>[^`]+)` context|<class '(?P<type>[\w.]+)'> not supported")


class ContextManager(SplittingRule):
    """A context manager, generator or exception splits the compiled forward.

    ## What it is

    Dynamo enters only context managers that it knows (`torch.no_grad`, `torch.autocast`). At
    any other, at a graph break inside of a known one, and at some generators and exceptions it
    cannot resume: it leaves the whole function to Python.

    ## Why it costs

    Where Dynamo cannot resume, it gives up the whole function: nothing of it is compiled any
    more, and each function that it calls is compiled by itself, with a call through Python for
    each.

    ## Example

        @torch.compile
        def forward(x):
            hidden = torch.tanh(x)
            with torch.autograd.set_detect_anomaly(False):
                return hidden * 2

    ## What to do

    Enter it around the call of the compiled function, or move what it is for out of it: a file that
    is written, a lock, a timer. Make a list in place of a generator that
    outlives the function; test for what would raise.

    ## Measured

    The example: 2 breaks at the `with`, and what follows it is not compiled; entered outside, one
    graph holds all (torch 2.13.0, CPU).

    ## When the rule can be wrong

    The line is Dynamo's own. Context managers of your own can be traced where they only change
    Python values.
    """

    code = "CA806"
    name = "context-manager"
    breaks = "context"
    edits = ("reordered_call",)

    def split(self, found: ForwardBreak) -> Split:
        name = _name(found)
        return Split(
            name,
            "enter it around the call of the compiled function, or move what it is for (a file "
            "that is written, a lock, a timer) out of the compiled code"
            if "context manager" in name
            else "move it out of the compiled code",
            key=name,
        )


def _name(found: ForwardBreak) -> str:
    """Name what cannot be traced."""
    named = _MANAGER.search(found.words)
    if named is not None:
        return f"the context manager `{named['name'] or named['type']}`"
    text = found.words.lower()
    if "generator" in text:
        return "a generator"
    return "a context manager" if "context" in found.first.reason.lower() else "an exception"
