"""What each step makes or compiles: a class, a compiled function; made once, or kept."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from ca_reports.causes.findings import MadeAgain
from ca_reports.patching import effects
from ca_reports.patching.assignments import changed_later
from ca_reports.patching.caches import functions_run
from ca_reports.patching.compilers import COMPILE
from ca_reports.patching.moving import (
    imports_of,
    is_on_a_condition,
    outermost_loop,
    require_names_from_before,
    statement_to_move,
)
from ca_reports.patching.patches import Patch, RefusedError, Replacement
from ca_reports.program.edits import (
    arguments,
    decorate,
    insert_first,
    is_docstring,
    move_before,
    replace,
)
from ca_reports.program.positions import own_nodes, walk
from ca_reports.program.syntax import LOOPS, Definition, is_starred, last_name, parameters_of

if TYPE_CHECKING:
    from collections.abc import Collection

    from ca_reports.causes.findings import Finding
    from ca_reports.patching.program import EditableProgram, SourceFile


def function_class(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA210: a class, before the outermost function or loop that makes it again."""
    file, statement = _class_of(finding, program)
    outer = [one for one in file.around(statement) if isinstance(one, ast.stmt)]
    if not outer:
        raise RefusedError(f"{statement.name} is at module level already")
    target = outer[-1]
    name = statement.name
    if isinstance(target, LOOPS):
        require_names_from_before(file, statement, target)
    elif file.variable_at(name, file.tree).bound:
        raise RefusedError(f"the module has another {name}")
    local = _local_names(file, statement)
    try:
        edits, calls = _handed_over(file, statement, local) if local else ([], [])
    except RefusedError:
        kept = _made_once_each(file, statement, program)
        if kept is None:
            raise
        return [kept]
    program.require_unchanged(file)
    what = f"class {name} at {file.place(statement)} defined once, before its function or loop"
    return [
        Patch(
            what if not local else f"{what}; {', '.join(local)} passed to {_maker(statement)}()",
            (*move_before(file, statement, target, edits, blank_lines=2), *calls),
        )
    ]


def _made_once_each(
    file: SourceFile, statement: ast.ClassDef, program: EditableProgram
) -> Patch | None:
    """Put ``@functools.cached_property`` on the property that returns the class.

    None where it is no property, or reads what other methods than ``__init__`` assign.
    """
    function = file.function(statement)
    owner = file.owner(function)
    decorators: Any = getattr(function, "decorator_list", ())
    returned = [one for one in walk(function) if isinstance(one, ast.Return)]
    if (
        owner is None
        or [file.code(one) for one in decorators] != ["property"]
        or not returned
        or returned[-1].value is None
        or last_name(returned[-1].value) != statement.name
        or not _is_settled(file, function, owner, program)
    ):
        return None
    program.require_unchanged(file)
    return Patch(
        f"{statement.name} made once for each {owner.name}, by cached_property at "
        f"{file.place(function)}",
        (
            *_functools(file),
            *replace(file, decorators[0], "functools.cached_property"),
        ),
        note=f"keeps the class on its {owner.name}, which can then not be pickled whole",
    )


def _is_of_settled(
    file: SourceFile, function: Definition, owner: ast.ClassDef | None, program: EditableProgram
) -> bool:
    """Return whether a method is given its object only, of which nothing that it reads changes."""
    names = parameters_of(function)
    # What a function within it reads is as it is whenever that is called.
    own = own_nodes(*function.body)
    read = {node.attr for node in own if isinstance(node, ast.Attribute)}
    files = program.files.values()
    return (
        owner is not None
        and names == [file.receiver(function)]
        and all(next(changed_later(file, read), None) is None for file in files)
    )


def _is_settled(
    file: SourceFile, function: Definition, owner: ast.ClassDef, program: EditableProgram
) -> bool:
    """Return whether what ``function`` reads of ``self`` is set in ``__init__`` only."""
    properties = {
        one.name: one for one in owner.body if isinstance(one, Definition) and one.decorator_list
    }
    read, waiting = set[str](), [function]
    while waiting:
        found = {
            node.attr
            for node in walk(waiting.pop())
            if isinstance(node, ast.Attribute) and file.is_receiver(node.value)
        } - read
        read |= found
        waiting += [properties[name] for name in found if name in properties]
    files = program.files.values()
    return all(next(changed_later(file, read), None) is None for file in files)


def _functools(file: SourceFile) -> tuple[Replacement, ...]:
    """Return ``import functools`` before the file's imports, unless it is among them."""
    if any(
        alias.name == "functools" and alias.asname is None
        for statement in file.all(ast.Import)
        for alias in statement.names
    ):
        return ()
    first = file.line_start(imports_of(file)[0])
    return (Replacement(file.name, first, first, f"import functools{file.newline}"),)


