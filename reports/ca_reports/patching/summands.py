"""CA202, CA209: a loss that a list or a dict has in some steps, times 0 or 1 in every one."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Any

from ca_reports.patching import effects, loops
from ca_reports.patching.collected import appended_to
from ca_reports.patching.editing import is_string, only_statement, only_target
from ca_reports.patching.patches import Patch, RefusedError, Replacement
from ca_reports.program.edits import operand
from ca_reports.program.positions import walk
from ca_reports.program.syntax import Definition, root_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ca_reports.patching.program import EditableProgram, SourceFile

# How many assignments are followed from a test to what it is made of.
_STEPS = 6
# How losses are summed up: `{0}` is the list, or the values of the dict.
_SUMMED = r"sum\({0}\)|torch\.stack\((?:list\({0}\)|tuple\({0}\)|\[\*{0}\]|{0})\)\.sum\(\)"
_ZERO = (
    "gives the branch's parameters gradients of zero in the other steps, which momentum and "
    "weight decay act on; the loss is there in every step, as 0 in those"
)


def patch(file: SourceFile, branch: Any, program: EditableProgram) -> Patch:
    """Return ``if c: losses["kind"] = x`` as ``losses["kind"] = float(c) * x``, or of ``append``.

    Raises `RefusedError` unless the losses are only summed up, in the same function.
    """
    only = only_statement(file, branch.body) if isinstance(branch, ast.If) else None
    place = file.place(branch)
    if only is None or branch.orelse or isinstance(file.parent(branch), ast.If):
        raise RefusedError(f"the branch at {place} does more than add to losses")
    owner, key, value = _stored(file, only)
    if owner is None:
        raise RefusedError(f"the branch at {place} adds to no list and no dict of losses")
    told = _require_by_step(file, branch, value, program)
    _require_summed(file, owner, key, only)
    program.require_unchanged(file)
    is_product = isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult)
    term = file.code(value) if is_product else operand(file, value)
    start, end = file.span(only)
    at, until = (offset - start for offset in file.span(value))
    text = file.code(only)
    text = f"{text[:at]}{effects.share(file, branch.test)} * {term}{text[until:]}"
    if "\n" in text or "#" in file.code(branch):
        raise RefusedError(f"the branch at {place} runs over several lines")
    return Patch(
        f"the loss of the branch at {place} computed in every step, times 0 or 1",
        (Replacement(file.name, file.span(branch)[0], file.line_end(end), text),),
        intention="; ".join((_ZERO, *told)),
    )


def _stored(file: SourceFile, only: Any) -> tuple[Any, str | None, Any]:
    """Return the list or dict, the key, and the loss that it is given; None for anything else."""
    if appended_to(file, only):
        return only.value.func.value, None, only.value.args[0]
    target = only_target(only)
    is_entry = isinstance(target, ast.Subscript) and is_string(target.slice)
    if (
        not isinstance(target, ast.Subscript)
        or not is_entry
        or not isinstance(target.value, ast.Name)
    ):
        return None, None, None
    return target.value, file.code(target.slice), only.value


def _require_by_step(
    file: SourceFile, branch: ast.If, value: Any, program: EditableProgram
) -> list[str]:
    """Return what a patch has to say where the loss is computed in a step that leaves it out.

    Raises `RefusedError` where it may not be.
    """
    place = file.place(branch)
    for part in walk(branch.test):
        is_asked = isinstance(part, ast.Compare) and any(
            isinstance(one, ast.In | ast.NotIn | ast.Is | ast.IsNot) for one in part.ops
        )
        if is_asked or isinstance(part, ast.Call):
            raise RefusedError(f"the branch at {place} asks for more than a step")
    told = effects.require_repeatable(file, [value], program)
    require_independent(file, branch, [value])
    return told


def require_independent(file: SourceFile, branch: Any, values: Iterable[ast.expr]) -> None:
    """Raise `RefusedError` where the test of ``branch`` may be why a value can be computed.

    ``if n: loss = loss + total / n`` divides by 0 in the other steps, and ``if mask.any():`` takes
    the mean of nothing: nan times 0 is nan. What is only added or multiplied may be asked as well.
    """
    asked = _asked(file, branch.test)
    for value in values:
        for read in _needed(value):
            code = file.code(read)
            if any(_is_part(code, one) or _is_part(one, code) for one in asked):
                raise RefusedError(
                    f"{code} decides whether it can be computed at {file.place(branch)}"
                )


def _asked(file: SourceFile, test: ast.expr) -> set[str]:
    """Return what a test reads, and what the variables are made of that it reads."""
    found = set[str]()
    waiting: list[tuple[ast.AST, int]] = [(test, 0)]
    while waiting:
        node, steps = waiting.pop()
        for read in _reads(node):
            found.add(file.code(read))
            if not isinstance(read, ast.Name) or steps == _STEPS:
                continue
            for made_at in file.bindings.definitions(read):
                statement = file.parent(made_at)
                if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value:
                    waiting.append((statement.value, steps + 1))
    return found


def _needed(value: ast.AST) -> Iterator[ast.expr]:
    """Yield what a value reads in a call, a key or a divisor, which may have no answer."""
    for node in walk(value):
        if isinstance(node, ast.Call | ast.Subscript):
            yield from _reads(node)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, _DIVIDES):
            yield from _reads(node.right)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            yield from _reads(node)


_DIVIDES = (ast.Div, ast.FloorDiv, ast.Mod)


def _reads(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the outermost ``a.b`` and ``a["b"]`` and the variables in ``node``; no function."""
    if isinstance(node, ast.Call):
        func = node.func
        for part in (
            *((func.value,) if isinstance(func, ast.Attribute) else ()),
            *node.args,
            *(one.value for one in node.keywords),
        ):
            yield from _reads(part)
        return
    if isinstance(node, ast.Name | ast.Attribute | ast.Subscript) and _is_looked_up(node):
        if not isinstance(node, ast.Name) or node.id != "self":
            yield node
        return
    for part in ast.iter_child_nodes(node):
        yield from _reads(part)


