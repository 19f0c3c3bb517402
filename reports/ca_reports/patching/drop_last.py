"""CA101: ``drop_last=True`` on the loader whose last batch is short."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ca_engine.lazy_expressions import expression
from ca_reports.patching import calls, dynamic, loops, slicing
from ca_reports.patching.editing import is_bool_or_none, is_none, is_true, positional
from ca_reports.patching.patches import ChangedSinceError, Patch, RefusedError
from ca_reports.patching.program import places
from ca_reports.patching.written_values import given, written
from ca_reports.program.edits import add_argument, add_keyword
from ca_reports.program.edits import replace as replace_node
from ca_reports.program.positions import walk
from ca_reports.program.syntax import (
    Definition,
    default_of,
    is_starred,
    keyword,
    last_name,
    parameters_of,
)
from ca_reports.run.model import Compile
from ca_reports.torchlib import loaders

if TYPE_CHECKING:
    from typing import TypeGuard

    from ca_reports.causes.findings import Finding
    from ca_reports.patching.program import EditableProgram, SourceFile
    from ca_reports.program.edits import Edits

_BATCH_SAMPLER = loaders.PARAMETERS.index("batch_sampler")
# Where a trainer makes the loader, and takes the option by another name.
_ARGUMENTS = expression(
    r"(transformers|trl|sentence_transformers|setfit)\.(\w+\.)*\w*TrainingArguments"
    r"|trl\.(\w+\.)*(?!Model)\w+Config"
)
# What a part of a broken graph gets from the part before: its size may be any tensor's.
_SAMPLER = "torch.utils.data.BatchSampler"
# What a sampler is given by position: data and a size, before what it may leave out.
_SAMPLER_SIZES = 2
_TRAINS = expression(r"\btrain|_train")
_UNMEASURED = "leaves the samples of the short last batch out of what the evaluation says"
_LEFT_OUT = "leaves out the samples of the short last batch of each epoch"


def patches(finding: Finding, program: EditableProgram) -> list[Patch]:
    """Drop the short batch, or else compile for every size. Raises `RefusedError`.

    Of an evaluation the other way round: what it says would be of fewer samples.
    """
    found: list[Patch] = []
    reason = ""
    is_evaluation = bool(finding.events) and all(
        isinstance(one, Compile) and one.is_of_evaluation for one in finding.events
    )
    try:
        found += _dropped(finding, program)
    except ChangedSinceError:
        raise
    except RefusedError as refused:
        reason = str(refused)
    # Sizes of 0 and 1 are compiled for apart, dynamic or not.
    is_dynamic = min(finding.subject.values, default=2) > 1
    try:
        found += (dynamic.patches if is_dynamic else calls.single)(finding, program)
    except ChangedSinceError:
        raise
    except RefusedError as refused:
        reason = reason or str(refused)
    if not found:
        raise RefusedError(reason)
    if is_evaluation:
        found = [replace(one, intention=_UNMEASURED) if one.intention else one for one in found]
        return sorted(found, key=lambda one: bool(one.intention))
    return found


def _dropped(finding: Finding, program: EditableProgram) -> list[Patch]:
    """Return the patch of the one call that makes the loader."""
    if finding.subject.path.is_on_stack:
        raise RefusedError("the size is that of a value between two parts of a broken graph")
    if not program.calls(*loaders.QUALIFIED) and (made := _trainers_arguments(program)):
        if len(made) > 1:
            raise RefusedError(f"several calls may have made the loader: {places(made)}")
        file, call = made[0]
        program.require_unchanged(file)
        return [
            Patch(
                what=f"dataloader_drop_last=True at {file.place(call)}",
                replacements=add_keyword(file, call, "dataloader_drop_last", "True"),
                intention=_LEFT_OUT,
            )
        ]
    if not _loader_calls(program):
        samplers = program.calls(_SAMPLER)
        if len(samplers) == 1:
            return [_of_sampler(*samplers[0], program)]
        options = _options(finding, program)
        if options is not None:
            return [options]
        return [slicing.shortened(finding, program, _LEFT_OUT)]
    file, call = _loader(finding, program)
    program.require_unchanged(file)
    where = file.place(call)
    if len(positional(call)) > _BATCH_SAMPLER:
        raise RefusedError(f"the DataLoader at {where} may have a batch sampler")
    maker = file.function(call)
    values = {
        name: given(call, file, name, None, program)
        for name in ("drop_last", "batch_size", "batch_sampler")
    }
    if values["batch_sampler"] is not None:
        return [_of_sampler(*values["batch_sampler"], program)]
    size = values["batch_size"]
    if size is not None and is_none(size[1]):
        raise RefusedError(f"the DataLoader at {where} makes no batches (batch_size=None)")
    if values["drop_last"] is not None:
        return [_turned_on(*values["drop_last"], where, program)]
    if _hands_on(file, call, maker):
        return [_handed_on(finding, program, maker)]
    if isinstance(maker, Definition) and len(program.calls_named(maker.name)) > 1:
        return [_where_it_trains(file, call, maker, program)]
    return [
        Patch(
            what=f"drop_last=True on the DataLoader at {where}",
            replacements=_added(file, call, "True"),
            intention=_LEFT_OUT,
        )
    ]


def _options(finding: Finding, program: EditableProgram) -> Patch | None:
    """Return ``drop_last=True`` in the dict on the line, by which a library makes the loader."""
    file, found = loops.nodes_at(finding.location, program, ast.Call)
    named = [
        call for call in found if file is not None and "builtins.dict" in file.names(call.func)
    ]
    options = [call for call in named if keyword(call, "batch_size") is not None]
    if file is None or len(options) != 1 or keyword(options[0], "drop_last") is not None:
        return None
    program.require_unchanged(file)
    return Patch(
        what=f"drop_last=True among the options of the loader at {file.place(options[0])}",
        replacements=_added(file, options[0], "True"),
        intention=_LEFT_OUT,
    )


def _added(file: SourceFile, call: ast.Call, value: str) -> Edits:
    """Return ``drop_last`` by name, also after a dict of options that is known to have none."""
    if is_starred(call):
        return add_argument(file, call, f"drop_last={value}")
    return add_keyword(file, call, "drop_last", value)


def _turned_on(file: SourceFile, node: Any, where: str, program: EditableProgram) -> Patch:
    """Turn ``drop_last=False`` to True, where it is written. Raises `RefusedError` if it is not."""
    other, value = written(file, node, program)
    if other.code(value) != "False":
        raise RefusedError(f"the DataLoader at {where} has drop_last={other.code(value)}")
    program.require_unchanged(other)
    return Patch(
        what=f"drop_last=True for the DataLoader at {where}, set at {other.place(value)}",
        replacements=replace_node(other, value, "True"),
        intention=_LEFT_OUT,
    )


def _of_sampler(file: SourceFile, node: Any, program: EditableProgram) -> Patch:
    """Return ``drop_last=True`` on the `BatchSampler` that makes the batches."""
    other, made = written(file, node, program)
    is_call = isinstance(made, ast.Call)
    if is_call and other.names(made.func) != {_SAMPLER} and _may_drop(made, program):
        found = given(made, other, "drop_last", None, program)
        if found is not None:
            return _turned_on(*found, other.place(made), program)
        program.require_unchanged(other)
        return Patch(
            what=f"drop_last=True on the sampler at {other.place(made)}",
            replacements=_added(other, made, "True"),
            intention=_LEFT_OUT,
        )
    own = (
        is_call
        and other.names(made.func) == {_SAMPLER}
        and given(made, other, "drop_last", 2, program)
    )
    if not own:
        raise RefusedError(
            f"the sampler at {other.place(made)} makes the batches: leave the short one out there"
        )
    return _turned_on(*own, other.place(made), program)


def _may_drop(made: ast.Call, program: EditableProgram) -> bool:
    """Return whether it makes a sampler of the program's own that keeps the short batch unasked."""
    name = last_name(made.func)
    owners = [
        owner
        for other in program.files.values()
        if name and name in other.text
        for owner in other.all(ast.ClassDef)
        if owner.name == name
    ]
    defaults = [
        default_of(function, "drop_last")
        for owner in owners
        for function in walk(*owner.body)
        if isinstance(function, Definition)
        and function.name == "__init__"
        and "drop_last" in parameters_of(function)
    ]
    return (
        len(owners) == len(defaults) == 1
        and is_bool_or_none(defaults[0])
        and not is_none(defaults[0])
        and not is_true(defaults[0])
        and len(positional(made)) <= _SAMPLER_SIZES
    )


