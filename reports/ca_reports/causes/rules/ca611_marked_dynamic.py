"""CA611."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ca_engine.lazy_expressions import expression
from ca_reports.causes.located import modes
from ca_reports.causes.rules import failing
from ca_reports.causes.rules.base import Rule
from ca_reports.facts.failures import of_compiles
from ca_reports.facts.guard_paths import guard_path
from ca_reports.sentences.places import in_brief

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.causes.rules.base import Match
    from ca_reports.facts.process import ProcessFacts
    from ca_reports.run.model import Failure

_TYPE = "ConstraintViolationError"
_SPECIALIZED = expression(
    r"You marked (?P<source>.{1,200}?) as dynamic but your code specialized it to be a constant "
    r"\((?P<value>\d{1,18})\)"
)


class MarkedDynamic(Rule):
    """A size was marked dynamic, and what is compiled fixes it.

    ## What it is

    `torch._dynamo.mark_dynamic` is a demand: Dynamo raises `ConstraintViolationError` where the
    code that it compiles works for one size only. Tensors that a forward saves keep the mark, so
    it holds for a captured backward as well, which is compiled for fixed sizes unless its compiler
    is given `dynamic=True`.

    ## Why it costs

    The program stops, at its first step as a rule.

    ## Example

        torch._dynamo.mark_dynamic(x, 0)
        with torch._dynamo.compiled_autograd._enable(torch.compile(backend="inductor")):
            forward(x).sum().backward()

    ## What to do

    Of a captured backward: `torch.compile(…, dynamic=True)` for its compiler too. Of a forward:
    don't use the size as a number there, or call `maybe_mark_dynamic`, which lets Dynamo fix it.
    Where an operator combines the tensor with one that is not marked, mark that one too, before the
    call.

    ## Measured

    The sample's 8 packs of 7 sizes: the error in step 0. With `dynamic=True` for the compiler of
    the backward 1 capture and 2 compiled graphs in all; with `maybe_mark_dynamic` 1 and 3; without
    a mark 2 and 5. `dynamic=True` for the forward, or for `_enable`, alone: the error again
    (torch 2.13.0, CPU).

    ## When the rule can be wrong

    It quotes torch's own error.
    """

    code = "CA611"
    name = "marked-dynamic"
    place = modes.marked
    edits = ("dynamic_marks",)
    severity = "error"

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        for failure in of_compiles(facts.failures):
            found = _SPECIALIZED.search(failure.text)
            if failure.type != _TYPE or found is None:
                continue
            if failure.in_backward:
                yield failing.match(
                    failure,
                    (
                        "the captured backward is compiled for fixed sizes, and one of them "
                        f"({found['value']}) was marked dynamic for the forward"
                    ),
                    "compile the backward for all sizes too: `torch.compile(…, dynamic=True)` in "
                    "what compiled autograd is given",
                    key="captured",
                )
                continue
            size = _size(found["source"])
            yield failing.match(
                failure,
                f"{size} was marked dynamic, and the compiled code fixes it at {found['value']}",
                f"{_leave_open(found['source'], failure)}, or mark it with `maybe_mark_dynamic`",
                key=found["source"],
            )


def _leave_open(source: str, failure: Failure) -> str:
    """Say what not to do with a size, and in which line, if torch's error says it."""
    line, size = failure.location, _size(source)
    if line is None or line == failure.called_from:
        return f"use {size} in what is compiled without fixing it"
    tensor, _ = guard_path(source).sized or (None, 0)
    argument = tensor.root if tensor is not None and not tensor.steps else ""
    others = _combined_with(argument, line.code) if argument else []
    if len(others) == 1:
        (other,) = others
        return (
            f"{in_brief(line)} combines `{argument}` with `{other}`, whose size is a "
            f"number as long as it isn't marked: mark the dimension of `{other}` that meets it "
            "there too, or compile with dynamic=True"
        )
    return f"make {in_brief(line)}, which fixes {size}, work for any"


def _combined_with(name: str, code: str) -> list[str]:
    """Return the variables that a line's operators combine a tensor with, element by element."""
    try:
        tree = ast.parse(code)
    except SyntaxError:
        return []
    found: dict[str, None] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.MatMult):
            sides = [one for one in (node.left, node.right) if isinstance(one, ast.Name)]
            names = [one.id for one in sides]
            if len(names) == 2 and name in names:
                found.update(dict.fromkeys(one for one in names if one != name))
    return list(found)


def _size(source: str) -> str:
    """Return ``dimension 0 of `x```; what torch calls it where it is no plain argument."""
    tensor, dimension = guard_path(source).sized or (None, 0)
    if tensor is None or tensor.steps:
        return f"`{source}`"
    return f"dimension {dimension} of `{tensor.root}`"
