"""Loops of varying length run equally often, and keep what their own turns gave."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from ca_reports.patching import choices, collected, effects, imports, loops
from ca_reports.patching.editing import has_call, is_number, is_signed_number, stored
from ca_reports.patching.patches import Patch, RefusedError, Replacement
from ca_reports.program.edits import arguments, words_in
from ca_reports.program.effects import trains
from ca_reports.program.positions import walk
from ca_reports.program.scopes import COMPREHENSIONS
from ca_reports.words.numbers import times

if TYPE_CHECKING:
    from ca_reports.causes.findings import Finding
    from ca_reports.patching.program import EditableProgram, NodeT, SourceFile
    from ca_reports.program.syntax import For

# What no tensor is: `torch.where` cannot choose between two, and a number would become one.
_NO_TENSORS = (*COMPREHENSIONS, ast.Dict, ast.List, ast.Set, ast.Tuple, ast.Constant)


def patches(finding: Finding, program: EditableProgram) -> list[Patch]:
    """Return ``for turn in range(max(n, 3))``, of which turns from ``n`` on change nothing.

    So is ``for x in xs.unbind(1)``, over as many parts. Raises `RefusedError` unless the source
    shows one such loop, which sets variables, and appends to lists that are stacked after it.
    """
    counts = finding.subject.values
    if not counts:
        raise RefusedError("how often the loop runs is not known")
    file, loop = _loop(finding, program)
    program.require_unchanged(file)
    # The first turn may leave no nodes: what it begins with needs no gradient.
    longest = max(counts) + (min(counts) == 0)
    lists = collected.filled_by(file, loop)
    lines = [_only_assignment(file, one) for one in _setting(file, loop)]
    carried = _carried(file, loop, lines, has_lists=bool(lists))
    torch, added = imports.torch(file, loop)
    head = _over_parts if _is_of_parts(file, loop) else _counted
    turn, count, changes = head(file, loop, longest, torch)
    changes += _kept(file, loop, carried, f"{turn} < {count}", torch)
    for one in lists:
        changes += collected.cut(file, one, count, torch)
    computed = _computed(file, loop)
    told = effects.require_repeatable(file, computed, program, "turn")
    kept = "torch.where keeps its own turns" if carried else "its own turns are kept"
    return [
        Patch(
            f"the loop at {file.place(loop)} runs {times(longest)} in every step, of which {kept}",
            (*added, *changes),
            intention=f"{' and '.join(told)}, also those that are not kept" if told else "",
            note=f"computes {longest} turns in every step",
        )
    ]


def _computed(file: SourceFile, loop: Any) -> list[ast.AST]:
    """Return what each turn of a loop computes: what it sets, and what it appends to a list."""
    return [
        argument
        for line in loop.body
        for argument in (line.value.args if collected.appended_to(file, line) else [line])
    ]


def _setting(file: SourceFile, loop: Any) -> list[Any]:
    """Return the lines of a loop that append to no list."""
    return [line for line in loop.body if not collected.appended_to(file, line)]


def _counted(
    file: SourceFile, loop: Any, longest: int, torch: str
) -> tuple[str, str, list[Replacement]]:
    """Return the turn and the count of ``for turn in range(n)``, which runs ``longest`` times.

    What is looked up by the turn is that of the last own one in the turns that are too many.
    """
    del torch
    count: Any = loop.iter.args[0]
    code = file.code(count)
    changes: list[Replacement] = []
    if not isinstance(count, ast.Name | ast.Attribute):
        name = choices.new_name(file, "turns", "number_of_turns")
        at = file.line_start(loop)
        text = f"{file.indent_of(loop)}{name} = {code}{file.newline}"
        changes.append(Replacement(file.name, at, at, text))
        code = name
    elif _is_assigned(file, loop, code):
        raise RefusedError(f"the loop at {file.place(loop)} sets {code} itself")
    changes.append(Replacement(file.name, *file.span(count), f"max({code}, {longest})"))
    turn = file.code(loop.target)
    if turn == "_":
        turn = choices.new_name(file, "turn", "turn_number")
        changes.append(Replacement(file.name, *file.span(loop.target), turn))
    changes += [
        Replacement(file.name, *file.span(node), f"min({turn}, {code} - 1)")
        for node in walk(*loop.body)
        if isinstance(node, ast.Name) and node.id == turn and _is_in_brackets(file, node)
    ]
    return turn, code, changes


def _is_in_brackets(file: SourceFile, node: ast.AST) -> bool:
    """Return whether something is looked up by ``node``, or by what it is in."""
    inner = node
    for around in file.around(node):
        if isinstance(around, ast.Subscript) and around.slice is inner:
            return True
        inner = around
    return False


def _is_assigned(file: SourceFile, loop: Any, code: str) -> bool:
    """Return whether a loop sets the variable, or the attribute, that it counts by."""
    return any(file.code(target) == code for one in walk(*loop.body) for target in stored(one))


def _over_parts(
    file: SourceFile, loop: Any, longest: int, torch: str
) -> tuple[str, str, list[Replacement]]:
    """Return the turn and the count of ``for x in xs.unbind(1)``, over ``longest`` parts.

    The last own part comes again.
    """
    call: Any = loop.iter
    whole = file.code(call.func.value)
    given = arguments(call)
    dim = file.code(given[0].value) if given else "0"
    parts = choices.new_name(file, "parts", "all_parts", "parts_of_all")
    turn = choices.new_name(file, "turn", "turn_number")
    count = choices.new_name(file, "turns", "number_of_turns")
    longest_of_both = f"{torch}.arange(max({count}, {longest}), device={parts}.device)"
    lines = (
        f"{parts} = {whole}",
        f"{count} = {parts}.shape[{dim}]",
        f"{parts} = {parts}.index_select({dim}, {longest_of_both}.clamp(max={count} - 1))",
    )
    indent, at = file.indent_of(loop), file.line_start(loop)
    text = "".join(f"{indent}{line}{file.newline}" for line in lines)
    return (
        turn,
        count,
        [
            Replacement(file.name, at, at, text),
            Replacement(file.name, *file.span(loop.target), f"{turn}, {file.code(loop.target)}"),
            Replacement(file.name, *file.span(call), f"enumerate({parts}.unbind({dim}))"),
        ],
    )


def sliced(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA202: ``for layer in layers[:n]`` runs all layers, of which the first ``n`` change a thing.

    Raises `RefusedError` unless the source shows one such loop, which only sets variables.
    """
    every = [
        (file, loop)
        for file in program.files.values()
        for loop in file.for_loops
        if isinstance(loop.target, ast.Name)
        and _cut(loop.iter) is not None
        and _sets_variables(file, loop)
    ]
    near = _near(every, finding, program)
    if len(near) != 1:
        raise RefusedError("can't find a single loop over a part")
    file, loop = near[0]
    program.require_unchanged(file)
    lines = [_only_assignment(file, one) for one in loop.body]
    carried = _carried(file, loop, lines)
    told = effects.require_repeatable(file, lines, program, "turn")
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
            intention="; ".join(
                (
                    "gives the parameters of what is not kept gradients of zero, which momentum "
                    "and weight decay act on",
                    *told,
                )
            ),
        )
    ]