def _local_names(file: SourceFile, statement: ast.ClassDef) -> dict[str, list[Any]]:
    """Return the variables of functions around the class that it uses, with where it does."""
    own = set(walk(statement))
    found: dict[str, list[Any]] = {}
    for node in walk(statement):
        if not isinstance(node, ast.Name):
            continue
        variable = file.variable(node)
        for made_at in () if variable.is_global else variable.bound:
            if made_at in own or any(around in own for around in file.around(made_at)):
                continue
            found.setdefault(node.id, []).append(node)
    return found


def _is_handed_on(file: SourceFile, node: ast.Name) -> bool:
    """Return whether ``node`` is a class as a value: returned, assigned, an argument."""
    around = file.parent(node)
    return not (isinstance(around, ast.Attribute) and around.attr == "apply")


def _class_of(finding: Finding, program: EditableProgram) -> tuple[SourceFile, ast.ClassDef]:
    """Return the class on the line to change, else the only one of its name in the program."""
    file, statement = statement_to_move(finding, program)
    if isinstance(statement, ast.ClassDef):
        return file, statement
    again = finding.detail
    found = [
        (other, one)
        for other in program.files.values()
        for one in other.all(ast.ClassDef)
        if isinstance(again, MadeAgain) and one.name == again.name
    ]
    if len(found) != 1:
        raise RefusedError("the line of the class is not known")
    return found[0]


def _maker(owner: ast.ClassDef) -> str:
    """Return what makes an object of a class, or runs an autograd function."""
    is_applied = any(isinstance(one, Definition) and one.name == "forward" for one in owner.body)
    return "apply" if is_applied else owner.name


def _handed_over(
    file: SourceFile, statement: ast.ClassDef, local: dict[str, list[Any]]
) -> tuple[list[Replacement], list[Replacement]]:
    """Hand the variables to what makes an object, if only that uses them, else to ``apply``."""
    methods = {one.name: one for one in statement.body if isinstance(one, Definition)}
    first = methods.get("__init__")
    if first is None or first.args.vararg or first.args.kwarg or first.args.kwonlyargs:
        return _passed(file, statement, local)
    inside = set(walk(*first.body))
    if any(node not in inside for nodes in local.values() for node in nodes):
        return _passed(file, statement, local)
    makers = [
        (node, file.parent(node))
        for node in file.all(ast.Name)
        if node.id == statement.name and isinstance(node.ctx, ast.Load)
    ]
    if not makers or first.args.defaults:
        return _passed(file, statement, local)
    given = ", ".join(local)
    end = file.span(first.args)[1]
    edits = [Replacement(file.name, end, end, f", {given}")]
    calls = []
    for node, call in makers:
        # Another function would not have the variables.
        is_made = isinstance(call, ast.Call) and call.func is node
        is_beside = file.function(node) is file.function(statement)
        if not (is_made and is_beside) or call.keywords or is_starred(call):
            return _passed(file, statement, local)
        at = file.span(call)[1] - 1
        more = f", {given}" if call.args else given
        calls.append(Replacement(file.name, at, at, more))
    return edits, calls


def _passed(
    file: SourceFile, statement: ast.ClassDef, local: dict[str, list[Any]]
) -> tuple[list[Replacement], list[Replacement]]:
    """Hand the variables that an autograd function uses to its ``apply``.

    The first are edits of the class: further parameters of ``forward``, kept in its context for
    ``backward``, which has no gradient for them. The others are edits of what reads ``apply``.
    Raises `RefusedError` where the class is of another shape.
    """
    name = statement.name
    refused = RefusedError(f"{name} uses {', '.join(local)}, which is local: pass it to apply()")
    methods = {one.name: one for one in statement.body if isinstance(one, Definition)}
    forward, backward = methods.get("forward"), methods.get("backward")
    if forward is None or backward is None or "setup_context" in methods:
        raise refused
    if any(_is_handed_on(file, node) for node in file.all(ast.Name) if node.id == name):
        raise refused  # to calls of `apply` that nobody sees
    parameters = forward.args
    is_plain = not (parameters.kwonlyargs or parameters.kwarg or parameters.vararg)
    of_methods = {node for one in (forward, backward) for node in walk(*one.body)}
    if not is_plain or any(node not in of_methods for nodes in local.values() for node in nodes):
        raise refused
    in_backward = set(walk(*backward.body))
    kept = [word for word, nodes in local.items() if any(one in in_backward for one in nodes)]
    end = file.span(parameters)[1]
    edits = [Replacement(file.name, end, end, "".join(f", {word}" for word in local))]
    context = parameters.args[0].arg
    lines = [f"{context}.{word} = {word}" for word in kept]
    edits += insert_first(file, forward, lines) if lines else ()
    context = backward.args.args[0].arg
    lines = [f"{word} = {context}.{word}" for word in kept]
    edits += insert_first(file, backward, lines) if lines else ()
    nothing = ", None" * len(local)
    is_one = len(parameters.args) == 2
    for node in walk(*backward.body):
        if not isinstance(node, ast.Return) or node.value is None:
            continue
        value = node.value
        end = file.span(value)[1]
        if isinstance(value, ast.Tuple) or is_one:
            # Parentheses are no part of the span: this goes within them.
            comma = "" if file.code(value).rstrip().endswith(",") else ","
            edits.append(Replacement(file.name, end, end, comma + nothing[1:]))
        else:
            raise refused
    calls = []
    for node in file.all(ast.Attribute):
        if file.code(node) != f"{name}.apply":
            continue
        call = file.parent(node)
        given = ", ".join(local)
        if isinstance(call, ast.Call) and call.func is node:
            at = file.span(call)[1] - 1
            more = f", {given}" if arguments(call) else given
            calls.append(Replacement(file.name, at, at, more))
        else:
            text = f"lambda *inputs: {name}.apply(*inputs, {given})"
            calls.append(Replacement(file.name, *file.span(node), text))
    return edits, calls


