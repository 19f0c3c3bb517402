"""CA211: what is combined comes in the order of its keys, in every step."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from ca_reports.patching import loops
from ca_reports.patching.editing import has_call, positional
from ca_reports.patching.patches import Patch, RefusedError, Replacement
from ca_reports.program.edits import arguments
from ca_reports.program.positions import walk
from ca_reports.program.syntax import For, keyword, last_name
from ca_reports.torchlib import containers

if TYPE_CHECKING:
    from ca_reports.causes.findings import Finding
    from ca_reports.patching.program import EditableProgram, SourceFile

# What combines the parts, in the statement that iterates.
_COMBINING = ("append", "stack", "hstack", "vstack", "cat", "concat", "sum", "cumsum", "nansum")
# What gives a list in another order each time.
_DRAWS = ("sample", "shuffled", "permutation")
# What sorts tensors by what they hold.
_OF_VALUES = ("float", "torch.Tensor.item", "lambda x: x.item()")
_NOTE = "sums in one order: others differ by float noise"


def _combines(loop: ast.AST) -> bool:
    """Return whether what is computed in ``loop`` depends on its order: a sum, or a list."""
    return has_call(loop, *_COMBINING) or any(
        isinstance(one, ast.BinOp | ast.AugAssign) and isinstance(one.op, ast.Add)
        for one in walk(loop)
    )


def patches(finding: Finding, program: EditableProgram) -> list[Patch]:
    """Return ``for k, v in sorted(d.items())``, where the loop is seen. Raises `RefusedError`.

    So are names in the order that ``sample`` drew; what is sorted by values of tensors is not.
    """
    every = [
        (file, node.iter, text)
        for file in program.files.values()
        for node in file.nodes
        if isinstance(node, For | ast.comprehension)
        and (text := _sorted(file, node.iter)) is not None
        and _combines(_whole(file, node.iter))
    ]
    places = loops.frames(finding)
    near = [
        one
        for one in every
        if any(loops.is_at(frame, one[0], _whole(one[0], one[1]), program) for frame in places)
    ]
    location = [
        one for one in near if loops.is_at(finding.location, one[0], _whole(*one[:2]), program)
    ]
    chosen = next((found for found in (location, near, every) if len(found) == 1), None)
    if chosen is None:
        raise RefusedError("can't find a single loop over a dict or a set")
    file, iterated, text = chosen[0]
    program.require_unchanged(file)
    return [
        Patch(
            f"{text} {'' if '(' in text else 'in its own order '}at {file.place(iterated)}",
            (Replacement(file.name, *file.span(iterated), text),),
            note=_NOTE,
        )
    ]


def _sorted(file: SourceFile, iterated: Any) -> str | None:
    """Return what is iterated over, in the order of its keys; None if it is no dict and no set."""
    code: str = file.code(iterated)
    if isinstance(iterated, ast.Name):
        drawn = loops.assigned_once(file, iterated)
        is_drawn = isinstance(drawn, ast.Call) and last_name(drawn.func) in _DRAWS
        return f"sorted({code})" if is_drawn else None
    if isinstance(iterated, ast.Call) and file.names(iterated.func) == {"builtins.sorted"}:
        by = keyword(iterated, "key")
        first = positional(iterated)
        is_by_value = by is not None and file.code(by) in _OF_VALUES
        return file.code(first[0]) if is_by_value and len(first) == 1 else None
    if isinstance(iterated, ast.Set | ast.SetComp) or code.startswith("set("):
        return f"sorted({code})"
    if not isinstance(iterated, ast.Call) or arguments(iterated):
        return None
    func = iterated.func
    if not isinstance(func, ast.Attribute) or func.attr not in containers.VIEWS:
        return None
    if func.attr == "values":
        owner = file.code(func.value)
        return f"(value for _, value in sorted({owner}.items()))"
    return f"sorted({code})"


def _whole(file: SourceFile, iterated: Any) -> Any:
    """Return the loop, or the statement of the comprehension, that iterates."""
    around: Any = file.parent(iterated)
    return around if isinstance(around, For) else file.statement(iterated)
