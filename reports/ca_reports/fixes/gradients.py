"""CA201: gradients that are made once and zeroed, not dropped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import libcst as cst

from ca_reports.fixes import loops, moving
from ca_reports.fixes.editing import keyword, positional, with_keyword
from ca_reports.fixes.patches import Patch, RefusedError, Replacement
from ca_reports.fixes.program import places

if TYPE_CHECKING:
    from ca_reports.findings import Finding
    from ca_reports.fixes.program import EditableProgram, SourceFile

_LITERALS = ("True", "False", "None")


def patches(finding: Finding, program: EditableProgram) -> list[Patch]:
    """``set_to_none=False`` where gradients are dropped, and tensors for them before the loop."""
    found = _zeroing(finding, program)
    file, first = found[0]
    program.require_unchanged(file)
    receiver = first.func.value
    loop = moving.outermost_loop(file, first)
    if loop is None:
        raise RefusedError(f"zero_grad at {file.place(first)} is in no loop of its function")
    _require_held_since_before(file, receiver, loop)
    torch = moving.name_of_torch(file, loop)
    changes = [change for _, call in found for change in _flag(file, call)]
    name = file.code(receiver)
    indent = file.indent_of(loop)
    if _is_optimizer(file, receiver):
        source = f'(one for group in {name}.param_groups for one in group["params"])'
    elif f"{name}.parameters()" in file.text:
        source = f"{name}.parameters()"
    else:
        raise RefusedError(f"the source does not show what {name} is, an optimizer or a module")
    names = {node.value for node in file.all(cst.Name)}
    each = "each_parameter" if "parameter" in names else "parameter"
    lines = [
        f"for {each} in {source}:",
        f"    if {each}.requires_grad and {each}.grad is None:",
        f"        {each}.grad = {torch}.zeros_like({each})",
    ]
    at = moving.before(file, loop)
    text = "".join(f"{indent}{line}{file.newline}" for line in lines)
    changes.append(Replacement(file.name, at, at, text))
    return [
        Patch(
            f"gradients of {name} made once, zeroed and kept at {places(found)}",
            tuple(changes),
            note="a parameter that gets no gradient in a step is stepped with zeros from now on",
        )
    ]


def _zeroing(finding: Finding, program: EditableProgram) -> list[tuple[SourceFile, Any]]:
    """The calls of `zero_grad` on the one object that is meant."""
    every: list[tuple[SourceFile, Any]] = [
        (file, call)
        for file in program.files.values()
        if "zero_grad" in file.text
        for call in file.all(cst.Call)
        if isinstance(call.func, cst.Attribute) and call.func.attr.value == "zero_grad"
    ]
    if not every:
        raise RefusedError("no zero_grad call is in the program's files")
    named = [one for one in every if loops.is_at(finding.location, *one, program)]
    chosen = named or every
    owners = {
        (file.name, id(file.function(call)), file.code(call.func.value)) for file, call in chosen
    }
    if len(owners) != 1:
        raise RefusedError(f"several zero_grad calls may be meant: {places(every)}")
    file, call = chosen[0]
    own = file.function(call), file.code(call.func.value)
    return [
        (other, one)
        for other, one in every
        if other is file and (file.function(one), file.code(one.func.value)) == own
    ]


def _flag(file: SourceFile, call: cst.Call) -> list[Replacement]:
    given = keyword(call, "set_to_none")
    values = [given] if given is not None else positional(call)[:1]
    if not values:
        return [with_keyword(file, call, "set_to_none", "False")]
    value = file.code(values[0].value)
    if value not in _LITERALS:
        raise RefusedError(f"zero_grad at {file.place(call)} has set_to_none={value}")
    start, end = file.span(values[0].value)
    return [] if value == "False" else [Replacement(file.name, start, end, "False")]


def _require_held_since_before(file: SourceFile, receiver: Any, loop: Any) -> None:
    """Raise `RefusedError` unless ``receiver`` is one variable, assigned once and before."""
    if not isinstance(receiver, cst.Name):
        raise RefusedError(f"{file.code(receiver)} is no variable: make its gradients by hand")
    scope = file.scope(receiver)
    assignments = list(scope[receiver.value]) if scope is not None else []
    nodes = [node for one in assignments if (node := getattr(one, "node", None)) is not None]
    if len(nodes) != 1 or file.lines(nodes[0])[0] >= file.lines(loop)[0]:
        raise RefusedError(f"{receiver.value} is not assigned in one place before the loop")


def _is_optimizer(file: SourceFile, receiver: cst.Name) -> bool:
    value = loops.assigned_once(file, receiver)
    if not isinstance(value, cst.Call):
        return False
    names = file.names(value.func)
    return bool(names) and all(name.startswith("torch.optim.") for name in names)
