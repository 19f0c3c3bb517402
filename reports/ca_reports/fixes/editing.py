"""Edits of a call that keep its layout: one line stays one, one argument a line stays so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import libcst as cst

from ca_reports.fixes.patches import RefusedError, Replacement
from ca_reports.fixes.program import SourceFile

if TYPE_CHECKING:
    from collections.abc import Sequence

# The names that are values: no variables.
CONSTANTS = ("False", "None", "True")
# What draws random numbers, as it is written.
RANDOM = (
    "rand", "normal(", "ropout(", "sample(", "uniform(", "bernoulli(", "variate(", "choice"
)  # fmt: skip


def is_constant(node: Any) -> bool:
    """Return whether ``node`` is True, False or None."""
    return isinstance(node, cst.Name) and node.value in CONSTANTS


def is_none(node: Any) -> bool:
    """Return whether ``node`` is None."""
    return isinstance(node, cst.Name) and node.value == "None"


def only_statement(lines: Sequence[Any]) -> Any:
    """Return the small statement that is all of ``lines``; None for more, or a compound one."""
    if len(lines) != 1 or not isinstance(lines[0], cst.SimpleStatementLine):
        return None
    return lines[0].body[0] if len(lines[0].body) == 1 else None


def is_docstring(statement: Any) -> bool:
    """Return whether ``statement`` is a text alone."""
    only = only_statement([statement])
    return isinstance(only, cst.Expr) and isinstance(
        only.value, cst.SimpleString | cst.ConcatenatedString
    )


def keyword(call: cst.Call, name: str) -> cst.Arg | None:
    """The argument that is given by that name."""
    return next((arg for arg in call.args if arg.keyword and arg.keyword.value == name), None)


def positional(call: cst.Call) -> list[cst.Arg]:
    """The arguments that are given by position."""
    return [arg for arg in call.args if arg.keyword is None and not arg.star]


def with_keyword(file: SourceFile, call: cst.Call, name: str, value: str) -> Replacement:
    """Give ``name=value`` to ``call``, in the place of another value for it.

    Raises `RefusedError` if ``*`` or ``**`` may give it already.
    """
    starred = next((arg for arg in call.args if arg.star), None)
    if starred is not None:
        where = file.place(call)
        raise RefusedError(f"the call at {where} takes {starred.star}: add {name}={value} there")
    given = keyword(call, name)
    if given is not None:
        start, end = file.span(given.value)
        return Replacement(file.name, start, end, value)
    if not call.args:
        end = file.span(call)[1] - 1
        return Replacement(file.name, end, end, f"{name}={value}")
    last = call.args[-1]
    start = file.span(last.value)[1]
    has_comma = isinstance(last.comma, cst.Comma)
    after = start + file.text[start:].index(",") + 1 if has_comma else start
    end = file.line_end(after)
    rest = file.text[after:end].strip()
    is_own_line = file.text[file.line_start(last) : file.span(last)[0]].strip() == ""
    if is_own_line and (not rest or rest.startswith("#")):
        indent = file.indent_of(last)
        added = f"{file.newline}{indent}{name}={value}{',' if has_comma else ''}"
        comma = "" if has_comma else ","
        text = comma + file.text[start:end] + added
        return Replacement(file.name, start, end, text)
    return Replacement(file.name, start, start, f", {name}={value}")


def appended(file: SourceFile, node: cst.BaseExpression, text: str) -> Replacement:
    """``text``, such as a call of a method, after an expression."""
    start, end = file.span(node)
    code = file.code(node)
    simple = isinstance(node, cst.Name | cst.Attribute | cst.Call | cst.Subscript) or node.lpar
    whole = code if simple else f"({code})"
    return Replacement(file.name, start, end, whole + text)
