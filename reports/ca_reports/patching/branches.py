"""Branches that Python decides by a number, once that is a tensor: both sides, and a choice."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ca_reports.patching import choices
from ca_reports.patching.editing import is_plain_comparison, stored
from ca_reports.patching.patches import RefusedError, Replacement
from ca_reports.program.positions import walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ca_reports.patching.program import EditableProgram, SourceFile

    Adapted = Callable[[SourceFile, Any, EditableProgram], list[Replacement]]


def by_number(
    file: SourceFile,
    node: ast.AST,
    whole: ast.AST,
    program: EditableProgram,
    adapted: Adapted,
) -> list[Replacement]:
    """Return the `if` whose test reads ``node`` as a choice by ``torch.where``.

    ``whole`` is the formula of ``node`` that the test compares; ``adapted`` says what changes where
    a number becomes a tensor. Raises `RefusedError` unless both sides are formulas, which may be
    computed in any step, and nothing needs a number of what they set.
    """
    refused = RefusedError(f"{file.place(node)} needs {file.code(node)} as a Python number")
    branch = next((one for one in file.around(node) if choices.is_test(one, node, file)), None)
    if branch is None or not _is_of_one_number(file, branch.test, whole):
        raise refused
    if program.effects.of(file, choices.chosen_nodes(file, branch)):
        raise refused
    for read in _reads_of_set(file, branch):
        if adapted(file, read, program):
            raise refused
    try:
        return choices.chosen(file, branch, lambda test: _test(file, test, whole))
    except RefusedError:
        raise refused from None


def _reads_of_set(file: SourceFile, branch: Any) -> Iterator[ast.Name]:
    """Yield where the function reads, after the branch, what that sets and may be a number."""
    around = [branch, *file.around(branch)] if isinstance(branch, ast.IfExp) else walk(branch)
    set_here = [one for one in around if isinstance(one, ast.Assign | ast.AugAssign)]
    names = {
        target.id
        for one in set_here
        if not file.is_tensor(one.value)
        for target in stored(one)[:1]
        if isinstance(target, ast.Name)
    }
    function, end = file.function(branch), file.span(branch)[1]
    for name in file.all(ast.Name):
        is_after = name.id in names and file.span(name)[0] >= end
        if is_after and file.function(name) is function:
            yield name


def _test(file: SourceFile, test: Any, whole: ast.AST) -> str:
    if test is whole:
        return f"{file.code(test)} != 0"
    return choices.tensor_test(file, test)


def _is_of_one_number(file: SourceFile, test: Any, whole: ast.AST) -> bool:
    """Return whether ``whole``, or one comparison of it with a formula, is all of the test."""
    if test is whole:
        return True
    if not is_plain_comparison(test):
        return False
    ordered = ast.Lt | ast.LtE | ast.Gt | ast.GtE | ast.Eq | ast.NotEq
    is_ordered = isinstance(test.ops[0], ordered)
    return is_ordered and any(one is whole for one in (test.left, *test.comparators))


def merged(changes: Iterable[Replacement], program: EditableProgram) -> list[Replacement]:
    """Put changes within a larger one into its text. Raises `RefusedError` where that is unclear.

    ``if t > 1: y = min(t, 2) * x`` becomes a choice, and its ``min`` a ``clamp``.
    """
    kept = list(dict.fromkeys(changes))
    texts = program.texts
    for inner in sorted(kept, key=lambda one: one.end - one.start):
        if inner.start == inner.end:
            continue
        outer = next((one for one in kept if _is_within(inner, one)), None)
        if outer is None:
            continue
        old = texts[inner.file][inner.start : inner.end]
        if outer.text.count(old) != 1:
            raise RefusedError(f"{old} is in what a choice replaces, and changes itself")
        kept.remove(inner)
        kept[kept.index(outer)] = replace(outer, text=outer.text.replace(old, inner.text))
    return kept


def _is_within(inner: Replacement, outer: Replacement) -> bool:
    is_smaller = outer.end - outer.start > inner.end - inner.start
    return (
        is_smaller
        and outer.file == inner.file
        and outer.start <= inner.start
        and inner.end <= outer.end
    )
