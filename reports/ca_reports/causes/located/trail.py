"""Reads a finding's events for where to look in the program."""

from __future__ import annotations

import ast
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING

from ca_engine.lazy_classes import dataclass
from ca_reports.causes.located.passed import is_passed
from ca_reports.program.flow import Flow
from ca_reports.program.names import ENTRIES, Names
from ca_reports.program.options import OptionOrigins
from ca_reports.program.origins import Origins
from ca_reports.program.sizes import Sizes
from ca_reports.program.syntax import (
    LOOPS,
    FunctionNode,
    Program,
    Site,
    given_to,
    is_by_name,
    is_constant,
    last_name,
    names_in,
    scope_name,
)
from ca_reports.run.model import Capture, Compile
from ca_reports.torchlib import containers, modes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from ca_reports.causes.findings import Finding
    from ca_reports.run.model import Change, EventKey, Frame

    # Finds the lines of which one is to be edited.
    Search = Callable[["Trail"], list[Site]]

_SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Return)
# What picks one of several, and what picks some.
_PICKS = frozenset(("choice", "choices", "sample", "getattr"))
_PARTS = frozenset(("sample", "islice", "choices", "compress"))
_STATIC = frozenset(("isinstance", "hasattr", "len", "__name__", "is_available", "callable"))


@dataclass(frozen=True)
class Trail:
    """A finding, and the program that it is about."""

    finding: Finding
    names: Names
    # All captures of the run.
    known: Mapping[EventKey, Capture] = field(default_factory=dict)

    @property
    def program(self) -> Program:
        """Return the files of the program."""
        return self.names.program

    @cached_property
    def captures(self) -> tuple[Capture, ...]:
        """Return the captures that the finding explains."""
        return tuple(event for event in self.finding.events if isinstance(event, Capture))

    @cached_property
    def pairs(self) -> tuple[tuple[Capture, Capture], ...]:
        """Return each of these captures with the earlier one that it was compared with."""
        keys = (("capture", capture.process, capture.closest_capture) for capture in self.captures)
        compared = zip(self.captures, map(self.known.get, keys), strict=True)
        return tuple((capture, other) for capture, other in compared if other is not None)

    @cached_property
    def compiles(self) -> tuple[Compile, ...]:
        """Return the compiles that the finding explains."""
        return tuple(event for event in self.finding.events if isinstance(event, Compile))

    @property
    def compiled_at(self) -> Frame | None:
        """Return the line of the first of these compiles that has one."""
        return next((one.location for one in self.compiles if one.location is not None), None)

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """Return what differs in its captures."""
        return tuple(change for capture in self.captures for change in capture.changes)

    @cached_property
    def flow(self) -> Flow:
        """Return the code around the first event with a stack."""
        stacks = [capture.stack for capture in self.captures]
        stacks += [self.stack_of(compiled) for compiled in self.compiles]
        seen = self.finding.noticed_at
        return Flow(self.names, next(filter(None, stacks), () if seen is None else (seen,)))

    @cached_property
    def origins(self) -> Origins:
        """Return where values of the program come from."""
        return Origins(self.flow)

    @cached_property
    def options(self) -> OptionOrigins:
        """Return where options of the program's calls are set."""
        return OptionOrigins(self.origins)

    @cached_property
    def sizes(self) -> Sizes:
        """Return what decides the sizes of the program's tensors.

        What came another size came by the calls of the stack, and by no other of the same function.
        """
        flow = Flow(self.names, self.flow.stack, is_strict=True)
        return Sizes(flow, Origins(flow))

    def stack_of(self, compiled: Compile) -> tuple[Frame, ...]:
        """Return a compile's stack with the call that torch left out, where only one can be it.

        Of a function that is compiled by itself torch's stack ends with the function and, before
        it, what called its caller: the innermost frames are cut by their number.
        """
        *before, own = compiled.stack or (None,)
        if own is None or own.function in ENTRIES:
            return compiled.stack
        calls = unique(
            site
            for site in self.program.calls(own.function)
            if scope_name(site.scope) != own.function
        )
        lines = {(frame.file, frame.line) for frame in before}
        if len(calls) != 1 or calls[0].place in lines:
            return compiled.stack
        return (*before, calls[0].frame, own)

    @property
    def operation(self) -> Frame | None:
        """Return the line of the forward that made what changed, where it was noted."""
        location = self.finding.location
        return None if location == self.finding.noticed_at else location


def recorded_line(trail: Trail) -> list[Site]:
    """Find the line that the log names, where it is to be edited and the source says how."""
    named = trail.program.at(trail.finding.location)
    return [] if named is None else [named]


