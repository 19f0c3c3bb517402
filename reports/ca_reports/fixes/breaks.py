"""What ends the graph of a compiled backward, written so that it does not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import libcst as cst

from ca_reports.fixes import imports, loops, moving
from ca_reports.fixes.patches import Patch, RefusedError, Replacement

if TYPE_CHECKING:
    from ca_reports.findings import Finding
    from ca_reports.fixes.program import EditableProgram, SourceFile

_ON_CPU = "torch.autograd.graph.save_on_cpu"
_HOOKS = """def _to_host(tensor):
    return tensor.device, tensor.to("cpu")


def _from_host(packed):
    device, tensor = packed
    return tensor.to(device)


"""


def where(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA501: ``if c: return a`` and ``return b`` of a hook become one ``torch.where``."""
    file = program.file(finding.location)
    if file is None:
        raise RefusedError("the line in the hook is not known")
    found = [
        node for node in file.all(cst.If) if loops.is_at(finding.location, file, node, program)
    ]
    branch = found[-1] if found else None
    block = file.parent(branch) if branch is not None else None
    following = _after(block, branch)
    taken = _returned(getattr(getattr(branch, "body", None), "body", ()))
    otherwise = _returned([following] if following is not None else ())
    if branch is None or taken is None or otherwise is None or branch.orelse is not None:
        raise RefusedError("the hook does more than choose between two values to return")
    body: Any = branch.body.body
    if body[0].leading_lines or following.leading_lines:
        raise RefusedError("comments lie between the two values to return")
    program.require_unchanged(file)
    torch, added = imports.torch(file, branch)
    condition = _as_tensor(file, branch.test)
    indent = file.indent_of(branch)
    start, end = file.line_start(branch), file.line_end(file.span(following)[1])
    values = f"{file.code(taken)}, {file.code(otherwise)}"
    text = f"{indent}return {torch}.where({condition}, {values})"
    return [
        Patch(
            f"torch.where instead of the branch at {file.place(branch)}",
            (*added, Replacement(file.name, start, end, text)),
        )
    ]


def save_on_cpu(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA503: two functions of the program's in the place of torch's, which Dynamo does trace."""
    every = program.calls(_ON_CPU)
    found = [one for one in every if loops.is_at(finding.location, *one, program)] or every
    if len(found) != 1:
        raise RefusedError("the source does not show one call of save_on_cpu")
    file, call = found[0]
    if call.args:
        raise RefusedError(
            f"save_on_cpu at {file.place(call)} has options: write its hooks by hand"
        )
    if "_to_host" in file.text or "_from_host" in file.text:
        raise RefusedError(f"{file.name} has names that the hooks would take")
    program.require_unchanged(file)
    outer = [one for one in file.around(call) if isinstance(one, cst.FunctionDef | cst.ClassDef)]
    if not outer:
        raise RefusedError(f"save_on_cpu at {file.place(call)} is at module level")
    at = moving.before(file, (*outer[-1].decorators, outer[-1])[0])
    if not isinstance(call.func, cst.Attribute):
        raise RefusedError(f"save_on_cpu at {file.place(call)} was imported by its name")
    name_start = file.span(call.func.attr)[0]
    hooks = _HOOKS.replace("\n", file.newline)
    return [
        Patch(
            f"hooks of your own instead of save_on_cpu at {file.place(call)}",
            (
                Replacement(file.name, at, at, hooks),
                Replacement(
                    file.name,
                    name_start,
                    file.span(call)[1],
                    "saved_tensors_hooks(_to_host, _from_host)",
                ),
            ),
        )
    ]


def _after(block: Any, branch: Any) -> Any:
    """The one statement after ``branch`` in its block; None if there are more, or none."""
    body = list(getattr(block, "body", ()))
    rest = body[body.index(branch) + 1 :] if branch in body else []
    return rest[0] if len(rest) == 1 else None


def _returned(body: Any) -> Any:
    """What the only statement of ``body`` returns."""
    if len(body) != 1 or not isinstance(body[0], cst.SimpleStatementLine):
        return None
    only = body[0].body[0] if len(body[0].body) == 1 else None
    return only.value if isinstance(only, cst.Return) else None


def _as_tensor(file: SourceFile, test: cst.BaseExpression) -> str:
    """The condition without ``.item()``. Raises `RefusedError` unless it compares a tensor."""
    if not isinstance(test, cst.Comparison) or len(test.comparisons) != 1:
        raise RefusedError(f"the condition at {file.place(test)} is no single comparison")
    start, end = file.span(test)
    text = file.text[start:end]
    left = test.left
    if (
        isinstance(left, cst.Call)
        and isinstance(left.func, cst.Attribute)
        and left.func.attr.value == "item"
        and not left.args
    ):
        cut = file.span(left.func.value)[1] - start, file.span(left)[1] - start
        text = text[: cut[0]] + text[cut[1] :]
    return text
