"""CA101 without a loader: batches that are sliced or split, without the short one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import libcst as cst

from ca_reports.fixes import loops
from ca_reports.fixes.editing import positional
from ca_reports.fixes.patches import Patch, RefusedError, Replacement
from ca_reports.fixes.program import last_name, places, walk
from ca_reports.torchlib import shapes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.findings import Finding
    from ca_reports.fixes.program import EditableProgram, SourceFile

_PERMUTATION = "torch.randperm"
# Calls that hand on the elements of their first argument as they are.
_PASSED_ON = ("enumerate", "tqdm")


def shortened(finding: Finding, program: EditableProgram, intention: str) -> Patch:
    """``range(0, n - size + 1, size)``, or ``x[: len(x) // size * size].split(size)``.

    In a loop that the backwards ran in, or the one place of the program that makes batches so.
    Raises `RefusedError` if there is none, or several.
    """
    around = loops.training_loops(finding, program)
    looped = [
        (file, call)
        for file, loop in around
        if isinstance(loop, cst.For)
        for call in file.all(cst.Call)
        if _is_over(file, loop, call) and (_slices(file, call) or _splits(file, call))
    ]
    # `for i in range(0, n, size): batch(data, i)`, of which the helper cuts the last one short.
    stepped = [
        (file, call)
        for file, loop in around
        if isinstance(loop, cst.For)
        for call in file.all(cst.Call)
        if _is_over(file, loop, call) and _begins(file, loop, call)
    ]
    every = [
        (file, call)
        for file in program.files.values()
        for call in file.all(cst.Call)
        if _slices(file, call) or _splits(file, call)
    ]
    named = [one for one in every if loops.is_at(finding.location, *one, program)]
    groups = (named, looped, every, [] if every else stepped)
    chosen = next((found for found in groups if _is_one_place(found)), None)
    if chosen is None:
        told = f"several places may make the batches: {places(every)}"
        raise RefusedError(
            told
            if every
            else "no DataLoader call is in the program's files: cut the batches elsewhere"
        )
    file, call = chosen[0]
    for _, one in chosen:
        _require_apart(file, one)
    program.require_unchanged(file)
    return Patch(
        what=f"the batches at {file.place(call)} end before the short one",
        replacements=tuple(_without_short(file, one) for _, one in chosen),
        intention=intention,
    )


def _is_one_place(found: list[tuple[SourceFile, cst.Call]]) -> bool:
    """Return whether it is one, or those of one statement: ``zip(x.split(n), y.split(n))``."""
    return len({id(file.statement(call)) for file, call in found}) == 1


def _require_apart(file: SourceFile, call: cst.Call) -> None:
    """Raise `RefusedError` where what the batches give is put together again: none may lack."""
    found = _loop_of(file, call)
    if found is None:
        return
    loop = found[0]
    around: Any = file.function(loop)
    filled = {
        file.code(one.func.value)
        for one in walk(loop)
        if isinstance(one, cst.Call)
        and isinstance(one.func, cst.Attribute)
        and one.func.attr.value in ("append", "extend")
    }
    for joined in walk(around):
        if not isinstance(joined, cst.Call) or last_name(joined.func) not in shapes.JOINS:
            continue
        for given in joined.args[:1]:
            if file.code(given.value) in filled or loop in tuple(walk(given.value)):
                raise RefusedError(
                    f"{file.place(joined)} puts together what the batches at {file.place(call)} "
                    "give: every sample is needed"
                )


def _without_short(file: SourceFile, call: cst.Call) -> Replacement:
    if not _is_range(file, call):
        return _cut(file, call)
    end = file.span(call.args[1].value)[1]
    return Replacement(file.name, end, end, f" - {file.code(call.args[2].value)} + 1")


def _is_range(file: SourceFile, call: cst.Call) -> bool:
    """Return whether it is ``range(0, n, size)``."""
    is_plain = not any(arg.star or arg.keyword for arg in call.args)
    return file.code(call.func) == "range" and len(call.args) == 3 and is_plain


def _slices(file: SourceFile, call: cst.Call) -> bool:
    """Return whether it is the ``range(0, n, size)`` of a loop that takes ``[i : i + size]``."""
    found = _loop_of(file, call) if _is_range(file, call) else None
    if found is None:
        return False
    loop, target = found
    size = file.code(call.args[2].value)
    return any(
        f"{target}{colon}{target} + {size}]" in _text_around(file, loop) for colon in (" : ", ":")
    )


def _is_over(file: SourceFile, loop: Any, call: cst.Call) -> bool:
    found = _loop_of(file, call)
    return found is not None and found[0] is loop


def _begins(file: SourceFile, loop: Any, call: cst.Call) -> bool:
    """Return whether the loop gives each beginning to a function: ``batch(data, i)``."""
    found = _loop_of(file, call) if _is_range(file, call) else None
    size = call.args[2].value if found is not None else None
    if found is None or isinstance(size, cst.Integer):
        return False
    return any(
        isinstance(node, cst.Arg) and file.code(node.value) == found[1] for node in walk(loop.body)
    )


def _loop_of(file: SourceFile, call: cst.Call) -> tuple[Any, str] | None:
    """The loop over ``call``, through `enumerate` or `tqdm`, and the variable of its element."""
    node: Any = call
    is_numbered = False
    while isinstance(given := file.parent(node), cst.Arg):
        node = file.parent(given)
        if last_name(node.func) not in _PASSED_ON:
            return None
        is_numbered |= last_name(node.func) == "enumerate"
    loop = file.parent(node)
    if not isinstance(loop, cst.For | cst.CompFor) or loop.iter is not node:
        return None
    target: Any = loop.target
    if is_numbered:
        if not isinstance(target, cst.Tuple) or len(target.elements) != 2:
            return None
        target = target.elements[1].value
    return loop, file.code(target)


def _text_around(file: SourceFile, loop: Any) -> str:
    """The loop, or the whole comprehension, whose element comes before its ``for``."""
    around: Any = loop if isinstance(loop, cst.For) else file.statement(loop)
    return file.code(around)


def _splits(file: SourceFile, call: cst.Call) -> bool:
    """Return whether it is ``x.split(size)`` over whose parts a loop goes, with a size by name."""
    given = positional(call)
    if (
        not isinstance(call.func, cst.Attribute)
        or call.func.attr.value != "split"
        or len(call.args) != len(given)
        or len(given) != 1
        or isinstance(given[0].value, cst.SimpleString | cst.List | cst.Tuple)
        or not any(_iterates(file, node) for node in (call, *_assigned_to(file, call)))
    ):
        return False
    return _length(file, call.func.value) is not None


def _iterates(file: SourceFile, node: cst.CSTNode) -> bool:
    return any(
        isinstance(around, cst.For | cst.CompFor) and around.iter in (node, *file.around(node))
        for around in file.around(node)
    ) or any(isinstance(around, cst.Return | cst.Yield | cst.From) for around in file.around(node))


def _assigned_to(file: SourceFile, call: cst.Call) -> Iterator[cst.CSTNode]:
    """Where the variable is read that the call alone is assigned to."""
    made = file.parent(call)
    if isinstance(made, cst.Assign) and len(made.targets) == 1:
        target = file.code(made.targets[0].target)
        for node in file.all(cst.Name):
            if node.value == target and node is not made.targets[0].target:
                yield node


def _length(file: SourceFile, whole: Any) -> str | None:
    """Code that counts the rows of ``whole``; None where these may be others when asked again."""
    if isinstance(whole, cst.Name | cst.Attribute):
        return f"len({file.code(whole)})"
    if (
        isinstance(whole, cst.Call)
        and file.names(whole.func) == {_PERMUTATION}
        and (given := positional(whole))
        and not any(isinstance(arg.value, cst.NamedExpr) for arg in given)
    ):
        return _operand(file, given[0].value)
    return None


def _operand(file: SourceFile, node: cst.BaseExpression) -> str:
    """The code of ``node`` as an operand of ``//``."""
    code = file.code(node)
    is_whole = isinstance(node, cst.Name | cst.Attribute | cst.Integer | cst.Call | cst.Subscript)
    return code if is_whole else f"({code})"


def _cut(file: SourceFile, call: cst.Call) -> Replacement:
    """``x[: n // size * size]`` before ``.split(size)``."""
    func: Any = call.func
    size, length = _operand(file, call.args[0].value), _length(file, func.value)
    end = file.span(func.value)[1]
    return Replacement(file.name, end, end, f"[: {length} // {size} * {size}]")
