"""Calls of functions that take Python numbers only, changed so that they take tensors."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from ca_reports.patching import branches, imports, loops
from ca_reports.patching.editing import is_number, positional
from ca_reports.patching.patches import RefusedError, Replacement
from ca_reports.program.edits import above, arguments, operand, words_in
from ca_reports.program.syntax import Definition, callee_of, keyword, last_name
from ca_reports.program.uses import Need, formula_of, shifted_range, use_of
from ca_reports.torchlib.formulas import FACTOR_OF, OPERATORS_OF_MATH

if TYPE_CHECKING:
    from ca_reports.patching.program import EditableProgram, SourceFile
    from ca_reports.program.uses import Use
    from ca_reports.torchlib.formulas import Formula


def adapted(file: SourceFile, node: Any, program: EditableProgram) -> list[Replacement]:
    """Return what has to change where ``node`` is read, once it is a tensor.

    Raises `RefusedError` where Python needs its number: a graph would end there.
    """
    use = _use(file, node)
    if use is None:
        return []
    code = file.code(node)
    changes = [one for call, argument in use.by_torch for one in _by_torch(file, call, argument)]
    if use.need is Need.TEXT and not changes:
        return [Replacement(file.name, *file.span(node), f"{code}.item()")]  # no `tensor(8)`
    if use.need in (Need.NOTHING, Need.UNSEEN, Need.TEXT):
        return changes
    at: Any = use.at.node if isinstance(use.at.node, ast.expr) else node
    if use.need is Need.SHIFT and not changes:
        return _shifted(file, at)
    if use.need is Need.TEST:
        return [*changes, *branches.by_number(file, node, use.whole, program, adapted)]
    if use.need is Need.INDEX and not changes:
        table = at.value
        if _is_of_numbers(file, table, program):
            torch, added = imports.torch(file, table)
            # A tensor in brackets would be read as a number.
            index = file.code(at.slice)
            text = f"{torch}.tensor({file.code(table)}).take({index})"
            return [*added, Replacement(file.name, *file.span(at), text)]
    if use.need is Need.FUNCTION and use.formula is not None:
        return [*changes, *written_out(file, at, use.formula, program)]
    if use.need is Need.FUNCTION and (as_factor := multiplied(file, at)):
        return [*changes, *as_factor]
    if use.need is Need.FUNCTION and use.argument != "alpha":
        raise RefusedError(f"{use.called} at {file.place(at)} takes a Python number only")
    raise RefusedError(f"{file.place(at)} needs {code} as a Python number{_INSTEAD[use.need]}")


def _shifted(file: SourceFile, call: ast.Call) -> list[Replacement]:
    """Turn ``torch.arange(a, a + n)`` into ``torch.arange(n) + a``, where ``a`` is a tensor."""
    found = shifted_range(file, call)
    assert found is not None
    begin, count = found
    first, last = call.args
    spans = file.span(call), file.span(first), file.whole(last)
    around = file.parent(call)
    is_part = isinstance(around, ast.BinOp | ast.UnaryOp | ast.Attribute) or (
        isinstance(around, ast.Subscript) and around.value is call
    )
    opened, closed = ("(", ")") if is_part else ("", "")
    return [
        Replacement(file.name, spans[0][0], spans[0][0], opened),
        Replacement(file.name, spans[1][0], spans[2][1], file.code(count)),
        Replacement(file.name, spans[0][1], spans[0][1], f" + {operand(file, begin)}{closed}"),
    ]


_INSTEAD = dict.fromkeys(Need, "") | {
    Need.LOOP: ": compute it there with tensors",
    Need.SIZE: ": compute it there with tensors",
    Need.VALUE: ": compute it there with tensors",
    Need.FUNCTION: ": multiply by it before",
}


def _use(file: SourceFile, node: Any) -> Use | None:
    """Return what the source does with ``node``; None within a text that is put together of it."""
    if any(isinstance(one, ast.FormattedValue) for one in file.around(node)):
        return None
    site = file.site(node)
    if site is None:
        raise RefusedError(f"{file.place(node)} is not read as an expression")
    return use_of(site)


def multiplied(file: SourceFile, call: ast.Call) -> list[Replacement]:
    """Turn ``x.add_(y, alpha=a)`` into ``x.add_(y * a)``; empty if it has further options.

    And ``x.addcdiv_(y, z, value=a)`` into ``x.addcdiv_(y * a, z)``.
    """
    name, place = FACTOR_OF.get(last_name(call.func), ("", 0))
    in_order, factor = positional(call), keyword(call, name)
    is_plain = len(arguments(call)) == len(in_order) + 1 and len(in_order) >= -place
    if factor is None or not is_plain:
        return []
    added, last = in_order[place], in_order[-1]
    text = " * ".join(operand(file, one) for one in (added, factor))
    return [
        Replacement(file.name, *file.whole(added), text),
        Replacement(file.name, file.whole(last)[1], file.whole(factor)[1], ""),
    ]


def require_unwritten(file: SourceFile, node: Any) -> None:
    """Raise `RefusedError` where a compiled function writes what ``node`` reads."""
    use = _use(file, node)
    if use is None or use.need is Need.TEXT:
        raise RefusedError(f"{file.place(node)} writes {file.code(node)}: a graph cannot")


def _is_of_numbers(file: SourceFile, table: ast.expr, program: EditableProgram) -> bool:
    """Return whether a variable, or an attribute of `self`, is a list of numbers written down once.

    No other line of the program assigns an attribute of that name, or fills it.
    """
    if isinstance(table, ast.Name):
        value = loops.assigned_once(file, table)
        return value is not None and _are_numbers(value)
    if not isinstance(table, ast.Attribute) or file.code(table.value) != "self":
        return False
    uses = [
        (other, node)
        for other in program.files.values()
        for node in (other.all(ast.Attribute) if table.attr in other.text else ())
        if node.attr == table.attr
    ]
    stored = [(other, node) for other, node in uses if isinstance(node.ctx, ast.Store)]
    read = [other.parent(node) for other, node in uses if isinstance(node.ctx, ast.Load)]
    is_read_only = all(isinstance(one, ast.Subscript) and _is_loaded(one) for one in read)
    assigned = stored[0][0].parent(stored[0][1]) if len(stored) == 1 else None
    return is_read_only and isinstance(assigned, ast.Assign) and _are_numbers(assigned.value)


def _is_loaded(part: ast.Subscript) -> bool:
    """Return whether an element is read, and not set."""
    return isinstance(part.ctx, ast.Load)


def _are_numbers(value: ast.expr) -> bool:
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
        return _are_numbers(value.left) and _are_numbers(value.right)
    if isinstance(value, ast.ListComp):
        return isinstance(value.elt, ast.BinOp) or is_number(value.elt)
    return isinstance(value, ast.List | ast.Tuple) and all(is_number(one) for one in value.elts)


def _by_torch(file: SourceFile, call: ast.Call, number: ast.expr) -> list[Replacement]:
    """Return ``torch.clamp(x, max=1.0)`` of ``min(1.0, x)``, and ``torch.cos`` of ``math.cos``.

    And ``b**x`` of ``math.pow(b, x)``.
    """
    torch, added = imports.torch(file, call)
    name = last_name(call.func)
    if name in OPERATORS_OF_MATH:
        return _by_operator(file, call, OPERATORS_OF_MATH[name])
    if name not in ("min", "max"):
        return [*added, Replacement(file.name, *file.span(call.func), f"{torch}.{name}")]
    (other,) = (one for one in positional(call) if one is not number)
    bound = "max" if name == "min" else "min"
    text = f"{torch}.clamp({file.code(number)}, {bound}={file.code(other)})"
    return [*added, Replacement(file.name, *file.span(call), text)]


def _by_operator(file: SourceFile, call: ast.Call, operator: str) -> list[Replacement]:
    """Write ``f(a, b)`` as ``a ** b``: only what is around the two is replaced."""
    one, other = call.args
    begin, end = _parentheses(operand(file, one) != file.code(one))
    begin_other, end_other = _parentheses(operand(file, other) != file.code(other))
    outer = _parentheses(_binds(file, call))
    spans = [file.span(each) for each in (call, one, other)]
    return [
        Replacement(file.name, spans[0][0], spans[1][0], outer[0] + begin),
        Replacement(file.name, spans[1][1], spans[2][0], f"{end} {operator} {begin_other}"),
        Replacement(file.name, spans[2][1], spans[0][1], end_other + outer[1]),
    ]


def _parentheses(are_needed: bool) -> tuple[str, str]:
    return ("(", ")") if are_needed else ("", "")


def _binds(file: SourceFile, node: ast.AST) -> bool:
    """Return whether what is around ``node`` binds as tightly as a power, or tighter."""
    around = file.parent(node)
    is_power = isinstance(around, ast.BinOp) and isinstance(around.op, ast.Pow)
    return is_power or isinstance(around, ast.Attribute | ast.Subscript | ast.Await)


def at_node(file: SourceFile, call: ast.Call) -> Formula | None:
    """Return the formula of ``call``, whichever argument changes; None if there is none."""
    return formula_of(file, call)


def number_of(formula: Formula, call: ast.Call) -> ast.expr | None:
    """Return the argument of ``call`` that is the formula's number."""
    given = keyword(call, formula.number)
    if given is not None:
        return given
    in_order = positional(call)
    index = formula.parameters.index(formula.number)
    # The losses take older arguments between the target and the number.
    return in_order[index] if index == 1 and index < len(in_order) else None


def written_out(
    file: SourceFile, call: ast.Call, formula: Formula, program: EditableProgram
) -> list[Replacement]:
    """Return ``call`` of a function of the program's own, and that function above the one it is in.

    Raises `RefusedError` if its name is taken.
    """
    own = f"_{formula.name}"
    if own in words_in(file.tree):
        raise RefusedError(f"{file.name} has a name {own} already")
    outer = [one for one in file.around(call) if isinstance(one, Definition | ast.ClassDef)]
    if not outer:
        raise RefusedError(f"{formula.name} at {file.place(call)} is at module level")
    program.require_unchanged(file)
    torch, added = imports.torch(file, outer[-1])
    at = above(file, outer[-1])
    body = formula.body.format(torch=torch)
    text = f"def {own}({', '.join(formula.parameters)}):\n    {body}\n\n\n"
    start, end = file.span(callee_of(call))
    return [
        *added,
        Replacement(file.name, at, at, text.replace("\n", file.newline)),
        Replacement(file.name, start, end, own),
    ]
