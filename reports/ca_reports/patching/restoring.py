"""CA112: a setting of torch's is put back where a function changes it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ca_reports.causes.findings import SharedSetting
from ca_reports.patching import imports
from ca_reports.patching.patches import Patch, RefusedError
from ca_reports.program.edits import following, insert_before, put_under, unwrap, words_in
from ca_reports.program.restoring import unrestored
from ca_reports.program.syntax import last_name
from ca_reports.torchlib import modes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.causes.findings import Finding
    from ca_reports.patching.program import EditableProgram, SourceFile
    from ca_reports.program.restoring import Unrestored

_KEPT = "before"


def patches(finding: Finding, program: EditableProgram) -> list[Patch]:
    """Put the setting back that the finding's line leaves. Raises `RefusedError`."""
    setting, file = finding.detail, program.file(finding.location)
    if not isinstance(setting, SharedSetting) or len(setting.names) != 1 or file is None:
        raise RefusedError("the setting is not known")
    (what,) = setting.names
    setters = modes.SETTERS.get(what, ())
    found = [
        (left, call)
        for call in file.all(ast.Call)
        if last_name(call.func) in setters
        and (site := file.site(call)) is not None
        and (left := unrestored(site, setters)) is not None
        and finding.location is not None
        and left.line.line == finding.location.line
    ]
    if len(found) != 1:
        raise RefusedError(f"can't find what leaves {what} changed")
    left, call = found[0]
    function = left.function.node
    if any(file.function(node) is function for node in _calling(file, finding, program)):
        raise RefusedError(f"{file.place(function)} makes the call that is compiled again")
    program.require_unchanged(file)
    name = getattr(function, "name", "")
    if left.branch is not None:
        return [_always(file, left, what)]
    getter = modes.GETTERS.get(last_name(call.func))
    if getter is None:
        raise RefusedError(f"torch does not tell what {what} was")
    return [_after(file, left, call, getter, f"code after `{name}` with {what} as before it")]


def _calling(file: SourceFile, finding: Finding, program: EditableProgram) -> Iterator[ast.stmt]:
    """Yield the lines of a file through which the calls went that were compiled again."""
    stacks = (getattr(event, "stack", ()) for event in finding.events)
    for frame in dict.fromkeys(frame for stack in stacks for frame in stack):
        if program.file(frame) is file:
            yield from (one for one in file.lines_of_code if one.lineno == frame.line)


def _always(file: SourceFile, left: Unrestored, what: str) -> Patch:
    """Take what puts it back out of its branch."""
    branch = left.branch
    assert branch is not None
    assert isinstance(branch.node, ast.If)
    test = file.code(branch.node.test)
    return Patch(
        f"{what} put back at {file.place(branch.node)} in any case, not only if {test}",
        unwrap(file, branch.node, branch.node.body),
        intention=f"runs code after the `with` with {what} as before it",
    )


def _after(file: SourceFile, left: Unrestored, call: ast.Call, getter: str, whose: str) -> Patch:
    """Put the rest of a function under `try`, and the setting back in its `finally`."""
    rest = following(file, left.setting.node)
    if _KEPT in words_in(left.function.node):
        raise RefusedError(f"{file.place(left.function.node)} has a variable `{_KEPT}` already")
    torch, added = imports.torch(file, left.setting.node)
    setter = file.code(call.func)
    changes = put_under(
        file,
        rest[0],
        "try:",
        last=rest[-1],
        after=("finally:", f"{file.unit}{setter}({_KEPT})"),
    )
    line = f"{_KEPT} = {torch}.{getter}()"
    return Patch(
        f"{last_name(call.func)} at {file.place(call)} undone at the end of its function",
        (*added, *insert_before(file, left.setting.node, [line]), *changes),
        intention=f"runs {whose}",
    )
