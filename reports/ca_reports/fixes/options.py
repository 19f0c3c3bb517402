"""Options of torch's compiler, set in a line after the script's imports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import libcst as cst

from ca_reports.fixes import breaks, loops, moving
from ca_reports.fixes.patches import Patch, RefusedError, Replacement

if TYPE_CHECKING:
    from ca_reports.findings import Finding
    from ca_reports.fixes.program import EditableProgram, SourceFile

_DYNAMO = "_dynamo.config"


def scalar_outputs(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA802: ``.item()`` and its like enter the graph, unless Python needs the number."""
    try:
        _require_no_decision(finding, program)
    except RefusedError as decided:
        try:
            return breaks.raised(finding, program)
        except RefusedError:
            raise decided from None
    return [_set(program, f"{_DYNAMO}.capture_scalar_outputs = True")]


def output_shapes(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA807: masks and `nonzero` enter the graph, whose sizes then depend on data."""
    return [_set(program, f"{_DYNAMO}.capture_dynamic_output_shape_ops = True")]


def duck_shapes(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA713: two sizes that are equal in the first call are not taken for one."""
    return [_set(program, "fx.experimental._config.use_duck_shape = False")]


def written(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA803: what is printed comes after the graph; what is logged in it is left out."""
    function = finding.key
    if function == "print":
        return [
            _set(
                program,
                f"{_DYNAMO}.reorderable_logging_functions.add(print)",
                note="what compiled code prints comes after its graph, in the same order",
            )
        ]
    module = function.partition(".")[0]
    line = f"{_DYNAMO}.reorderable_logging_functions.add({function})"
    intention = ""
    if module == "logging":
        line = f"{_DYNAMO}.ignore_logging_functions.add({function})"
        intention = f"leaves out what compiled code writes with {function}"
    if not _imports(program.script, module):
        raise RefusedError(f"{program.script.name} does not import {module}")
    return [_set(program, line, intention=intention)]


def _set(program: EditableProgram, line: str, intention: str = "", note: str = "") -> Patch:
    file = program.script
    program.require_unchanged(file)
    torch = moving.name_of_torch(file, file.tree)
    text = f"{torch}.{line}"
    if text in file.text:
        raise RefusedError(f"{file.name} has {text} already")
    at = _after_imports(file)
    return Patch(
        f"{text} after the imports of {file.name}",
        (Replacement(file.name, at, at, f"{file.newline}{text}{file.newline}"),),
        intention=intention,
        note=note,
    )


def _after_imports(file: SourceFile) -> int:
    """Where the line after the last of the imports at the file's head begins."""
    last = None
    for statement in file.tree.body:
        if not _is_import(statement) and not _is_text(statement):
            break
        last = statement if _is_import(statement) else last
    if last is None:
        raise RefusedError(f"{file.name} does not begin with its imports")
    return min(len(file.text), file.line_end(file.span(last)[1]) + len(file.newline))


def _is_import(statement: Any) -> bool:
    return isinstance(statement, cst.SimpleStatementLine) and isinstance(
        statement.body[0], cst.Import | cst.ImportFrom
    )


def _is_text(statement: Any) -> bool:
    return (
        isinstance(statement, cst.SimpleStatementLine)
        and isinstance(statement.body[0], cst.Expr)
        and isinstance(statement.body[0].value, cst.SimpleString | cst.ConcatenatedString)
    )


def _imports(file: SourceFile, module: str) -> bool:
    return any(
        file.code(alias.name) == module and alias.asname is None
        for statement in file.all(cst.Import)
        for alias in statement.names
    )


def _require_no_decision(finding: Finding, program: EditableProgram) -> None:
    """Raise `RefusedError` where an ``if`` or a loop needs the number: the graph ends there."""
    file = program.file(finding.location)
    if file is None:
        raise RefusedError("the line that reads the value is not known")
    for node in file.all(cst.Assign):
        if not loops.is_at(finding.location, file, node, program):
            continue
        targets = {file.code(target.target) for target in node.targets}
        function = file.function(node)
        nodes: tuple[Any, ...] = file.nodes
        for other in nodes:
            decides = isinstance(other, cst.If | cst.While | cst.IfExp | cst.Assert)
            if decides and file.function(other) is function and targets & _names(other.test):
                raise RefusedError(
                    f"{file.place(other)} decides by {', '.join(sorted(targets))}: the graph "
                    "would end there"
                )


def _names(node: cst.CSTNode) -> set[str]:
    found = {node.value} if isinstance(node, cst.Name) else set()
    return found.union(*(_names(child) for child in node.children))
