"""What each step makes or compiles: a class, a compiled function; made once, or kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import libcst as cst

from ca_reports.fixes.editing import is_docstring
from ca_reports.fixes.moving import (
    LOOPS,
    before,
    imports_of,
    is_on_a_condition,
    moved_before,
    outermost_loop,
    require_names_from_before,
    statement_to_move,
)
from ca_reports.fixes.patches import Patch, RefusedError, Replacement
from ca_reports.fixes.program import last_name, walk

if TYPE_CHECKING:
    from ca_reports.findings import Finding
    from ca_reports.fixes.program import EditableProgram, SourceFile


def function_class(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA210: a class, before the outermost function or loop that makes it again."""
    file, statement = statement_to_move(finding, program)
    if not isinstance(statement, cst.ClassDef):
        raise RefusedError("the line of the class is not known")
    outer = [one for one in file.around(statement) if isinstance(one, cst.BaseCompoundStatement)]
    if not outer:
        raise RefusedError(f"{statement.name.value} is at module level already")
    target = outer[-1]
    name = statement.name.value
    if isinstance(target, LOOPS):
        require_names_from_before(file, statement, target)
    elif file.variable_at(name, file.tree).bound:
        raise RefusedError(f"the module has another {name}")
    local = _local_names(file, statement)
    try:
        edits, calls = _passed(file, statement, local) if local else ([], [])
    except RefusedError:
        kept = _made_once_each(file, statement, program)
        if kept is None:
            raise
        return [kept]
    program.require_unchanged(file)
    what = f"class {name} at {file.place(statement)} defined once, before its function or loop"
    return [
        Patch(
            what if not local else f"{what}; {', '.join(local)} passed to apply()",
            (*moved_before(file, statement, target, edits, blank_lines=2), *calls),
        )
    ]


def _made_once_each(
    file: SourceFile, statement: cst.ClassDef, program: EditableProgram
) -> Patch | None:
    """``@functools.cached_property`` on the property that returns the class: one for each object.

    None where it is no property, or reads what other methods than ``__init__`` assign.
    """
    function = file.function(statement)
    owner = file.parent(file.parent(function))
    decorators: Any = getattr(function, "decorators", ())
    returned = [one for one in walk(function) if isinstance(one, cst.Return)]
    if (
        not isinstance(owner, cst.ClassDef)
        or [file.code(one.decorator) for one in decorators] != ["property"]
        or last_name(returned[-1].value) != statement.name.value
        or not _is_settled(function, owner, program)
    ):
        return None
    program.require_unchanged(file)
    text = "functools.cached_property"
    return Patch(
        f"{statement.name.value} made once for each {owner.name.value}, by cached_property at "
        f"{file.place(function)}",
        (
            *_functools(file),
            Replacement(file.name, *file.span(decorators[0].decorator), text),
        ),
        note=f"keeps the class on its {owner.name.value}, which can then not be pickled whole",
    )


def _is_settled(function: cst.FunctionDef, owner: cst.ClassDef, program: EditableProgram) -> bool:
    """Return whether what ``function`` reads of ``self`` is set in ``__init__`` only."""
    properties = {
        one.name.value: one
        for one in owner.body.body
        if isinstance(one, cst.FunctionDef) and one.decorators
    }
    read, waiting = set[str](), [function]
    while waiting:
        found = {
            node.attr.value
            for node in walk(waiting.pop())
            if isinstance(node, cst.Attribute) and last_name(node.value) == "self"
        } - read
        read |= found
        waiting += [properties[name] for name in found if name in properties]
    for file in program.files.values():
        if "setattr(" in file.text:
            return False
        for node in file.all(cst.AssignTarget):
            target: Any = node.target
            around = file.function(node)
            is_first = isinstance(around, cst.FunctionDef) and around.name.value == "__init__"
            if isinstance(target, cst.Attribute) and target.attr.value in read and not is_first:
                return False
    return True


def _functools(file: SourceFile) -> tuple[Replacement, ...]:
    """``import functools`` before the file's imports, unless it is among them."""
    if any(
        file.code(alias.name) == "functools" and alias.asname is None
        for statement in file.all(cst.Import)
        for alias in statement.names
    ):
        return ()
    first = file.line_start(imports_of(file)[0])
    return (Replacement(file.name, first, first, f"import functools{file.newline}"),)


def _local_names(file: SourceFile, statement: cst.ClassDef) -> dict[str, list[Any]]:
    """The variables of functions around the class that it uses, with where it does."""
    own = set(walk(statement))
    found: dict[str, list[Any]] = {}
    for node in walk(statement):
        if not isinstance(node, cst.Name) or node is statement.name:
            continue
        variable = file.variable(node)
        for made_at in () if variable.is_global else variable.nodes:
            if made_at is None or made_at in own or _is_within(file, made_at, own):
                continue
            found.setdefault(node.value, []).append(node)
    return found


def _is_handed_on(file: SourceFile, node: cst.Name) -> bool:
    """Return whether ``node`` is a class as a value: returned, assigned, an argument."""
    around = next(iter(file.around(node)), None)
    is_applied = isinstance(around, cst.Attribute) and around.attr.value == "apply"
    return not (is_applied or (isinstance(around, cst.ClassDef) and around.name is node))


