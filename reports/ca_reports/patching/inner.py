"""CA102, CA703, CA706: what a compiled function calls is compiled in its place.

The function itself is left to Python: a loop that Dynamo unrolls, a wrapper of several functions,
what is made of a text. So it is done only where the callee has the work.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from ca_engine.lazy_classes import dataclass
from ca_reports.patching import calls, loops
from ca_reports.patching.choices import new_name
from ca_reports.patching.compilers import COMPILE
from ca_reports.patching.editing import only_target
from ca_reports.patching.patches import Patch, RefusedError
from ca_reports.program.edits import (
    Edits,
    decorate,
    insert_before,
    is_docstring,
    replace,
    undecorate,
    words_in,
)
from ca_reports.program.positions import walk
from ca_reports.program.syntax import (
    Definition,
    For,
    Site,
    last_name,
    parameters_of,
    root_name,
)
from ca_reports.torchlib import modules, tensors

if TYPE_CHECKING:
    from ca_reports.causes.findings import Finding
    from ca_reports.patching.program import EditableProgram, SourceFile

_COUNTING = frozenset(("range", "enumerate"))
_ADDING = frozenset(("append", "extend"))
_REST = "the rest of {} runs uncompiled"


@dataclass(frozen=True, slots=True)
class _Compiled:
    """Holds what compiles a function: a decorator, or a call that is given it or its object.

    ``owner`` is the object in such a call; None for a plain function.
    """

    file: SourceFile
    node: ast.expr
    owner: ast.expr | None = None
    is_decorator: bool = False

    @property
    def options(self) -> list[ast.expr | ast.keyword]:
        """Return what follows the function in the call."""
        call = self.node
        return [*call.args[1:], *call.keywords] if isinstance(call, ast.Call) else []

    @property
    def options_code(self) -> str:
        """Return the same as code: ``, backend="eager"``."""
        return "".join(f", {self.file.code(one)}" for one in self.options)


def of_round(finding: Finding, program: EditableProgram) -> list[Patch]:
    """Compile what each round of a loop calls, where the function is little else than the loop."""
    at = finding.location
    file, found = loops.nodes_at(at, program, ast.For)
    heads = [one for one in found if file and at and at.line <= file.lines(one.iter)[1]]
    function = file.function(heads[-1]) if file is not None and heads else None
    if file is None or not isinstance(function, Definition):
        raise RefusedError("the line is no head of a loop in a function")
    loop = heads[-1]
    callee = _called_in_rounds(file, loop, program)
    _require_little_beside(file, function, loop, program)
    compiled = _compiled(file, function, program)
    edits = _moved(compiled, file, function, callee, program)
    return [_patch(compiled, file, callee, function, edits)]


def of_argument(finding: Finding, program: EditableProgram) -> list[Patch]:
    """Compile the one function that gets tensors, where the compiled one makes them of a text."""
    thing = program.guarded(finding)
    own = None if thing is None else calls.parameter_of(thing, program)
    if own is None:
        raise RefusedError("what changes isn't a parameter of one of the program's functions")
    file, function, name = own
    *before, last = [one for one in function.body if not is_docstring(one)]
    call = last.value if isinstance(last, ast.Return) else None
    if not isinstance(call, ast.Call):
        raise RefusedError(f"{function.name} does more than call one function")
    made = {name}
    for one in before:
        target = only_target(one)
        if not isinstance(target, ast.Name):
            raise RefusedError(f"{file.place(one)} does more than make a tensor of {name}")
        _require_made_of(file, one.value, made, program)  # type: ignore[attr-defined]
        made.add(target.id)
    given = [*call.args, *(one.value for one in call.keywords)]
    for each in given:
        _require_made_of(file, each, made, program)
    if name in words_in(call.func) or any(last_name(one) == name for one in given):
        raise RefusedError(f"{file.place(call)} hands {name} on")
    compiled = _compiled(file, function, program)
    edits = _moved(compiled, file, function, call.func, program)
    return [_patch(compiled, file, call.func, function, edits)]


def of_wrapped(finding: Finding, program: EditableProgram) -> list[Patch]:
    """Compile a function before it is wrapped, where the wrapper only calls it."""
    statement = program.line(finding.location)
    file = program.file(finding.location)
    wrapper = None if file is None or statement is None else file.function(statement.node)
    if file is None or statement is None or not isinstance(wrapper, Definition):
        raise RefusedError("the wrapper is not known")
    outer = file.function(wrapper)
    wrapped = [
        one
        for one in walk(*wrapper.body)
        if isinstance(one, ast.Call)
        and isinstance(one.func, ast.Name)
        and isinstance(outer, Definition)
        and one.func.id in parameters_of(outer)
    ]
    if len(wrapped) != 1:
        raise RefusedError(f"{wrapper.name} does more than call one function")
    (call,) = wrapped
    entered = {id(item.context_expr) for one in file.with_blocks for item in one.items}
    for one in walk(*wrapper.body):
        if not isinstance(one, ast.Call) or one is call or id(one) in entered:
            continue
        if file.full_name(one.func).startswith("torch."):
            raise RefusedError(f"{file.place(one)} computes beside the function it wraps")
    compiled = _compiled(file, wrapper, program)
    _require_known_options(compiled)
    program.require_unchanged(file)
    called = file.code(call.func)
    name = new_name(file, "compiled", f"compiled_{called}")
    torch = file.code(compiled.node.func if isinstance(compiled.node, ast.Call) else compiled.node)
    edits = [
        *insert_before(file, wrapper, [f"{name} = {torch}({called}{compiled.options_code})", ""]),
        *replace(file, call.func, name),
        *(
            undecorate(file, compiled.node)
            if compiled.is_decorator
            else replace(file, compiled.node, wrapper.name)
        ),
    ]
    return [_patch(compiled, file, call.func, wrapper, tuple(edits))]


def _patch(
    compiled: _Compiled, file: SourceFile, callee: ast.expr, function: Definition, edits: Edits
) -> Patch:
    what = f"{file.code(callee)} compiled in place of {function.name} at "
    return Patch(what + compiled.file.place(compiled.node), edits, note=_REST.format(function.name))


# What the function does besides


def _called_in_rounds(file: SourceFile, loop: ast.For, program: EditableProgram) -> ast.expr:
    """Return the one function of the program that the rounds call, with tensors.

    Raises `RefusedError` where they do more, or hand over how far the loop is.
    """
    called = [one for line in loop.body for one in walk(line) if isinstance(one, ast.Call)]
    own = [one for one in called if program.names.callees(one)]
    names = {file.code(one.func) for one in own}
    if len(names) != 1:
        raise RefusedError(f"the rounds of the loop at {file.place(loop)} don't call one function")
    for one in called:
        if one not in own and last_name(one.func) not in _ADDING:
            raise RefusedError(f"{file.place(one)} computes beside {names.pop()}")
    for line in loop.body:
        if not file.is_line(line):
            raise RefusedError(f"{file.place(line)} has a block of its own")
    is_counted = isinstance(loop.iter, ast.Call) and last_name(loop.iter.func) in _COUNTING
    counted = words_in(loop.target) if is_counted else set()
    for one in own:
        for name in walk(one):
            is_number = isinstance(name, ast.Name) and name.id in counted
            if is_number and not _is_index(file, name, one):
                raise RefusedError(f"{file.place(one)} is given {file.code(name)}, a number")
    return own[0].func


def _is_index(file: SourceFile, name: ast.AST, call: ast.Call) -> bool:
    """Return whether ``name`` only picks or cuts what ``call`` is given."""
    inner: ast.AST = name
    for around in file.around(name):
        if around is call:
            return False
        if isinstance(around, ast.Subscript):
            return around.slice is inner
        inner = around
    return False


def _require_little_beside(
    file: SourceFile, function: Definition, loop: ast.For, program: EditableProgram
) -> None:
    """Raise `RefusedError` where a function computes more than its loop, one layer at most."""
    inside = set(walk(loop))
    layers = 0
    for one in walk(*function.body):
        if one in inside:
            continue
        if isinstance(one, For | ast.While):
            raise RefusedError(f"{file.place(one)} is another loop of {function.name}")
        if not isinstance(one, ast.Call):
            continue
        is_of_self = root_name(one.func) == "self"
        layers += is_of_self
        if program.names.callees(one) or (is_of_self and not _is_layer(file, one)) or layers > 1:
            raise RefusedError(f"{file.place(one)} computes beside the loop")


def _is_layer(file: SourceFile, call: ast.Call) -> bool:
    """Return whether what is called is one layer, by what its class assigns."""
    made = file.values_of(file.code(call.func))
    return bool(made) and all(
        isinstance(one, ast.Call)
        and file.full_name(one.func).startswith("torch.nn.")
        and last_name(one.func) in modules.LAYERS
        for one in made
    )


def _require_made_of(
    file: SourceFile, value: ast.expr, made: set[str], program: EditableProgram
) -> None:
    """Raise `RefusedError` unless all that is called in ``value`` makes something of ``made``.

    Of a text it is Python's work, or a tensor of what that gives: nothing to compile.
    """
    for one in walk(value):
        if not isinstance(one, ast.Call):
            continue
        if not words_in(one) & made or not _is_of_python(file, one, program):
            raise RefusedError(f"{file.place(one)} computes more than what it makes of the text")


def _is_of_python(
    file: SourceFile,
    call: ast.Call,
    program: EditableProgram,
    seen: frozenset[ast.AST] = frozenset(),
) -> bool:
    """Return whether a call computes with no tensor: it may make one of what Python has."""
    full = file.full_name(call.func)
    if full.startswith("torch."):
        return last_name(call.func) in tensors.OF_DATA
    found = [one for one in program.names.callees(call) if one.node not in seen]
    if root_name(call.func) == "self" and not program.names.callees(call):
        return False
    return all(
        _is_of_python(other, one, program, seen | {site.node})
        for site in found
        for other in program.files.values()
        if other is site.module
        for one in walk(site.node)
        if isinstance(one, ast.Call)
    )


# Where it is compiled


def _compiled(file: SourceFile, function: Definition, program: EditableProgram) -> _Compiled:
    """Return the one place that compiles ``function``. Raises `RefusedError` for another number."""
    if not program.compiles_in(file, function):
        raise RefusedError(f"{function.name} is compiled within another function")
    found = [
        _Compiled(other, decorator, is_decorator=True)
        for other, one, decorator in program.decorated_with(COMPILE)
        if one is function
    ]
    for other, call in program.calls(COMPILE):
        given = call.args[0] if call.args else None
        if given is None or isinstance(given, ast.Starred):
            continue
        if any(site.node is function for site in program.names.meant_by(given)):
            found.append(_Compiled(other, call, getattr(given, "value", None)))
        elif _is_module_of(Site(other, given), file, function, program):
            found.append(_Compiled(other, call, given))
    if len(found) != 1:
        raise RefusedError(f"can't find a single torch.compile of {function.name}")
    return found[0]


def _is_module_of(
    given: Site, file: SourceFile, function: Definition, program: EditableProgram
) -> bool:
    """Return whether ``given`` is a module whose forward ``function`` is, by its constructor."""
    owner = file.owner(function)
    if owner is None or function.name != "forward":
        return False
    made = [one.site.node for one in program.origins.of(given)]
    return bool(made) and all(
        isinstance(one, ast.Call) and last_name(one.func) == owner.name for one in made
    )


def _require_known_options(compiled: _Compiled) -> None:
    """Raise `RefusedError` where an option is a variable, which another place may not have."""
    file = compiled.file
    for name in walk(*compiled.options):
        if isinstance(name, ast.Name) and not file.variable(name).is_imported:
            raise RefusedError(f"{name.id} at {file.place(name)} is an option of its own")


def _moved(
    compiled: _Compiled,
    file: SourceFile,
    function: Definition,
    callee: ast.expr,
    program: EditableProgram,
) -> Edits:
    """Return the edits that compile ``callee``, as ``function`` names it, in its place."""
    within, name = set(walk(function)), last_name(callee)
    meant = {one.node for one in program.names.meant_by(callee)}
    for other, caller in program.calls_named(name):
        may_be_it = not meant or meant & {one.node for one in program.names.callees(caller)}
        if caller not in within and may_be_it and not _is_of_torch(other, caller, program):
            raise RefusedError(f"{other.place(caller)} calls {name} as well")
    for one in (compiled.file, file):
        program.require_unchanged(one)
    if compiled.is_decorator:
        return _moved_decorator(compiled, file, function, callee, program)
    path = file.code(callee).removeprefix("self")
    statement = compiled.file.statement(compiled.node)
    target = only_target(statement)
    call: Any = compiled.node
    is_kept = target is not None and statement.value is call
    if compiled.owner is None or not path.startswith(".") or not is_kept:
        raise RefusedError(f"{file.code(callee)} can't be compiled at {compiled.file.place(call)}")
    own = f"{compiled.file.code(compiled.owner)}{path}"
    if any(isinstance(one.node, Definition) for one in program.names.meant_by(callee)):
        line = f"{own} = {compiled.file.code(call.func)}({own}{compiled.options_code})"
    else:
        line = f"{own}.compile({compiled.options_code.removeprefix(', ')})"
    given = compiled.file.code(call.args[0])
    if compiled.file.code(target) == given:
        return replace(compiled.file, statement, line)
    return (
        *insert_before(compiled.file, statement, [line]),
        *replace(compiled.file, call, given),
    )


def _is_of_torch(file: SourceFile, call: ast.Call, program: EditableProgram) -> bool:
    """Return whether a method is that of an object that torch made: ``optimizer.step()``."""
    if not isinstance(call.func, ast.Attribute):
        return False
    made = [one.site for one in program.origins.of(Site(file, call.func.value))]
    return bool(made) and all(
        isinstance(one.node, ast.Call) and one.module.full_name(one.node.func).startswith("torch.")
        for one in made
    )


def _moved_decorator(
    compiled: _Compiled,
    file: SourceFile,
    function: Definition,
    callee: ast.expr,
    program: EditableProgram,
) -> Edits:
    """Move the decorator to the function of the same file, or the method, that is called."""
    found = list(program.names.meant_by(callee))
    own = [one for one in found if one.module is file and isinstance(one.node, Definition)]
    is_beside = len(own) == 1 == len(found) and file.owner(own[0].node) is (
        file.owner(function) if root_name(callee) == "self" else None
    )
    if not is_beside or own[0].node.decorator_list:  # type: ignore[union-attr]
        raise RefusedError(f"{file.code(callee)} is not one plain function beside {function.name}")
    _require_known_options(compiled)
    return (
        *undecorate(file, compiled.node),
        *decorate(file, own[0].node, file.code(compiled.node)),
    )
