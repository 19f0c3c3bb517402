"""CA101 without a loader: batches that are sliced or split, without the short one."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from ca_reports.patching import loops
from ca_reports.patching.editing import is_number, is_string, only_target, positional
from ca_reports.patching.patches import Patch, RefusedError, Replacement
from ca_reports.patching.program import places
from ca_reports.program.edits import arguments, operand
from ca_reports.program.positions import walk
from ca_reports.program.syntax import For, is_starred, last_name
from ca_reports.torchlib import shapes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.causes.findings import Finding
    from ca_reports.patching.program import EditableProgram, SourceFile

_PERMUTATION = "torch.randperm"
# Calls that hand on the elements of their first argument as they are.
_PASSED_ON = ("enumerate", "tqdm")


def shortened(finding: Finding, program: EditableProgram, intention: str) -> Patch:
    """Return ``range(0, n - size + 1, size)``, or ``x[: len(x) // size * size].split(size)``.

    In a loop that the backwards ran in, or the one place of the program that makes batches so.
    Raises `RefusedError` if there is none, or several.
    """
    around = loops.training_loops(finding, program)
    looped = [
        (file, call)
        for file, loop in around
        if isinstance(loop, For)
        for call in file.all(ast.Call)
        if _is_over(file, loop, call) and (_slices(file, call) or _splits(file, call))
    ]
    # `for i in range(0, n, size): batch(data, i)`, of which the helper cuts the last one short.
    stepped = [
        (file, call)
        for file, loop in around
        if isinstance(loop, For)
        for call in file.all(ast.Call)
        if _is_over(file, loop, call) and _begins(file, loop, call)
    ]
    every = [
        (file, call)
        for file in program.files.values()
        for call in file.all(ast.Call)
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


def _is_one_place(found: list[tuple[SourceFile, ast.Call]]) -> bool:
    """Return whether it is one, or those of one statement: ``zip(x.split(n), y.split(n))``."""
    return len({id(file.statement(call)) for file, call in found}) == 1


def _require_apart(file: SourceFile, call: ast.Call) -> None:
    """Raise `RefusedError` where what the batches give is put together again: none may lack."""
    found = _loop_of(file, call)
    if found is None:
        return
    loop = found[0]
    around: Any = file.function(loop)
    filled = {
        file.code(one.func.value)
        for one in walk(loop)
        if isinstance(one, ast.Call)
        and isinstance(one.func, ast.Attribute)
        and one.func.attr in ("append", "extend")
    }
    for joined in walk(around):
        if not isinstance(joined, ast.Call) or last_name(joined.func) not in shapes.JOINS:
            continue
        for given in joined.args[:1]:
            if file.code(given) in filled or loop in tuple(walk(given)):
                raise RefusedError(
                    f"{file.place(joined)} puts together what the batches at {file.place(call)} "
                    "give: every sample is needed"
                )


def _without_short(file: SourceFile, call: ast.Call) -> Replacement:
    if not _is_range(file, call):
        return _cut(file, call)
    end = file.whole(call.args[1])[1]
    return Replacement(file.name, end, end, f" - {file.code(call.args[2])} + 1")


def _is_range(file: SourceFile, call: ast.Call) -> bool:
    """Return whether it is ``range(0, n, size)``."""
    is_plain = not (call.keywords or is_starred(call))
    return file.code(call.func) == "range" and len(call.args) == 3 and is_plain


def _slices(file: SourceFile, call: ast.Call) -> bool:
    """Return whether it is the ``range(0, n, size)`` of a loop that takes ``[i : i + size]``."""
    found = _loop_of(file, call) if _is_range(file, call) else None
    if found is None:
        return False
    loop, target = found
    size = file.code(call.args[2])
    return any(
        f"{target}{colon}{target} + {size}]" in _text_around(file, loop) for colon in (" : ", ":")
    )


def _is_over(file: SourceFile, loop: Any, call: ast.Call) -> bool:
    found = _loop_of(file, call)
    return found is not None and found[0] is loop


def _begins(file: SourceFile, loop: Any, call: ast.Call) -> bool:
    """Return whether the loop gives each beginning to a function: ``batch(data, i)``."""
    found = _loop_of(file, call) if _is_range(file, call) else None
    size = call.args[2] if found is not None else None
    if found is None or is_number(size):
        return False
    return any(
        file.code(one.value) == found[1]
        for node in walk(*loop.body)
        if isinstance(node, ast.Call)
        for one in arguments(node)
    )


def _loop_of(file: SourceFile, call: ast.Call) -> tuple[Any, str] | None:
    """Find the loop over ``call``, through `enumerate` or `tqdm`, and its element's variable."""
    node: Any = call
    is_numbered = False
    while (around := file.call_given(node)) is not None:
        node = around
        if last_name(node.func) not in _PASSED_ON:
            return None
        is_numbered |= last_name(node.func) == "enumerate"
    loop = file.parent(node)
    if not isinstance(loop, For | ast.comprehension) or loop.iter is not node:
        return None
    target: Any = loop.target
    if is_numbered:
        if not isinstance(target, ast.Tuple) or len(target.elts) != 2:
            return None
        target = target.elts[1]
    return loop, file.code(target)


def _text_around(file: SourceFile, loop: Any) -> str:
    """Return the loop, or the whole comprehension, whose element comes before its ``for``."""
    around: Any = loop if isinstance(loop, For) else file.statement(loop)
    return file.code(around)


def _splits(file: SourceFile, call: ast.Call) -> bool:
    """Return whether it is ``x.split(size)`` over whose parts a loop goes, with a size by name."""
    given = positional(call)
    if (
        not isinstance(call.func, ast.Attribute)
        or call.func.attr != "split"
        or len(arguments(call)) != len(given)
        or len(given) != 1
        or isinstance(given[0], ast.List | ast.Tuple)
        or is_string(given[0])
        or not any(_iterates(file, node) for node in (call, *_assigned_to(file, call)))
    ):
        return False
    return _length(file, call.func.value) is not None


def _iterates(file: SourceFile, node: ast.AST) -> bool:
    return any(
        isinstance(around, For | ast.comprehension) and around.iter in (node, *file.around(node))
        for around in file.around(node)
    ) or any(
        isinstance(around, ast.Return | ast.Yield | ast.YieldFrom) for around in file.around(node)
    )


def _assigned_to(file: SourceFile, call: ast.Call) -> Iterator[ast.AST]:
    """Yield where the variable is read that the call alone is assigned to."""
    made = file.parent(call)
    target = only_target(made)
    for node in file.all(ast.Name) if target is not None else ():
        if node.id == file.code(target) and node is not target:
            yield node


def _length(file: SourceFile, whole: Any) -> str | None:
    """Code that counts the rows of ``whole``; None where these may be others when asked again."""
    if isinstance(whole, ast.Name | ast.Attribute):
        return f"len({file.code(whole)})"
    if (
        isinstance(whole, ast.Call)
        and file.names(whole.func) == {_PERMUTATION}
        and (given := positional(whole))
        and not any(isinstance(one, ast.NamedExpr) for one in given)
    ):
        return operand(file, given[0])
    return None


def _cut(file: SourceFile, call: ast.Call) -> Replacement:
    """Return ``x[: n // size * size]`` before ``.split(size)``."""
    func: Any = call.func
    size, length = operand(file, call.args[0]), _length(file, func.value)
    end = file.whole(func.value)[1]
    return Replacement(file.name, end, end, f"[: {length} // {size} * {size}]")
