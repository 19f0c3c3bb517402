"""CA303, CA501: hooks that only look at the gradient of a parameter do so after the backward."""

from __future__ import annotations

import ast
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from ca_reports.patching import choices, loops, recording, stepping
from ca_reports.patching.editing import only_call, only_statement, only_target
from ca_reports.patching.patches import Patch, RefusedError, Replacement
from ca_reports.program.edits import above, insert_after
from ca_reports.program.positions import walk
from ca_reports.program.syntax import (
    LOOPS,
    Definition,
    For,
    With,
    bound_function,
    callee_of,
    last_name,
)
from ca_reports.torchlib import modules

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ca_reports.causes.findings import Finding
    from ca_reports.patching.program import EditableProgram, SourceFile

_HOOK = "register_hook"
_LEAVES = ("weight", "bias")
# Where a gradient is another one after the backward than in it, or hooks also run elsewhere.
_ELSEWHERE = (
    "DistributedDataParallel", "fully_shard", "FullyShardedDataParallel", "autograd.grad(",
    "accumulate(", "create_graph",
)  # fmt: skip
# What makes a tensor that one entry of is set.
_MAKERS = ("torch.zeros", "torch.empty", "torch.full", "torch.ones")


def after_backward(finding: Finding, program: EditableProgram) -> list[Patch]:
    """Return ``p.register_hook(look)`` as ``look(p.grad)`` after the backward.

    Raises `RefusedError` unless the hook only records, on parameters and for good, and the source
    shows the one backward, in a loop that clears all gradients in each round.
    """
    file, around = loops.functions_at(finding.location, program)
    if file is None or not around:
        raise RefusedError("the hook is not known")
    hook = around[-1]
    if not recording.only_records(hook):
        raise RefusedError(f"{hook.name} does more than look at the gradient")
    outer = file.function(hook)
    home, call = _registration(hook, outer, program)
    if not isinstance(only_statement(home, [home.statement(call)]), ast.Expr):
        raise RefusedError(f"the hook at {home.place(call)} may be removed again")
    receiver: Any = call.func
    if not _is_parameter(home, receiver.value):
        raise RefusedError(f"the hook at {home.place(call)} may be on no parameter")
    word = next((w for w in _ELSEWHERE for one in program.files.values() if w in one.text), None)
    if word is not None:
        raise RefusedError(f"with {word} a gradient may be another one after the backward")
    other, backward = stepping.one_backward(program)
    function = other.function(backward)
    if isinstance(function, Definition) and program.is_compiled(other, function):
        raise RefusedError(f"{other.place(backward)} is compiled itself")
    if not _clears_always(other, backward):
        raise RefusedError(f"gradients may be summed up at {other.place(backward)}")
    tops = [one for one in home.around(call) if isinstance(one, Definition | ast.ClassDef)]
    if not tops:
        raise RefusedError(f"the hook at {home.place(call)} is registered at module level")
    for one in (home, other):
        program.require_unchanged(one)
    kept = choices.new_name(home, "_watched", "_watched_parameters")
    name = choices.new_name(home, "look_at_gradients", "look_at_watched_gradients")
    called, imported = (name, []) if other is home else _imported(other, home, name)
    unit, newline = home.unit, home.newline
    text = newline.join(
        (
            f"{kept} = []",
            "",
            "",
            f"def {name}():",
            f"{unit}for parameter, look in {kept}:",
            f"{unit * 2}if parameter.grad is not None:",
            # What the hook keeps is not to change with the gradient.
            f"{unit * 3}look(parameter.grad.clone())",
            "",
            "",
            "",
        )
    )
    at = above(home, tops[-1])
    parts = f"{home.code(receiver.value)}, {home.code(call.args[0])}"
    return [
        Patch(
            f"{hook.name} called after the backward at {other.place(backward)}, not in it",
            (
                *imported,
                Replacement(home.name, at, at, text),
                Replacement(home.name, *home.span(call), f"{kept}.append(({parts}))"),
                *insert_after(other, backward, [f"{called}()"]),
            ),
            note="a parameter that a backward leaves out is looked at as it is",
        )
    ]