def _is_looked_up(node: ast.expr) -> bool:
    """Return whether ``node`` is a variable, or an attribute or a named entry of one."""
    is_by_name = not isinstance(node, ast.Subscript) or isinstance(node.slice, ast.Constant)
    return is_by_name and isinstance(root_of(node), ast.Name)


def _is_part(code: str, whole: str) -> bool:
    """Return whether ``code`` is ``whole``, or an attribute or an entry of it."""
    return code == whole or code.startswith((f"{whole}.", f"{whole}["))


def _require_summed(file: SourceFile, owner: ast.Name, key: str | None, only: Any) -> None:
    """Raise `RefusedError` unless the list begins as a literal, and all that reads it sums it."""
    name, function = owner.id, file.function(owner)
    made = loops.assigned_once(file, owner)
    is_literal = isinstance(made, ast.List if key is None else ast.Dict)
    if made is None or not is_literal or not isinstance(function, Definition):
        raise RefusedError(f"{name} does not begin as a literal in the function")
    codes = file.code(made)
    if key is not None and (key.strip("\"'") in codes or "**" in codes):
        raise RefusedError(f"{name} has {key} before {file.place(only)}")
    losses = re.escape(name if key is None else f"{name}.values()")
    summed = re.compile(_SUMMED.replace("{0}", losses))
    total = 0
    for node in walk(function):
        if not isinstance(node, ast.Name) or node.id != name:
            continue
        if isinstance(node.ctx, ast.Store):
            continue
        inner = only_statement(file, [file.statement(node)])
        owner_of, other_key, _ = _stored(file, inner) if inner is not None else (None, None, None)
        if owner_of is node and (inner is only or key is None or other_key != key):
            continue
        if not any(summed.fullmatch(file.code(one)) for one in file.around(node)):
            raise RefusedError(f"{file.place(node)} does more with {name} than sum it up")
        total += 1
    if not total:
        raise RefusedError(f"{name} is not summed up in the function")
