"""Finds where a value is written: through variables, parameters, attributes, dicts and options."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from ca_reports.patching.editing import is_starred, is_string, positional
from ca_reports.patching.patches import RefusedError
from ca_reports.program.edits import arguments
from ca_reports.program.positions import walk
from ca_reports.program.syntax import Definition, default_of, keyword, last_name, parameters_of
from ca_reports.torchlib import modules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.patching.program import EditableProgram, SourceFile

# How many times a value is handed on before it is given up.
_STEPS = 8
_NAMESPACES = ("types.SimpleNamespace", "argparse.Namespace")

Written = tuple["SourceFile", Any]


def written(file: SourceFile, node: Any, program: EditableProgram, steps: int = _STEPS) -> Written:
    """The one expression that ``node`` has its value from, with its file.

    Raises `RefusedError` where the value may come from several places, or from none that is seen.
    """
    found = sources(file, node, program)
    if found is None:
        return file, node
    if len(found) != 1 or not steps:
        places = ", ".join(other.place(one) for other, one in found[:4])
        several = f"may come from {places}" if places else "is set where the source does not show"
        raise RefusedError(f"{file.code(node)} at {file.place(node)} {several}")
    return written(*found[0], program, steps - 1)


def entry(file: SourceFile, node: Any, key: str, program: EditableProgram) -> Written | None:
    """The value of ``key`` in the dict that ``node`` is; None if it has no such key.

    Raises `RefusedError` unless the dict is written down in one place, and whole.
    """
    other, made = written(file, node, program)
    if isinstance(made, ast.Dict):
        for name, value in zip(made.keys, made.values, strict=True):
            if name is None:
                raise RefusedError(f"the dict at {other.place(made)} takes ** of another")
            if other.code(name).strip("\"'") == key:
                return other, value
        return None
    if isinstance(made, ast.Call) and other.names(made.func) == {"builtins.dict"}:
        if made.args or is_starred(made):
            raise RefusedError(f"the dict at {other.place(made)} is made of another")
        given = keyword(made, key)
        return None if given is None else (other, given)
    raise RefusedError(f"the source does not show what {file.code(node)} holds")


def given(
    call: ast.Call, file: SourceFile, name: str, position: int | None, program: EditableProgram
) -> Written | None:
    """Return what ``call`` passes for ``name``, by position, by name or from a dict (``**``).

    Raises `RefusedError` where a dict may have it that is not known.
    """
    by_name = keyword(call, name)
    in_order = positional(call)
    if by_name is None and position is not None and position < len(in_order):
        by_name = in_order[position]
    if by_name is not None:
        return file, by_name
    for one in arguments(call):
        if one.star == "**":
            found = entry(file, one.value, name, program)
            if found is not None:
                return found
        elif one.star:
            raise RefusedError(f"the call at {file.place(call)} takes its arguments from a list")
    return None


def sources(file: SourceFile, node: Any, program: EditableProgram) -> list[Written] | None:
    """Return where ``node`` has its value from; None if that is made there, and not handed on."""
    if isinstance(node, ast.Name):
        return _of_name(file, node, program)
    if isinstance(node, ast.Attribute) and not file.names(node):
        return list(_of_attribute(node.attr, program))
    if isinstance(node, ast.Subscript) and is_string(node.slice):
        key = file.code(node.slice).strip("\"'")
        found = entry(file, node.value, key, program)
        return [] if found is None else [found]
    return None


def _of_name(file: SourceFile, node: ast.Name, program: EditableProgram) -> list[Written] | None:
    bound = file.variable(node).bound
    if len(bound) != 1:
        return []
    made_at = bound[0]
    if isinstance(made_at, ast.alias):
        return list(_of_modules(node.id, program, file))
    if isinstance(made_at, ast.arg):
        return list(_of_parameter(file, made_at, program))
    parent = file.parent(made_at)
    if isinstance(parent, ast.Assign):
        return [(file, parent.value)] if len(parent.targets) == 1 else []
    if isinstance(parent, ast.AnnAssign) and parent.value is not None:
        return [(file, parent.value)]
    return []


def _of_modules(name: str, program: EditableProgram, asking: SourceFile) -> Iterator[Written]:
    """The assignments of a module's variable in the program's other files."""
    for file in program.files.values():
        if file is asking or name not in file.text:
            continue
        for node in file.all(ast.Assign):
            only = node.targets[0]
            is_own = isinstance(file.function(node), ast.Module)
            if is_own and len(node.targets) == 1 and file.code(only) == name:
                yield file, node.value


def _of_parameter(
    file: SourceFile, parameter: ast.arg, program: EditableProgram
) -> Iterator[Written]:
    """Yield what callers pass for a parameter, and its default where one of them passes nothing."""
    function = file.function(parameter)
    if not isinstance(function, Definition):
        return
    name, names = parameter.arg, parameters_of(function, by_place=True)
    is_method = names[:1] in (["self"], ["cls"])
    position = names.index(name) - is_method if name in names else None
    owner = file.owner(function)
    called = function.name
    if called == "__init__" and owner is not None:
        called = owner.name
    named = {called}
    if called in modules.CALLED and owner is not None:
        named = instances(owner.name, program)
    passed = [
        given(call, other, name, position, program)
        for one in sorted(named)
        for other, call in program.calls_named(one)
    ]
    yield from (one for one in passed if one is not None)
    default = default_of(function, name)
    if (not passed or None in passed) and default is not None:
        yield file, default


def instances(owner: str, program: EditableProgram) -> set[str]:
    """Return the variables and attributes that hold an object of that class, compiled or not.

    ``net = Net().to(device)`` and ``self.net = torch.compile(net)`` are such.
    """
    made = [
        (file, node)
        for file in program.files.values()
        for node in file.all(ast.Assign)
        if isinstance(node.value, ast.Call)
    ]
    found: set[str] = set()
    for _, node in made:
        if any(isinstance(one, ast.Call) and last_name(one.func) == owner for one in walk(node)):
            found |= {last_name(target) for target in node.targets}
    for file, node in made:
        call: Any = node.value
        is_compiled = file.names(call.func) == {"torch.compile"} and call.args
        if is_compiled and last_name(call.args[0]) in found:
            found |= {last_name(target) for target in node.targets}
    return found - {""}


def _of_attribute(name: str, program: EditableProgram) -> Iterator[Written]:
    """Yield the values of an attribute: assigned, a field's, a namespace's, or of argparse."""
    for file in program.files.values():
        if name not in file.text and name.replace("_", "-") not in file.text:
            continue
        for node in file.nodes:
            if isinstance(node, ast.Assign | ast.AnnAssign):
                target = node.targets[0] if isinstance(node, ast.Assign) else node.target
                if isinstance(target, ast.Attribute) and target.attr == name:
                    if node.value is not None:
                        yield file, node.value
                elif is_field(file, node) and file.code(target) == name:
                    yield from _of_field(file, node, name, program)
            elif isinstance(node, ast.Call):
                if file.names(node.func) and file.names(node.func) <= set(_NAMESPACES):
                    found = given(node, file, name, None, program)
                    if found is not None:
                        yield found
                elif last_name(node.func) == "add_argument" and _is_option(file, node, name):
                    default = keyword(node, "default")
                    if default is not None:
                        yield file, default


def _of_field(
    file: SourceFile, node: Any, name: str, program: EditableProgram
) -> Iterator[Written]:
    """A field's default, where an object is made without it, and what others are made with."""
    owner = next(one for one in file.around(node) if isinstance(one, ast.ClassDef))
    made = [
        given(call, other, name, None, program) for other, call in program.calls_named(owner.name)
    ]
    yield from (one for one in made if one is not None)
    if (not made or None in made) and node.value is not None:
        yield file, node.value


def is_field(file: SourceFile, node: Any) -> bool:
    """Return whether an assignment is in a class's body: for all of its objects."""
    return isinstance(file.parent(node), ast.ClassDef)


def _is_option(file: SourceFile, call: ast.Call, name: str) -> bool:
    flags = [file.code(one).strip("\"'") for one in positional(call)]
    return any(flag.lstrip("-").replace("-", "_") == name for flag in flags)
