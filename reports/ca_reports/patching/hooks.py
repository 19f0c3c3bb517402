"""A hook that each step registers: once before the loop, or in the place of the one before."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from ca_reports.patching.editing import has_call
from ca_reports.patching.moving import (
    is_on_a_condition,
    outermost_loop,
    require_names_from_before,
    statement_to_move,
)
from ca_reports.patching.patches import ChangedSinceError, Patch, RefusedError, Replacement
from ca_reports.program.edits import (
    arguments,
    following,
    insert_after,
    insert_before,
    insert_first,
    is_docstring,
    move_before,
    remove,
    replace,
    words_in,
)
from ca_reports.program.positions import walk
from ca_reports.program.syntax import Definition, For

if TYPE_CHECKING:
    from ca_reports.causes.findings import Finding
    from ca_reports.patching.program import EditableProgram, SourceFile

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
    """Return the hooks of a method, kept in its object and removed when it is called again."""
    function = file.function(statement)
    call = _only_expression(file, statement)
    if (
        not _is_method(call)
        or not call.func.attr.startswith("register_")
        or not isinstance(function, Definition)
        or file.receiver(function) != "self"
        or function.name == "__init__"
        or "_handles" in file.text
    ):
        return None
    lines = (
        'for handle in getattr(self, "_handles", ()):',
        f"{file.unit}handle.remove()",
        "self._handles = []",
    )
    place = outermost_loop(file, statement) or statement
    try:
        first = (
            insert_before(file, place, lines)
            if _may_be_skipped(file, function, place)
            else insert_first(file, function, lines)
        )
    except RefusedError:
        return None
    kept = f"self._handles.append({file.code(call)})"
    return (*first, *replace(file, call, kept))


def _may_be_skipped(file: SourceFile, function: Definition, place: Any) -> bool:
    """Return whether a call of ``function`` may register nothing, and so keeps what it has."""
    if place not in function.body:
        return True
    before = function.body[: function.body.index(place)]
    return any(isinstance(node, ast.Return) for one in before for node in walk(one))


def _cleared(
    file: SourceFile, statement: Any, program: EditableProgram
) -> tuple[Replacement, ...] | None:
    """Return hooks of the list in ``self.handles.append(x.register_hook(f))``, removed before more.

    None unless nothing else removes them, and a method registers them: by itself, or by another
    one of its class, which is called in one place.
    """
    call = _only_expression(file, statement)
    added: Any = (
        call.args[0] if _is_method(call) and len(arguments(call)) == len(call.args) == 1 else None
    )
    if (
        not _is_method(added)
        or call.func.attr != "append"
        or not added.func.attr.startswith("register_")
        or not _is_of_self(file, call.func.value)
        or has_call(file.tree, "remove")
    ):
        return None
    function = file.function(statement)
    first: Any = outermost_loop(file, statement)
    if first is None and isinstance(function, Definition):
        callers = [call for _, call in program.calls_named(function.name)]
        is_own = len(callers) == 1 and callers[0] in set(file.nodes)
        if is_own and _is_of_self(file, callers[0].func):
            first = outermost_loop(file, callers[0]) or file.statement(callers[0])
        elif len(callers) == 1:
            first = statement
    if first is None or has_call(first, "backward"):
        return None
    kept = file.code(call.func.value)
    lines = (f"for handle in {kept}:", f"{file.unit}handle.remove()", f"{kept}.clear()")
    return insert_before(file, first, lines)


def _registered_once(finding: Finding, program: EditableProgram) -> list[Patch]:
    file, statement = statement_to_move(finding, program)
    call = _only_expression(file, statement)
    name = call.func.attr if _is_method(call) else ""
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
            (*move_before(file, statement, loop), *_kept(file, statement, loop)),
            intention=_ONCE_EACH,
        )
    ]


def _whole(file: SourceFile, statement: Any) -> Any:
    """Return ``statement``, or the loop over parameters or modules that does nothing else."""
    around = file.parent(statement)
    if isinstance(around, For) and len(around.body) == 1 and not around.orelse:
        targets = {node.id for node in walk(around.target) if isinstance(node, ast.Name)}
        if targets & {node.id for node in walk(statement) if isinstance(node, ast.Name)}:
            return around
    return statement


def _removed(file: SourceFile, statement: Any) -> tuple[Replacement, ...] | None:
    """Return the hook of a context, kept in a variable and removed where the context ends.

    None if ``statement`` is in no ``__enter__`` and before no ``yield`` of a context manager.
    """
    function = file.function(statement)
    if not isinstance(function, Definition):
        return None
    owner = file.owner(function)
    start = file.span(statement)[0]
    if function.name == "__enter__" and owner is not None:
        ends = [one for one in owner.body if isinstance(one, Definition) and one.name == "__exit__"]
        receiver = file.receiver(function)
        if not ends or has_call(ends[0], "remove") or file.receiver(ends[0]) != receiver:
            return None
        rest = [one for one in ends[0].body if not is_docstring(one)]
        if not rest or not file.is_line(rest[0]):
            return None
        name = f"{receiver}._handle"
        end = insert_before(file, rest[0], [f"{name}.remove()"])
    elif any("contextmanager" in words_in(one) for one in function.decorator_list):
        after = [one for one in following(file, statement) if _yields(one)]
        if len(after) != 1 or has_call(function, "remove"):
            return None
        name = "handle"
        end = insert_after(file, after[0], [f"{name}.remove()"])
    else:
        return None
    if name in file.text:
        return None
    return Replacement(file.name, start, start, f"{name} = "), *end


def _caller(file: SourceFile, statement: Any, program: EditableProgram) -> tuple[SourceFile, Any]:
    """Find the one statement that calls the function, or makes the object, that registers the hook.

    Raises `RefusedError` if that does anything else.
    """
    function = file.function(statement)
    if not isinstance(function, Definition):
        return file, statement
    name = function.name
    owner = file.owner(function)
    if name == "__init__" and owner is not None:
        name = owner.name
    elif not all(_only_registers(file, one) for one in function.body):
        raise RefusedError(f"{name} does more than register hooks: register them once by hand")
    callers = [(other, other.statement(call)) for other, call in program.calls_named(name)]
    if len(callers) != 1 or not callers[0][0].is_line(callers[0][1]):
        raise RefusedError(f"can't find where {name} is called in each step")
    return callers[0]


def _only_registers(file: SourceFile, statement: Any) -> bool:
    code = file.code(statement)
    is_text = code.startswith(('"', "'"))
    return is_text or "register_" in code or code.startswith(("return", "super()"))


def _kept(file: SourceFile, statement: Any, loop: Any) -> tuple[Replacement, ...]:
    """Remove ``del name`` from the loop, where ``statement`` assigns that name before it now."""
    if not isinstance(statement, ast.Assign):
        return ()
    names = {file.code(one) for one in statement.targets}
    return tuple(
        change
        for line in file.all(ast.Delete)
        if file.is_within(line, loop)
        and len(line.targets) == 1
        and file.code(line.targets[0]) in names
        for change in remove(file, line)
    )


def _only_expression(file: SourceFile, statement: Any) -> Any:
    """Return the call that ``statement`` is, and nothing else; None if it is more."""
    only = statement if file.is_line(statement) else None
    return only.value if isinstance(only, ast.Expr) else None


def _is_method(call: Any) -> bool:
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)


def _require_no_backward_before(file: SourceFile, statement: Any, loop: Any) -> None:
    start = file.span(loop)[0]
    if ".backward(" in file.text[start : file.line_start(statement)]:
        raise RefusedError(f"a backward runs before {file.place(statement)} in the loop")


def _is_of_self(file: SourceFile, node: ast.AST) -> bool:
    """Return whether ``node`` is an attribute of ``self``, or what such a one leads to."""
    if not isinstance(node, ast.Attribute | ast.Subscript):
        return False
    return _is_of_self(file, node.value) or file.is_receiver(node.value)


def _yields(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Yield)
