"""CA210."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ca_engine.lazy_expressions import expression
from ca_reports.causes.findings import MadeAgain
from ca_reports.causes.located import graphs
from ca_reports.causes.rules.base import SPECIFIC, Match, Rule, of_captures
from ca_reports.causes.rules.structure import compared, recompiles_of, share
from ca_reports.facts.events import AOT_BACKWARD
from ca_reports.program.stack import in_torch
from ca_reports.run.model import Frame

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ca_reports.causes.findings import Confidence
    from ca_reports.facts.events import CaptureFacts
    from ca_reports.facts.process import ProcessFacts
    from ca_reports.run.model import Change

# What Dynamo makes of a Function inside a region that is compiled with backend "eager":
# a class of its own at every call (torch 2.13.0).
_TEMPLATE = "ApplyTemplate"
# A Python Function's node is called like its class; nodes of torch's own end in a digit.
_PYTHON_NODE = expression(r"^\w+Backward$")


class LocalFunction(Rule):
    """An `autograd.Function` is a new class in each step.

    ## What it is

    The class is defined inside a function or a loop that runs in each step. Or a Function is
    used inside a forward that is compiled with backend "eager": Dynamo then makes a new class
    at each call.

    ## Why it costs

    Compiled autograd tells Functions apart by their class. A new class is a new node: a
    capture and a compile in every step, though nothing else changed.

    ## Example

        def binarize(x):
            class Sign(torch.autograd.Function):
                ...
            return Sign.apply(x)

    ## What to do

    Define the class once, at module level. With a compiled forward, use backend "aot_eager"
    or "inductor", or call the Function outside the compiled region.

    ## Measured

    12 captures and 12 compiles became 1 and 1; under a forward compiled with "eager" 8 and 25
    became 1 and 1 (torch 2.13.0, CPU).

    ## When the rule can be wrong

    Two module-level classes of one name (from a reloaded module) look the same.
    """

    code = "CA210"
    name = "local-function"
    place = graphs.local_function
    edits = ("class_once",)
    specificity = SPECIFIC + 6

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        if not facts.recorded:
            yield from _from_reasons(facts)
            return
        groups: dict[tuple[object, ...], list[CaptureFacts]] = {}
        functions: dict[tuple[object, ...], Mapping[str, Any]] = {}
        for found in compared(facts):
            function = _renewed(found)
            if function is not None:
                key: tuple[object, ...] = _identity({"function": function})
                groups.setdefault(key, []).append(found)
                functions[key] = function
        for key, captures in groups.items():
            function = functions[key]
            shares = [share(found, _is_function) for found in captures]
            sure: Confidence = "medium" if "some" in shares else "high"
            yield _match(facts, function, captures, sure)


def _is_function(change: Change) -> bool:
    return change.attribute == "function"


def _renewed(found: CaptureFacts) -> Mapping[str, Any] | None:
    """Return the class that is a new one in the place of one of the same name and line."""
    closest = found.closest
    if closest is None:
        return None
    known = {_identity(node) for node in closest.nodes if "function" in node}
    for change in found.changed("function"):
        node = found.node(change.index)
        if node is not None and "function" in node and _identity(node) in known:
            function: Mapping[str, Any] = node["function"]
            return function
    return None


def _identity(node: Mapping[str, Any]) -> tuple[object, ...]:
    function = node["function"]
    return function.get("name"), function.get("file"), function.get("line")


def _match(
    facts: ProcessFacts,
    function: Mapping[str, Any],
    captures: list[CaptureFacts],
    confidence: Confidence,
) -> Match:
    qualified = str(function.get("name"))
    name = qualified.rpartition(".")[2]
    if name == _TEMPLATE:
        message = (
            "an autograd.Function inside a forward that is compiled with backend 'eager' is a "
            "new class at each call (pytorch#155105)"
        )
        fix = (
            "compile the forward with backend 'aot_eager' or 'inductor', or call the Function "
            "in a function of its own with `@torch.compiler.disable`"
        )
        location = captures[0].line
    else:
        where = qualified.partition(".<locals>")[0]
        message = f"`{name}` is a new class in each step: it is defined inside `{where}`"
        fix = f"move `class {name}` out of `{where}` to module level"
        if "<locals>" not in qualified:
            message = f"`{qualified}` is a new class in each step: its module runs again"
            fix = f"define `class {name}` once"
        location = _location(function, name) or captures[0].line
    return Match(
        message=message,
        fix=fix,
        **of_captures(captures, location, more=recompiles_of(facts, captures)),
        confidence=confidence,
        key=qualified,
        detail=MadeAgain(name),
        explains=lambda _, change: _is_function(change),
    )


def _location(function: Mapping[str, Any], name: str) -> Frame | None:
    file, line = function.get("file"), function.get("line")
    if not isinstance(file, str) or not isinstance(line, int) or in_torch(file):
        return None
    return Frame(file, line, name, f"class {name}")


def _from_reasons(facts: ProcessFacts) -> Iterator[Match]:
    """In torch's own logs: one Python Function that is new in several captures."""
    groups: dict[str, list[CaptureFacts]] = {}
    for found in facts.recaptures:
        capture = found.capture
        if capture.node is None or not _PYTHON_NODE.match(capture.node.name):
            continue
        if capture.node.name.startswith(AOT_BACKWARD):
            continue
        if capture.previous_key_sizes and {capture.key_size} == set(capture.previous_key_sizes):
            groups.setdefault(capture.node.name, []).append(found)
    for name, captures in groups.items():
        if max(len(found.capture.previous_key_sizes) for found in captures) < 2:
            continue
        function = name.removesuffix("Backward")
        yield Match(
            message=f"`{function}` is a new class in one step after another",
            fix=f"define `class {function}` once, at module level",
            **of_captures(captures),
            confidence="medium",
            key=name,
            detail=MadeAgain(function),
        )
