"""Loops of varying length run equally often, and keep what their own turns gave."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import libcst as cst

from ca_reports.fixes import choices, imports, loops
from ca_reports.fixes.editing import RANDOM, is_constant
from ca_reports.fixes.patches import Patch, RefusedError, Replacement
from ca_reports.fixes.program import last_name, names_in, walk
from ca_reports.text.numbers import times

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.findings import Finding
    from ca_reports.fixes.program import EditableProgram, NodeT, SourceFile

_OF_DATA = ("len(", ".shape", ".size(")


def patches(finding: Finding, program: EditableProgram) -> list[Patch]:
    """``for turn in range(max(n, 3))``, of which turns from ``n`` on change nothing.

    Raises `RefusedError` unless the source shows one loop over ``range(n)`` that sets variables.
    """
    counts = finding.subject.values
    if not counts:
        raise RefusedError(f"how often the loop runs is not known: {finding.fix}")
    # The first turn may leave no nodes: what it begins with needs no gradient.
    longest = max(counts) + (min(counts) == 0)
    file, loop = _loop(finding, program)
    program.require_unchanged(file)
    lines = [_only_assignment(file, one) for one in loop.body.body]
    carried = _carried(file, loop, lines)
    torch, added = imports.torch(file, loop)
    count: Any = loop.iter.args[0].value
    code = file.code(count)
    changes: list[Replacement] = []
    if not isinstance(count, cst.Name | cst.Attribute):
        name = choices.new_name(file, "turns", "number_of_turns")
        at = file.line_start(loop)
        text = f"{file.indent_of(loop)}{name} = {code}{file.newline}"
        changes.append(Replacement(file.name, at, at, text))
        code = name
    changes.append(Replacement(file.name, *file.span(count), f"max({code}, {longest})"))
    turn = file.code(loop.target)
    if turn == "_":
        turn = choices.new_name(file, "turn", "turn_number")
        changes.append(Replacement(file.name, *file.span(loop.target), turn))
    changes += _kept(file, loop, carried, f"{turn} < {code}", torch)
    drawn = any(word in code for code in _codes(file, loop, program) for word in RANDOM)
    drawn = drawn or any("ropout(" in one.text for one in program.files.values())
    return [
        Patch(
            f"the loop at {file.place(loop)} runs {times(longest)} in every step, of which "
            "torch.where keeps its own turns",
            (*added, *changes),
            intention="draws random numbers also in turns that are not kept" if drawn else "",
            note=f"computes {longest} turns in every step",
        )
    ]


def _codes(file: SourceFile, loop: Any, program: EditableProgram) -> Iterator[str]:
    """The source of ``loop``, then that of the program's functions that it calls, by name."""
    waiting, seen = [(file, loop)], set[str]()
    while waiting:
        where, node = waiting.pop()
        yield where.code(node)
        names = {last_name(one.func) for one in walk(node) if isinstance(one, cst.Call)} - seen
        seen |= names
        waiting += [
            (other, function)
            for other in program.files.values()
            for function in other.all(cst.FunctionDef)
            if function.name.value in names
        ]


