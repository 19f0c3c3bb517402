"""CA703: a flag that changes, passed as a tensor and chosen by."""

from __future__ import annotations

import ast
from functools import partial
from typing import TYPE_CHECKING, Any

from ca_reports.patching import calls, choices, imports
from ca_reports.patching.editing import has_call, is_not
from ca_reports.patching.patches import Patch, RefusedError, Replacement
from ca_reports.program.positions import walk
from ca_reports.words.numbers import agreeing

if TYPE_CHECKING:
    from ca_reports.causes.findings import Finding
    from ca_reports.patching.program import EditableProgram, SourceFile

# What is detached on one side had no gradient there, and has one of zeros now.
_ZEROS = "lets momentum, weight decay and step counts go on where a parameter is detached"


def patches(finding: Finding, program: EditableProgram) -> list[Patch]:
    """Pass a bool argument as a tensor that chooses by ``torch.where``. Raises `RefusedError`."""
    thing = program.guarded(finding)
    if thing is None or not set(thing.values) <= {"True", "False"}:
        raise RefusedError("the value isn't a flag")
    own = calls.parameter_of(thing, program)
    if own is None:
        raise RefusedError(f"{thing.ref} isn't a parameter of one of the program's functions")
    file, definition, name = own
    program.require_unchanged(file)
    branches: dict[Any, None] = {}
    for node in walk(*definition.body):
        if isinstance(node, ast.Name) and node.id == name:
            branch = next(
                (one for one in file.around(node) if choices.is_test(one, node, file)), None
            )
            if branch is None:
                raise RefusedError(f"{file.place(node)} does more with {name} than decide by it")
            branches[branch] = None
    if not branches:
        raise RefusedError(f"{definition.name} hands {name} on")
    changes: list[Replacement] = []
    told: dict[str, None] = {}
    for branch in branches:
        told |= dict.fromkeys(choices.of_both_sides(file, branch, program).split("; "))
        torch, _ = imports.torch(file, branch)
        # Other calls may leave it out, or give a plain bool.
        flag = f"{torch}.as_tensor({name})"
        changes += choices.chosen(file, branch, partial(_flag_test, file, name=name, flag=flag))
    zeros = _ZEROS if any(has_call(one, "detach") for one in branches) else ""
    (passed,) = calls.tensor(finding, program)
    return [
        Patch(
            f"{name} passed as a tensor, torch.where instead of "
            f"{agreeing(len(branches), 'the branch', 'branches')} at "
            f"{', '.join(file.place(one) for one in branches)}",
            tuple(dict.fromkeys([*passed.replacements, *changes])),
            intention="; ".join(filter(None, (zeros, *told))),
            note="computes both sides in every call",
        )
    ]


def _flag_test(file: SourceFile, test: Any, name: str, flag: str) -> str:
    if is_not(test):
        return f"~{_flag_test(file, test.operand, name, flag)}"
    if file.code(test) != name:
        raise RefusedError(f"the test at {file.place(test)} has more than {name}")
    return flag
