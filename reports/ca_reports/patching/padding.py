"""CA712: a size is padded in every call, by nothing where it fits, without a branch on it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from ca_reports.patching import loops
from ca_reports.patching.editing import is_number, is_plain_comparison, only_statement, positional
from ca_reports.patching.patches import Patch, RefusedError, Replacement
from ca_reports.program.positions import walk
from ca_reports.program.syntax import last_name

if TYPE_CHECKING:
    from ca_reports.causes.findings import Finding
    from ca_reports.patching.program import EditableProgram, SourceFile


def patches(finding: Finding, program: EditableProgram) -> list[Patch]:
    """Return ``if n: x = pad(x, (0, n))`` without the ``if``. Raises `RefusedError`."""
    file, found = loops.nodes_at(finding.location, program, ast.If)
    every = found or [
        one for one in (file.all(ast.If) if file else ()) if file and _pads(file, one)
    ]
    if file is None or len(every) != 1:
        raise RefusedError("can't find a single branch on the size")
    (branch,) = every
    call = _pads(file, branch)
    if call is None:
        raise RefusedError(f"the branch at {file.place(branch)} does more than pad")
    amounts = _amounts(file, branch, call)
    program.require_unchanged(file)
    start, end = file.span(branch)[0], file.line_end(file.span(branch)[1])
    (line,) = branch.body
    first = file.span(line)[0]
    text = file.text[first:end]
    for node, new in reversed(amounts):
        left, right = (offset - first for offset in file.span(node))
        text = text[:left] + new + text[right:]
    step = len(file.indent_of(line)) - len(file.indent_of(branch))
    lines = text.split("\n")
    text = "\n".join(
        [lines[0], *(each[step:] if each[:step].isspace() else each for each in lines[1:])]
    )
    return [
        Patch(
            f"padded in every call at {file.place(branch)}, by 0 where the size fits",
            (Replacement(file.name, start, end, text),),
            note="copies the tensor where nothing is added, too",
        )
    ]


def _pads(file: SourceFile, branch: ast.If) -> ast.Call | None:
    """Find the call of `pad` that is all that ``branch`` assigns; None if it does anything else."""
    only = only_statement(file, branch.body)
    if branch.orelse or not isinstance(only, ast.Assign):
        return None
    call = only.value
    is_pad = isinstance(call, ast.Call) and last_name(call.func) == "pad"
    return call if is_pad and isinstance(call, ast.Call) and len(positional(call)) > 1 else None


def _amounts(file: SourceFile, branch: ast.If, call: ast.Call) -> list[tuple[Any, str]]:
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
    """Return the parts of ``a or b``, else the whole test."""
    return test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or) else [test]


def _amounts_of(
    file: SourceFile, branch: ast.If, call: ast.Call, test: Any
) -> list[tuple[Any, str]]:
    if is_plain_comparison(test):
        is_positive = isinstance(test.ops[0], ast.Gt | ast.NotEq)
        test = test.left if is_positive and file.code(test.comparators[0]) == "0" else test
    given = positional(call)[1]
    nodes = list(walk(given))
    code = file.code(test)
    elements = given.elts if isinstance(given, ast.Tuple | ast.List) else ()
    for amount in elements or [given]:
        if file.code(amount) == code:
            return []
        rest = _rest(file, amount, test)
        if rest is not None:
            return [(amount, rest)]
    is_parity = (
        isinstance(test, ast.BinOp)
        and isinstance(test.op, ast.Mod)
        and file.code(test.right) == "2"
    )
    ones = [node for node in nodes if is_number(node) and file.code(node) == "1"]
    if is_parity and len(ones) == 1:
        return [(ones[0], code)]
    raise RefusedError(f"the branch at {file.place(branch)} does not add what it tests")


def _rest(file: SourceFile, amount: Any, test: Any) -> str | None:
    """Return ``-n % 8`` for ``8 - n % 8`` where ``n % 8`` is tested; None for any other amount.

    ``-rest % 8`` for ``8 - rest`` where that is tested, and was set to ``n % 8``.
    """
    if isinstance(test, ast.Name) and isinstance(amount, ast.BinOp):
        made = loops.assigned_once(file, test)
        is_rest = isinstance(made, ast.BinOp) and isinstance(made.op, ast.Mod)
        size = file.code(made.right) if isinstance(made, ast.BinOp) and is_rest else None
        if file.code(amount) == f"{size} - {test.id}":
            return f"-{test.id} % {size}"
    if not (
        isinstance(amount, ast.BinOp)
        and isinstance(amount.op, ast.Sub)
        and isinstance(test, ast.BinOp)
        and isinstance(test.op, ast.Mod)
        and file.code(amount.right) == file.code(test)
        and file.code(amount.left) == file.code(test.right)
    ):
        return None
    size = file.code(test.left)
    is_whole = isinstance(test.left, ast.Name | ast.Attribute | ast.Call | ast.Subscript)
    return f"-{size if is_whole else f'({size})'} % {file.code(test.right)}"
