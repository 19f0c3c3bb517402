"""The line to change for each finding, read from the program's source.

A finding knows where its cause showed: the call of backward, at best the operation of the
forward. From there each code has a search for the line that the advice edits: the `if` above
the operation, the `DataLoader(…)` that made the batches. One line found is the answer.
Several are named as such, and none is taken for the answer; a guess would send people to the
wrong file.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from ca_reports.causes.findings import MAX_EVIDENCE, RepeatedNodes, SeveralModules
from ca_reports.causes.located import (
    arguments,
    batches,
    branches,
    dimensions,
    graphs,
    guarded,
    modes,
    number_advice,
    own_words,
    rounds,
    settings,
    watched,
    written,
)
from ca_reports.causes.located.advice import advice
from ca_reports.causes.located.choosing import one_choice
from ca_reports.causes.located.dropouts import of_dropout
from ca_reports.causes.located.trail import Trail, unique
from ca_reports.causes.remedies import remedy
from ca_reports.causes.rules.ca202_branch import BOTH_WAYS, WITHOUT, Branch
from ca_reports.causes.rules.ca203_unroll import OF_VARYING_LENGTH, UNROLL, Unroll
from ca_reports.causes.rules.ca209_root_changed import INPUTS, OTHER_BACKWARD
from ca_reports.causes.rules.ca501_hook_break import RETAINED
from ca_reports.program.names import Names
from ca_reports.program.syntax import Program

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from ca_reports.causes.findings import Finding
    from ca_reports.program.files import SourceFiles
    from ca_reports.program.syntax import Site
    from ca_reports.run.model import Frame, Process

SEARCHES: Mapping[str, Callable[[Trail], list[Site]]] = {
    "CA101": batches.last_batch,
    "CA102": batches.varying_length,
    "CA103": batches.zero_or_one,
    "CA104": batches.index,
    "CA111": modes.layout,
    "CA112": modes.global_state,
    "CA201": graphs.zeroed_gradients,
    "CA202": branches.branch,
    "CA203": branches.loop,
    "CA204": branches.carried_state,
    "CA205": graphs.mode,
    "CA206": graphs.number,
    "CA207": graphs.frozen,
    "CA208": graphs.input_gradients,
    "CA209": graphs.root,
    "CA210": graphs.local_function,
    "CA211": branches.order,
    "CA212": graphs.shared_tensor,
    "CA301": modes.hook,
    "CA302": modes.hook,
    "CA303": modes.hook_state,
    "CA304": modes.hook_state,
    "CA401": guarded.changed_value,
    "CA402": guarded.changed_value,
    "CA403": batches.picked_rows,
    "CA502": modes.checkpoint,
    "CA503": modes.save_on_cpu,
    "CA506": modes.sparse,
    "CA507": modes.reentrant_checkpoint,
    "CA601": modes.anomaly,
    "CA602": modes.autocast,
    "CA603": modes.create_graph,
    "CA611": modes.marked,
    "CA613": modes.data_parallel,
    "CA623": settings.custom_pass,
    "CA624": settings.freezing,
    "CA625": settings.caches,
    "CA709": dimensions.rank,
    "CA713": arguments.call,
    "CA717": guarded.compile_call,
    "CA718": modes.module_hook,
    "CA719": guarded.parameters,
}

# What is made of an argument of a compiled function before its call: what makes it is the line to
# change, or else the call.
_OF_ARGUMENTS = frozenset(("CA102", "CA111", "CA708", "CA709"))

# What a function begins with.
_BEGINNINGS = ("def ", "async def ", "class ", "@")

# More lines than this help nobody.
_MAX_CANDIDATES = 5

# Recompiled forwards: what their guards read is changed elsewhere, whatever the rule.
_FORWARDS = ("CA000", "CA7")
# Causes that every program of their kind has: where they show is all there is to know.
_INHERENT = ("CA715", "CA720")


def locate(
    findings: Sequence[Finding],
    processes: Iterable[Process],
    files: SourceFiles,
    failed: dict[str, None],
) -> list[Finding]:
    """``findings`` with the line to change, where one is found; a search that raises is noted.

    Where a code has no search, the line that its rule named is the one.
    """
    own = [
        found
        if _search(found)
        else replace(
            found,
            location=_with_source(found.location, files),
            noticed_at=_with_source(found.noticed_at, files),
            is_located=found.location is not None,
        )
        for found in findings
    ]
    if not any(map(_search, own)):
        return [*map(own_words.without_cells, own)]
    every = tuple(processes)
    program = Program(files, _files(own, every))
    if not program.modules:
        return [*map(own_words.without_cells, own)]
    is_recorded = all(process.recorded for process in every)
    names = Names(program, _stacks(every) if is_recorded else ())
    known = {capture.key: capture for process in every for capture in process.captures}
    trails = (Trail(found, names, known) for found in own)
    named = (own_words.in_own_words(_located(trail, failed), program) for trail in trails)
    return [*map(own_words.without_cells, named)]


def _with_source(frame: Frame | None, files: SourceFiles) -> Frame | None:
    """Add the line's text to a frame that torch names by its number only, such as a resumed one.

    As the run has kept it. The beginning of a function stands for the whole, and stays its name.
    """
    if frame is None or frame.code or files.digest(frame.file) is None:
        return frame
    code = files.line(frame.file, frame.line).strip()
    return frame if code.startswith(_BEGINNINGS) else replace(frame, code=code)


def _located(trail: Trail, failed: dict[str, None]) -> Finding:
    """The finding of ``trail`` with its line, and what the uses of its number say to do."""
    try:
        told, apart = number_advice.advice(trail), written.advice(trail)
    except Exception as error:
        failed[f"{trail.finding.code}: {type(error).__name__}: {error}"] = None
        told = apart = None
    found = _with_line(trail, failed)
    seen = watched.evidence(trail)
    if seen:
        found = replace(found, evidence=(*seen, *found.evidence)[:MAX_EVIDENCE])
    if apart is not None:
        return replace(found, remedy=found.remedy.saying(apart))
    is_by_its_line = found.remedy != trail.finding.remedy  # that knows more than the uses
    return found if told is None or is_by_its_line else replace(found, remedy=told)


def _with_line(trail: Trail, failed: dict[str, None]) -> Finding:
    finding = trail.finding
    search = _search(finding)
    if search is None:
        return finding
    try:
        if (dropout := of_dropout(trail)) is not None:
            return dropout
        found = watched.lines(trail, unique(search(trail)))
        if len(found) != 1 and finding.code in _OF_ARGUMENTS and arguments.argument(trail):
            found = arguments.call(trail) or found
        if len(found) > 1:
            found = one_choice(found, trail.flow) or found
        # Lines side by side that do the same are all to be edited; the first stands for them.
        if len(found) == 1 or (found and len({_block(site) for site in found}) == 1):
            fix = advice(trail, found[0])
            known = replace(
                finding,
                location=found[0].frame,
                remedy=finding.remedy if fix is None else finding.remedy.saying(fix),
                is_note=finding.is_note and fix is None,
                is_located=True,
            )
            if finding.code == "CA203" and isinstance(found[0].node, ast.If | ast.IfExp):
                return _of_branch(known)
            return _of_rounds(known, fix) if _is_of_rounds(trail, found[0]) else known
    except Exception as error:
        # Programs are of every kind: the finding stands without this line.
        failed[f"{finding.code}: {type(error).__name__}: {error}"] = None
        return finding
    return replace(finding, candidates=tuple(site.frame for site in found[:_MAX_CANDIDATES]))


def _is_of_rounds(trail: Trail, site: Site) -> bool:
    """Whether a loop's rounds are what looks as a branch: the first may make other nodes."""
    return trail.finding.code == "CA202" and (
        rounds.is_counted(site.node) or rounds.growing(site, trail.flow) is not None
    )


