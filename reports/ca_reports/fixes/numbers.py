"""Python numbers that change, made tensors where they are set: their values are data then."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import libcst as cst

from ca_reports.fixes import calls, imports, loops
from ca_reports.fixes.editing import keyword, positional
from ca_reports.fixes.patches import Patch, RefusedError, Replacement

if TYPE_CHECKING:
    from ca_reports.findings import Finding
    from ca_reports.fixes.program import EditableProgram, SourceFile

# Operations by the node that they leave in the graph, with the arguments that it keeps.
_OPERATIONS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "PowBackward": (("pow",), ("exponent",)),
    "ClampBackward": (("clamp", "clip"), ("min", "max")),
}
_OPTIMIZERS = "torch.optim."
_ATTRIBUTE = re.compile(r"\.(\w+)$")


def operand(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA206: the number of ``pow`` or ``clamp`` as a tensor, in the call."""
    file = program.file(finding.location)
    node = finding.key.partition(" ")[0]
    methods, names = next(
        (known for prefix, known in _OPERATIONS.items() if node.startswith(prefix)), ((), ())
    )
    if file is None or not methods:
        raise RefusedError(f"{node} needs another formula: {finding.fix}")
    found = [
        call
        for call in file.all(cst.Call)
        if isinstance(call.func, cst.Attribute)
        and call.func.attr.value in methods
        and loops.is_at(finding.location, file, call, program)
    ]
    if len(found) != 1:
        raise RefusedError(f"the line does not show one call of {' or '.join(methods)}")
    call = found[0]
    receiver: Any = call.func
    is_method = not file.names(receiver.value) or not all(
        name.startswith("torch") for name in file.names(receiver.value)
    )
    values: list[Any] = [arg.value for arg in positional(call)[0 if is_method else 1 :]]
    values += [given.value for name in names if (given := keyword(call, name)) is not None]
    if all(_is_literal(value) for value in values):
        raise RefusedError(f"the call at {file.place(call)} has no number that changes")
    # Of two bounds both are tensors, or none is.
    values = [value for value in values if file.code(value) != "None"]
    program.require_unchanged(file)
    torch, added = imports.torch(file, call)
    return [
        Patch(
            f"{', '.join(file.code(value) for value in values)} as a tensor at {file.place(call)}",
            (*added, *(one for value in values for one in _wrapped(file, value, torch))),
        )
    ]