def deciders(site: Site, trail: Trail) -> list[Site]:
    """Find the `if` that decides whether ``site`` runs: in its function, else around its calls."""
    flow = trail.flow
    waiting = [site]
    seen: set[ast.AST] = set()
    while waiting:
        found: list[Site] = []
        callers: list[Site] = []
        for one in waiting:
            asked = [
                each for each in conditions(one) if not is_passed(each, one, flow, trail.pairs)
            ]
            own = (
                [each for test in asked[:1] for each in _putting(test, trail) or [test]]
                or _missing_arguments(one, trail)
                or _dispatches(one, flow)
                or _selected(one, trail)
            )
            found += own[:1]
            scope = one.scope
            if not own and isinstance(scope, FunctionNode) and scope not in seen:
                seen.add(scope)
                callers += filter(has_graph, flow.callers(Site(one.module, scope)))
        if found:
            return unique(found)
        waiting = flow.in_steps(callers)
    return []


def has_graph(site: Site) -> bool:
    """Return whether autograd records what ``site`` calls: not so under `torch.no_grad()`."""
    for part in site.module.around(site.node):
        if turns_gradients_off(part):
            return False
        if isinstance(part, FunctionNode):
            return True
    return True


def turns_gradients_off(part: ast.AST) -> bool:
    """Return whether a `with`, or a function by its decorators, runs what is in it without."""
    contexts = (
        [item.context_expr for item in part.items]
        if isinstance(part, ast.With)
        else getattr(part, "decorator_list", ())
    )
    return any(
        last_name(each.func if isinstance(each, ast.Call) else each) in modes.WITHOUT_GRAPH
        for each in contexts
    )


def conditions(site: Site) -> list[Site]:
    """Find the conditions for ``site`` within its function, innermost first; constant ones last."""
    module = site.module
    found: list[ast.expr | ast.stmt] = []
    leaving: list[ast.expr | ast.stmt] = []
    below: ast.AST = site.node
    if isinstance(below, ast.stmt):
        # A choice within the line itself.
        found += [part for part in ast.walk(below) if isinstance(part, ast.IfExp)][:1]
    for part in module.around(site.node):
        if isinstance(part, ast.If | ast.IfExp) and below is not part.test:
            found.append(part)
        if isinstance(part, ast.Match) and below is not part.subject:
            found.append(part)
        if isinstance(part, ast.For) and below is not part.iter and _is_a_part(part.iter):
            found.append(part)
        if isinstance(part, ast.With) and _is_switched(part):
            found.append(part)
        if isinstance(part, ast.ListComp | ast.GeneratorExp) and any(
            each.ifs for each in part.generators
        ):
            found.append(part)
        for block in ("body", "orelse", "finalbody"):
            statements = getattr(part, block, None)
            if isinstance(statements, list) and below in statements:
                earlier = statements[: statements.index(below)]
                found += [each for each in reversed(earlier) if leaves(each)]
                if isinstance(part, LOOPS) and block == "body":
                    later = statements[len(earlier) :]
                    leaving += [each for each in later if leaves(each) and breaks(each)]
        if isinstance(part, FunctionNode | ast.Module):
            break
        below = part
    varying = [node for node in (*found, *leaving) if not _is_static(node)]
    return [Site(module, node) for node in varying or []]


def _putting(condition: Site, trail: Trail) -> list[Site]:
    """Find what decides whether a dictionary has the key that ``condition`` asks for."""
    test = getattr(condition.node, "test", None)
    asks = isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.In | ast.NotIn)
    key = getattr(test.left, "value", None) if asks and isinstance(test, ast.Compare) else None
    return _put_under(key, condition, trail) if isinstance(key, str) else []


def _put_under(key: str, asking: Site, trail: Trail) -> list[Site]:
    """Find conditions for what the steps store under ``key``, other than that ``asking`` for it."""
    put = filter(trail.flow.is_in_steps, trail.origins.keyed(key))
    found = unique(one for site in put for one in conditions(site)[:1])
    return [one for one in found if one.place != asking.place]


def _key_of(value: ast.expr) -> str | None:
    """Return ``aux`` of `outputs.get("aux")`; None for anything else."""
    is_get = isinstance(value, ast.Call) and last_name(value.func) == "get" and value.args
    key = getattr(value.args[0], "value", None) if is_get and isinstance(value, ast.Call) else None
    return key if isinstance(key, str) else None


