"""What a compiled function is given: the expressions that an argument is made of, and the call.

A guard on a size, a layout or a dtype names an argument of the compiled function. What is done
with it inside comes after the guard, so the line to change is where the argument is made; where
the source does not tell that, it is the call that hands it over.
"""

from __future__ import annotations

import ast
from functools import cached_property
from typing import TYPE_CHECKING

from ca_engine.lazy_classes import dataclass
from ca_reports.causes.located.trail import unique
from ca_reports.facts.guard_paths import guard_path
from ca_reports.program.flow import Flow
from ca_reports.program.syntax import Site, last_name
from ca_reports.torchlib import containers

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ca_reports.causes.located.trail import Search, Trail
    from ca_reports.program.stack import Frame

# What guards check of an argument that whoever calls the function decides on.
_OF_TENSORS = frozenset(
    (
        *("size", "size_relation", "stride", "storage_offset"),
        *("rank", "dtype", "device", "requires_grad"),
    )
)


@dataclass(frozen=True)
class Argument:
    """An argument of a compiled function that a finding is about; ``kind`` is its guard's."""

    trail: Trail
    name: str
    compiled: Frame
    kind: str
    dimension: int | None = None

    @cached_property
    def size_decided_by(self) -> list[Site]:
        """Return what decides its size in ``dimension``, outside the compiled function."""
        start = inside(self.compiled, self.trail.flow)
        if start is None:
            return []
        # Who calls the function is not known where a library does, but for its batches.
        flow = self.trail.flow
        function = start.scope
        if not isinstance(function, ast.FunctionDef):
            return []
        sizes = self.trail.sizes
        given = sizes.flow.arguments(Site(start.module, function), self.name)
        if given is None or not (given.found or flow.names.collating):
            return []
        # What the function itself assigns to that name comes after the guard.
        found = (
            sizes.of_given(given.found, self.dimension)
            if given.found
            else sizes.of_variable(self.name, start, self.dimension)
        )
        return one_list(flow.in_steps(site for site in found if not self._is_inside(site)), flow)

    @cached_property
    def made_of(self) -> tuple[Site, ...]:
        """Return what it is made of, nearest first, down to expressions that all calls share."""
        start = inside(self.compiled, self.trail.flow)
        if start is None:
            return ()
        flow = self.trail.flow
        found = flow.feeding(*flow.assigned(self.name, start))
        return tuple(site for site in found if not self._is_inside(site))

    @cached_property
    def _nodes(self) -> frozenset[ast.AST]:
        return frozenset(site.node for site in self.made_of)

    def of_those(self, sites: Iterable[Site]) -> list[Site]:
        """Find the ``sites`` that it is made of.

        Where none is known, those that run in the steps, but for what the function itself runs.
        """
        flow, function = self.trail.flow, self._function
        outside = [site for site in sites if not self._is_inside(site)]
        made = [site for site in outside if site.node in self._nodes]
        if made or function is None:
            return made or [site for site in outside if flow.is_in_steps(site)]
        return [site for site in outside if flow.is_in_steps_besides(site, function)]

    def _is_inside(self, site: Site) -> bool:
        return site.module.file == self.compiled.file and any(
            part is self._function for part in site.module.around(site.node)
        )

    @cached_property
    def _function(self) -> ast.AST | None:
        start = inside(self.compiled, self.trail.flow)
        return None if start is None else start.scope


def argument(trail: Trail) -> Argument | None:
    """Return the argument that the finding's compiles are about; None for anything else."""
    for compiled in trail.compiles:
        for guard in compiled.failed_guards:
            if guard.kind in _OF_TENSORS and _is_about(guard.source, trail.finding.key):
                frame = compiled.location
                return (
                    None
                    if frame is None
                    else (Argument(trail, guard.source, frame, guard.kind, guard.index))
                )
    return None


def or_call(search: Search) -> Search:
    """Return ``search``, or where it leaves several lines or none, the call with the argument.

    What is made of an argument of a compiled function is made before its call.
    """

    def found(trail: Trail) -> list[Site]:
        sites = unique(search(trail))
        if len(sites) != 1 and argument(trail) is not None:
            return call(trail) or sites
        return sites

    return found


