"""CA303: a number that an autograd Function keeps on its context becomes a tensor that it saves."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ca_reports.patching import formulas, loops, moving
from ca_reports.patching.editing import only_target
from ca_reports.patching.patches import Patch, RefusedError, Replacement
from ca_reports.program.edits import words_in
from ca_reports.program.positions import walk
from ca_reports.program.syntax import Definition, Site, last_name
from ca_reports.program.uses import use_of

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
    computed = [change for one in reads for change in _computed(file, one, program)]
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
    changes += dict.fromkeys(computed)
    what = f"{context}.{name} saved as a tensor at {file.place(assignment)}"
    return [Patch(what, tuple(changes))]


def _computed(file: SourceFile, node: ast.expr, program: EditableProgram) -> list[Replacement]:
    """Return what to change where ``node``, a tensor from now on, is computed with.

    Raises `RefusedError` unless all that comes of it meets a gradient in arithmetic, in variables
    in between too, and the result is no argument.
    """
    changes = formulas.adapted(file, node, program)
    formula, function = _formula(file, node), file.function(node)
    around = file.parent(formula)
    is_result = isinstance(around, ast.Return | ast.Assign | ast.Tuple | ast.List)
    if is_result and isinstance(function, Definition):
        gradients = {one.arg for one in function.args.args[1:]}
        if not gradients.isdisjoint(words_in(formula)):
            return changes
        target = only_target(around)
        if isinstance(target, ast.Name) and loops.assigned_once(file, target) is formula:
            reads = file.bindings.uses(target)
            return [*changes, *(one for read in reads for one in _computed(file, read, program))]
    raise RefusedError(f"{file.place(node)} needs {file.code(node)} as a Python number")


def _formula(file: SourceFile, node: ast.expr) -> ast.expr:
    """Return the arithmetic around ``node``, with the functions of `math` that torch also has."""
    calls = {id(call) for call, _ in use_of(Site(file, node)).by_torch}
    formula: ast.expr = node
    while True:
        around = file.parent(formula)
        is_arithmetic = isinstance(around, ast.BinOp | ast.UnaryOp)
        if not (is_arithmetic and isinstance(around.op, _ARITHMETIC)) and id(around) not in calls:
            return formula
        formula = around
