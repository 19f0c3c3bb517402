"""An argument that Dynamo knows by its place only, by the name that the user's call gives it.

`torch.compile` of one of torch's own modules (`nn.Sequential`) compiles a wrapper around its call:
guards and graphs name `args[0]`, and the line is that of the user's call (torch 2.13).
"""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from ca_reports.model import Compile
from ca_reports.source.names import targets_of
from ca_reports.source.program import last_name

if TYPE_CHECKING:
    from ca_reports.findings import Finding
    from ca_reports.model import Frame
    from ca_reports.source.program import Program

_BY_PLACE = re.compile(r"\bargs\[(\d{1,3})\]", re.ASCII)


def in_own_words(finding: Finding, program: Program) -> Finding:
    """``finding`` with ``args[0]`` in its texts as the user's call has it, where it has a name."""
    compiled = next((event for event in finding.events if isinstance(event, Compile)), None)
    if compiled is None or not _BY_PLACE.search(finding.message + finding.fix):
        return finding
    names = _given(compiled.location, program)

    def named(text: str) -> str:
        return _BY_PLACE.sub(lambda found: names.get(int(found[1]), found[0]), text)

    return replace(finding, message=named(finding.message), fix=named(finding.fix))


def _given(frame: Frame | None, program: Program) -> dict[int, str]:
    """The names by which the call at ``frame`` gives its arguments to a compiled module."""
    module = None if frame is None else program.modules.get(frame.file)
    statement = None if module is None or frame is None else module.statement_at(frame.line)
    if statement is None or frame is None or isinstance(statement, ast.FunctionDef):
        return {}
    modules = {
        last_name(target)
        for site in program.calls("compile")
        for target in targets_of(site.module.parents.get(site.node, site.node))
    }
    calls = [
        part
        for part in ast.walk(statement)
        if isinstance(part, ast.Call)
        and part.lineno <= frame.line <= (part.end_lineno or part.lineno)
        and last_name(part.func) in modules
    ]
    if len(calls) != 1:
        return {}
    found: dict[int, str] = {}
    for place, given in enumerate(calls[0].args):
        if isinstance(given, ast.Starred):
            break
        if isinstance(given, ast.Name | ast.Attribute):
            found[place] = ast.unparse(given)
    return found