def _is_about(source: str, key: str) -> bool:
    """Return whether ``source`` is a plain variable, that of the finding's key if it names one."""
    if not guard_path(source).is_variable:
        return False
    named = key.partition(" ")[0]
    return named == source or not guard_path(named).is_variable or named == "layout"


def of_data(trail: Trail) -> list[Site]:
    """Return what decides the size that varied, of a variable around a backward.

    The variable is one of a function on the stack, else an argument of a forward. Which module has
    that argument is known by name only: of several, the nearest to the steps.
    """
    flow, subject = trail.flow, trail.finding.subject
    path = subject.path
    if not path.is_plain or len(subject.dimensions) != 1:
        return []
    dimension = subject.dimensions[0]
    on_stack = (flow.program.at(frame) for frame in reversed(flow.stack))
    for start in (*filter(None, on_stack), *_forwards(path.root, flow)):
        found = trail.sizes.of_variable(path.root, start, dimension, path.parts)
        if found:
            return one_list(flow.in_steps(found), flow)
    return []


def _forwards(argument: str, flow: Flow) -> list[Site]:
    """Find the beginnings of the forwards that take ``argument``."""
    known = flow.in_steps(flow.program.functions.get("forward", ()))
    taking = [
        one for one in known if (given := flow.arguments(one, argument)) is not None and given.found
    ]
    return [
        Site(one.module, one.node.body[0])
        for one in flow.nearest(taking)
        if isinstance(one.node, ast.FunctionDef)
    ]


def one_list(found: Iterable[Site], flow: Flow) -> list[Site]:
    """Find each line once; of several that one list grows by, the nearest."""
    sites = unique(found)
    names = {_grown(site) for site in sites}
    return flow.nearest(sites)[:1] if len(names) == 1 and "" not in names else sites


def _grown(site: Site) -> str:
    """Return the list that a call appends to; empty for what appends to none."""
    called = site.node.func if isinstance(site.node, ast.Call) else None
    if not isinstance(called, ast.Attribute) or called.attr not in containers.APPENDS:
        return ""
    return last_name(called.value)


def call(trail: Trail) -> list[Site]:
    """Find the user's call by which the argument first came another way."""
    for compiled in trail.compiles:
        own = compiled.location
        for frame in reversed(trail.stack_of(compiled)):
            if own is not None and trail.program.runs(frame, own):
                continue
            site = trail.program.at(frame)
            if site is not None:
                return [site]
    return []


def handed_over(trail: Trail, parameter: str) -> list[Site]:
    """Find the calls on the recorded stacks, and each `partial`, that give ``parameter`` its value.

    Empty where the compiled function has no such parameter, or one comes from a `**` or a `*`.
    """
    found: list[Site] = []
    # Where the limit is reached torch names the caller, and compiles nothing.
    compiles = [one for one in trail.compiles if not one.is_refused] or trail.compiles
    for stack in dict.fromkeys(trail.stack_of(compiled) for compiled in compiles):
        flow = Flow(trail.names, stack, is_strict=True)
        start = inside(stack[-1] if stack else None, flow)
        if start is None or not isinstance(start.scope, ast.FunctionDef):
            return []
        given = flow.arguments(Site(start.module, start.scope), parameter)
        if given is None or not given.found or any(part for _, part in given.found):
            return []
        found += [site for site, _ in given.found]
    return unique(found)


def inside(frame: Frame | None, flow: Flow) -> Site | None:
    """Find the beginning of the compiled function, where its parameters are known."""
    site = flow.program.at(frame)
    module = None if frame is None else flow.program.modules.get(frame.file)
    if module is None or frame is None:
        return None
    function: ast.AST = module.scope_at(frame.line)
    if site is not None and isinstance(site.node, ast.FunctionDef | ast.AsyncFunctionDef):
        function = site.node
    body = getattr(function, "body", None)
    start = body[0] if isinstance(body, list) and body else body
    return Site(module, start) if isinstance(start, ast.expr | ast.stmt) else None


def function_at(frame: Frame | None, flow: Flow) -> Site | None:
    """Return the compiled function at ``frame``, whole; None if it is not known."""
    start = inside(frame, flow)
    is_function = start is not None and not isinstance(start.scope, ast.Module)
    return Site(start.module, start.scope) if start is not None and is_function else None  # type: ignore[arg-type]
