"""CA708 of `requires_grad`: alike in every call, and no other tensors trained than before."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from ca_reports.facts.gradient_flags import MEANT
from ca_reports.patching import imports, loops, sites, written_values
from ca_reports.patching.patches import Patch, RefusedError
from ca_reports.program.edits import append
from ca_reports.program.syntax import LOOPS, Definition, For, last_name
from ca_reports.torchlib import containers, loaders, modules, tensors

if TYPE_CHECKING:
    from ca_reports.facts.guarded_things import GuardedThing
    from ca_reports.patching.patches import Replacement
    from ca_reports.patching.program import EditableProgram, SourceFile
    from ca_reports.patching.sites import CompiledSite

# Methods that give what is kept.
_OF_KEPT = frozenset((*modules.OF_PARAMETERS, *modules.OF_BUFFERS, "get", "pop", *containers.VIEWS))
# Functions of torch's that may give what they are given, or make what is trained.
_MAY_GIVE_BACK = ("torch.as_tensor", "torch.asarray", "torch.nn.Parameter")
# What gives the entries of a loader one by one.
_ENTRIES = ("builtins.enumerate", "builtins.iter", "builtins.next", "tqdm.tqdm", "tqdm.auto.tqdm")
_MODULES = "torch.nn."
# How often a value is followed to where it was made.
_CALLS = 4


def patches(thing: GuardedThing, called: CompiledSite, program: EditableProgram) -> list[Patch]:
    """Make the flag alike in every call. Raises `RefusedError` where that may train others.

    ``.detach()`` where no call keeps gradients; else ``.requires_grad_()`` on what the step itself
    makes, as the source shows.
    """
    flags = {found.gradient_flag for found in thing.recompiles}
    if flags & MEANT:
        raise RefusedError("both kinds may be meant")
    if called.position(thing.source) is None:
        raise RefusedError(f"{thing.ref} isn't an argument of the compiled function")
    if flags == {"unused"}:
        return [_detached(thing, called, program)]
    if "parameter" in flags:
        raise RefusedError("a parameter's flag decides what is trained")
    return [_asking(thing, called, program)]


def _detached(thing: GuardedThing, called: CompiledSite, program: EditableProgram) -> Patch:
    """Detach the argument in every call; a Parameter becomes a Tensor in all of them."""
    found = sites.arguments(thing.source, called, program)
    return Patch(
        f"{thing.ref}.detach() where it is passed",
        tuple(one for file, argument in found for one in append(file, argument, ".detach()")),
    )


def _asking(thing: GuardedThing, called: CompiledSite, program: EditableProgram) -> Patch:
    """Let what the step makes for the argument ask for its gradient.

    Where a loop passes on what the compiled function returned, the first tensor is made before.
    """
    changes: list[Replacement] = []
    for file, argument in sites.arguments(thing.source, called, program):
        found = _made(file, argument, called, program)
        if found is None:
            raise RefusedError(
                f"can't find where each step makes {file.code(argument)}, passed at "
                f"{file.place(argument)}"
            )
        for made, is_passed_on in found:
            flag = ""
            if is_passed_on:
                torch, added = imports.torch(file, made)
                changes += added
                flag = f"{torch}.is_grad_enabled()"
            changes += append(file, made, f".requires_grad_({flag})")
    return Patch(
        f"{thing.ref} asks for its gradient where it is passed",
        tuple(dict.fromkeys(changes)),
        note=f"computes the gradient of {thing.ref} in every call",
    )


def _made(
    file: SourceFile, argument: Any, called: CompiledSite, program: EditableProgram
) -> list[tuple[Any, bool]] | None:
    """Return expressions to change for an argument, each with whether it is that of a first round.

    The argument itself where all that it may hold is made in the step. None where it may be kept.
    """
    if not isinstance(argument, ast.Name):
        return [(argument, False)] if _is_new(file, argument, program) else None
    if is_parameter(file, argument):
        return [(argument, False)] if _is_new(file, argument, program) else None
    assigned = _assigned(file, argument)
    if assigned is None:
        return None
    own = [value for value in assigned if _is_call_of(file, value, called, program)]
    others = [value for value in assigned if value not in own]
    if not others or not all(_is_new(file, value, program) for value in others):
        return None
    return [(value, True) for value in others] if own else [(argument, False)]


def is_parameter(file: SourceFile, name: ast.Name) -> bool:
    """Return whether the variable is what its function was given."""
    bound = file.variable(name).bound
    return len(bound) == 1 and isinstance(bound[0], ast.arg)


def _assigned(file: SourceFile, name: ast.Name) -> list[Any] | None:
    """Return the values that a local variable is given in its function; None if not all are seen.

    In a loop over a loader, the batch. A variable of a module is one that steps may keep.
    """
    nodes = file.variable(name).bound
    function = file.function(name)
    loop = _outermost_loop(file, name)
    found = []
    for node in nodes:
        value = _value(file, node)
        if value is None or file.function(node) is not function:
            return None
        if loop is None and not isinstance(function, Definition):
            return None
        if loop is not None and isinstance(function, ast.Module) and not file.is_within(node, loop):
            return None
        found.append(value)
    return found or None


def _value(file: SourceFile, node: Any) -> Any:
    """Return what an assignment or a loop gives the variable ``node``; None if that is not seen."""
    parent = file.parent(node) if isinstance(node, ast.Name) else None
    if isinstance(parent, ast.Assign):
        return parent.value if len(parent.targets) == 1 else None
    while isinstance(parent, ast.Tuple):
        node, parent = parent, file.parent(parent)
    if isinstance(parent, For) and parent.target is node:
        return parent.iter
    return None


def _outermost_loop(file: SourceFile, node: Any) -> Any:
    loops_ = []
    for around in file.around(node):
        if isinstance(around, Definition | ast.Lambda):
            break
        if isinstance(around, LOOPS):
            loops_.append(around)
    return loops_[-1] if loops_ else None


def _is_call_of(
    file: SourceFile, value: Any, called: CompiledSite, program: EditableProgram
) -> bool:
    return isinstance(value, ast.Call) and any(
        value is call for other, call in sites.calls(called, program) if other is file
    )


def _is_new(file: SourceFile, value: Any, program: EditableProgram, calls: int = _CALLS) -> bool:
    """Return whether an expression makes a tensor, as an operation or a module does.

    An entry of a container, an attribute or what a function was given may be kept by somebody.
    """
    if isinstance(value, ast.BinOp | ast.UnaryOp):
        return True
    if isinstance(value, ast.Name):
        return bool(calls) and _holds_new(file, value, program, calls - 1)
    if not isinstance(value, ast.Call):
        return False
    names = file.names(value.func)
    if names and all(one in _ENTRIES for one in names) and value.args:
        return _is_new(file, value.args[0], program, calls)
    if names and all(one.startswith("torch.") for one in names):
        return not any(one.startswith(_MAY_GIVE_BACK) for one in names)
    if _is_module(file, value.func):
        return True
    if isinstance(value.func, ast.Attribute):
        method = value.func.attr
        if method in _OF_KEPT:
            return False
        if method in tensors.APART or _is_new(file, value.func.value, program, calls):
            return True
    returned = program.returned_by(last_name(value.func))
    return bool(returned and calls) and all(
        _is_new(other, one, program, calls - 1) for other, one in returned
    )


def _holds_new(file: SourceFile, name: ast.Name, program: EditableProgram, calls: int) -> bool:
    """Return whether a variable holds a loader, or nothing but what the step makes."""
    if _is_loader(file, loops.assigned_once(file, name)):
        return True
    found: list[tuple[SourceFile, Any]] | None
    if is_parameter(file, name):
        found = written_values.sources(file, name, program)
    else:
        found = [(file, value) for value in _assigned(file, name) or ()]
    return bool(found) and all(_is_new(*one, program, calls) for one in found or ())


def _is_module(file: SourceFile, func: Any) -> bool:
    """Return whether a module of torch's is called: ``self.table`` that is `nn.Embedding(…)`."""
    made = file.values_of(file.code(func))
    return bool(made) and all(_root(file, one).startswith(_MODULES) for one in made)


def _is_loader(file: SourceFile, made: Any) -> bool:
    names = file.names(made.func) if isinstance(made, ast.Call) else frozenset()
    return bool(names) and names <= {*loaders.QUALIFIED}


def _root(file: SourceFile, made: Any) -> str:
    """Find what was called first in ``nn.Embedding(…).requires_grad_(False)``, by its full name."""
    while isinstance(made, ast.Call):
        names = file.names(made.func)
        if names:
            return next(iter(names))
        made = made.func.value if isinstance(made.func, ast.Attribute) else None
    return ""