def _missing_arguments(site: Site, trail: Trail) -> list[Site]:
    """Find what decides whether the variable is None that keeps ``site`` from running."""
    module, flow = site.module, trail.flow
    # A choice within the line itself, too: `null if label is None else embed(label)`.
    inside = ast.walk(site.node) if isinstance(site.node, _SIMPLE) else ()
    for part in (*inside, *module.around(site.node)):
        if isinstance(part, FunctionNode):
            break
        test = getattr(part, "test", None) if isinstance(part, ast.If | ast.IfExp) else None
        if not isinstance(test, ast.Compare):
            continue
        if not any(is_constant(each, None) for each in test.comparators):
            continue
        left = test.left.value if isinstance(test.left, ast.NamedExpr) else test.left
        values = [left, *(one.node for one in flow.feeding(Site(module, left)))]
        for key in filter(None, map(_key_of, (one for one in values if isinstance(one, ast.expr)))):
            if put := _put_under(key, Site(module, part), trail):
                return put
        if not isinstance(left, ast.Name):
            continue
        given = flow.feeding(Site(module, left))
        missing = [one for one in given if is_constant(one.node, None) and flow.is_in_steps(one)]
        decided = [one for missed in missing for one in conditions(missed)[:1]]
        return unique(decided) or [Site(module, part)]
    return []


def _dispatches(site: Site, flow: Flow) -> list[Site]:
    """Return where one of several modules or functions is chosen that ``site`` then calls."""
    for node in ast.walk(site.node):
        if not isinstance(node, ast.Call):
            continue
        if _is_picked(node.func) and not _is_of_a_loop(site, node.func):
            return [Site(site.module, node)]
        if isinstance(node.func, ast.Name):
            given = flow.assigned(node.func.id, Site(site.module, node))
            chosen = [one for one in given if _is_picked(one.node) and flow.is_in_steps(one)]
            if chosen:
                return unique(chosen)
    return []


def _selected(site: Site, trail: Trail) -> list[Site]:
    """Return where what a loop goes over gets one more: `if warm: names.append(…)`, `yield …`.

    What the loop that takes the steps gets one more of is one more step.
    """
    steps = {loop.node for loop in trail.flow.loops}
    around = (*ast.walk(site.node), *site.module.around(site.node))
    loops = [
        Site(site.module, part.iter)
        for part in around
        if isinstance(part, ast.For | ast.comprehension) and part not in steps
    ]
    return [
        decided
        for over in loops
        for origin in trail.origins.of(over, (None,))
        if is_appended(origin.site) or _is_yielded(origin.site)
        for decided in conditions(origin.site)[:1]
    ] or [decided for over in loops for decided in _taken_out(over, trail.flow)]


def _taken_out(over: Site, flow: Flow) -> list[Site]:
    """Find the `if` under which steps take something out of an iterable: `batch.pop(name)`."""
    names = names_in(over.node)
    removing = flow.program.methods_of(names, *containers.TAKES_OUT)
    removing += [
        site
        for site in flow.program.sites(ast.Delete)
        if isinstance(site.node, ast.Delete)
        and any(
            isinstance(target, ast.Subscript) and last_name(target.value) in names
            for target in site.node.targets
        )
    ]
    return [one for site in removing if flow.is_in_steps(site) for one in conditions(site)[:1]]


def in_lambda(sites: list[Site], line: Frame | None) -> list[Site]:
    """Find ``sites``, of a table of lambdas or an argument the one that is at ``line``."""
    scopes = [] if line is None else [
        (site.module, site.module.scope_at(line.line)) for site in sites
    ]  # fmt: skip
    return [
        Site(module, scope.body) for module, scope in scopes if isinstance(scope, ast.Lambda)
    ] or sites


def _is_yielded(site: Site) -> bool:
    """Return whether ``site`` is what a generator gives."""
    return isinstance(site.module.parents.get(site.node), ast.Yield)


def is_appended(site: Site) -> bool:
    """Return whether ``site`` is what a call puts into a list."""
    parent = site.module.parents.get(site.node)
    return isinstance(parent, ast.Call) and last_name(parent.func) == "append"


def _is_picked(node: ast.AST) -> bool:
    """Return whether ``node`` is one of several by a variable or at random: ``heads[task]``."""
    if isinstance(node, ast.Subscript):
        return bool(names_in(node.slice))
    if isinstance(node, ast.Call):
        return last_name(node.func) in _PICKS
    return isinstance(node, ast.IfExp)


