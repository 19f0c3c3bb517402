"""CA804."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from ca_engine.lazy_expressions import expression
from ca_reports.causes.findings import SplitGraph
from ca_reports.causes.located.trail import recorded_line
from ca_reports.causes.remedies import otherwise
from ca_reports.causes.rules.splitting import Split, SplittingRule, assigned, match
from ca_reports.facts.guard_paths import readable
from ca_reports.program.syntax import Site, last_name
from ca_reports.program.uses import Need, uses_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_engine.guards import Guard
    from ca_reports.causes.located.trail import Trail
    from ca_reports.causes.remedies import Remedy
    from ca_reports.causes.rules.base import Match
    from ca_reports.facts.forward_breaks import ForwardBreak
    from ca_reports.facts.process import ProcessFacts

_MODULE = expression(r"^module: (?P<module>[\w.]+), qualname: (?P<name>[\w.]+)", re.M)
_NAMED = expression(r"(?:builtin operator|Python builtin|builtin|trace method) `(?P<name>[^`]+)`")
# As torch 2.4 to 2.6 name what a library has in C: `fast_cuda.PyCapsule.fwd`.
_UNSUPPORTED = expression(r"unsupported builtin (?P<name>\w[\w.]{0,400}\w)")
_CAPSULE = expression(r"\bPyCapsule\.")
# Modules in C behind those that users import.
_PUBLIC = {"posix": "os", "nt": "os", "_io": "io", "builtins": ""}
_CLOCK = expression(
    r"^(?:time\.\w+|(?:datetime\.)*(?:now|utcnow|today)|perf_counter\w*|os\.times"
    r"|resource\.getrusage)$"
)


class UntraceableCall(SplittingRule):
    """A function that Dynamo cannot trace is called in the compiled forward.

    ## What it is

    Builtins (`open`, `time.time`), functions of C extensions and some of NumPy have no Python
    code that Dynamo could follow, and it knows no equivalent. It ends the graph and lets Python
    call them.

    ## Example

        @torch.compile
        def forward(x):
            hidden = torch.tanh(x)
            process = os.getpid()
            return hidden * 2, process

    ## What to do

    Call it outside the compiled code, and pass in what it gives. A function that works on
    tensors can become an operator (`torch.library.custom_op`).

    ## Measured

    The example: 2 compiled graphs; called outside 1 (torch 2.13.0, CPU).

    ## When the rule can be wrong

    The line is Dynamo's own. Some functions can be traced by a later version of torch. The calls of
    a clock, or of one other function, that a function makes are told once, with the recompiles for
    what they gave and for what is read in their lines, such as a global sum of seconds.
    """

    code = "CA804"
    name = "untraceable-call"
    breaks = "builtin"
    edits = ("reordered_call", "clock_in_eager")
    place = recorded_line

    @classmethod
    def remedy(cls, trail: Trail, site: Site | None) -> Remedy | None:
        """By what is asked of the value: passed as a number, one that decides is compiled for."""
        if site is None or not _decides(site, trail):
            return None
        own = trail.finding.remedy.by_hand(
            "call it outside the compiled code for all that it decides, and pass what it gives "
            "as tensors, with `torch.where` in the place of the branch: passed as a number, each "
            "value and each way that the branch takes is compiled for"
        )
        return replace(own, alternatives=(*own.alternatives, otherwise("drawn_in_graph")))

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        """Yield a match for each line; one for all that a user's function asks of one thing."""
        asked: dict[tuple[object, ...], list[ForwardBreak]] = {}
        for found in facts.forward_breaks:
            if found.kind != self.breaks:
                continue
            at, name = found.broken_at, _function(found)
            if at is None or found.owner != "user" or not name:
                yield match(facts, found, self.split(found))
            else:
                of_what = "" if _CLOCK.match(name) else name
                asked.setdefault((at.file, at.function, of_what), []).append(found)
        for calls in asked.values():
            yield self._of_one_source(facts, calls)

    def _of_one_source(self, facts: ProcessFacts, calls: list[ForwardBreak]) -> Match:
        """Make the match of a function's calls of one thing, whose first line stands for all."""
        first = calls[0]
        found = match(facts, first, self.split(first))
        others = [match(facts, one, self.split(first)) for one in calls[1:]]
        given = [
            recompile.compiled
            for recompile in facts.forward_recompiles
            if any(recompile.compiled in one.recompiled for one in calls)
            and _is_given(recompile.guard, calls)
        ]
        events = (*found.events, *(event for other in others for event in other.events), *given)
        return replace(
            found,
            events=tuple({event.key: event for event in events}.values()),
            evidence=tuple(one for each in (found, *others) for one in each.evidence),
            count=sum(one.count for one in calls),
        )

    def split(self, found: ForwardBreak) -> Split:
        name = _function(found)
        return Split(
            f"`{name}`" if name else "a call that Dynamo cannot trace",
            "call it outside the compiled code, and pass in what it gives; a function of "
            "tensors can become an operator (`torch.library.custom_op`)",
            key=name,
            function=name,
        )


def _decides(site: Site, trail: Trail) -> bool:
    """Return whether a branch tests what the call in a line gives."""
    known = trail.finding.detail
    name = known.function.rpartition(".")[2] if isinstance(known, SplitGraph) else ""
    calls = [
        Site(site.module, node)
        for node in ast.walk(site.node)
        if isinstance(node, ast.Call) and name and last_name(node.func) == name
    ]
    return any(use.need is Need.TEST for use in uses_of(trail.names, calls))


def _is_given(guard: Guard, calls: list[ForwardBreak]) -> bool:
    """Return whether a guard is on what the calls gave, or was made in a line of theirs."""
    if guard.kind == "value" and "___stack" in guard.text:
        return True
    lines = [one.line for one in calls if one.line is not None]
    if guard.source and any(readable(guard.source) in assigned(line) for line in lines):
        return True
    place = guard.place
    return place is not None and any(
        line.line == place.line and line.file.endswith(place.file) for line in lines
    )


# What pybind11 puts before the name of a function.
_BINDING = expression(r"\bpybind11_detail_\w{1,200}\.")


def _function(found: ForwardBreak) -> str:
    """Return ``os.getpid``; empty if torch does not name it."""
    called = _MODULE.search(found.words)
    if called is not None:
        module = _PUBLIC.get(called["module"], called["module"])
        return _BINDING.sub("", f"{module}.{called['name']}".lstrip("."))
    named = _NAMED.search(found.words) or _UNSUPPORTED.search(found.words)
    name = _CAPSULE.sub("", named["name"].strip(".")) if named else ""
    # Deep in Python's own code, on the way from a call in the user's line.
    return "" if name.startswith("__") else name
