"""Patches for a report: made of what ran, as the run has kept it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.patching.patches import RefusedError, applied, unified_diff
from ca_reports.patching.program import EditableProgram
from ca_reports.patching.propose import propose_for
from ca_reports.words.places import is_typed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ca_reports.causes.findings import Finding
    from ca_reports.diagnosis.analysis import Analysis
    from ca_reports.program.files import SourceFiles


def diffs(analysis: Analysis, findings: Sequence[Finding]) -> dict[int, str]:
    """`id` of a finding → its first patch as a unified diff; none where the source is not known.

    A run that was recorded elsewhere has the files that lie in its folder, and no others. A patch
    with a secret among its lines is left out: it would not apply without, and a page goes round.
    """
    wanted = [finding for finding in findings if finding.remedy.edits]
    if not wanted:
        return {}
    # Files are kept at the end of a run, a text that is in none at its beginning.
    has_files = not all(map(is_typed, analysis.run.source))
    try:
        program = EditableProgram(
            analysis.run, analysis.files, analysis.facts, as_recorded=has_files
        )
    except RefusedError:
        return {}
    texts = program.texts
    found: dict[int, str] = {}
    for finding in wanted:
        proposal = propose_for(finding, program, is_measured=False)
        if proposal.patches:
            after = applied(texts, proposal.patches[:1])
            before = {name: texts[name] for name in after}
            diff = unified_diff(before, after)
            # A page keeps no carriage returns.
            if "\r" not in diff and not _has_secret(diff, before.values(), analysis.files):
                found[id(finding)] = diff
    return found


def _has_secret(diff: str, sources: Iterable[str], files: SourceFiles) -> bool:
    changed = {line[1:] for line in diff.splitlines()}
    return any(
        changed & (set(source.splitlines()) - set(files.shown(source).splitlines()))
        for source in sources
    )
