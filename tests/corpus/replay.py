"""Say what `ca` says of a frozen recording, without torch and in this process."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ca_reports.causes.remedies import EFFECTS
from ca_reports.diagnosis.analysis import analyze
from ca_reports.patching.patches import Proposal, RefusedError, applied, unified_diff
from ca_reports.patching.program import EditableProgram
from ca_reports.patching.propose import propose
from ca_reports.run.loading import load
from tests.corpus import frozen, one_line, truth

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ca_reports.diagnosis.analysis import Analysis
    from ca_reports.patching.patches import Patch
    from ca_reports.run.model import Frame

# A finding as it is compared: its fields as text, in the order in which they are shown.
Finding = dict[str, Any]


@cache
def programs() -> list[truth.Program]:
    """Return what can be frozen: every seen program of the corpus and every rule's sample."""
    return [*(one for one in truth.programs() if not one.unseen), *truth.samples()]


def told(program: truth.Program) -> str:
    """Return the digest of what a recording of ``program`` is made of."""
    return frozen.digest(program.sources, program.options)


def findings(
    program: truth.Program, recording: frozen.Frozen, *, is_of_one_line: bool = True
) -> list[Finding]:
    """Return what `ca explain-recompiles` and `ca fix --verify` say of ``recording``.

    Raises RuntimeError if a rule or a search for a patch fails, or, where that ``is_of_one_line``,
    a patch edits another line than its finding names.
    """
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        frozen.thaw(recording, program.folder, program.sources, run)
        loaded = replace(load([run], jobs=1), source_roots=(str(program.folder),))
        analysis = analyze(loaded, root=program.folder)
        if analysis.diagnosis.failed_rules:
            raise RuntimeError(f"a rule failed: {'; '.join(analysis.diagnosis.failed_rules)}")
        return list(_documents(program, analysis, is_of_one_line=is_of_one_line))


def _documents(
    program: truth.Program, analysis: Analysis, *, is_of_one_line: bool
) -> Iterable[Finding]:
    try:
        editable = EditableProgram(analysis.run, analysis.files, analysis.facts)
        proposals, texts = propose(analysis, editable), editable.texts
    except RefusedError as refused:
        every = analysis.diagnosis.findings
        proposals, texts = tuple(Proposal(one, refusal=str(refused)) for one in every), {}
    for proposal in proposals:
        if "please report it" in proposal.refusal:
            raise RuntimeError(f"{proposal.finding.code}: {proposal.refusal}")
        if is_of_one_line:
            one_line.require(proposal, texts)
        one, beside = proposal.finding, proposal.beside
        if proposal.patches and beside is not None:
            needs = {"beside": analysis.diagnosis.findings.index(beside)}
        else:
            needs = {}
        document = {
            "code": one.code,
            "severity": one.severity,
            "location": _place(one.location),
            "noticed_at": _place(one.noticed_at),
            "message": one.message,
            "fix": one.fix,
            **needs,
            **_patches(proposal, texts),
        }
        yield {
            name: _without(str(program.folder), text) if isinstance(text, str) else text
            for name, text in document.items()
        }


def _without(root: str, text: str) -> str:
    return text.replace(f"{root}/", "")


def _place(frame: Frame | None) -> str:
    return "" if frame is None else f"{frame.file}:{frame.line}"


def _patches(proposal: Proposal, texts: dict[str, str]) -> Finding:
    if not proposal.patches:
        return {"refusal": proposal.refusal}
    return {"patches": [_patch(one, texts) for one in proposal.patches]}


def _patch(patch: Patch, texts: dict[str, str]) -> Finding:
    effects = EFFECTS.get(patch.edit, ()) if patch.edit is not None else ()
    if patch.intention and not effects:
        raise RuntimeError(f"{patch.edit} is not known to have an effect: it {patch.intention}")
    told: Finding = {"what": patch.what}
    if patch.intention:
        told["intention"] = patch.intention
    if patch.note:
        told["note"] = patch.note
    if patch.runs_eager:
        told["runs_eager"] = True
    elif "runs_eager" in effects:
        told["leaves_calls"] = True
    if "holds_gradients" in effects:
        told["holds_gradients"] = True
    if patch.keeps_requires_grad:
        told["keeps_requires_grad"] = True
    told["diff"] = unified_diff(texts, applied(texts, [patch])).splitlines()
    return told