def _of_branch(finding: Finding) -> Finding:
    """An `if` in the rounds of a loop, of which there are always as many."""
    known = finding.detail
    return replace(
        finding, rule=Branch.about(), key=WITHOUT, remedy=remedy(BOTH_WAYS, Branch.edits),
        message=known.told if isinstance(known, RepeatedNodes) else finding.message,
    )  # fmt: skip


def _of_rounds(finding: Finding, fix: str | None) -> Finding:
    return replace(
        finding,
        rule=Unroll.about(),
        key=UNROLL,
        message=f"{finding.message}{OF_VARYING_LENGTH}",
        remedy=remedy(
            fix
            or "run the same number of rounds in every step, and mask those that are too many with "
            "`torch.where`",
            Unroll.edits,
        ),
    )


def _block(site: Site) -> tuple[ast.AST | None, bool, type[ast.AST] | None]:
    """Return what the statement of ``site`` is a part of, whether as its ``else``, and its kind."""
    statement = site.module.statement_at(site.line)
    if statement is None:
        return None, False, None
    around = site.module.parents.get(statement)
    return around, statement in getattr(around, "orelse", ()), type(statement)


def _search(finding: Finding) -> Callable[[Trail], list[Site]] | None:
    """Choose how to search for the line of ``finding``; None if its own is the one."""
    if finding.code == "CA501" and finding.key == RETAINED:
        return modes.retained_gradient
    if isinstance(finding.detail, SeveralModules):
        return guarded.compile_call
    if finding.code in _INHERENT:
        return None
    if finding.code == "CA209" and finding.key == OTHER_BACKWARD:
        return None
    if finding.code == "CA209" and finding.key == INPUTS:
        return graphs.asked_for
    if finding.code.startswith(_FORWARDS) and finding.code not in SEARCHES:
        return guarded.changed_value
    return SEARCHES.get(finding.code)


def _files(findings: Sequence[Finding], processes: Sequence[Process]) -> Iterator[str]:
    """The files that took part, as the log names them: of stacks, lines of the forward, guards."""
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
    """The stacks of all captures and compiles."""
    for process in processes:
        yield from (capture.stack for capture in process.captures)
        yield from (compiled.stack for compiled in process.compiles)


def _of(*frames: Frame | None) -> Iterator[str]:
    for frame in frames:
        if frame is not None:
            yield frame.file
