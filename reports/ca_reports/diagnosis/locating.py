"""The line to change for each finding, and the remedy there, read from the program's source.

Each rule says how its line is found and what is to be done at it. One line found is the answer.
Several are named as such, and none is taken for the answer; a guess would send people to the
wrong file.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ca_reports.causes.findings import MAX_EVIDENCE
from ca_reports.causes.located import edited, watched
from ca_reports.causes.located.choosing import one_choice
from ca_reports.causes.located.naming import named
from ca_reports.causes.located.shared_cache import with_shared_cache
from ca_reports.causes.located.trail import Trail, recorded_line, unique
from ca_reports.program.names import Names
from ca_reports.program.syntax import Program

if TYPE_CHECKING:
    import ast
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ca_reports.causes.findings import Finding, KnownBy
    from ca_reports.causes.remedies import Remedy
    from ca_reports.causes.rules.base import Rule
    from ca_reports.program.files import SourceFiles
    from ca_reports.program.syntax import Site
    from ca_reports.run.model import Frame, Process

# What a function begins with.
_BEGINNINGS = ("def ", "async def ", "class ", "@")

# More lines than this help nobody.
_MAX_CANDIDATES = 5


def locate(
    findings: Sequence[Finding],
    processes: Iterable[Process],
    files: SourceFiles,
    failed: dict[str, None],
    every_rule: Iterable[type[Rule]],
) -> list[Finding]:
    """Return ``findings`` with the line to change, where one is found; what raises is noted.

    Where a rule has no search, the line that it named is the one.
    """
    rules = {rule.code: rule for rule in every_rule}
    searched = [rules[found.code].search(found) is not None for found in findings]
    own = [
        found
        if is_searched
        else replace(
            found,
            location=_with_source(found.location, files),
            noticed_at=_with_source(found.noticed_at, files),
            known_by=None if found.location is None else "recorded",
        )
        for found, is_searched in zip(findings, searched, strict=True)
    ]
    if not any(searched):
        return [named(found, None) for found in own]
    every = tuple(processes)
    program = Program(files, _files(own, every))
    if not program.modules:
        return [named(found, None) for found in own]
    is_recorded = all(process.recorded for process in every)
    names = Names(program, _stacks(every) if is_recorded else ())
    known = {capture.key: capture for process in every for capture in process.captures}
    trails = (Trail(found, names, known) for found in own)
    return [named(_located(trail, rules, failed), program) for trail in trails]


def _with_source(frame: Frame | None, files: SourceFiles) -> Frame | None:
    """Add the line's text to a frame that torch names by its number only, such as a resumed one.

    As the run has kept it. The beginning of a function stands for the whole, and stays its name.
    """
    if frame is None or frame.code or files.digest(frame.file) is None:
        return frame
    code = files.line(frame.file, frame.line).strip()
    return frame if code.startswith(_BEGINNINGS) else replace(frame, code=code)


def _located(trail: Trail, rules: Mapping[str, type[Rule]], failed: dict[str, None]) -> Finding:
    """Return the finding of ``trail`` with its line and the remedy there, and what was watched."""
    finding = trail.finding
    rule = rules[finding.code]
    found: Finding | None = None
    lines: Sequence[Site] = ()
    site: Site | None = None
    remedy: Remedy | None = None
    try:
        lines = _lines(trail, rule)
        site = _the_one(lines)
        found = _adopted(trail, site, rules)
        remedy = rule.remedy(trail, site) if found is None else None
        if found is None:
            lines = edited.lines(trail, remedy or finding.remedy, lines)
            site = _the_one(lines)
    except Exception as error:
        # Programs are of every kind: the finding stands with what was found before.
        failed[f"{finding.code}: {type(error).__name__}: {error}"] = None
    if found is None:
        found = _with_lines(trail, lines, site, rule)
    if remedy is not None:
        found = replace(found, remedy=remedy, is_note=False)
    found = with_shared_cache(found, trail)
    seen = watched.evidence(trail)
    return replace(found, evidence=(*seen, *found.evidence)[:MAX_EVIDENCE]) if seen else found


def _lines(trail: Trail, rule: type[Rule]) -> Sequence[Site]:
    """Return the lines of which one is to be edited; of the watched one only that."""
    search = rule.search(trail.finding)
    if search is None:
        return ()
    found = watched.lines(trail, unique(search(trail)))
    return found if len(found) < 2 else one_choice(found, trail.flow) or found


def _the_one(lines: Sequence[Site]) -> Site | None:
    """Return the only line, or the first of several side by side that do the same; else None.

    All of these are to be edited; the first stands for them.
    """
    return lines[0] if len({_block(site) for site in lines}) == 1 else None


def _adopted(trail: Trail, site: Site | None, rules: Mapping[str, type[Rule]]) -> Finding | None:
    """Return the finding as its source's rule has it; None if that is its own rule."""
    adopted = (rule.adopt(trail, site) for rule in rules.values())
    return next((found for found in adopted if found is not None), None)


def _with_lines(
    trail: Trail, lines: Sequence[Site], site: Site | None, rule: type[Rule]
) -> Finding:
    finding = trail.finding
    if not lines:
        return finding
    if site is None:
        return replace(finding, candidates=tuple(one.frame for one in lines[:_MAX_CANDIDATES]))
    known_by: KnownBy = "recorded" if rule.search(finding) is recorded_line else "read"
    if watched.saw(trail, site):
        known_by = "watched"
    return replace(finding, location=site.frame, known_by=known_by)


def _block(site: Site) -> tuple[ast.AST | None, bool, type[ast.AST] | None]:
    """Return what the statement of ``site`` is a part of, whether as its ``else``, and its kind."""
    statement = site.module.statement_at(site.line)
    if statement is None:
        return None, False, None
    around = site.module.parents.get(statement)
    return around, statement in getattr(around, "orelse", ()), type(statement)


def _files(findings: Sequence[Finding], processes: Sequence[Process]) -> Iterator[str]:
    """Yield the files that took part, as the log names them: of stacks, forward lines, guards."""
    for finding in findings:
        yield from _of(finding.location, finding.noticed_at)
    for stack in _stacks(processes):
        yield from _of(*stack)
    for process in processes:
        for capture in process.captures:
            yield from _of(*capture.lines.values())
        for compiled in process.compiles:
            yield from _of(compiled.location)
            guards = () if compiled.held is None else compiled.held.guards
            yield from _of(*(watched.frame_of(one.changed) for one in guards if one.changed))


def _stacks(processes: Sequence[Process]) -> Iterator[Sequence[Frame]]:
    """Yield stacks of all captures and compiles, and of the exception that ended the process."""
    for process in processes:
        yield from (capture.stack for capture in process.captures)
        yield from (compiled.stack for compiled in process.compiles)
        if process.end is not None and process.end.error_stack:
            yield process.end.error_stack


def _of(*frames: Frame | None) -> Iterator[str]:
    for frame in frames:
        if frame is not None:
            yield frame.file
