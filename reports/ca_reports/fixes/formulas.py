"""Calls of functions that take Python numbers only, changed so that they take tensors."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

import libcst as cst

from ca_reports.fixes import branches, imports, loops, moving
from ca_reports.fixes.editing import keyword, positional
from ca_reports.fixes.patches import RefusedError, Replacement
from ca_reports.fixes.program import last_name
from ca_reports.program.syntax import Site
from ca_reports.source.uses import Need, formula_of, is_partial, use_of
from ca_reports.torchlib.formulas import TAKES_ALPHA

if TYPE_CHECKING:
    from ca_reports.fixes.program import EditableProgram, SourceFile
    from ca_reports.source.uses import Use
    from ca_reports.torchlib.formulas import Formula


def adapted(file: SourceFile, node: Any, program: EditableProgram) -> list[Replacement]:
    """Return what has to change where ``node`` is read, once it is a tensor.

    Raises `RefusedError` where Python needs its number: a graph would end there.
    """
    use = _use(file, node)
    if use is None:
        return []
    code = file.code(node)
    changes = [
        one
        for call, argument in use.by_torch
        for one in _by_torch(file, Site(file.module, call), Site(file.module, argument))
    ]
    if use.need in (Need.NOTHING, Need.UNSEEN, Need.TEXT):
        return changes
    at = file.node_at(use.at) if isinstance(use.at.node, ast.expr) else node
    if use.need is Need.TEST:
        whole = file.node_at(Site(file.module, use.whole))
        return [*changes, *branches.by_number(file, node, whole, program, adapted)]
    if use.need is Need.INDEX and not changes:
        table = at.value
        if isinstance(table, cst.Name) and _is_of_numbers(file, table):
            torch, added = imports.torch(file, table)
            # A tensor in brackets would be read as a number.
            index = file.code(at.slice[0])
            text = f"{torch}.tensor({table.value}).take({index})"
            return [*added, Replacement(file.name, *file.span(at), text)]
    if use.need is Need.FUNCTION and use.formula is not None:
        return [*changes, *written_out(file, at, use.formula, program)]
    if use.need is Need.FUNCTION and (alpha := keyword(at, "alpha")) is not None:
        as_factor = multiplied(file, at, alpha)
        if as_factor:
            return [*changes, *as_factor]
    if use.need is Need.FUNCTION and use.argument != "alpha":
        raise RefusedError(f"{use.called} at {file.place(at)} takes a Python number only")
    raise RefusedError(f"{file.place(at)} needs {code} as a Python number{_INSTEAD[use.need]}")


_INSTEAD = dict.fromkeys(Need, "") | {
    Need.LOOP: ": compute it there with tensors",
    Need.SIZE: ": compute it there with tensors",
    Need.VALUE: ": compute it there with tensors",
    Need.FUNCTION: ": multiply by it before",
}


def _use(file: SourceFile, node: Any) -> Use | None:
    """What the source does with ``node``; None within a text that is put together of it."""
    if any(isinstance(one, cst.FormattedStringExpression) for one in file.around(node)):
        return None
    site = file.site(node)
    if site is None:
        raise RefusedError(f"{file.place(node)} is not read as an expression")
    return use_of(site)


def multiplied(file: SourceFile, call: cst.Call, alpha: cst.Arg) -> list[Replacement]:
    """``x.add_(y, alpha=a)`` as ``x.add_(y * a)``; empty where the call has further options."""
    in_order = positional(call)
    takes_alpha = last_name(call.func) in TAKES_ALPHA
    if not takes_alpha or len(call.args) != len(in_order) + 1 or not in_order:
        return []
    added = in_order[-1].value
    text = " * ".join(_factor(file, one) for one in (added, alpha.value))
    return [Replacement(file.name, file.span(added)[0], file.span(alpha.value)[1], text)]


def _factor(file: SourceFile, node: cst.BaseExpression) -> str:
    plain = isinstance(node, cst.Name | cst.Attribute | cst.Call | cst.Subscript | cst.Integer)
    return file.code(node) if plain else f"({file.code(node)})"


def require_unwritten(file: SourceFile, node: Any) -> None:
    """Raise `RefusedError` where a compiled function writes what ``node`` reads."""
    use = _use(file, node)
    if use is None or use.need is Need.TEXT:
        raise RefusedError(f"{file.place(node)} writes {file.code(node)}: a graph cannot")


def _is_of_numbers(file: SourceFile, name: cst.Name) -> bool:
    """Return whether a variable of the module is a list of numbers that is written down there."""
    value = loops.assigned_once(file, name)
    if isinstance(value, cst.ListComp):
        return isinstance(value.elt, cst.BinaryOperation | cst.Integer | cst.Float)
    return isinstance(value, cst.List | cst.Tuple) and all(
        isinstance(one.value, cst.Integer | cst.Float) for one in value.elements
    )


def _by_torch(file: SourceFile, site: Site, argument: Site) -> list[Replacement]:
    """``torch.clamp(x, max=1.0)`` of ``min(1.0, x)``, and ``torch.cos`` of ``math.cos``."""
    call: Any = file.node_at(site)
    torch, added = imports.torch(file, call)
    name = last_name(call.func)
    if name not in ("min", "max"):
        return [*added, Replacement(file.name, *file.span(call.func), f"{torch}.{name}")]
    number = file.node_at(argument)
    (other,) = (one.value for one in positional(call) if one.value is not number)
    bound = "max" if name == "min" else "min"
    text = f"{torch}.clamp({file.code(number)}, {bound}={file.code(other)})"
    return [*added, Replacement(file.name, *file.span(call), text)]


def at_node(file: SourceFile, call: cst.Call) -> Formula | None:
    """The formula of ``call``, whichever argument changes; None if there is none."""
    site = file.site(call)
    node = None if site is None else site.node
    return None if not isinstance(node, ast.Call) else formula_of(file.module, node)


def number_of(formula: Formula, call: cst.Call) -> cst.Arg | None:
    """The argument of ``call`` that is the formula's number."""
    given = {one.keyword.value: one for one in call.args if one.keyword is not None}
    if formula.number in given:
        return given[formula.number]
    in_order = positional(call)
    index = formula.parameters.index(formula.number)
    # The losses take older arguments between the target and the number.
    return in_order[index] if index == 1 and index < len(in_order) else None


def written_out(
    file: SourceFile, call: cst.Call, formula: Formula, program: EditableProgram
) -> list[Replacement]:
    """``call`` of a function of the program's own, and that function above the one it is in.

    Raises `RefusedError` if its name is taken.
    """
    own = f"_{formula.name}"
    if own in {node.value for node in file.all(cst.Name)}:
        raise RefusedError(f"{file.name} has a name {own} already")
    outer = [one for one in file.around(call) if isinstance(one, cst.FunctionDef | cst.ClassDef)]
    if not outer:
        raise RefusedError(f"{formula.name} at {file.place(call)} is at module level")
    program.require_unchanged(file)
    torch, added = imports.torch(file, outer[-1])
    at = moving.before(file, (*outer[-1].decorators, outer[-1])[0])
    body = formula.body.format(torch=torch)
    text = f"def {own}({', '.join(formula.parameters)}):\n    {body}\n\n\n"
    start, end = file.span(_function(file, call))
    return [
        *added,
        Replacement(file.name, at, at, text.replace("\n", file.newline)),
        Replacement(file.name, start, end, own),
    ]


def _function(file: SourceFile, call: cst.Call) -> cst.BaseExpression:
    """The function that is called, by `functools.partial` later on."""
    site = file.site(call)
    is_later = site is not None and is_partial(site)
    return positional(call)[0].value if is_later else call.func
