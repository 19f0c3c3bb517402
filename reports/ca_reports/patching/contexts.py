"""CA303: a number that an autograd Function keeps on its context becomes a tensor that it saves."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from ca_reports.patching import loops, moving
from ca_reports.patching.editing import only_target
from ca_reports.patching.patches import Patch, RefusedError, Replacement
from ca_reports.program.positions import walk
from ca_reports.program.syntax import Definition, last_name

if TYPE_CHECKING:
    from ca_reports.causes.findings import Finding
    from ca_reports.patching.program import EditableProgram, SourceFile

# What is said of them once, whole: a Function that has some already unpacks them in their order.
_SAVED = ("save_for_backward", "saved_tensors")
_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.USub)


def saved(finding: Finding, program: EditableProgram) -> list[Patch]:
    """Keep ``ctx.scale = scale`` by ``ctx.save_for_backward(…)``; read ``ctx.saved_tensors[0]``.

    Raises `RefusedError` unless it is all that a `torch.autograd.Function` keeps for its backward,
    and formulas are all that reads it.
    """
    file, kept = loops.nodes_at(finding.location, program, ast.Assign)
    target = only_target(kept[0]) if file is not None and len(kept) == 1 else None
    if file is None or not isinstance(target, ast.Attribute):
        raise RefusedError("what is kept is not known")
    (assignment,) = kept
    owner = file.class_around(assignment)
    if owner is None or not any(last_name(one) == "Function" for one in owner.bases):
        raise RefusedError(f"{file.place(assignment)} is in no autograd Function")
    if any(last_name(one) in _SAVED for one in walk(owner)):
        raise RefusedError(f"{owner.name} saves tensors already")
    name, context = target.attr, file.code(target.value)
    places = [one for one in walk(owner) if isinstance(one, ast.Attribute) and one.attr == name]
    reads = [one for one in places if one is not target]
    if any(isinstance(one.ctx, ast.Store) for one in reads):
        raise RefusedError(f"{context}.{name} is assigned again")
    other = next((one for one in reads if not _is_in_formula(file, one)), None)
    if other is not None:
        raise RefusedError(f"{file.place(other)} needs {context}.{name} as a Python number")
    program.require_unchanged(file)
    torch = moving.name_of_torch(file, file.statement(assignment))
    # In double precision, as the number was: it makes no tensor that it meets a double one.
    value = f"{torch}.as_tensor({file.code(assignment.value)}, dtype={torch}.float64)"
    changes = [
        Replacement(file.name, *file.span(assignment), f"{context}.save_for_backward({value})")
    ]
    for one in reads:
        text = f"{file.code(one.value)}.saved_tensors[0]"
        changes.append(Replacement(file.name, *file.span(one), text))
    what = f"{context}.{name} saved as a tensor at {file.place(assignment)}"
    return [Patch(what, tuple(changes))]


def _is_in_formula(file: SourceFile, node: ast.Attribute) -> bool:
    """Return whether a value only meets a gradient in arithmetic, and the result is no argument."""
    formula: Any = node
    while isinstance(around := file.parent(formula), ast.BinOp | ast.UnaryOp):
        if not isinstance(around.op, _ARITHMETIC):
            return False
        formula = around
    function = file.function(node)
    if not isinstance(function, Definition):
        return False
    gradients = {one.arg for one in function.args.args[1:]}
    used = {one.id for one in walk(formula) if isinstance(one, ast.Name)}
    is_result = isinstance(around, ast.Return | ast.Assign | ast.Tuple | ast.List)
    return is_result and not gradients.isdisjoint(used)
