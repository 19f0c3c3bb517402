"""CA712: a size is padded in every call, by nothing where it fits, without a branch on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import libcst as cst

from ca_reports.fixes import loops
from ca_reports.fixes.editing import only_statement, positional
from ca_reports.fixes.patches import Patch, RefusedError, Replacement
from ca_reports.fixes.program import last_name, walk

if TYPE_CHECKING:
    from ca_reports.findings import Finding
    from ca_reports.fixes.program import EditableProgram, SourceFile


def patches(finding: Finding, program: EditableProgram) -> list[Patch]:
    """``if n: x = pad(x, (0, n))`` without the ``if``. Raises `RefusedError`."""
    file, found = loops.nodes_at(finding.location, program, cst.If)
    every = found or [one for one in (file.all(cst.If) if file else ()) if file and _pads(one)]
    if file is None or len(every) != 1:
        raise RefusedError("the source does not show one branch on the size")
    (branch,) = every
    call = _pads(branch)
    if call is None:
        raise RefusedError(f"the branch at {file.place(branch)} does more than pad")
    amounts = _amounts(file, branch, call)
    program.require_unchanged(file)
    only: Any = branch.body.body[0]
    start, end = file.span(branch)[0], file.line_end(file.span(branch)[1])
    first = file.span(only)[0]
    text = file.text[first:end]
    for node, new in reversed(amounts):
        left, right = (offset - first for offset in file.span(node))
        text = text[:left] + new + text[right:]
    step = len(file.indent_of(only)) - len(file.indent_of(branch))
    lines = text.split("\n")
    text = "\n".join(
        [lines[0], *(line[step:] if line[:step].isspace() else line for line in lines[1:])]
    )
    return [
        Patch(
            f"padded in every call at {file.place(branch)}, by 0 where the size fits",
            (Replacement(file.name, start, end, text),),
            note="copies the tensor where nothing is added, too",
        )
    ]


def _pads(branch: cst.If) -> cst.Call | None:
    """The call of `pad` that is all that ``branch`` assigns; None if it does anything else."""
    only = only_statement(getattr(branch.body, "body", ()))
    if branch.orelse is not None or not isinstance(only, cst.Assign):
        return None
    call = only.value
    is_pad = isinstance(call, cst.Call) and last_name(call.func) == "pad"
    return call if is_pad and isinstance(call, cst.Call) and len(positional(call)) > 1 else None


def _amounts(file: SourceFile, branch: cst.If, call: cst.Call) -> list[tuple[Any, str]]:
    """Return the amount that is 0 where the branch is not taken: that of its test.

    Of ``if n or m:`` those of both. ``if n:`` and ``if n > 0:`` add n, ``if n % 2:`` adds 1, which
    is ``n % 2``, and ``if n % 8:`` adds ``8 - n % 8``, which is ``-n % 8``. Raises `RefusedError`
    for any other.
    """
    found = {
        node: new
        for test in _tests(branch.test)
        for node, new in _amounts_of(file, branch, call, test)
    }
    return sorted(found.items(), key=lambda amount: file.span(amount[0]))


def _tests(test: Any) -> list[Any]:
    """The parts of ``a or b``, else the whole test."""
    if isinstance(test, cst.BooleanOperation) and isinstance(test.operator, cst.Or):
        return [*_tests(test.left), *_tests(test.right)]
    return [test]


def _amounts_of(
    file: SourceFile, branch: cst.If, call: cst.Call, test: Any
) -> list[tuple[Any, str]]:
    if isinstance(test, cst.Comparison) and len(test.comparisons) == 1:
        target = test.comparisons[0]
        is_positive = isinstance(target.operator, cst.GreaterThan | cst.NotEqual)
        test = test.left if is_positive and file.code(target.comparator) == "0" else test
    given = positional(call)[1].value
    nodes = list(walk(given))
    code = file.code(test)
    elements = given.elements if isinstance(given, cst.Tuple | cst.List) else ()
    for amount in [one.value for one in elements] or [given]:
        if file.code(amount) == code:
            return []
        rest = _rest(file, amount, test)
        if rest is not None:
            return [(amount, rest)]
    is_parity = (
        isinstance(test, cst.BinaryOperation)
        and isinstance(test.operator, cst.Modulo)
        and file.code(test.right) == "2"
    )
    ones = [node for node in nodes if isinstance(node, cst.Integer) and node.value == "1"]
    if is_parity and len(ones) == 1:
        return [(ones[0], code)]
    raise RefusedError(f"the branch at {file.place(branch)} does not add what it tests")


def _rest(file: SourceFile, amount: Any, test: Any) -> str | None:
    """``-n % 8`` for ``8 - n % 8`` where ``n % 8`` is tested; None for any other amount.

    ``-rest % 8`` for ``8 - rest`` where that is tested, and was set to ``n % 8``.
    """
    if isinstance(test, cst.Name) and isinstance(amount, cst.BinaryOperation):
        made = loops.assigned_once(file, test)
        is_rest = isinstance(made, cst.BinaryOperation) and isinstance(made.operator, cst.Modulo)
        size = file.code(made.right) if isinstance(made, cst.BinaryOperation) and is_rest else None
        if file.code(amount) == f"{size} - {test.value}":
            return f"-{test.value} % {size}"
    if not (
        isinstance(amount, cst.BinaryOperation)
        and isinstance(amount.operator, cst.Subtract)
        and isinstance(test, cst.BinaryOperation)
        and isinstance(test.operator, cst.Modulo)
        and file.code(amount.right) == file.code(test)
        and file.code(amount.left) == file.code(test.right)
    ):
        return None
    size = file.code(test.left)
    is_whole = isinstance(test.left, cst.Name | cst.Attribute | cst.Call | cst.Subscript)
    return f"-{size if is_whole else f'({size})'} % {file.code(test.right)}"
