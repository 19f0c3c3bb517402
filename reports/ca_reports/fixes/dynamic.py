"""CA102, and CA101 where no sample may be left out: ``dynamic=True`` on every `torch.compile`."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING

import libcst as cst

from ca_reports.fixes import marking, options
from ca_reports.fixes.editing import keyword, with_keyword
from ca_reports.fixes.patches import ChangedSinceError, Patch, RefusedError, Replacement
from ca_reports.model import Compile

if TYPE_CHECKING:
    from ca_reports.findings import Finding
    from ca_reports.fixes.program import EditableProgram

_COMPILE = "torch.compile"
_ENABLE = "torch._dynamo.compiled_autograd._enable"
_FIRST_SIZE = re.compile(r"\bfrom (\d{1,9}) to \d")
_LITERALS = ("False", "None", "True")


def patches(finding: Finding, program: EditableProgram) -> list[Patch]:
    """All sizes dynamic, or only those that vary. Raises `RefusedError`."""
    marked: list[Patch] = []
    with suppress(RefusedError):
        marked = marking.patches(finding, program)
    try:
        return [*_every_size(finding, program), *marked]
    except ChangedSinceError:
        raise
    except RefusedError:
        if not marked:
            raise
        return marked


def _every_size(finding: Finding, program: EditableProgram) -> list[Patch]:
    """The patch of all calls: forward and backward need it both. Raises `RefusedError`."""
    sparse = next((one for one in program.files.values() if "SparseAdam" in one.text), None)
    if sparse is not None and not _is_of_forward(finding):
        raise RefusedError(f"with dynamic sizes gradients are dense: {sparse.name} has SparseAdam")
    replacements: list[Replacement] = []
    changed: list[str] = []
    for file, call in program.calls(_COMPILE):
        given = keyword(call, "dynamic")
        value = None if given is None else file.code(given.value)
        if value == "True":
            continue
        if value is not None and value not in _LITERALS:
            raise RefusedError(f"the torch.compile at {file.place(call)} has dynamic={value}")
        program.require_unchanged(file)
        replacements.append(with_keyword(file, call, "dynamic", "True"))
        changed.append(file.place(call))
    for file in program.files.values():
        if "compile" not in file.text:
            continue
        for decorator in file.all(cst.Decorator):
            if file.names(decorator.decorator) == {_COMPILE} and not isinstance(
                decorator.decorator, cst.Call
            ):
                program.require_unchanged(file)
                end = file.span(decorator.decorator)[1]
                replacements.append(Replacement(file.name, end, end, "(dynamic=True)"))
                changed.append(file.place(decorator))
    for file, call in program.calls(_ENABLE):
        given = keyword(call, "dynamic")
        if given is not None and file.code(given.value) == "False":
            program.require_unchanged(file)
            replacements.append(with_keyword(file, call, "dynamic", "True"))
    if not replacements:
        raise RefusedError(
            "no torch.compile call is in the program's files that does not have dynamic=True"
        )
    what, note = f"dynamic=True on torch.compile at {', '.join(changed)}", ""
    if _is_one_of_several(finding, program):
        with suppress(RefusedError):
            (apart,) = options.duck_shapes(finding, program)
            replacements += apart.replacements
            what += ", sizes kept apart"
            note = "the size equals another one of the program's, and torch takes both for one"
    return [Patch(what, tuple(replacements), note=note)]


def _is_of_forward(finding: Finding) -> bool:
    return all(isinstance(one, Compile) and one.capture is None for one in finding.events)


def data_dependent(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA403: where only sizes depend on the data, and graphs were compiled again for them."""
    if not any(isinstance(one, Compile) for one in finding.events):
        raise RefusedError(f"the nodes depend on the data, not only sizes: {finding.fix}")
    return _every_size(finding, program)


def _is_one_of_several(finding: Finding, program: EditableProgram) -> bool:
    """Return whether the size that a captured graph has first is written down for others, too."""
    captured = any(isinstance(one, Compile) and one.capture is not None for one in finding.events)
    shown = _FIRST_SIZE.search(finding.message)
    if not captured or shown is None:
        return False
    numbers = (node.value for file in program.files.values() for node in file.all(cst.Integer))
    return sum(number == shown[1] for number in numbers) > 1
