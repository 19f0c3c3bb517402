"""CA112, CA205: a setting of torch's, or a module's mode, that is the same in every step."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, NamedTuple

from ca_reports.causes.findings import SharedSetting
from ca_reports.patching import options, written_values
from ca_reports.patching.editing import is_not, positional
from ca_reports.patching.patches import Patch, RefusedError, Replacement
from ca_reports.patching.program import places
from ca_reports.program.edits import arguments, remove
from ca_reports.program.syntax import keyword, last_name
from ca_reports.torchlib import modes
from ca_reports.words.values import listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ca_reports.causes.findings import Finding
    from ca_reports.patching.program import EditableProgram, SourceFile

    Place = tuple[SourceFile, Any]

_FLAG = ("True", "False")
# What sets the state that a finding names, by words of its key, and the values that it may have
# where they are few.
_SETTERS: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = (
    ("autocast", modes.AUTOCAST_NAMES, _FLAG),
    ("deterministic_algorithms", ("torch.use_deterministic_algorithms",), _FLAG),
    # Without gradients in every step nothing would train.
    ("grad_mode", ("torch.set_grad_enabled", "torch.autograd.set_grad_enabled"), ("True",)),
    ("num_threads", ("torch.set_num_threads",), ()),
    ("allow_tf32", ("torch.set_float32_matmul_precision",), ('"highest"', '"high"')),
    ("default_dtype", ("torch.set_default_dtype",), ()),
)
# What is of the whole process, so that it may as well be set before everything else.
_OF_PROCESS = ("deterministic_algorithms", "num_threads", "allow_tf32")
# How many callers out a value is looked for.
_CALLERS = 4


def patches(finding: Finding, program: EditableProgram) -> list[Patch]:
    """Write one value for a setting where the changing one stands. Raises `RefusedError`."""
    found = _setters(finding)
    if not found:
        raise RefusedError(f"no function of torch sets {finding.key}")
    late = [_set_late(what, names, program) for what, names, _ in found]
    if all(one is not None for one in late):
        return [_set_first([one for one in late if one is not None], program)]
    if len(found) > 1:
        # One of them alone leaves the recompile.
        raise RefusedError(f"{listed([one[0] for one in found])} change together")
    what, names, known = found[0]
    try:
        return _alike(program.calls(*names), what, program, known)
    except RefusedError:
        if what != "num_threads" or not program.calls(*names):
            raise
        return [_left_out(what, names, program)]


def _left_out(what: str, names: tuple[str, ...], program: EditableProgram) -> Patch:
    """No call that sets it. Raises `RefusedError` where one is more than a line."""
    changes: list[Replacement] = []
    calls = program.calls(*names)
    for file, call in calls:
        program.require_unchanged(file)
        if not isinstance(file.parent(call), ast.Expr):
            raise RefusedError(f"{file.place(call)} does more than set {what}")
        changes += remove(file, file.parent(call))
    return Patch(
        f"no {last_name(calls[0][1].func)} at {places(calls)}",
        tuple(changes),
        intention=f"runs every step with {what} as it is when the program begins",
    )


def _setters(finding: Finding) -> list[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    state = finding.detail
    named = state.names if isinstance(state, SharedSetting) else ()
    return [one for one in _SETTERS if one[0] in named]


class _SetLate(NamedTuple):
    """A line that sets a setting once, where it is, and what the setting is called."""

    what: str
    line: str
    place: str


def _set_first(late: Sequence[_SetLate], program: EditableProgram) -> Patch:
    """Return settings at the beginning: a recompile for several is saved by all of them only."""
    first, *others = late
    told = [f"{one.what} as {one.place} sets it" for one in late]
    return options.setting(
        program,
        first.line,
        intention=f"runs every step with {listed(told)}",
        is_elsewhere=True,
        more=[one.line for one in others],
    )


def _set_late(what: str, names: tuple[str, ...], program: EditableProgram) -> _SetLate | None:
    """Return the one call that sets it; None if it does not always set one value."""
    calls = program.calls(*names)
    if what not in _OF_PROCESS or len(calls) != 1:
        return None
    ((file, call),) = calls
    given = [one.value for one in arguments(call)]
    is_statement = isinstance(file.parent(call), ast.Expr) and file.function(call) is not None
    if not is_statement or not all(map(_is_literal, given)):
        return None
    handed = file.code(call).removeprefix(file.code(call.func))
    return _SetLate(what, f"{last_name(call.func)}{handed}", file.place(call))


def _is_literal(node: Any) -> bool:
    return isinstance(node, ast.Constant | ast.UnaryOp)


def words(finding: Finding) -> tuple[str, ...]:
    """Return the functions that set what a finding names, as they are written."""
    names = [name for _, names, _ in _setters(finding)[:1] for name in names]
    return tuple(f"{name.rpartition('.')[2]}(" for name in names)


def mode(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA205: the argument of `train`, in each call of the helper that hands it on."""
    calls = [
        (file, call)
        for file in program.files.values()
        for call in file.all(ast.Call)
        if isinstance(call.func, ast.Attribute) and call.func.attr == "train" and call.args
    ]
    return _alike(calls, "train", program, _FLAG)


