"""Lines that were watched while the program ran: the one that changed what a guard reads.

What is seen overrules what is read in the source, but for one case: where a library made the change
in a call of the user's, the line to edit may be where that library's object was made, and reading
the source has found it.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ca_reports.facts.evidence import Evidence
from ca_reports.facts.guard_paths import guard_path, readable
from ca_reports.program.stack import Frame
from ca_reports.program.syntax import targets_of
from ca_reports.sentences.places import in_brief
from ca_reports.words.guard_values import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ca_reports.causes.located.trail import Trail
    from ca_reports.program.syntax import Site
    from ca_reports.run.held import ChangedLine, Held
    from ca_reports.run.model import Compile


def frame_of(change: ChangedLine) -> Frame:
    """Return the line of ``change`` as a frame, without its text."""
    return Frame(change.file, change.line, change.function, "")


def lines(trail: Trail, found: Sequence[Site]) -> list[Site]:
    """Return the line that was seen to change what failed, else ``found`` as it is.

    It is one line in all recompiles that know theirs, and no compiled code.
    """
    changes = [
        (guard_source, change) for _, guard_source, change in _changes(trail) if not change.compiled
    ]
    places = {(change.file, change.line) for _, change in changes}
    if len(places) != 1:
        return list(found)
    source, change = changes[0]
    seen = trail.program.at(frame_of(change))
    if seen is None:
        return list(found)
    same = [site for site in found if _statement(site, trail) is seen.node]
    if same:
        return same
    return [seen] if not found or _stores(seen, source) else list(found)


def saw(trail: Trail, site: Site) -> bool:
    """Return whether the line of ``site`` was seen to make the change."""
    own = _statement(site, trail)
    seen = (trail.program.at(frame_of(change)) for *_, change in _changes(trail))
    return any(one is not None and one.node is own for one in seen)


def evidence(trail: Trail) -> tuple[Evidence, ...]:
    """Return what was seen, a line for each place and direction: ``watched: train.py:28, …``."""
    logs = {seen.line: seen.file for seen in trail.finding.evidence}
    told = {
        Evidence(
            f"watched: {in_brief(frame_of(change))} changed `{readable(source)}`: "
            f"{_shown(change.before)} → {_shown(change.after)}",
            logs.get(compiled.line, ""),
            compiled.line if compiled.line in logs else 0,
        ): None
        for compiled, source, change in _changes(trail)
    }
    return tuple(told)


def _changes(trail: Trail) -> Iterator[tuple[Compile, str, ChangedLine]]:
    """Yield changes that were seen before each recompile, of what its newest failed guard reads."""
    for compiled in trail.compiles:
        for guard in compiled.held.guards[:1] if compiled.held is not None else ():
            if guard.changed is not None:
                yield compiled, guard.source, guard.changed


def _statement(site: Site, trail: Trail) -> ast.AST | None:
    """Return the statement that ``site`` is named by."""
    named = trail.program.at(site.frame)
    return None if named is None else named.node


def _stores(site: Site, source: str) -> bool:
    """Return whether the statement itself stores what ``source`` names, by its last name."""
    names = guard_path(source).names
    if not names:
        return False
    return any(
        guard_path(ast.unparse(target)).names[-1:] == names[-1:]
        for node in ast.walk(site.node)
        if isinstance(node, ast.stmt)
        for target in targets_of(node)
    )


def _shown(held: Held | None) -> str:
    if held is None:
        return "not there"
    if held.has_value:
        return shown(held.value)
    size = "" if held.length is None else f" of {held.length}"
    return f"{held.type.rpartition('.')[2]}{size}"
