"""Finds whether a program uses the result of a call, or drops it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ca_reports.program.syntax import last_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ca_reports.program.stack import Frame
    from ca_reports.program.syntax import Program

# A call of these is written as a call of the object.
_OF_OBJECTS = ("forward", "__call__")


def dropped_at(stack: Sequence[Frame], program: Program) -> Frame | None:
    """Return the line that drops what the innermost call of ``stack`` gives; None if it is used.

    A function that does nothing but return it leaves that to its caller.
    """
    function: str | None = None
    for frame in reversed(stack):
        site = program.at(frame)
        statement = None if site is None else site.node
        if not isinstance(statement, ast.Expr | ast.Return):
            return None
        called = statement.value
        if not isinstance(called, ast.Call):
            return None
        if function is not None and function not in (last_name(called.func), *_OF_OBJECTS):
            return None
        if isinstance(statement, ast.Expr):
            # Of the innermost call the line does not tell which of its calls it is.
            return None if function is None else frame
        function = frame.function
    return None