def _is_put_back(file: SourceFile, call: ast.Call, value: ast.expr) -> bool:
    """Return whether ``value`` is the mode that a module had: `was = model.training`."""
    if isinstance(value, ast.Attribute):
        return value.attr == "training"
    function = file.function(call)
    return isinstance(value, ast.Name) and any(
        isinstance(one, ast.Assign)
        and isinstance(one.value, ast.Attribute)
        and one.value.attr == "training"
        and any(last_name(target) == value.id for target in one.targets)
        for one in file.all(ast.Assign)
        if file.function(one) is function
    )


def _alike(
    calls: list[tuple[SourceFile, ast.Call]],
    what: str,
    program: EditableProgram,
    known: tuple[str, ...],
) -> list[Patch]:
    sites: dict[Any, SourceFile] = {}
    for file, call in calls:
        chosen = _chosen(file, call)
        if chosen is not None:
            sites[chosen] = file
            continue
        by_name = keyword(call, "enabled")
        given = by_name or next(iter(positional(call)), None)
        if given is not None and what == "train" and _is_put_back(file, call, given):
            continue
        if given is not None and (what != "autocast" or by_name is not None):
            sites |= {node: other for other, node in changing(file, given, program)}
    if len(sites) != 1:
        places = ", ".join(file.place(node) for node, file in sites.items())
        told = f"{places} change it" if places else "can't find what changes it"
        raise RefusedError(f"{what} differs between steps: {told}")
    ((node, file),) = sites.items()
    program.require_unchanged(file)
    options = [file.code(side) for side in _sides(node)] or list(known)
    if not options:
        raise RefusedError(f"{what} is {file.code(node)} at {file.place(node)}")
    return [
        Patch(
            f"{what} {option} at {file.place(node)} in every step",
            (Replacement(file.name, *file.span(node), option),),
            intention=f"runs every step with {what} {option}",
        )
        for option in options
    ]


def _chosen(file: SourceFile, call: ast.Call) -> ast.IfExp | None:
    """Return ``call if … else nullcontext()``: the choice, where ``call`` is one of its sides."""
    parent = file.parent(call)
    is_side = isinstance(parent, ast.IfExp) and parent.test is not call
    return parent if is_side else None


def _sides(node: Any) -> list[Any]:
    return [node.body, node.orelse] if isinstance(node, ast.IfExp) else []


def changing(
    file: SourceFile, node: Any, program: EditableProgram, callers: int = _CALLERS
) -> Iterator[Place]:
    """Yield the places where a value that changes is written: through what only hands it on."""
    if _is_literal(node) and not is_not(node):
        return
    if isinstance(node, ast.Call) and any(
        one.startswith("torch.") for one in file.names(node.func)
    ):
        return  # what it was before, to be set again
    handed_on = [node] if isinstance(node, ast.Name | ast.Attribute) else []
    if isinstance(node, ast.BoolOp):
        handed_on = [one for one in node.values if isinstance(one, ast.Name)]
    found = [
        place for one in handed_on for place in written_values.sources(file, one, program) or ()
    ]
    if not found or not callers:
        yield file, node
        return
    for other, value in found:
        yield from changing(other, value, program, callers - 1)
