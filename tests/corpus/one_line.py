"""Hold the line that a finding names to the lines that its remedy's patch edits."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

from ca_reports.causes.findings import GuardedValue
from ca_reports.patching.patches import applied, differing
from ca_reports.program.syntax import Module

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ca_reports.causes.findings import Finding
    from ca_reports.causes.remedies import Edit
    from ca_reports.patching.patches import Patch, Proposal

# Edits that are of another line than the finding by their nature, and why.
_SETTING = "a setting of the process stands before anything is compiled"
_SIZES = "sizes are decided in one line and made dynamic where it is compiled, or before the call"
_ABOVE = "what decides it stands above the line that is noticed, such as a condition around a call"
ELSEWHERE: Mapping[Edit, str] = {
    "any_size": _SIZES,
    "class_once": "what defines the class may be made once in its place",
    "clone": "the copy is made in the call, of a tensor that is another one's where it is made",
    "compile_callee": "the function is compiled in another line than it is called",
    "compile_once": "what a function compiles may be kept by it",
    "compile_round": "the loop is in one line, and what compiles it in another",
    "compile_wrapped": "the wrapper is compiled where it is made",
    "compiled_again": "the decorator that disables a function stands where that is defined",
    "dense_gradient": _ABOVE,
    "duck_sizes": _SETTING,
    "dynamic_counts": _SIZES,
    "dynamic_ints": _SETTING,
    "dynamic_marks": _SIZES,
    "dynamic_numbers": "each torch.compile of the program is changed, of which one is named",
    "few_lengths": _SIZES,
    "flag_as_tensor": "the call that passes the flag, and the branch that it decides",
    "full_batches": _SIZES,
    "hook_alike": _ABOVE,
    "made_before": "the other line is in `__init__`",
    "one_flag": _ABOVE,
    "one_kind": "where it is passed, of a tensor that several lines make",
    "one_layout": "where it is passed, of a tensor that several lines make",
    "one_setting": _ABOVE,
    "output_shapes": _SETTING,
    "parameter_sizes": _SETTING,
    "picked_outside": "the element is picked in one line, and passed in another",
    "python_reducer": _SETTING,
    "raised_limit": _SETTING,
    "scalar_outputs": _SETTING,
    "step_after": "the hook is registered in one line, and steps in another",
    "tensor_default": "where the hook gets it",
    "tensor_operand": "where it is bound to the operation",
    "tensor_state": "one line makes it what it begins as, and another one changes it",
    "whole_evaluation": _SIZES,
    "write_after": _SETTING,
}


def require(proposal: Proposal, texts: dict[str, str]) -> None:
    """Raise RuntimeError where the patch of a finding's remedy is of another line than the finding.

    Patches of alternatives are: the line is that of the sentence.
    """
    finding = proposal.finding
    for patch in proposal.patches[:1]:
        if patch.edit == finding.remedy.edit and not is_of_its_line(finding, patch, texts):
            place = finding.location
            where = "" if place is None else f"{Path(place.file).name}:{place.line}"
            raise RuntimeError(f"{finding.code} names {where}, its patch another: {patch.what}")


def is_of_its_line(finding: Finding, patch: Patch, texts: dict[str, str]) -> bool:
    """Return whether ``patch`` edits the finding's statement, or beside it, or has a reason not to.

    A number that is handed over may become a tensor anywhere in the function that makes the call.
    """
    line, value = finding.location, finding.detail
    is_number = patch.edit == "tensor_number"
    is_kept = isinstance(value, GuardedValue) and value.holder != "variable"
    if line is None or patch.edit in ELSEWHERE or (is_number and is_kept):
        return True
    names = [
        name for name in texts if Path(line.file) == Path(name) or line.file.endswith(f"/{name}")
    ]
    if not names:
        return True
    (name,) = names
    module = Module(name, texts[name], ast.parse(texts[name]))
    statement: ast.AST | None = module.statement_at(line.line)
    if statement is not None and is_number:
        statement = module.scope(statement)
    after = applied(texts, [patch]).get(name)
    if statement is None or after is None:
        return False
    if isinstance(statement, ast.Module):
        return True
    first, last = module.lines(statement)
    decorators = [module.lines(one)[0] for one in getattr(statement, "decorator_list", ())]
    first = min([first, *decorators])
    changed = differing(texts[name].splitlines(), after.splitlines())
    return any(begin <= last and end >= first - 1 for begin, end, *_ in changed)