def _registration(
    hook: Definition, outer: Any, program: EditableProgram
) -> tuple[SourceFile, ast.Call]:
    """Return the one ``register_hook`` of the program, if it gets the hook, or what makes it."""
    found = program.methods_named(_HOOK)
    if len(found) != 1 or len(found[0][1].args) != 1 or found[0][1].keywords:
        raise RefusedError("can't find a single register_hook")
    file, call = found[0]
    given = call.args[0]
    names = {hook.name}
    if isinstance(given, ast.Call):
        is_partial = bound_function(given) is not None
        names = names if is_partial else {outer.name if _returns(outer, hook) else ""}
        given = callee_of(given)
    if not isinstance(given, ast.Name | ast.Attribute) or last_name(given) not in names:
        raise RefusedError(f"the hook at {file.place(call)} is another one")
    return file, call


def _returns(outer: Any, hook: Definition) -> bool:
    """Return whether a function returns the one in it, and nothing else."""
    if not isinstance(outer, Definition):
        return False
    inner = {id(part) for part in walk(hook)}
    returned = [
        part.value
        for part in walk(*outer.body)
        if isinstance(part, ast.Return) and id(part) not in inner
    ]
    return len(returned) == 1 and returned[0] is not None and last_name(returned[0]) == hook.name


def _is_parameter(file: SourceFile, tensor: Any) -> bool:
    """Return whether a tensor is called a parameter: in a loop over such, or by its name."""
    if isinstance(tensor, ast.Attribute):
        return tensor.attr in _LEAVES
    if not isinstance(tensor, ast.Name):
        return False
    for loop in file.around(tensor):
        if isinstance(loop, For) and any(
            isinstance(part, ast.Name) and part.id == tensor.id for part in walk(loop.target)
        ):
            called = loop.iter
            return isinstance(called, ast.Call) and last_name(called.func) in modules.OF_PARAMETERS
    return False


def _clears_always(file: SourceFile, backward: Any) -> bool:
    """Return whether the innermost loop around the backward clears gradients in each round.

    Or the function that has it, outside of any loop: a training step.
    """
    for around in file.around(backward):
        if isinstance(around, LOOPS):
            break
        if isinstance(around, ast.If):
            return False
        if isinstance(around, Definition):
            return _clears(file, around.body)
    else:
        return False
    return _clears(file, around.body)


def _clears(file: SourceFile, lines: Sequence[ast.stmt]) -> bool:
    """Return whether one of the lines, or of a ``with`` among them, calls ``zero_grad``."""
    for line in lines:
        if isinstance(line, With) and _clears(file, line.body):
            return True
        call = only_call(file, [line])
        if call is not None and last_name(call.func) == "zero_grad":
            return True
    return False


def _imported(file: SourceFile, home: SourceFile, name: str) -> tuple[str, list[Replacement]]:
    """Return how ``file`` calls a function of ``home``, and what its import needs for that."""
    stem = PurePosixPath(home.name).stem
    if name in file.text:
        raise RefusedError(f"{file.name} has a name {name} already")
    for node in file.all(ast.ImportFrom):
        is_all = node.names[0].name == "*"
        if (node.module or "").rpartition(".")[2] != stem or is_all:
            continue
        if file.function(node) is file.tree:
            end = file.span(node.names[-1])[1]
            return name, [Replacement(file.name, end, end, f", {name}")]
    for plain in file.all(ast.Import):
        for alias in plain.names:
            if alias.name.rpartition(".")[2] == stem and alias.asname is None:
                return f"{alias.name}.{name}", []
    raise RefusedError(f"{file.name} imports nothing of {home.name}")


def kept_as_tensor(finding: Finding, program: EditableProgram) -> list[Patch]:
    """Return ``norms[i] = float(x)`` as ``norms[i] = x``, where ``norms`` is a tensor.

    Raises `RefusedError` unless each assignment of it in its file makes a tensor.
    """
    file, found = loops.nodes_at(finding.location, program, ast.Assign)
    target = only_target(found[0]) if len(found) == 1 else None
    if file is None or not isinstance(target, ast.Subscript):
        raise RefusedError("the line sets no entry of a tensor")
    owner = file.code(target.value)
    made = file.values_of(owner)
    if not made or not all(
        isinstance(one, ast.Call) and file.names(one.func) & set(_MAKERS) for one in made
    ):
        raise RefusedError(f"{owner} may be no tensor")
    value: Any = found[0].value
    change = choices.without_item(file, value)
    if file.span(value) != (change.start, change.end):
        raise RefusedError(f"{file.place(value)} needs {file.code(value)} as a Python number")
    program.require_unchanged(file)
    return [Patch(f"{file.code(target)} set to a tensor at {file.place(value)}", (change,))]
