"""CA204: ``.detach()`` on the value that one step hands to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import libcst as cst

from ca_reports.fixes import loops, moving
from ca_reports.fixes.patches import Patch, RefusedError, Replacement

if TYPE_CHECKING:
    from ca_reports.findings import Finding
    from ca_reports.fixes.program import EditableProgram, SourceFile


def patches(finding: Finding, program: EditableProgram) -> list[Patch]:
    """``total = total.detach() + loss``: this step's gradient stays. Raises `RefusedError`."""
    file, found = loops.nodes_at(finding.location, program, cst.Assign)
    if file is None or len(found) != 1 or len(found[0].targets) != 1:
        raise RefusedError("the assignment that carries the graph on is not known")
    program.require_unchanged(file)
    assignment = found[0]
    carried = assignment.targets[0].target
    if isinstance(carried, cst.Attribute) and isinstance(assignment.value, cst.Name):
        return [_attribute(file, assignment, carried)]
    if not isinstance(carried, cst.Name):
        raise RefusedError(f"{file.code(carried)} is not a plain variable: detach it by hand")
    name = carried.value
    loop = moving.outermost_loop(file, assignment)
    if loop is None:
        raise RefusedError(f"{file.place(assignment)} is in no loop of its function")
    reads = [
        node
        for node in file.all(cst.Name)
        if node.value == name and _is_read_in(file, node, assignment)
    ]
    if not reads:
        raise RefusedError(f"{file.place(assignment)} does not read the {name} of the step before")
    _require_tensor(file, carried, assignment, loop)
    return [
        Patch(
            f"{name}.detach() at {file.place(assignment)}",
            tuple(
                Replacement(file.name, end, end, ".detach()")
                for node in reads
                for end in [file.span(node)[1]]
            ),
            intention=f"stops the gradient where {name} comes from the step before",
        )
    ]


def _attribute(file: SourceFile, assignment: Any, carried: cst.Attribute) -> Patch:
    """``self.state = state.detach()``. Raises `RefusedError` unless it is seen to be a tensor."""
    code = file.code(carried)
    others = [
        one.value
        for one in file.all(cst.Assign)
        if one is not assignment and any(file.code(each.target) == code for each in one.targets)
    ]
    first = [one for one in others if file.code(one) != "None"]
    if not first or not all(_is_made_by_torch(file, one) for one in first):
        raise RefusedError(f"the source does not show that {code} is always a tensor")
    end = file.span(assignment.value)[1]
    return Patch(
        f"{code} detached at {file.place(assignment)}",
        (Replacement(file.name, end, end, ".detach()"),),
        intention=f"stops the gradient where {code} comes from the step before",
    )


def _is_made_by_torch(file: SourceFile, value: Any) -> bool:
    if not isinstance(value, cst.Call):
        return False
    names = file.names(value.func)
    return bool(names) and all(name.startswith("torch.") for name in names)


def _is_read_in(file: SourceFile, node: cst.Name, assignment: cst.Assign) -> bool:
    """Return whether ``node`` reads the variable: it is no keyword and no attribute's name."""
    parent = file.parent(node)
    if isinstance(parent, cst.Attribute) and (
        parent.attr is node or parent.attr.value in ("detach", "item")
    ):
        return False
    if isinstance(parent, cst.Arg) and parent.keyword is node:
        return False
    around = list(file.around(node))
    return assignment.value is node or assignment.value in around


def _require_tensor(file: SourceFile, carried: cst.Name, assignment: Any, loop: Any) -> None:
    """Raise `RefusedError` unless the first value is made by a function of torch, in one place."""
    scope = file.scope(carried)
    others = []
    for one in scope[carried.value] if scope is not None else ():
        node = getattr(one, "node", None)
        if node is not None and node is not carried:
            others.append(node)
    statements = [next(iter(_assigns(file, node)), None) for node in others]
    first = statements[0] if len(statements) == 1 else None
    if (
        first is None
        or file.lines(first)[0] >= file.lines(loop)[0]
        or not _is_made_by_torch(file, first.value)
    ):
        raise RefusedError(f"the source does not show that {carried.value} is always a tensor")


def _assigns(file: SourceFile, node: cst.CSTNode) -> list[Any]:
    return [one for one in file.around(node) if isinstance(one, cst.Assign | cst.AnnAssign)]
