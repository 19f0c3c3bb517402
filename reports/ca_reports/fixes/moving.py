"""Statements that run in each step and need to run once: moved before the loop, or out of it."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import libcst as cst
from libcst import metadata

from ca_reports.fixes import loops
from ca_reports.fixes.editing import RANDOM, is_docstring
from ca_reports.fixes.patches import ChangedSinceError, Patch, RefusedError, Replacement
from ca_reports.fixes.program import last_name, walk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ca_reports.findings import Finding
    from ca_reports.fixes.program import EditableProgram, SourceFile

_LOOPS = (cst.For, cst.While)
_ONCE_EACH = "runs the hook once in each backward, not once more in each step"


def hook(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA302: the registration of a hook, before the loop that repeats it; else replaced there."""
    try:
        return _registered_once(finding, program)
    except ChangedSinceError:
        raise
    except RefusedError:
        file, statement = _located(finding, program)
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
    file, statement = _located(finding, program)
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
    if _is_on_a_condition(file, statement, loop):
        raise RefusedError(f"the hook at {file.place(statement)} is registered on a condition")
    require_names_from_before(file, statement, loop)
    _require_no_backward_before(file, statement, loop)
    program.require_unchanged(file)
    return [
        Patch(
            f"the hook at {file.place(statement)} registered once, before the loop",
            (*_moved(file, statement, loop), *_kept(file, statement, loop)),
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


def function_class(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA210: a class, before the outermost function or loop that makes it again."""
    file, statement = _located(finding, program)
    if not isinstance(statement, cst.ClassDef):
        raise RefusedError("the line of the class is not known")
    outer = [one for one in file.around(statement) if isinstance(one, cst.BaseCompoundStatement)]
    if not outer:
        raise RefusedError(f"{statement.name.value} is at module level already")
    target = outer[-1]
    module_scope = file.scope(file.tree)
    name = statement.name.value
    if isinstance(target, _LOOPS):
        require_names_from_before(file, statement, target)
    elif any(True for _ in module_scope[name]):
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
            (*_moved(file, statement, target, edits, blank_lines=2), *calls),
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
        scope = file.scope(node)
        for assignment in scope[node.value] if scope is not None else ():
            made_at = getattr(assignment, "node", None)
            is_global = isinstance(assignment.scope, metadata.GlobalScope)
            if made_at is None or is_global or made_at in own or _is_within(file, made_at, own):
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
        return [_cached(finding, program)]
    if len(found) != 1:
        raise RefusedError("the source does not show one torch.compile call in a loop")
    file, statement, loop = found[0]
    if len(statement.body) != 1 or not isinstance(statement.body[0], cst.Assign):
        raise RefusedError(f"what is compiled at {file.place(statement)} is not kept in a variable")
    if _is_on_a_condition(file, statement, loop):
        raise RefusedError(f"torch.compile at {file.place(statement)} is called on a condition")
    require_names_from_before(file, statement, loop)
    program.require_unchanged(file)
    return [
        Patch(
            f"torch.compile at {file.place(statement)} called once, before the loop",
            _moved(file, statement, loop),
        )
    ]


def _cached(finding: Finding, program: EditableProgram) -> Patch:
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
        raise RefusedError(f"{file.place(function)} compiles in each call: {finding.fix}")
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


def imports_of(file: SourceFile) -> list[Any]:
    """The imports at the head of ``file``, without those of ``__future__``.

    Raises `RefusedError` if it has none.
    """
    found = [
        one
        for one in file.tree.body
        if isinstance(one, cst.SimpleStatementLine)
        and isinstance(one.body[0], cst.Import | cst.ImportFrom)
        and "__future__" not in file.code(one)
    ]
    if not found:
        raise RefusedError(f"{file.name} imports nothing")
    return found


def argument(file: SourceFile, given: Any, finding: Finding, program: EditableProgram) -> Patch:
    """CA706: the object that a call in a loop passes is made once, before the loop.

    Raises `RefusedError` if it is made of what the loop assigns.
    """
    loop = outermost_loop(file, given)
    if loop is None:
        raise RefusedError(f"{file.place(given)} is in no loop of its function: {finding.fix}")
    program.require_unchanged(file)
    what = f"{file.code(given)} at {file.place(given)} made once, before the loop"
    if isinstance(given, cst.Name):
        scope = file.scope(given)
        found = list(scope[given.value]) if scope is not None else []
        made_at = getattr(found[0], "node", None) if len(found) == 1 else None
        statement = None if made_at is None else file.statement(made_at)
        inside = statement is not None and outermost_loop(file, statement) is loop
        if statement is None or not inside or _is_on_a_condition(file, statement, loop):
            raise RefusedError(f"{given.value} is not made in that loop: {finding.fix}")
        is_one = isinstance(statement, cst.FunctionDef) or (
            isinstance(statement, cst.SimpleStatementLine)
            and isinstance(statement.body[0], cst.Assign)
        )
        if not is_one:
            raise RefusedError(f"{file.place(statement)} makes more than {given.value}")
        if isinstance(statement, cst.SimpleStatementLine):
            value = getattr(statement.body[0], "value", None)
            if isinstance(value, cst.Call):
                _require_maker(file, value, program)
        require_names_from_before(file, statement, loop)
        return Patch(what, _moved(file, statement, loop))
    if not isinstance(given, cst.Lambda | cst.Call):
        raise RefusedError(f"{file.code(given)} is made elsewhere: {finding.fix}")
    if isinstance(given, cst.Call):
        _require_maker(file, given, program)
    require_names_from_before(file, given, loop)
    used = {node.value for node in file.all(cst.Name)}
    name = next(one for one in ("made_once", "made_before", "made_before_all") if one not in used)
    at = before(file, loop)
    line = f"{file.indent_of(loop)}{name} = {file.code(given)}{file.newline}"
    span = file.span(given)
    return Patch(what, (Replacement(file.name, at, at, line), Replacement(file.name, *span, name)))


def _require_maker(file: SourceFile, call: cst.Call, program: EditableProgram) -> None:
    """Refuse a call that may give another thing in each step, as a method that draws one does.

    A class and `partial` make the same each time, and so does a function of the program's whose
    source draws nothing at random and goes on with nothing (`next`).
    """
    name = last_name(call.func)
    if name[:1].isupper() or name == "partial":
        return
    bodies = [
        other.code(function)
        for other in program.files.values()
        for function in other.all(cst.FunctionDef)
        if function.name.value == name
    ]
    if (
        not isinstance(call.func, cst.Name)
        or not bodies
        or any(word in body for body in bodies for word in (*RANDOM, "next(", "global "))
    ):
        raise RefusedError(f"{file.code(call)} may give another thing in each step")


def outermost_loop(file: SourceFile, node: cst.CSTNode) -> Any:
    """The outermost loop around ``node`` in its function; None if there is none."""
    found = None
    for around in file.around(node):
        if isinstance(around, cst.FunctionDef | cst.Lambda | cst.ClassDef):
            break
        if isinstance(around, _LOOPS):
            found = around
    return found


def before(file: SourceFile, statement: cst.CSTNode) -> int:
    """Return where a line before ``statement`` goes: above the comments that are right above it."""
    at = file.line_start(statement)
    indent = file.indent_of(statement)
    while at:
        start = file.text.rfind("\n", 0, at - 1) + 1
        if not file.text[start:at].startswith(f"{indent}#"):
            break
        at = start
    return at


def name_of_torch(file: SourceFile, node: cst.CSTNode) -> str:
    """Return the name of `torch` at ``node``. Raises `RefusedError` if it is not imported."""
    for statement in file.all(cst.Import):
        if any(
            isinstance(one, cst.If) and "TYPE_CHECKING" in file.code(one.test)
            for one in file.around(statement)
        ):
            continue
        for alias in statement.names:
            if file.code(alias.name) != "torch" and not file.code(alias.name).startswith("torch."):
                continue
            if alias.asname is None:
                name = "torch"
            elif file.code(alias.name) == "torch":
                name = file.code(alias.asname.name)
            else:
                continue
            scope = file.scope(node)
            if (
                scope is not None
                and len(list(scope[name])) >= 1
                and all(isinstance(one, metadata.ImportAssignment) for one in scope[name])
            ):
                return name
    raise RefusedError(f"{file.name} does not import torch by its name")


def _is_on_a_condition(file: SourceFile, statement: Any, loop: Any) -> bool:
    """Return whether more than loops stands between ``statement`` and the ``loop`` around it."""
    between = itertools.takewhile(lambda around: around is not loop, file.around(statement))
    return any(not isinstance(around, (*_LOOPS, cst.IndentedBlock)) for around in between)


def _located(finding: Finding, program: EditableProgram) -> tuple[SourceFile, Any]:
    """The innermost statement that begins on the line to change."""
    file = program.file(finding.location)
    if file is None or finding.location is None:
        raise RefusedError("the line to change is not known")
    found: list[Any] = [
        one
        for one in file.nodes
        if isinstance(one, cst.SimpleStatementLine | cst.ClassDef)
        and loops.is_at(finding.location, file, one, program)
    ]
    if not found:
        raise RefusedError("the line to change is not known")
    return file, found[-1]


def _only_expression(statement: Any) -> Any:
    """The call that ``statement`` is, and nothing else; None if it is more."""
    if not isinstance(statement, cst.SimpleStatementLine) or len(statement.body) != 1:
        return None
    only = statement.body[0]
    return only.value if isinstance(only, cst.Expr) else None


def _is_method(call: Any) -> bool:
    return isinstance(call, cst.Call) and isinstance(call.func, cst.Attribute)


def require_names_from_before(file: SourceFile, statement: cst.CSTNode, loop: Any) -> None:
    """Raise `RefusedError` if ``statement`` uses what the loop assigns."""
    first, last = file.lines(loop)
    own = set(walk(statement))
    for node in own:
        if not isinstance(node, cst.Name):
            continue
        scope = file.scope(node)
        for assignment in scope[node.value] if scope is not None else ():
            made_at = getattr(assignment, "node", None)
            if made_at is None or made_at in own:
                continue
            if first <= file.lines(made_at)[0] <= last and assignment.scope is file.scope(loop):
                raise RefusedError(
                    f"{file.place(statement)} uses {node.value}, which the loop assigns"
                )


def _require_no_backward_before(file: SourceFile, statement: Any, loop: Any) -> None:
    start = file.span(loop)[0]
    if ".backward(" in file.text[start : file.line_start(statement)]:
        raise RefusedError(f"a backward runs before {file.place(statement)} in the loop")


def _moved(
    file: SourceFile,
    statement: cst.CSTNode,
    target: cst.CSTNode,
    edits: Sequence[Replacement] = (),
    *,
    blank_lines: int = 0,
) -> tuple[Replacement, ...]:
    """Cut ``statement`` with its comments out, and put it before ``target``, with ``edits``."""
    block = file.parent(statement)
    if len(getattr(block, "body", ())) < 2:
        raise RefusedError(f"nothing else is in the block of {file.place(statement)}")
    for node in walk(statement):
        if isinstance(node, cst.SimpleString | cst.FormattedString) and "\n" in file.code(node):
            raise RefusedError(f"{file.place(statement)} has a text over several lines")
    start = file.line_start(_first_part(statement))
    end = file.line_end(file.span(statement)[1])
    end = min(len(file.text), end + len(file.newline))
    old, new = file.indent_of(statement), file.indent_of(target)
    cut = file.text[start:end]
    for edit in sorted(edits, reverse=True):
        cut = cut[: edit.start - start] + edit.text + cut[edit.end - start :]
    lines = cut.split("\n")
    text = "\n".join(new + line[len(old) :] if line.startswith(old) else line for line in lines)
    if not text.endswith("\n"):
        text += file.newline
    if blank_lines:
        # The blank lines after it separated it from the rest of its old block.
        while file.text[end:].startswith(file.newline):
            end += len(file.newline)
    at = before(file, _first_part(target))
    return (
        Replacement(file.name, at, at, text + file.newline * blank_lines),
        Replacement(file.name, start, end, ""),
    )


def _first_part(statement: Any) -> Any:
    decorators = getattr(statement, "decorators", ())
    return decorators[0] if decorators else statement


def _is_within(file: SourceFile, node: cst.CSTNode, own: set[cst.CSTNode]) -> bool:
    return any(around in own for around in file.around(node))
