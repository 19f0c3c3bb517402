"""A hook that each step registers: once before the loop, or in the place of the one before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import libcst as cst

from ca_reports.fixes.editing import is_docstring
from ca_reports.fixes.moving import (
    before,
    is_on_a_condition,
    moved_before,
    outermost_loop,
    require_names_from_before,
    statement_to_move,
)
from ca_reports.fixes.patches import ChangedSinceError, Patch, RefusedError, Replacement
from ca_reports.fixes.program import last_name, walk

if TYPE_CHECKING:
    from ca_reports.findings import Finding
    from ca_reports.fixes.program import EditableProgram, SourceFile

_ONCE_EACH = "runs the hook once in each backward, not once more in each step"


def hook(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA302: the registration of a hook, before the loop that repeats it; else replaced there."""
    try:
        return _registered_once(finding, program)
    except ChangedSinceError:
        raise
    except RefusedError:
        file, statement = statement_to_move(finding, program)
        replaced = _replaced(file, statement) or _cleared(file, statement, program)
        if replaced is None:
            raise
        program.require_unchanged(file)
        return [
            Patch(
                f"each registration at {file.place(statement)} removes the hooks of the one before",
                replaced,
                intention="runs the hooks of the last registration only",
            )
        ]


def _replaced(file: SourceFile, statement: Any) -> tuple[Replacement, ...] | None:
    """The hooks of a method, kept in its object and removed when it is called again."""
    function = file.function(statement)
    call = _only_expression(statement)
    if (
        not _is_method(call)
        or not call.func.attr.value.startswith("register_")
        or not isinstance(function, cst.FunctionDef)
        or [one.name.value for one in function.params.params][:1] != ["self"]
        or function.name.value == "__init__"
        or "_handles" in file.text
    ):
        return None
    body: Any = function.body
    rest = [one for one in body.body if not is_docstring(one)]
    if not rest:
        return None
    indent = file.indent_of(rest[0])
    lines = (
        'for handle in getattr(self, "_handles", ()):',
        f"{file.unit}handle.remove()",
        "self._handles = []",
    )
    at = before(file, rest[0])
    text = "".join(f"{indent}{line}{file.newline}" for line in lines)
    start, end = file.span(call)
    return (
        Replacement(file.name, at, at, text),
        Replacement(file.name, start, start, "self._handles.append("),
        Replacement(file.name, end, end, ")"),
    )


def _cleared(
    file: SourceFile, statement: Any, program: EditableProgram
) -> tuple[Replacement, ...] | None:
    """The hooks of the list in ``self.handles.append(x.register_hook(f))``, removed before more.

    None unless nothing else removes them, and a method registers them: by itself, or by another
    one of its class, which is called in one place.
    """
    call = _only_expression(statement)
    added: Any = call.args[0].value if _is_method(call) and len(call.args) == 1 else None
    if (
        not _is_method(added)
        or call.func.attr.value != "append"
        or not added.func.attr.value.startswith("register_")
        or not file.code(call.func.value).startswith("self.")
        or ".remove(" in file.text
    ):
        return None
    function = file.function(statement)
    first: Any = outermost_loop(file, statement)
    if first is None and isinstance(function, cst.FunctionDef):
        callers = [
            one
            for other in program.files.values()
            if function.name.value in other.text
            for one in other.all(cst.Call)
            if last_name(one.func) == function.name.value
        ]
        is_own = len(callers) == 1 and callers[0] in set(file.nodes)
        if is_own and file.code(callers[0].func).startswith("self."):
            first = outermost_loop(file, callers[0]) or file.statement(callers[0])
        elif len(callers) == 1:
            first = statement
    if first is None or ".backward(" in file.code(first):
        return None
    kept, indent = file.code(call.func.value), file.indent_of(first)
    lines = (f"for handle in {kept}:", f"{file.unit}handle.remove()", f"{kept}.clear()")
    at = before(file, first)
    text = "".join(f"{indent}{line}{file.newline}" for line in lines)
    return (Replacement(file.name, at, at, text),)


def _registered_once(finding: Finding, program: EditableProgram) -> list[Patch]:
    file, statement = statement_to_move(finding, program)
    call = _only_expression(statement)
    name = call.func.attr.value if _is_method(call) else ""
    if not (name.startswith("register_") and name.endswith("hook")):
        raise RefusedError(
            f"what is registered at {file.place(statement)} is kept, or is not a hook: "
            "register it once by hand"
        )
    removed = _removed(file, statement)
    if removed is not None:
        program.require_unchanged(file)
        return [
            Patch(
                f"the hook at {file.place(statement)} removed again", removed, intention=_ONCE_EACH
            )
        ]
    statement = _whole(file, statement)
    if outermost_loop(file, statement) is None:
        file, statement = _caller(file, statement, program)
    loop = outermost_loop(file, statement)
    if loop is None:
        raise RefusedError(
            f"the registration at {file.place(statement)} is in no loop of its function"
        )
    if is_on_a_condition(file, statement, loop):
        raise RefusedError(f"the hook at {file.place(statement)} is registered on a condition")
    require_names_from_before(file, statement, loop)
    _require_no_backward_before(file, statement, loop)
    program.require_unchanged(file)
    return [
        Patch(
            f"the hook at {file.place(statement)} registered once, before the loop",
            (*moved_before(file, statement, loop), *_kept(file, statement, loop)),
            intention=_ONCE_EACH,
        )
    ]