def sliced(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA202: ``for layer in layers[:n]`` runs all layers, of which the first ``n`` change a thing.

    Raises `RefusedError` unless the source shows one such loop, which only sets variables.
    """
    every = [
        (file, loop)
        for file in program.files.values()
        for loop in file.all(cst.For)
        if isinstance(loop.target, cst.Name)
        and _cut(loop.iter) is not None
        and _sets_variables(loop)
    ]
    near = _near(every, finding, program)
    if len(near) != 1:
        raise RefusedError(f"the source does not show one loop over a part: {finding.fix}")
    file, loop = near[0]
    program.require_unchanged(file)
    lines = [_only_assignment(file, one) for one in loop.body.body]
    carried = _carried(file, loop, lines)
    torch, added = imports.torch(file, loop)
    turn = choices.new_name(file, "turn", "turn_number")
    turns = choices.new_name(file, "turns", "number_of_turns")
    whole: Any = loop.iter
    at = file.line_start(loop)
    first = f"{file.indent_of(loop)}{turns} = len({file.code(whole)}){file.newline}"
    head = f"{turn}, {file.code(loop.target)}", f"enumerate({file.code(whole.value)})"
    return [
        Patch(
            f"the loop at {file.place(loop)} runs over all of {file.code(whole.value)} in every "
            "step, of which torch.where keeps a part",
            (
                *added,
                Replacement(file.name, at, at, first),
                Replacement(file.name, *file.span(loop.target), head[0]),
                Replacement(file.name, *file.span(whole), head[1]),
                *_kept(file, loop, carried, f"{turn} < {turns}", torch),
            ),
            intention="gives the parameters of what is not kept gradients of zero, which momentum "
            "and weight decay act on",
        )
    ]


def cut_losses(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA209: of ``losses[:n]`` that are summed up or differentiated all, times 0 or 1.

    Raises `RefusedError` unless the source shows one such list, which nothing else reads.
    """
    found = [
        (file, node)
        for file in program.files.values()
        for node in file.all(cst.Assign)
        if len(node.targets) == 1
        and isinstance(node.targets[0].target, cst.Name)
        and _cut(node.value) is not None
        and _is_summed(file, node)
    ]
    # What is cut is summed, or differentiated, in the same function.
    found = [one for one in found if _near([(one[0], one[0].function(one[1]))], finding, program)]
    if len(found) != 1:
        raise RefusedError(
            f"the source does not show one list of losses that is cut: {finding.fix}"
        )
    file, node = found[0]
    program.require_unchanged(file)
    whole: Any = node.value
    count = _cut(whole)
    code, changes = file.code(count), []
    if not isinstance(count, cst.Name | cst.Attribute):
        name = choices.new_name(file, "kept", "number_kept")
        at = file.line_start(node)
        text = f"{file.indent_of(node)}{name} = {code}{file.newline}"
        changes, code = [Replacement(file.name, at, at, text)], name
    text = f"[one * float(at < {code}) for at, one in enumerate({file.code(whole.value)})]"
    return [
        Patch(
            f"all of {file.code(whole.value)} at {file.place(node)}, times 0 or 1",
            (*changes, Replacement(file.name, *file.span(whole), text)),
            intention="gives the parameters of the others gradients of zero, which momentum and "
            "weight decay act on",
        )
    ]


def _cut(node: Any) -> Any:
    """The bound ``n`` of ``parts[:n]``, where that is no literal; None for anything else."""
    if not isinstance(node, cst.Subscript) or len(node.slice) != 1:
        return None
    part = node.slice[0].slice
    is_head = isinstance(part, cst.Slice) and part.lower is None and part.step is None
    upper = part.upper if isinstance(part, cst.Slice) and is_head else None
    is_literal = isinstance(upper, cst.Integer | cst.UnaryOperation)
    return None if upper is None or is_literal else upper


def _is_summed(file: SourceFile, node: cst.Assign) -> bool:
    """Return whether a list is read by ``sum`` or ``torch.autograd.backward`` only."""
    target: Any = node.targets[0].target
    function = file.function(node)
    reads = [
        one
        for one in file.all(cst.Name)
        if one.value == target.value and one is not target and file.function(one) is function
    ]
    return bool(reads) and all(
        isinstance(arg := file.parent(one), cst.Arg)
        and file.code(file.parent(arg).func) in ("sum", "torch.autograd.backward")
        for one in reads
    )


def _near(
    every: list[tuple[SourceFile, NodeT]], finding: Finding, program: EditableProgram
) -> list[tuple[SourceFile, NodeT]]:
    """Those of ``every`` that one of the finding's lines is in."""
    frames = loops.frames(finding)
    return [one for one in every if any(loops.is_at(frame, *one, program) for frame in frames)]


def _loop(finding: Finding, program: EditableProgram) -> tuple[SourceFile, Any]:
    """The loop over ``range(n)`` that the finding's lines are in."""
    every = [
        (file, loop)
        for file in program.files.values()
        if "range(" in file.text
        for loop in file.all(cst.For)
        if _is_counted(file, loop) and not _is_of_steps(file, loop)
    ]
    near = _near(every, finding, program)
    if len(near) != 1:
        raise RefusedError(f"the source does not show one loop over range(n): {finding.fix}")
    file, loop = near[0]
    if any(word in file.code(loop.iter) for word in _OF_DATA):
        raise RefusedError(
            f"the loop at {file.place(loop)} runs over data: pad them to one length by hand"
        )
    return file, loop


def _is_counted(file: SourceFile, loop: cst.For) -> bool:
    call = loop.iter
    return (
        isinstance(call, cst.Call)
        and file.names(call.func) == {"builtins.range"}
        and len(call.args) == 1
        and not call.args[0].star
        and not isinstance(call.args[0].value, cst.Integer)
    )


def _sets_variables(loop: cst.For) -> bool:
    return all(
        isinstance(line, cst.SimpleStatementLine)
        and all(isinstance(one, cst.Assign | cst.AugAssign) for one in line.body)
        for line in loop.body.body
    )


def _is_of_steps(file: SourceFile, loop: cst.For) -> bool:
    """Return whether a loop trains: it is none of a forward's."""
    code = file.code(loop)
    return "backward(" in code or ".step(" in code or "zero_grad" in code


def _only_assignment(file: SourceFile, line: Any) -> Any:
    """The assignment that is all of ``line``. Raises `RefusedError` for anything else."""
    only = line.body[0] if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1 else 0
    if not isinstance(only, cst.Assign | cst.AugAssign):
        raise RefusedError(f"{file.place(line)} does more than set a variable in each turn")
    return only


def _targets(only: Any) -> list[Any]:
    """The variables of ``a = …``, ``a, b = …`` or ``a += …``."""
    if isinstance(only, cst.AugAssign):
        return [only.target]
    found: list[Any] = []
    for target in (one.target for one in only.targets):
        found += (
            [one.value for one in target.elements] if isinstance(target, cst.Tuple) else [target]
        )
    return found


def _carried(file: SourceFile, loop: cst.For, lines: list[Any]) -> list[str]:
    """The variables that one turn hands to the next, or to what comes after the loop."""
    names: dict[str, None] = {}
    for only in lines:
        for target in _targets(only):
            if not isinstance(target, cst.Name):
                raise RefusedError(f"{file.place(only)} sets {file.code(target)}, no variable")
            names[target.value] = None
        if any(isinstance(part, cst.Yield | cst.Await) for part in walk(only)):
            raise RefusedError(f"{file.place(only)} yields")
    known = choices.known_before(file, loop, set(names))
    found = [name for name in names if name in known]
    if not found:
        raise RefusedError(f"the loop at {file.place(loop)} hands nothing from turn to turn")
    _, end = file.span(loop)
    function = file.function(loop)
    for node in file.all(cst.Name):
        is_read_later = node.value in set(names) - known and file.span(node)[0] >= end
        if is_read_later and file.function(node) is function:
            raise RefusedError(f"{file.place(node)} reads {node.value}, which only a turn sets")
    return found


def _kept(
    file: SourceFile, loop: cst.For, carried: list[str], test: str, torch: str
) -> list[Replacement]:
    """The value before the turn, and the choice after it, of each of ``carried``."""
    body: Any = loop.body.body
    indent = file.indent_of(body[0])
    used = names_in(file.tree)
    before = {name: f"{name}_before" for name in carried}
    if taken := used & set(before.values()):
        raise RefusedError(f"{file.name} has names {', '.join(sorted(taken))} already")
    at = file.line_start(body[0])
    first = f"{indent}{', '.join(before.values())} = {', '.join(carried)}{file.newline}"
    changes = [Replacement(file.name, at, at, first)]
    for line in body:
        only = line.body[0]
        if isinstance(only, cst.AugAssign):
            # In place it would change the value before the turn, too.
            name, value = choices.assignment(file, only)
            changes.append(Replacement(file.name, *file.span(only), f"{name} = {value}"))
        elif is_constant(only.value):
            raise RefusedError(f"{file.place(only)} sets {file.code(only.value)}, no tensor")
    end = file.line_end(file.span(body[-1])[1])
    is_own = f"{torch}.tensor({test}, device={carried[0]}.device)"
    last = [
        f"{file.newline}{indent}{name} = {torch}.where({is_own}, {name}, {old})"
        for name, old in before.items()
    ]
    return [*changes, Replacement(file.name, end, end, "".join(last))]
