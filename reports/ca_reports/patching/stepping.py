"""CA504: what steps the optimizer in a hook of the backward does so after the backward."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from ca_reports.patching import choices
from ca_reports.patching.editing import only_statement, positional
from ca_reports.patching.patches import Patch, RefusedError, Replacement
from ca_reports.program.edits import insert_after, words_in
from ca_reports.program.syntax import For

if TYPE_CHECKING:
    from ca_reports.causes.findings import Finding
    from ca_reports.patching.program import EditableProgram, SourceFile

_HOOK = "register_post_accumulate_grad_hook"
_MARK = "after_backward"


def patches(finding: Finding, program: EditableProgram) -> list[Patch]:
    """Return ``p.register_post_accumulate_grad_hook(f)`` as ``f(p)`` after the backward.

    Each parameter keeps its function as an attribute, which a loop after the backward calls.
    Raises `RefusedError` unless the source shows one such loop of registrations, and the backward.
    """
    registrations = program.methods_named(_HOOK)
    if len(registrations) != 1:
        raise RefusedError(f"can't find a single {_HOOK}")
    file, call = registrations[0]
    if any(f".{_MARK}" in one.text for one in program.files.values()):
        raise RefusedError(f"the program has an attribute {_MARK} already")
    loop = _loop(file, call)
    receiver: Any = call.func
    own = file.code(receiver.value)
    if loop is None or file.code(loop.target) != own:
        raise RefusedError(f"the hook at {file.place(call)} is not registered for each parameter")
    parameters = file.code(loop.iter)
    if not parameters.endswith(".parameters()"):
        raise RefusedError(f"the loop at {file.place(loop)} runs over more than parameters()")
    other, backward = one_backward(program)
    root: str = parameters.partition(".")[0]
    is_known = other.variable_at(root, backward).bound
    if not is_known or root not in words_in(other.function(backward)):
        raise RefusedError(f"{root} is not known at {other.place(backward)}")
    program.require_unchanged(file)
    program.require_unchanged(other)
    each = choices.new_name(other, "parameter", "each_parameter")
    if other is file and own == "parameter":
        each = own
    lines = (
        f"for {each} in {parameters}:",
        f"{other.unit}if {each}.grad is not None:",
        f"{2 * other.unit}{each}.{_MARK}({each})",
    )
    step = file.code(call.args[0])
    return [
        Patch(
            f"{step} called after the backward at {other.place(backward)}, not in it",
            (
                Replacement(file.name, *file.span(call), f"{own}.{_MARK} = {step}"),
                *insert_after(other, backward, lines),
            ),
            note="all gradients are kept until the backward ends: more memory than one at a time",
        )
    ]


def _loop(file: SourceFile, call: ast.Call) -> Any:
    """Find the `for` whose only statement is ``call``; None if used otherwise."""
    statement = file.statement(call)
    is_alone = isinstance(only_statement(file, [statement]), ast.Expr)
    if not is_alone or call.keywords or len(positional(call)) != 1 or len(call.args) != 1:
        return None
    around = file.parent(statement)
    return around if isinstance(around, For) else None


def one_backward(program: EditableProgram) -> tuple[SourceFile, Any]:
    """Find the one statement of a backward. Raises `RefusedError` if there are several, or none."""
    every = program.methods_named("backward")
    found = [(file, file.statement(call)) for file, call in every]
    if len(found) != 1 or not found[0][0].is_line(found[0][1]):
        raise RefusedError("can't find a single backward of the training")
    return found[0]
