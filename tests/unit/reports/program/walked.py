"""A program in one file, with the stack of its backward."""

from __future__ import annotations

from textwrap import dedent
from typing import TYPE_CHECKING

from ca_reports.program.files import SourceFiles
from ca_reports.program.flow import Flow
from ca_reports.program.names import Names
from ca_reports.program.stack import Frame
from ca_reports.program.syntax import Program, Site

if TYPE_CHECKING:
    import ast
    from pathlib import Path


def flow_of(folder: Path, text: str) -> Flow:
    """Walk through ``text``; the lines that end with ``# 1``, ``# 2``, … are the stack.

    Without any it is the first line that calls `asked`.
    """
    file = folder / "train.py"
    file.write_text(dedent(text))
    marked = {
        int(mark): number
        for number, line in enumerate(file.read_text().splitlines(), 1)
        if (mark := line.rpartition("  # ")[2]).isdecimal()
    }
    if not marked:
        lines = file.read_text().splitlines()
        asking = [number for number, line in enumerate(lines, 1) if "asked(" in line]
        marked = dict(enumerate(asking[:1]))
    program = Program(SourceFiles([folder]), [str(file)])
    module = program.modules[str(file)]
    stack = tuple(module.frame(marked[mark]) for mark in sorted(marked))
    named = [Frame(one.file, one.line, _around(module.scope_at(one.line)), "") for one in stack]
    return Flow(Names(program), named)


def _around(scope: ast.AST) -> str:
    return str(getattr(scope, "name", "<module>"))


def at(flow: Flow, words: str) -> Site:
    """The statement of the first line that has these words."""
    (module,) = flow.program.modules.values()
    lines = module.frame(1).file
    text = SourceFiles([lines.rpartition("/")[0]]).text(lines) or ""
    number = next(n for n, line in enumerate(text.splitlines(), 1) if words in line)
    found = flow.program.at(module.frame(number))
    assert found is not None
    return found