def _whole(file: SourceFile, statement: Any) -> Any:
    """``statement``, or the loop over parameters or modules that does nothing else."""
    block = file.parent(statement)
    around = file.parent(block)
    if isinstance(around, cst.For) and len(getattr(block, "body", ())) == 1:
        targets = {node.value for node in walk(around.target) if isinstance(node, cst.Name)}
        if targets & {node.value for node in walk(statement) if isinstance(node, cst.Name)}:
            return around
    return statement


def _removed(file: SourceFile, statement: Any) -> tuple[Replacement, ...] | None:
    """The hook of a context, kept in a variable and removed where the context ends.

    None if ``statement`` is in no ``__enter__`` and before no ``yield`` of a context manager.
    """
    function = file.function(statement)
    if not isinstance(function, cst.FunctionDef):
        return None
    owner = file.parent(file.parent(function))
    start = file.span(statement)[0]
    if function.name.value == "__enter__" and isinstance(owner, cst.ClassDef):
        ends: list[Any] = [
            one
            for one in owner.body.body
            if isinstance(one, cst.FunctionDef) and one.name.value == "__exit__"
        ]
        if not ends or ".remove(" in file.code(ends[0]):
            return None
        rest = [one for one in ends[0].body.body if not is_docstring(one)]
        if not rest or not isinstance(rest[0], cst.SimpleStatementLine):
            return None
        name, at, indent = "self._handle", before(file, rest[0]), file.indent_of(rest[0])
        text = f"{indent}{name}.remove(){file.newline}"
    elif any("contextmanager" in file.code(one) for one in function.decorators):
        after = [
            line
            for line in list(getattr(file.parent(statement), "body", ()))
            if file.span(line)[0] > start and file.code(line).startswith("yield")
        ]
        if len(after) != 1 or ".remove(" in file.code(function):
            return None
        name, indent = "handle", file.indent_of(statement)
        at = file.line_end(file.span(after[0])[1])
        text = f"{file.newline}{indent}{name}.remove()"
    else:
        return None
    if name in file.text:
        return None
    return Replacement(file.name, start, start, f"{name} = "), Replacement(file.name, at, at, text)


def _caller(file: SourceFile, statement: Any, program: EditableProgram) -> tuple[SourceFile, Any]:
    """The one statement that calls the function, or makes the object, that registers the hook.

    Raises `RefusedError` if that does anything else.
    """
    function = file.function(statement)
    if not isinstance(function, cst.FunctionDef):
        return file, statement
    name = function.name.value
    owner = file.parent(file.parent(function))
    if name == "__init__" and isinstance(owner, cst.ClassDef):
        name = owner.name.value
    elif not all(_only_registers(file, one) for one in getattr(function.body, "body", ())):
        raise RefusedError(f"{name} does more than register hooks: register them once by hand")
    callers = [
        (other, other.statement(call))
        for other in program.files.values()
        if name in other.text
        for call in other.all(cst.Call)
        if last_name(call.func) == name
    ]
    if len(callers) != 1 or not isinstance(callers[0][1], cst.SimpleStatementLine):
        raise RefusedError(f"the source does not show where {name} is called in each step")
    return callers[0]


def _only_registers(file: SourceFile, statement: Any) -> bool:
    code = file.code(statement)
    is_text = code.startswith(('"', "'"))
    return is_text or "register_" in code or code.startswith(("return", "super()"))


def _kept(file: SourceFile, statement: Any, loop: Any) -> tuple[Replacement, ...]:
    """Remove ``del name`` from the loop, where ``statement`` assigns that name before it now."""
    only = statement.body[0] if isinstance(statement, cst.SimpleStatementLine) else None
    if not isinstance(only, cst.Assign):
        return ()
    names = {file.code(one.target) for one in only.targets}
    start, end = file.span(loop)
    found = []
    for line in file.all(cst.SimpleStatementLine):
        inside = start <= file.span(line)[0] < end
        deleted = line.body[0]
        if inside and isinstance(deleted, cst.Del) and file.code(deleted.target) in names:
            at = file.line_start(line)
            after = min(len(file.text), file.line_end(at) + len(file.newline))
            found.append(Replacement(file.name, at, after, ""))
    return tuple(found)


def _only_expression(statement: Any) -> Any:
    """The call that ``statement`` is, and nothing else; None if it is more."""
    if not isinstance(statement, cst.SimpleStatementLine) or len(statement.body) != 1:
        return None
    only = statement.body[0]
    return only.value if isinstance(only, cst.Expr) else None


def _is_method(call: Any) -> bool:
    return isinstance(call, cst.Call) and isinstance(call.func, cst.Attribute)


def _require_no_backward_before(file: SourceFile, statement: Any, loop: Any) -> None:
    start = file.span(loop)[0]
    if ".backward(" in file.text[start : file.line_start(statement)]:
        raise RefusedError(f"a backward runs before {file.place(statement)} in the loop")