def _where_it_trains(
    file: SourceFile, call: ast.Call, maker: Definition, program: EditableProgram
) -> Patch:
    """Make ``drop_last=shuffle`` in a function that makes the loaders of training and of tests."""
    names = parameters_of(maker)
    flags = [
        one.value.id
        for one in call.keywords
        if one.arg == "shuffle" and isinstance(one.value, ast.Name) and one.value.id in names
    ]
    if not flags:
        raise RefusedError(
            f"{maker.name} makes several loaders with the call at {file.place(call)}: give "
            "drop_last=True to the one that trains"
        )
    return Patch(
        what=f"drop_last={flags[0]} on the DataLoader at {file.place(call)}",
        replacements=_added(file, call, flags[0]),
        intention=_LEFT_OUT,
    )


def _hands_on(file: SourceFile, call: ast.Call, maker: Any) -> TypeGuard[Definition]:
    """Return whether a function hands its own options (``**``) on to the loader."""
    options = [file.code(one.value) for one in call.keywords if one.arg is None]
    taken = maker.args.kwarg if isinstance(maker, Definition) else None
    return taken is not None and options == [taken.arg]


def _handed_on(finding: Finding, program: EditableProgram, maker: Definition) -> Patch:
    """Add ``drop_last=True`` to calls of a function that hands its options to the loader."""
    name = maker.name
    calls = [
        (other, one)
        for other in program.files.values()
        if name in other.text
        for one in other.all(ast.Call)
        if isinstance(one.func, ast.Name) and one.func.id == name
    ]
    shuffled = [
        (other, one)
        for other, one in calls
        if (given := keyword(one, "shuffle")) and other.code(given) == "True"
    ]
    looped = [one for one in calls if one[1] in loops.iterated_calls(finding, program)]
    chosen = next((found[0] for found in (calls, looped, shuffled) if len(found) == 1), None)
    if chosen is None:
        raise RefusedError(f"several calls may have made the loader: {places(calls)}")
    program.require_unchanged(chosen[0])
    return Patch(
        what=f"drop_last=True for {name} at {chosen[0].place(chosen[1])}",
        replacements=add_keyword(*chosen, "drop_last", "True"),
        intention=_LEFT_OUT,
    )


