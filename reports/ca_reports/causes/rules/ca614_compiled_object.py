"""CA614."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ca_engine.lazy_expressions import expression
from ca_reports.causes.located import modes
from ca_reports.causes.rules import failing
from ca_reports.causes.rules.base import PATTERN, Rule
from ca_reports.program.syntax import last_name
from ca_reports.run.model import Failure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.causes.findings import Confidence, Finding
    from ca_reports.causes.located.trail import Search, Trail
    from ca_reports.causes.rules.base import Match
    from ca_reports.facts.process import ProcessFacts
    from ca_reports.program.syntax import Site

# `torch.compile` of a bound method returns a plain function, which has neither of these.
_NOT_BOUND = expression(r"'function' object has no attribute '(?P<attribute>__func__|__self__)'")
# The module in which `torch.compile` wraps another is a part of the names of its weights.
_WRAPPED = "_orig_mod."
_KEYS = expression(r"\b(Missing|Unexpected) key\(s\) in state_dict: ([^\n]*)")
_KEY = expression(r'"([^"\n]{1,1000})"')


def _compiled_in_place(trail: Trail) -> list[Site]:
    """Find `optimizer.step = torch.compile(optimizer.step)`: a method that is replaced."""
    return [
        site
        for site in trail.program.sites(ast.Assign)
        if isinstance(site.node, ast.Assign)
        and isinstance(site.node.value, ast.Call)
        and last_name(site.node.value.func) == "compile"
        and any(isinstance(one, ast.Attribute) for one in site.node.targets)
        and {ast.unparse(one) for one in site.node.targets}
        & {ast.unparse(one) for one in site.node.value.args}
    ]


class CompiledObject(Rule):
    """What `torch.compile` returned stands where the code expects what was compiled.

    ## What it is

    `torch.compile(optimizer.step)` is a function and no bound method, and `torch.compile(model)` is
    a module that holds the model: its weights are called `_orig_mod.…`. Code that looks closer
    than to call it, such as a learning-rate scheduler that replaces `optimizer.step`, or
    `load_state_dict`, raises.

    ## Why it costs

    The program stops, as a rule before anything is compiled.

    ## Example

        optimizer.step = torch.compile(optimizer.step)
        scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, factor)

        model = torch.compile(model)
        model.load_state_dict(torch.load("model.pt"))   # of a model that was not compiled

    ## What to do

    Compile the method after what looks at it was made, or keep the compiled one apart and call
    that. Of a module, save and load the one inside, or compile it in place with
    `model.compile()`, which leaves its names as they are.

    ## Measured

    The first example: `AttributeError: 'function' object has no attribute '__func__'`, and nothing
    is compiled. With the scheduler made first it runs. The second: `Missing key(s) in state_dict`;
    with `model.compile()` it loads (torch 2.13.0, CPU).

    ## When the rule can be wrong

    It goes by the exception's words. Another plain function that stands for a bound method raises
    the same: then no line that compiles a method in its place is found, and the line is that of
    the exception.
    """

    code = "CA614"
    name = "compiled-object"
    severity = "error"
    specificity = PATTERN

    @classmethod
    def search(cls, finding: Finding) -> Search | None:
        """Find the line that compiles, by what is wrong with what it returned."""
        failures = [one for one in finding.events if isinstance(one, Failure)]
        is_method = any(_NOT_BOUND.search(one.text) for one in failures)
        return _compiled_in_place if is_method else modes.compiling

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        for failure in facts.failures:
            method = _NOT_BOUND.search(failure.text)
            if failure.type == "AttributeError" and method is not None:
                yield failing.match(
                    failure,
                    "a function stands where a bound method is expected, as `torch.compile` of a "
                    f"method returns it: it has no `{method['attribute']}`",
                    "compile the method after what wraps it was made, such as a learning-rate "
                    "scheduler, which replaces `optimizer.step`; or keep the compiled function in "
                    "a variable of its own, and call that",
                    confidence="medium",
                    key="method",
                )
            elif (confidence := _differ_in_wrapping(failure.text)) is not None:
                yield failing.match(
                    failure,
                    "of two state dicts one is of a compiled module, whose weights are called "
                    f"`{_WRAPPED}…`, and the other is of the module itself",
                    "save and load the module that was compiled (`model._orig_mod`), or compile "
                    "it in place with `model.compile()`, which leaves its names as they are",
                    confidence=confidence,
                    key="state dict",
                )


def _differ_in_wrapping(text: str) -> Confidence | None:
    """Return how sure it is that a missing key is there but for what wraps a compiled module.

    None where it is not: of two compiled modules all keys have it. Of a long text, which was cut,
    the list of unexpected keys is not there.
    """
    lists = dict(_KEYS.findall(text))
    missing = _KEY.findall(lists.get("Missing", ""))
    bare = {one.replace(_WRAPPED, "") for one in _KEY.findall(lists.get("Unexpected", ""))}
    if any(one.replace(_WRAPPED, "") in bare for one in missing):
        return "high"
    is_cut = "Unexpected" not in lists and not lists.get("Missing", "").rstrip().endswith('".')
    return "medium" if missing and is_cut and all(_WRAPPED in one for one in missing) else None