def _passed(
    file: SourceFile, statement: cst.ClassDef, local: dict[str, list[Any]]
) -> tuple[list[Replacement], list[Replacement]]:
    """Hand the variables that an autograd function uses to its ``apply``.

    The first are edits of the class: further parameters of ``forward``, kept in its context for
    ``backward``, which has no gradient for them. The others are edits of what reads ``apply``.
    Raises `RefusedError` where the class is of another shape.
    """
    name = statement.name.value
    refused = RefusedError(f"{name} uses {', '.join(local)}, which is local: pass it to apply()")
    methods = {
        one.name.value: one for one in statement.body.body if isinstance(one, cst.FunctionDef)
    }
    forward, backward = methods.get("forward"), methods.get("backward")
    if forward is None or backward is None or "setup_context" in methods:
        raise refused
    if any(_is_handed_on(file, node) for node in file.all(cst.Name) if node.value == name):
        raise refused  # to calls of `apply` that nobody sees
    parameters = forward.params
    is_plain = not (parameters.kwonly_params or parameters.star_kwarg) and not isinstance(
        parameters.star_arg, cst.Param
    )
    of_methods = {node for one in (forward, backward) for node in walk(one.body)}
    if not is_plain or any(node not in of_methods for nodes in local.values() for node in nodes):
        raise refused
    in_backward = set(walk(backward.body))
    kept = [word for word, nodes in local.items() if any(one in in_backward for one in nodes)]
    end = file.span(parameters.params[-1])[1]
    edits = [Replacement(file.name, end, end, "".join(f", {word}" for word in local))]
    context = parameters.params[0].name.value
    edits += _first_lines(file, forward, [f"{context}.{word} = {word}" for word in kept])
    context = backward.params.params[0].name.value
    edits += _first_lines(file, backward, [f"{word} = {context}.{word}" for word in kept])
    nothing = ", None" * len(local)
    is_one = len(parameters.params) == 2
    for node in walk(backward.body):
        if not isinstance(node, cst.Return) or node.value is None:
            continue
        value = node.value
        end = file.span(value)[1]
        if isinstance(value, cst.Tuple) or is_one:
            # Parentheses are no part of the span: this goes within them.
            comma = "" if file.code(value).rstrip().endswith(",") else ","
            edits.append(Replacement(file.name, end, end, comma + nothing[1:]))
        else:
            raise refused
    calls = []
    for node in file.all(cst.Attribute):
        if file.code(node) != f"{name}.apply":
            continue
        call = file.parent(node)
        given = ", ".join(local)
        if isinstance(call, cst.Call) and call.func is node:
            at = file.span(call)[1] - 1
            more = f", {given}" if call.args else given
            calls.append(Replacement(file.name, at, at, more))
        else:
            text = f"lambda *inputs: {name}.apply(*inputs, {given})"
            calls.append(Replacement(file.name, *file.span(node), text))
    return edits, calls


def _first_lines(
    file: SourceFile, function: cst.FunctionDef, lines: list[str]
) -> list[Replacement]:
    """``lines`` before the first statement of ``function``, after its docstring."""
    body: Any = function.body
    rest = [one for one in body.body if not is_docstring(one)]
    if not rest or not isinstance(body, cst.IndentedBlock):
        raise RefusedError(f"{file.place(function)} has no statement of its own")
    at = before(file, rest[0])
    indent = file.indent_of(rest[0])
    text = "".join(f"{indent}{line}{file.newline}" for line in lines)
    return [Replacement(file.name, at, at, text)] if lines else []


def compiled(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA717: the assignment of what `torch.compile` returns, before the loop that repeats it."""
    found = [
        (file, statement, loop)
        for file, call in program.calls("torch.compile")
        if isinstance(statement := file.statement(call), cst.SimpleStatementLine)
        and (loop := outermost_loop(file, statement)) is not None
    ]
    if not found:
        return [_cached(program)]
    if len(found) != 1:
        raise RefusedError("the source does not show one torch.compile call in a loop")
    file, statement, loop = found[0]
    if len(statement.body) != 1 or not isinstance(statement.body[0], cst.Assign):
        raise RefusedError(f"what is compiled at {file.place(statement)} is not kept in a variable")
    if is_on_a_condition(file, statement, loop):
        raise RefusedError(f"torch.compile at {file.place(statement)} is called on a condition")
    require_names_from_before(file, statement, loop)
    program.require_unchanged(file)
    return [
        Patch(
            f"torch.compile at {file.place(statement)} called once, before the loop",
            moved_before(file, statement, loop),
        )
    ]


def _cached(program: EditableProgram) -> Patch:
    """``@functools.cache`` on the one function that returns what `torch.compile` made."""
    makers = [
        (file, function)
        for file, call in program.calls("torch.compile")
        if isinstance(file.parent(call), cst.Return)
        and isinstance(function := file.function(call), cst.FunctionDef)
    ]
    if len(makers) != 1:
        raise RefusedError("the source does not show one torch.compile call in a loop")
    file, function = makers[0]
    is_plain = isinstance(file.parent(function), cst.Module) and not function.decorators
    parameters = function.params
    if not is_plain or parameters.star_kwarg or isinstance(parameters.star_arg, cst.Param):
        raise RefusedError(f"{file.place(function)} compiles in each call")
    program.require_unchanged(file)
    at = file.line_start(function)
    return Patch(
        f"what {function.name.value} at {file.place(function)} compiles is kept for each argument",
        (
            *_functools(file),
            Replacement(file.name, at, at, f"@functools.cache{file.newline}"),
        ),
        note="arguments have to be hashable, and are kept as long as the program runs",
    )


def _is_within(file: SourceFile, node: cst.CSTNode, own: set[cst.CSTNode]) -> bool:
    return any(around in own for around in file.around(node))
