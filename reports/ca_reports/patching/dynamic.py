"""CA102, and CA101 where no sample may be left out: ``dynamic=True`` on every `torch.compile`."""

from __future__ import annotations

import ast
from contextlib import suppress
from typing import TYPE_CHECKING

from ca_reports.facts.dynamic_shapes import stays_static
from ca_reports.facts.guard_paths import verbatim
from ca_reports.patching import compilers, marking, options
from ca_reports.patching.editing import is_bool_or_none, is_number
from ca_reports.patching.patches import ChangedSinceError, Patch, RefusedError
from ca_reports.patching.written_values import given, written
from ca_reports.program.edits import add_argument, add_keyword, append, replace
from ca_reports.program.syntax import keyword
from ca_reports.run.model import Compile
from ca_reports.torchlib.dynamo import MAYBE_MARK_DYNAMIC

if TYPE_CHECKING:
    from ca_reports.causes.findings import Finding
    from ca_reports.patching.patches import Replacement
    from ca_reports.patching.program import EditableProgram, SourceFile
    from ca_reports.program.edits import Edits

_MARK = "torch._dynamo.mark_dynamic"
_ENABLE = "torch._dynamo.compiled_autograd._enable"
# The setting without which a size is not made dynamic once it varies.
_AUTOMATIC = "automatic_dynamic_shapes"


def patches(finding: Finding, program: EditableProgram) -> list[Patch]:
    """Return all sizes dynamic, or only those that vary. Raises `RefusedError`."""
    size = finding.subject
    recompiles = [event for event in finding.events if isinstance(event, Compile)]
    stays = stays_static(size.source, size.dimensions, recompiles)
    if stays and not _is_static_on_purpose(finding, program):
        raise RefusedError(
            f"{verbatim(size.source)} is compiled for each size: the code needs it as a number, "
            "such as to look something up by it"
        )
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


def _is_static_on_purpose(finding: Finding, program: EditableProgram) -> bool:
    """Return whether the program turns dynamic sizes off, by an option of the compiler.

    As torch says, else as the source has it.
    """
    if finding.subject.size_kind == "turned_off":
        return True
    if any(_AUTOMATIC in file.text for file in program.files.values()):
        return True
    with suppress(RefusedError):
        return any(one.text == "True" for one in everywhere(program)[0])
    return True


def _every_size(finding: Finding, program: EditableProgram) -> list[Patch]:
    """Return the patch of all calls: forward and backward need it both. Raises `RefusedError`."""
    sparse = next((one for one in program.files.values() if "SparseAdam" in one.text), None)
    if sparse is not None and not _is_of_forward(finding):
        raise RefusedError(f"with dynamic sizes gradients are dense: {sparse.name} has SparseAdam")
    if finding.subject.size_kind == "of_list":
        raise RefusedError("of tensors in a list, sizes that are equal by chance would be one")
    what, replacements = _where_it_is_not(program)
    note = ""
    if _is_one_of_several(finding, program):
        with suppress(RefusedError):
            (apart,) = options.duck_shapes(finding, program)
            replacements += apart.replacements
            what += ", sizes kept apart"
            note = "the size equals another one of the program's, and torch takes both for one"
    return [Patch(what, tuple(dict.fromkeys(replacements)), note=note, any_value=True)]


def _where_it_is_not(program: EditableProgram) -> tuple[str, list[Replacement]]:
    """Return ``dynamic=True`` in each call without it, in words and as edits; at least one."""
    replacements, changed = everywhere(program)
    if not replacements:
        raise RefusedError("no torch.compile call without dynamic=True is in the program's files")
    return f"dynamic=True on torch.compile at {', '.join(dict.fromkeys(changed))}", replacements


def everywhere(program: EditableProgram) -> tuple[list[Replacement], list[str]]:
    """Return ``dynamic=True`` in each call of the compiler that does not have it, and their places.

    Raises `RefusedError` where one cannot be changed.
    """
    replacements: list[Replacement] = []
    changed: list[str] = []
    for file, call in compilers.calls(program):
        changes = _turned_on(file, call, program)
        if changes is not None:
            program.require_unchanged(file)
            replacements += changes
            changed.append(file.place(call))
    for file, _, decorator in program.decorated_with(compilers.COMPILE):
        if not isinstance(decorator, ast.Call):
            program.require_unchanged(file)
            replacements += append(file, decorator, "(dynamic=True)")
            changed.append(file.place(decorator))
    for file, call in program.calls(_ENABLE):
        static = keyword(call, "dynamic")
        if static is not None and file.code(static) == "False":
            program.require_unchanged(file)
            replacements += add_keyword(file, call, "dynamic", "True")
    return replacements, changed