def _trainers_arguments(program: EditableProgram) -> list[tuple[SourceFile, ast.Call]]:
    """Return the calls that make the options of a library's trainer."""
    return [
        (file, call)
        for file in program.files.values()
        for call in file.all(ast.Call)
        if (names := file.names(call.func)) and all(map(_ARGUMENTS.fullmatch, names))
    ]


def _loader_calls(program: EditableProgram) -> list[tuple[SourceFile, ast.Call]]:
    """Return the calls that make loaders, also of what `partial` returned."""
    found = program.calls(*loaders.QUALIFIED)
    for file, call in program.partials(*loaders.QUALIFIED):
        kept = program.kept_as(file, call)
        found += [one for name in kept for one in program.calls_named(name)] or [(file, call)]
    return found


def _loader(finding: Finding, program: EditableProgram) -> tuple[SourceFile, ast.Call]:
    found = _loader_calls(program)
    named = [one for one in found if loops.is_at(finding.location, *one, program)]
    looped = [one for one in found if one[1] in loops.iterated_calls(finding, program)]
    shuffled = [one for one in found if _shuffles(*one)]
    training = [one for one in found if _TRAINS.search(_called(*one))]
    for chosen in (named, looped, found, shuffled, training):
        if len(chosen) == 1:
            return chosen[0]
    raise RefusedError(f"several DataLoader calls may have made the loader: {places(found)}")


def _shuffles(file: SourceFile, call: ast.Call) -> bool:
    """Return whether the order is another in each epoch, as in training."""
    shuffle = keyword(call, "shuffle")
    return shuffle is not None and file.code(shuffle) == "True"


def _called(file: SourceFile, call: ast.Call) -> str:
    """Return the names of a loader: its variable, and the function that makes it."""
    names = []
    for around in file.around(call):
        if isinstance(around, ast.Assign):
            names += [file.code(target) for target in around.targets]
        if isinstance(around, Definition):
            return " ".join([*names, around.name])
    return " ".join(names)
