"""Arguments of compiled functions, by the names that the user's call gives them.

`torch.compile` of one of torch's own modules (`nn.Sequential`) compiles a wrapper around its call:
guards and graphs name `args[0]`, and the line is that of the user's call (torch 2.13). A library's
forward may be wrapped as well, and take `kwargs['ids']`. Of other functions guards name the
parameters. `mark_dynamic` and `mark_unbacked` are to be written before the call, where all of these
are unknown. What a
hook keeps in its closure is a variable of the function around it.
"""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from ca_reports.located.changes import free_variables
from ca_reports.model import Compile
from ca_reports.program.syntax import FunctionNode, last_name
from ca_reports.source.names import targets_of
from ca_reports.stack import is_installed, own_frame

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ca_reports.findings import Finding
    from ca_reports.model import Frame
    from ca_reports.program.syntax import Program

_BY_PLACE = re.compile(r"\bargs\[(\d{1,3})\]", re.ASCII)
_BY_KEY = re.compile(r"\bkwargs\['(\w{1,80})'\]", re.ASCII)
_BY_CELL = re.compile(r"\bhooks\[\d{1,6}\]\.__closure__\[(\d{1,3})\]\.cell_contents", re.ASCII)
_CELL = "a variable of the hook's closure"
_PART = re.compile(r"[.\[]")
_MARKED = re.compile(
    r"(?P<mark>\bmark_(?:dynamic|unbacked)\()(?P<name>[A-Za-z_]\w*)(?=, )", re.ASCII
)


def in_own_words(finding: Finding, program: Program) -> Finding:
    """``finding`` with arguments in its texts as the user's call has them, where they have names.

    Those that are known by their place only are renamed everywhere, parameters where the fix
    marks them: what is said of them is said of the function.
    """
    compiled = next((event for event in finding.events if isinstance(event, Compile)), None)
    if compiled is None:
        return finding
    if _BY_CELL.search(finding.message + finding.fix):
        free = {str(at): name for at, name in enumerate(_free(finding.noticed_at, program))}

        def called(text: str) -> str:
            return _BY_CELL.sub(lambda found: free.get(found[1], found[0]), text)

        return replace(finding, message=called(finding.message), fix=called(finding.fix))
    if _BY_PLACE.search(finding.message + finding.fix):
        names = _given(compiled.location, frozenset(), program)

        def named(text: str) -> str:
            return _BY_PLACE.sub(lambda found: names.get(found[1], found[0]), text)

        return replace(finding, message=named(finding.message), fix=named(finding.fix))
    if _BY_KEY.search(finding.message + finding.fix):
        keys, mapping = _given_by_key(compiled, program)

        def keyed(text: str) -> str:
            return _BY_KEY.sub(lambda found: keys.get(found[1], f"{mapping}['{found[1]}']"), text)

        return replace(finding, message=keyed(finding.message), fix=keyed(finding.fix))
    parameters = {found["name"] for found in _MARKED.finditer(finding.fix)}
    known = _by_parameter(compiled, program) if parameters else {}
    if not parameters or not parameters.issubset(known):
        return finding
    fix = _MARKED.sub(lambda found: found["mark"] + known[found["name"]], finding.fix)
    return replace(finding, fix=fix)


def without_cells(finding: Finding) -> Finding:
    """``finding`` with words for what a hook keeps in its closure, where it has no name."""
    if not _BY_CELL.search(finding.message + finding.fix):
        return finding
    message, fix = (_BY_CELL.sub(_CELL, text) for text in (finding.message, finding.fix))
    return replace(finding, message=message, fix=fix)


def _free(hook: Frame | None, program: Program) -> list[str]:
    """The variables of the closure of the hook that a line is of."""
    site = program.at(hook)
    if site is None:
        return []
    function = site.node if isinstance(site.node, FunctionNode) else site.scope
    return free_variables(site.module, function) if isinstance(function, FunctionNode) else []


def _given_by_key(compiled: Compile, program: Program) -> tuple[Mapping[str, str], str]:
    """What a library's ``**kwargs`` are at the user's call: variables by keyword, and the mapping.

    ``{}`` and ``"batch"`` of ``model(**batch)``; the mapping is ``"kwargs"`` where nobody knows.
    """
    unknown: tuple[Mapping[str, str], str] = {}, "kwargs"
    place, frame = compiled.code or compiled.location, own_frame(compiled.stack)
    if place is None or frame is None or not is_installed(place.file):
        return unknown
    module = program.modules.get(frame.file)
    statement = None if module is None else module.statement_at(frame.line)
    calls = [
        part
        for part in ast.walk(statement or ast.Pass())
        if isinstance(part, ast.Call)
        and part.lineno <= frame.line <= (part.end_lineno or part.lineno)
        and part.keywords
    ]
    if len(calls) != 1:
        return unknown
    given = {
        each.arg or "**": ast.unparse(each.value)
        for each in calls[0].keywords
        if isinstance(each.value, ast.Name | ast.Attribute)
    }
    return given, given.pop("**", "kwargs")


def _by_parameter(compiled: Compile, program: Program) -> dict[str, str]:
    """The variables that the user's call gives for the parameters of the compiled function."""
    own, held = compiled.location, compiled.held
    if own is None or held is None:
        return {}
    order = [name for name in _parameters(held.arguments) if name not in ("self", "cls")]
    for frame in reversed(compiled.stack):
        if program.runs(frame, own):
            continue
        given = _given(frame, frozenset((own.function,)), program)
        if given:
            return {
                name: given.get(name) or given[str(place)]
                for place, name in enumerate(order)
                if name in given or str(place) in given
            }
    return {}


def _parameters(arguments: Iterable[tuple[str, object]]) -> Iterable[str]:
    """The parameters in their order, of arguments told part by part: `batch['x']`, `batch.x`."""
    return dict.fromkeys(_PART.split(name, maxsplit=1)[0] for name, _ in arguments)


def _given(frame: Frame | None, functions: frozenset[str], program: Program) -> Mapping[str, str]:
    """The names by which the call at ``frame`` gives its arguments, by place or by keyword.

    A call of what `torch.compile` has made, or of one of ``functions``.
    """
    module = None if frame is None else program.modules.get(frame.file)
    statement = None if module is None or frame is None else module.statement_at(frame.line)
    if statement is None or frame is None or isinstance(statement, ast.FunctionDef):
        return {}
    compiled = functions.union(
        last_name(target)
        for site in program.calls("compile")
        for target in targets_of(site.module.parents.get(site.node, site.node))
    )
    calls = [
        part
        for part in ast.walk(statement)
        if isinstance(part, ast.Call)
        and part.lineno <= frame.line <= (part.end_lineno or part.lineno)
        and last_name(part.func) in compiled
    ]
    if len(calls) != 1:
        return {}
    found: dict[str, str] = {}
    for place, given in enumerate(calls[0].args):
        if isinstance(given, ast.Starred):
            break
        if isinstance(given, ast.Name | ast.Attribute):
            found[str(place)] = ast.unparse(given)
    for each in calls[0].keywords:
        if each.arg is not None and isinstance(each.value, ast.Name | ast.Attribute):
            found[each.arg] = ast.unparse(each.value)
    return found