def cut_losses(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA209: of ``losses[:n]`` that are summed up or differentiated all, times 0 or 1.

    Raises `RefusedError` unless the source shows one such list, which nothing else reads.
    """
    found = [
        (file, node)
        for file in program.files.values()
        for node in file.all(ast.Assign)
        if len(node.targets) == 1
        and isinstance(node.targets[0], ast.Name)
        and _cut(node.value) is not None
        and _is_summed(file, node)
    ]
    # What is cut is summed, or differentiated, in the same function.
    found = [one for one in found if _near([(one[0], one[0].function(one[1]))], finding, program)]
    if len(found) != 1:
        raise RefusedError("can't find a single list of losses that is cut")
    file, node = found[0]
    program.require_unchanged(file)
    whole: Any = node.value
    count = _cut(whole)
    code, changes = file.code(count), []
    if not isinstance(count, ast.Name | ast.Attribute):
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
    """Return the bound ``n`` of ``parts[:n]``, where that is no literal; None for anything else."""
    if not isinstance(node, ast.Subscript):
        return None
    part = node.slice
    is_head = isinstance(part, ast.Slice) and part.lower is None and part.step is None
    upper = part.upper if isinstance(part, ast.Slice) and is_head else None
    is_literal = is_signed_number(upper)
    return None if upper is None or is_literal else upper


def _is_summed(file: SourceFile, node: ast.Assign) -> bool:
    """Return whether a list is read by ``sum`` or ``torch.autograd.backward`` only."""
    target: Any = node.targets[0]
    reads = file.reads_beside(target)
    return bool(reads) and all(
        (call := file.call_given(one)) is not None
        and file.code(call.func) in ("sum", "torch.autograd.backward")
        for one in reads
    )


def _near(
    every: list[tuple[SourceFile, NodeT]], finding: Finding, program: EditableProgram
) -> list[tuple[SourceFile, NodeT]]:
    """Return those of ``every`` that one of the finding's lines is in."""
    frames = loops.frames(finding)
    return [one for one in every if any(loops.is_at(frame, *one, program) for frame in frames)]


def _loop(finding: Finding, program: EditableProgram) -> tuple[SourceFile, Any]:
    """Return the loop over ``range(n)``, or a tensor's parts, that the finding's lines are in."""
    every = [
        (file, loop)
        for file in program.files.values()
        for loop in file.for_loops
        if (_is_counted(file, loop) or _is_of_parts(file, loop)) and not trains(loop)
    ]
    near = _near(every, finding, program)
    if len(near) != 1:
        raise RefusedError("can't find a single loop over range(n)")
    file, loop = near[0]
    if has_call(loop.iter, "len", "size") or "shape" in words_in(loop.iter):
        raise RefusedError(
            f"the loop at {file.place(loop)} runs over data: pad them to one length by hand"
        )
    return file, loop


def _is_counted(file: SourceFile, loop: For) -> bool:
    call = loop.iter
    return (
        isinstance(call, ast.Call)
        and file.names(call.func) == {"builtins.range"}
        and len(call.args) == 1
        and not isinstance(call.args[0], ast.Starred)
        and not is_number(call.args[0])
    )


def _is_of_parts(file: SourceFile, loop: For) -> bool:
    """Return ``for x in xs.unbind(1)``, whose variable is one name."""
    call = loop.iter
    return (
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr == "unbind"
        and not file.names(call.func)
        and isinstance(loop.target, ast.Name)
        and len(arguments(call)) < 2
        and all(is_signed_number(one.value) for one in arguments(call))
    )


def _sets_variables(file: SourceFile, loop: For) -> bool:
    return all(file.is_line(line) and stored(line) for line in loop.body)


def _only_assignment(file: SourceFile, line: Any) -> Any:
    """Return the assignment that is all of ``line``. Raises `RefusedError` for anything else."""
    if not file.is_line(line) or not stored(line):
        raise RefusedError(f"{file.place(line)} does more than set a variable in each turn")
    return line


def _targets(only: Any) -> list[Any]:
    """Return the variables of ``a = …``, ``a, b = …`` or ``a += …``."""
    found: list[Any] = []
    for target in stored(only):
        found += target.elts if isinstance(target, ast.Tuple) else [target]
    return found


def _carried(
    file: SourceFile, loop: For, lines: list[Any], *, has_lists: bool = False
) -> list[str]:
    """Return the variables that one turn hands to the next, or to what comes after the loop."""
    names: dict[str, None] = {}
    for only in lines:
        for target in _targets(only):
            if not isinstance(target, ast.Name):
                raise RefusedError(f"{file.place(only)} sets {file.code(target)}, no variable")
            names[target.id] = None
        if any(isinstance(part, ast.Yield | ast.YieldFrom | ast.Await) for part in walk(only)):
            raise RefusedError(f"{file.place(only)} yields")
    known = choices.known_before(file, loop, set(names))
    found = [name for name in names if name in known]
    if not found and not has_lists:
        raise RefusedError(f"the loop at {file.place(loop)} hands nothing from turn to turn")
    _, end = file.span(loop)
    function = file.function(loop)
    for node in file.all(ast.Name):
        is_read_later = node.id in set(names) - known and file.span(node)[0] >= end
        if is_read_later and file.function(node) is function:
            raise RefusedError(f"{file.place(node)} reads {node.id}, which only a turn sets")
    return found


def _start(file: SourceFile, value: Any) -> str:
    """Return the first line of a value's code."""
    return file.code(value).partition("\n")[0]


def _kept(
    file: SourceFile, loop: For, carried: list[str], test: str, torch: str
) -> list[Replacement]:
    """Return the value before the turn, and the choice after it, of each of ``carried``."""
    body: Any = loop.body
    indent = file.indent_of(body[0])
    used = words_in(file.tree)
    if not carried:
        return []
    before = {name: f"{name}_before" for name in carried}
    if taken := used & set(before.values()):
        raise RefusedError(f"{file.name} has names {', '.join(sorted(taken))} already")
    at = file.line_start(body[0])
    first = f"{indent}{', '.join(before.values())} = {', '.join(carried)}{file.newline}"
    changes = [Replacement(file.name, at, at, first)]
    for only in _setting(file, loop):
        if isinstance(only, ast.AugAssign):
            # In place it would change the value before the turn, too.
            name, value = choices.assignment(file, only)
            changes.append(Replacement(file.name, *file.span(only), f"{name} = {value}"))
        of_several = isinstance(only.value, ast.Tuple) and len(_targets(only)) > 1
        if isinstance(only.value, _NO_TENSORS) and not of_several:
            raise RefusedError(f"{file.place(only)} sets {_start(file, only.value)}, no tensor")
    end = file.line_end(file.span(body[-1])[1])
    is_own = f"{torch}.tensor({test}, device={carried[0]}.device)"
    last = [
        f"{file.newline}{indent}{name} = {torch}.where({is_own}, {name}, {old})"
        for name, old in before.items()
    ]
    return [*changes, Replacement(file.name, end, end, "".join(last))]
