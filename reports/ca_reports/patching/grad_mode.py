"""CA112 of grad mode: gradients that are kept in every call of one step, or in none."""

from __future__ import annotations

import ast
from itertools import chain
from typing import TYPE_CHECKING

from ca_reports.patching import loops
from ca_reports.patching.choices import new_name
from ca_reports.patching.moving import statement_to_move
from ca_reports.patching.patches import Patch, RefusedError
from ca_reports.patching.program import places
from ca_reports.program.edits import (
    add_argument,
    add_keyword,
    arguments,
    import_module,
    put_under,
    replace,
)
from ca_reports.program.positions import walk
from ca_reports.program.syntax import keyword

if TYPE_CHECKING:
    from ca_reports.causes.findings import Finding, SharedSetting
    from ca_reports.patching.program import EditableProgram, SourceFile
    from ca_reports.program.edits import Edits, Replacement

_CHECKPOINT = "torch.utils.checkpoint.checkpoint"
# Names for what a call is given, the first that a file does not use.
_INPUTS = (
    ("inputs", "inputs_outside"),
    ("more_inputs", "more_outside"),
    ("other_inputs", "other_outside"),
)
_CHECKPOINTS = (_CHECKPOINT, f"{_CHECKPOINT}_sequential")


def not_reentrant(finding: Finding, program: EditableProgram) -> list[Patch]:
    """Return ``use_reentrant=False`` in the checkpoint that runs a block in both grad modes.

    In the call on the finding's line, else in each call of the program. Raises `RefusedError` where
    there is none.
    """
    every = program.calls(*_CHECKPOINTS)
    found = [one for one in every if loops.is_at(finding.location, *one, program)] or every
    if not found:
        raise RefusedError("no call of checkpoint is in the program's files")
    changes: list[Replacement] = []
    for file, call in found:
        program.require_unchanged(file)
        changes += _kept(file, call)
    return [
        Patch(
            f"use_reentrant=False at {places(found)}",
            tuple(changes),
        )
    ]


def not_kept(finding: Finding, setting: SharedSetting, program: EditableProgram) -> list[Patch]:
    """Put a call whose gradients nobody takes under the mode that the other calls are in.

    Inference mode makes tensors that nothing outside of it may change in place: only a call whose
    result is dropped, as in a warm-up, is put under it. Its own tensors are of another kind, so
    the inputs are made where those of the other calls are. Raises `RefusedError` for others, and
    where the mode was not recorded.
    """
    if not setting.names:
        raise RefusedError("which mode the other calls are in is not in this recording")
    (mode,) = setting.names
    file, statement = statement_to_move(finding, program)
    program.require_unchanged(file)
    is_dropped = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
    is_bound = isinstance(statement, ast.Assign) and mode == "no_grad"
    if not (is_dropped or is_bound):
        raise RefusedError(f"what the call at {file.place(statement)} returns is used further on")
    is_alike = mode != "inference_mode"
    lines, within = ([], ()) if is_alike else _inputs_alike(file, statement.value, setting.outside)
    under = put_under(file, statement, f"with torch.{mode}():", before=lines, within=within)
    return [
        Patch(
            f"torch.{mode}() around the call at {file.place(statement)}",
            (*under, *import_module(file, "torch")),
            intention="keeps no gradients there, which no backward takes",
        )
    ]


def kept_in_no_thread(finding: Finding, program: EditableProgram) -> list[Patch]:
    """Put the call of the thread that keeps gradients under `no_grad`, where nobody takes any.

    Raises `RefusedError` where the run had a backward, or the source may ask for a gradient.
    """
    if program.asks_for_gradients:
        raise RefusedError("which thread needs gradients is for you to say")
    file, statement = statement_to_move(finding, program)
    program.require_unchanged(file)
    under = put_under(file, statement, "with torch.no_grad():")
    return [
        Patch(
            f"torch.no_grad() around the call at {file.place(statement)}",
            (*under, *import_module(file, "torch")),
            intention="keeps no gradients there, which no backward takes",
        )
    ]


def _inputs_alike(
    file: SourceFile, given: ast.expr, outside: bool | None
) -> tuple[list[str], Edits]:
    """Return lines that make a call's inputs outside of inference mode, and its edits.

    Neither is needed where they are made where those of the other calls are: ``outside``. Raises
    `RefusedError` where they cannot be, or nobody knows.
    """
    call = given
    while isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
        if not isinstance(call.func.value, ast.Call):
            break
        call = call.func.value
    every = [one.value for one in arguments(call)] if isinstance(call, ast.Call) else []
    made = [one for one in every if any(isinstance(part, ast.Call) for part in walk(one))]
    if outside is False and len(made) < sum(not isinstance(one, ast.Constant) for one in every):
        raise RefusedError(
            f"the inputs at {file.place(given)} are made before it, those of the other calls in "
            "inference mode"
        )
    if outside is False or not made:
        return [], ()
    if outside is None:
        raise RefusedError("where the inputs of the other calls are made is not in this recording")
    if len(made) > len(_INPUTS) or not all(_is_made_by_torch(file, one) for one in made):
        raise RefusedError(f"the inputs at {file.place(given)} are made by more than torch")
    names = [new_name(file, *own) for own, _ in zip(_INPUTS, made, strict=False)]
    lines = [f"{name} = {file.code(one)}" for name, one in zip(names, made, strict=True)]
    edits = [replace(file, one, name) for name, one in zip(names, made, strict=True)]
    return lines, tuple(chain.from_iterable(edits))


def _is_made_by_torch(file: SourceFile, given: ast.expr) -> bool:
    """Return whether functions of torch make a value, and methods of what these give."""
    calls = [one.func for one in walk(given) if isinstance(one, ast.Call)]
    return all(
        file.full_name(one).startswith("torch.")
        or (isinstance(one, ast.Attribute) and isinstance(one.value, ast.Call))
        for one in calls
    )


def _kept(file: SourceFile, call: ast.Call) -> Edits:
    """Return the keyword, which no argument behind one ``*`` can be."""
    given = keyword(call, "use_reentrant")
    if given is not None:
        return replace(file, given, "False")
    stars = {one.star for one in arguments(call)}
    if stars == {"", "*"} or stars == {"*"}:
        return add_argument(file, call, "use_reentrant=False")
    return add_keyword(file, call, "use_reentrant", "False")