def compiled(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA717: the assignment of what `torch.compile` returns, before the loop that repeats it."""
    found = [
        (file, statement, loop)
        for file, call in program.calls(COMPILE)
        if file.is_line(statement := file.statement(call))
        and (loop := outermost_loop(file, statement)) is not None
    ]
    if not found:
        return [_cached(program)]
    if len(found) != 1:
        raise RefusedError("can't find a single torch.compile call in a loop")
    file, statement, loop = found[0]
    if not isinstance(statement, ast.Assign):
        raise RefusedError(f"what is compiled at {file.place(statement)} is not kept in a variable")
    if is_on_a_condition(file, statement, loop):
        raise RefusedError(f"torch.compile at {file.place(statement)} is called on a condition")
    require_names_from_before(file, statement, loop)
    _require_one(file, statement.value, program)
    program.require_unchanged(file)
    return [
        Patch(
            f"torch.compile at {file.place(statement)} called once, before the loop",
            move_before(file, statement, loop),
        )
    ]


def _require_one(file: SourceFile, node: ast.AST, program: EditableProgram) -> None:
    """Raise `RefusedError` where what is compiled may be trained, and is another one each time.

    Made once, one model would be trained where there were several.
    """
    classes = program.names.program.classes
    for call in (one for one in walk(node) if isinstance(one, ast.Call)):
        for other, body in ((file, call), *functions_run(call, program)):
            made = [one.func for one in walk(body) if isinstance(one, ast.Call)]
            if any(_makes_model(other, one, classes) for one in made):
                raise RefusedError(f"{file.place(call)} may make another model each time")
    effects.require_pure(file, [node], program)


def _makes_model(file: SourceFile, maker: ast.expr, classes: Collection[str]) -> bool:
    """Return whether a call of ``maker`` may give what is trained: an object, or a copy."""
    name = last_name(maker)
    is_model = any(one.startswith(("torch.nn.", "copy.")) for one in file.names(maker))
    is_class = name in classes or (not file.names(maker) and name[:1].isupper())
    return is_model or is_class or name.startswith("from_")


def _cached(program: EditableProgram) -> Patch:
    """Return ``@functools.cache`` on the one function that returns what `torch.compile` made."""
    makers = [
        (file, function)
        for file, call in program.calls(COMPILE)
        if isinstance(file.parent(call), ast.Return)
        and isinstance(function := file.function(call), Definition)
    ]
    if len(makers) != 1:
        raise RefusedError("can't find a single torch.compile call in a loop")
    file, function = makers[0]
    owner = file.owner(function)
    is_plain = isinstance(file.parent(function), ast.Module) or _is_of_settled(
        file, function, owner, program
    )
    if not is_plain or function.decorator_list or function.args.kwarg or function.args.vararg:
        raise RefusedError(f"{file.place(function)} compiles in each call")
    for line in function.body:
        if isinstance(line, Definition):
            continue  # it is run by whoever compiles
        if isinstance(line, ast.Return) and isinstance(line.value, ast.Call):
            for one in arguments(line.value):
                if not isinstance(one.value, ast.Name | ast.Attribute):
                    _require_one(file, one.value, program)
            continue
        if isinstance(line, ast.Expr) and not is_docstring(line):
            raise RefusedError(f"{file.place(line)} is done in each call")
        _require_one(file, line, program)
    program.require_unchanged(file)
    return Patch(
        f"what {function.name} at {file.place(function)} compiles is kept for each argument",
        (*_functools(file), *decorate(file, function, "functools.cache")),
        note="arguments have to be hashable, and are kept as long as the program runs",
    )