def of_numbers(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA701: whole numbers are dynamic again, which the program turned off with the sizes.

    Raises `RefusedError` where it compiles with ``dynamic=True`` by now.
    """
    what, replacements = _where_it_is_not(program)
    note = "every size is dynamic, too; 0 and 1 are compiled for apart"
    return [Patch(what, tuple(dict.fromkeys(replacements)), note=note, any_value=True)]


_OF_MODULES = "_dynamo.config.force_nn_module_property_static_shapes = False"


def of_parameters(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA719: sizes of parameters are dynamic, as those of other tensors.

    Those of torch's own modules, such as `nn.Linear`, by a second setting.
    Raises `RefusedError` where the program turns dynamic sizes off.
    """
    compilers.require_dynamic_not(program, "False")
    return [
        options.setting(
            program,
            "_dynamo.config.force_parameter_static_shapes = False",
            more=[_OF_MODULES] if finding.subject.path.is_inner_parameter else [],
            note="sizes of parameters that vary are dynamic: 0 and 1 are compiled for apart",
        )
    ]


def _turned_on(file: SourceFile, call: ast.Call, program: EditableProgram) -> Edits | None:
    """Return ``dynamic=True`` in the call, or where its value is written; None if it is there."""
    try:
        found = given(call, file, "dynamic", None, program)
        if found is not None:
            found = written(*found, program)
    except RefusedError as refused:
        raise RefusedError(f"the torch.compile at {file.place(call)}: {refused}") from None
    if found is None:
        return add_argument(file, call, "dynamic=True")
    other, value = found
    if not is_bool_or_none(value):
        raise RefusedError(
            f"the torch.compile at {file.place(call)} has dynamic={other.code(value)}"
        )
    program.require_unchanged(other)
    if other.code(value) == "True":
        return None
    return replace(other, value, "True")


def _is_of_forward(finding: Finding) -> bool:
    return all(isinstance(one, Compile) and one.capture is None for one in finding.events)


def data_dependent(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA403: where only sizes depend on the data, and graphs were compiled again for them.

    One capture makes a size dynamic. More of them are of other nodes.
    """
    captures = sum(not isinstance(one, Compile) for one in finding.events)
    if captures == len(finding.events) or captures > 1:
        raise RefusedError("the nodes depend on the data, not only sizes")
    return _every_size(finding, program)


def marked(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA611: where a size was marked dynamic that is compiled as a number. Raises `RefusedError`.

    Of a captured backward all sizes are dynamic then; of a forward the mark is no demand any more.
    """
    failure = finding.failure
    if failure is not None and failure.in_backward:
        return _every_size(finding, program)
    calls = program.calls(_MARK)
    if len(calls) != 1:
        raise RefusedError(f"{len(calls)} calls of mark_dynamic")
    ((file, call),) = calls
    program.require_unchanged(file)
    if not isinstance(call.func, ast.Attribute):
        raise RefusedError(f"{file.place(call)} calls it by another name")
    maybe = f"{file.code(call.func.value)}.maybe_mark_dynamic"
    taken = [one for one in call.keywords if one.arg in MAYBE_MARK_DYNAMIC]
    if len(taken) == len(call.keywords):
        change = replace(file, call.func, maybe)
    elif any(one.arg is None for one in call.keywords):
        raise RefusedError(f"what {file.place(call)} passes is not known")
    else:
        given = ", ".join(file.code(one) for one in (*call.args, *taken))
        change = replace(file, call, f"{maybe}({given})")
    note = "the code works for one value of the size still, and is compiled for each"
    return [Patch(f"maybe_mark_dynamic at {file.place(call)}", change, note=note)]


def _is_one_of_several(finding: Finding, program: EditableProgram) -> bool:
    """Return whether the size that a captured graph has first is written down for others, too."""
    captured = any(isinstance(one, Compile) and one.capture is not None for one in finding.events)
    if not captured or not finding.subject.values:
        return False
    first = finding.subject.values[0]
    numbers = (
        node.value
        for file in program.files.values()
        for node in file.all(ast.Constant)
        if is_number(node)
    )
    return sum(number == first for number in numbers) > 1