def _is_of_a_loop(site: Site, node: ast.expr) -> bool:
    """Return whether the variable that picks is a loop's: then all are called in turn."""
    picked = node.slice if isinstance(node, ast.Subscript) else None
    if is_by_name(node):
        picked = node.args[1]
    names = set() if picked is None else names_in(picked)
    return any(
        isinstance(target, ast.Name) and target.id in names
        for part in (*site.module.around(site.node), *ast.walk(site.node))
        if isinstance(part, ast.For | ast.comprehension)
        for target in ast.walk(part.target)
    )


def _is_a_part(node: ast.expr) -> bool:
    """Return whether a loop goes over a part: ``layers[:depth]``, ``sample(layers, 3)``."""
    if isinstance(node, ast.Call):
        parts = [each for each in node.args if isinstance(each, ast.Subscript)]
        return last_name(node.func) in _PARTS or any(map(_is_a_part, parts))
    return (
        isinstance(node, ast.Subscript)
        and isinstance(node.slice, ast.Slice)
        and bool(names_in(node.slice))
    )


def breaks(statement: ast.AST) -> bool:
    """Return whether ``statement`` may end the loop that it is in."""
    return any(isinstance(each, ast.Break | ast.Return) for each in ast.walk(statement))


def leaves(statement: ast.AST) -> bool:
    """Return whether what comes after ``statement`` is left out where its test holds."""
    return isinstance(statement, ast.If) and any(
        isinstance(each, ast.Return | ast.Continue | ast.Break)
        for each in (*statement.body[-1:], *statement.orelse[-1:])
    )


def _is_switched(node: ast.With) -> bool:
    """Return whether a context is on in some steps only: `autocast("cpu", enabled=step % 2)`."""
    return any(
        isinstance(given, ast.Compare | ast.BoolOp | ast.UnaryOp | ast.Name | ast.Attribute)
        for item in node.items
        if isinstance(item.context_expr, ast.Call)
        for each in item.context_expr.keywords
        for given in [each.value]
        if each.arg == "enabled"
    )


def _is_static(node: ast.AST) -> bool:
    """Return a test of what never changes while a program runs: a type, a missing module."""
    test = getattr(node, "test", None)
    if test is None:
        return False
    if isinstance(test, ast.UnaryOp):
        test = test.operand
    names = names_in(test) & _STATIC
    if names == {"len"} and all(
        isinstance(part.args[0], ast.Name)
        for part in ast.walk(test)
        if isinstance(part, ast.Call) and last_name(part.func) == "len" and part.args
    ):
        return False  # of a variable, such as the rows that a mask picks
    compares_none = isinstance(test, ast.Compare) and any(
        isinstance(each, ast.Is | ast.IsNot) for each in test.ops
    )
    return compares_none or bool(names)


def is_conditional(site: Site) -> bool:
    """Return whether ``site`` stands under an `if` of the function that it is in."""
    return bool(conditions(site))


def varies(site: Site) -> bool:
    """Return whether a call or assignment may do something else the next time."""
    node = site.node
    values: list[ast.expr] = []
    if isinstance(node, ast.Call):
        values = given_to(node)
    elif isinstance(node, ast.Assign) and node.value is not None:
        values = [node.value]
    return not all(map(_is_fixed, values)) or is_conditional(site)


def _is_fixed(node: ast.expr) -> bool:
    """Return a literal, or a name of torch's such as `torch.bfloat16`."""
    while isinstance(node, ast.Attribute):
        node = node.value
        if isinstance(node, ast.Name) and node.id == "torch":
            return True
    return isinstance(node, ast.Constant)


def best(sites: Iterable[Site], flow: Flow) -> list[Site]:
    """Find those in the steps, those that vary first among them, then the nearest."""
    found = flow.in_steps(unique(sites))
    return flow.nearest([site for site in found if varies(site)] or found)


def not_restoring(sites: Iterable[Site]) -> list[Site]:
    """Find those that change something, without what puts it back; all of them if none is left."""
    found = list(sites)
    return [site for site in found if not _restores(site)] or found


def _restores(site: Site) -> bool:
    """Return whether ``site`` puts back what a context of the user's changed."""
    scope = site.scope
    if isinstance(scope, ast.FunctionDef) and scope.name == "__exit__":
        return True
    below: ast.AST = site.node
    for part in site.module.around(site.node):
        if isinstance(part, ast.Try) and below in part.finalbody:
            return True
        below = part
    return False


def unique(sites: Iterable[Site]) -> list[Site]:
    """Find each line once, in order."""
    found: dict[tuple[str, int], Site] = {}
    for site in sites:
        found.setdefault(site.place, site)
    return list(found.values())