def learning_rate(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA702 of an optimizer's ``lr``: a tensor, which schedulers fill in place."""
    if finding.key.startswith("G["):
        return global_(finding, program)
    if "param_groups" not in finding.key:
        return calls.tensor(finding, program)
    if "lr" not in finding.key:
        raise RefusedError(f"{finding.key} is no learning rate")
    found = [
        (file, call)
        for file in program.files.values()
        if "optim" in file.text
        for call in file.all(cst.Call)
        if file.names(call.func)
        and all(name.startswith(_OPTIMIZERS) for name in file.names(call.func))
        and not any("lr_scheduler" in name for name in file.names(call.func))
    ]
    named = [one for one in found if loops.is_at(finding.location, *one, program)] or found
    if len(named) != 1:
        raise RefusedError("the source does not show which optimizer is compiled")
    file, call = named[0]
    given = keyword(call, "lr")
    in_order = positional(call)
    value = given.value if given is not None else in_order[1].value if len(in_order) > 1 else None
    if value is None:
        raise RefusedError(f"the optimizer at {file.place(call)} takes its default lr")
    if "tensor(" in file.code(value):
        raise RefusedError(f"lr is a tensor at {file.place(call)} already")
    program.require_unchanged(file)
    torch, added = imports.torch(file, call)
    return [
        Patch(
            f"lr={torch}.tensor({file.code(value)}) at {file.place(call)}",
            (*added, *_wrapped(file, value, torch)),
            note="set it by a scheduler, or fill it in place: an assignment makes a number of it",
        )
    ]


def attribute(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA704, CA303: a number that is an attribute, as a tensor in every assignment."""
    found = _ATTRIBUTE.search(finding.key)
    if found is None:
        raise RefusedError(f"{finding.key or 'what changes'} is no attribute")
    name = found[1]
    assigned = _assignments(program, name)
    owners = {
        (file.name, owner.name.value)
        for file, node in assigned
        if isinstance(node, cst.Assign)
        and file.code(node.targets[0].target) == f"self.{name}"
        and (owner := _class(file, node)) is not None
    }
    if len(owners) != 1:
        raise RefusedError(f"the source does not show one class that sets {name}")
    return [_made_tensors(name, assigned, program)]


def global_(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA705: a module's number, as a tensor in every assignment."""
    thing = program.guarded(finding)
    name = (thing.name if thing is not None else finding.key).rpartition(".")[2]
    assigned = _assignments(program, name)
    at_module = [
        (file, node)
        for file in program.files.values()
        for node in file.all(cst.Assign)
        if len(node.targets) == 1
        and file.code(node.targets[0].target) == name
        and (isinstance(file.function(node), cst.Module) or _is_global(file, node, name))
    ]
    owners = {file.name for file, node in at_module if isinstance(file.function(node), cst.Module)}
    if len(owners) != 1:
        raise RefusedError(f"the source does not show one module that sets {name}")
    return [_made_tensors(name, [*assigned, *at_module], program)]


def _assignments(program: EditableProgram, name: str) -> list[tuple[SourceFile, Any]]:
    """Where an attribute of that name is assigned, in place or not."""
    return [
        (file, node)
        for file in program.files.values()
        if name in file.text
        for node in file.nodes
        if isinstance(node, cst.Assign | cst.AugAssign | cst.AnnAssign)
        for target in (
            [one.target for one in node.targets] if isinstance(node, cst.Assign) else [node.target]
        )
        if isinstance(target, cst.Attribute) and target.attr.value == name
    ]


def _made_tensors(
    name: str, assigned: list[tuple[SourceFile, Any]], program: EditableProgram
) -> Patch:
    changes: list[Replacement] = []
    places: list[str] = []
    note = f"code that needs {name} as a number reads it by `.item()`"
    for file in dict.fromkeys(file for file, _ in assigned):
        program.require_unchanged(file)
        added: tuple[Replacement, ...] = ()
        for node in (node for other, node in assigned if other is file):
            if isinstance(node, cst.AugAssign):
                operator = file.code(node.operator).strip()
                note = f"`{operator}` changes {name} in place: what holds it sees the change"
                continue
            if node.value is None or _is_text_or_flag(node.value):
                raise RefusedError(f"{name} is no number at {file.place(node)}")
            _require_same_kind(file, node)
            torch, added = imports.torch(file, node)
            changes += _wrapped(file, node.value, torch)
            places.append(file.place(node))
        changes += added
    _require_no_decision(name, program)
    return Patch(
        f"{name} a tensor at {', '.join(places)}",
        tuple(changes),
        note=note,
    )


def _require_no_decision(name: str, program: EditableProgram) -> None:
    """Raise `RefusedError` where Python needs the number: a graph would end there."""
    needs = {"min", "max", "range", "int", "float", "round", "bool"}
    for file in program.files.values():
        if name not in file.text:
            continue
        for node in file.nodes:
            named = node.attr.value if isinstance(node, cst.Attribute) else None
            if named != name and not (isinstance(node, cst.Name) and node.value == name):
                continue
            for around in file.around(node):
                if isinstance(around, cst.BaseSmallStatement | cst.BaseCompoundStatement):
                    break
                call = isinstance(around, cst.Call) and file.code(around.func) in needs
                index = isinstance(around, cst.SubscriptElement)
                if call or index:
                    raise RefusedError(
                        f"{file.place(around)} needs {name} as a Python number: compute it there "
                        "with tensors"
                    )
            parent = file.parent(node)
            if isinstance(parent, cst.If | cst.While | cst.Comparison):
                raise RefusedError(f"{file.place(node)} needs {name} as a Python number")


def _require_same_kind(file: SourceFile, node: Any) -> None:
    code = file.code(node.value)
    if "torch." in code or isinstance(
        node.value, cst.List | cst.Tuple | cst.Dict | cst.Set | cst.Lambda | cst.ListComp
    ):
        raise RefusedError(f"{code.splitlines()[0]} at {file.place(node)} is no number")


def _is_text_or_flag(node: Any) -> bool:
    return isinstance(node, cst.SimpleString | cst.FormattedString) or (
        isinstance(node, cst.Name) and node.value in ("True", "False", "None")
    )


def _is_literal(node: Any) -> bool:
    inner = node.expression if isinstance(node, cst.UnaryOperation) else node
    return isinstance(inner, cst.Integer | cst.Float) or (
        isinstance(inner, cst.Name) and inner.value == "None"
    )


def _is_global(file: SourceFile, node: cst.CSTNode, name: str) -> bool:
    function = file.function(node)
    return any(
        name in {one.name.value for one in statement.names}
        for statement in file.all(cst.Global)
        if file.function(statement) is function
    )


def _class(file: SourceFile, node: cst.CSTNode) -> Any:
    return next((found for found in file.around(node) if isinstance(found, cst.ClassDef)), None)


def _wrapped(file: SourceFile, value: Any, torch: str) -> list[Replacement]:
    start, end = file.span(value)
    return [Replacement(file.name, start, end, f"{torch}.tensor({file.code(value)})")]
