"""Measure what `ca fix` offers for the corpus and the samples: `make truth-fixes`.

    python -m tests.corpus.fixes [NAME …] [--offered] [--jobs 2] [--unseen] [--no-samples]
                                 [--keep FOLDER] [--output FILE]

Each finding of severity warning or error is asked for its patches. Each patch, alternatives
included, is applied alone to a copy of the program, which then runs twice: with `ca`, which may not
find the cause again, and with torch alone (`count.py`), which must count less and compute the same
losses, unless the patch says what it changes. Where two causes recompile in the same steps, a patch
counts beside those of the others. None may win by not compiling: no more than a tenth of the
calls of what is compiled may run eagerly that did not before. Files that `ruff format` leaves
alone must stay so.
With ``--offered`` only what `ca fix --verify` offers is tried, in the order in which it applies.
What ran is kept in ``build/remedies``, so that a run that was cut off goes on.
Exit code 1 if a patch changes losses without saying so, breaks syntax or style, or wins by not
compiling without saying so.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from ca_reports.causes.remedies import EFFECTS
from ca_reports.diagnosis.analysis import analyze
from ca_reports.patching.patches import RefusedError, applied
from ca_reports.patching.program import EditableProgram
from ca_reports.patching.propose import propose
from ca_reports.patching.trial import TOLERANCE, relative_difference
from ca_reports.run.loading import load
from tests.corpus import score, truth
from tests.corpus.kept import Kept

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ca_reports.causes.findings import Finding
    from ca_reports.diagnosis.analysis import Analysis
    from ca_reports.patching.patches import Patch, Proposal

REPOSITORY = Path(__file__).resolve().parents[2]
COUNTED = ("captures", "recompiles", "captured_recompiles", "compiles", "breaks", "skipped")
_NO_LESS = "torch counts no less"
# The part of the calls of what is compiled that a patch may leave to eager.
_FEW_CALLS = 0.1


@dataclass(frozen=True)
class Program:
    """A folder of sources with a script: one of the corpus, or a sample."""

    name: str
    group: str
    sources: dict[str, str]
    truth: truth.Program
    # How the sources are named for ruff, which finds its settings by the path.
    folder: Path


@dataclass
class Tried:
    """One patch, applied alone."""

    code: str
    what: str
    is_first: bool
    # Whether the finding is gone and torch counts less.
    works: bool = False
    losses: str = "none"
    faults: list[str] = field(default_factory=list)
    # What it did not do.
    why: str = ""


@dataclass
class Result:
    """What became of one program's findings."""

    program: Program
    # Code → how many of the findings, and how many of those have a patch.
    refused: list[str] = field(default_factory=list)
    patched: list[str] = field(default_factory=list)
    tried: list[Tried] = field(default_factory=list)
    error: str = ""


def programs(*, unseen: bool, samples: bool) -> Iterator[Program]:
    """Programs of the corpus that have a cause, then the samples that show one."""
    for one in truth.programs():
        if one.causes and one.unseen is unseen:
            yield Program(one.name, "corpus", one.sources, one, one.folder)
    for path in sorted(truth.SAMPLES.glob("*_bad.py")) if samples else ():
        text = path.read_text()
        if truth.NEEDS_CUDA in text and not torch.cuda.is_available():
            continue
        kind = "backward" if path.name < "ca7" else "forward"
        about = truth.Program(
            path.with_suffix(""), "", kind, [],
            cold="init_process_group" in text, fails=truth.ENDS_WITH_ERROR in text,
        )  # fmt: skip
        yield Program(path.stem, "samples", {"train.py": text}, about, path.parent)


def severe(analysis: Analysis) -> list[Finding]:
    return [one for one in analysis.diagnosis.findings if one.severity in score.SEVERE]


def measure(program: Program, kept: Kept, *, offered: bool = False) -> Result:
    """Ask for the patches of one program and try each. A program that fails is named.

    Those that `ca fix --verify` has ``offered``, or all that are made, alternatives included.
    """
    measured = _measure_offered if offered else _measure
    result = Result(program)
    try:
        measured(program, kept, result)
    except (RuntimeError, subprocess.TimeoutExpired) as error:
        result.error = str(error)
    return result


def _measure(program: Program, kept: Kept, result: Result) -> None:
    analysis = kept.analysis(program.truth, program.sources)
    editable = EditableProgram(analysis.run, analysis.files, analysis.facts)
    texts = editable.texts
    before = None
    proposals = propose(analysis, editable)
    for proposal in proposals:
        finding = proposal.finding
        if finding.severity not in score.SEVERE:
            continue
        if not proposal.patches:
            at = finding.location
            where = f"{Path(at.file).name}:{at.line}" if at else "no line"
            result.refused.append(f"{finding.rule} at {where}: {proposal.refusal}")
            continue
        result.patched.append(finding.code)
        before = before or kept.counted(program.truth, program.sources)
        for number, patch in enumerate(proposal.patches):
            tried = Tried(finding.code, patch.what, is_first=number == 0)
            result.tried.append(tried)
            changed = applied(texts, [patch])
            tried.faults = style_faults(program, texts, changed)
            try:
                identity = finding.code, finding.key
                _try(
                    program, kept, identity, patch.intention, changed, before, tried,
                    runs_eager=leaves_calls(patch),
                )  # fmt: skip
                if tried.why.startswith(_NO_LESS):
                    _try_beside(program, kept, proposal, patch, proposals, texts, tried)
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                tried.why = f"the patched program fails: {str(error).splitlines()[-1]}"


def _measure_offered(program: Program, kept: Kept, result: Result) -> None:
    work = kept.run(program.truth, program.sources)
    analysis = analyze(load([work / "run"]))
    keys = {(one.code, one.message): one.key for one in severe(analysis)}
    asked: list[str | Path] = [score.CA, "fix", "run", "--verify", "--yes", "--format", "json"]
    with tempfile.TemporaryDirectory() as cache:
        done = subprocess.run(
            asked, cwd=work, env=score.environment(Path(cache)), capture_output=True, text=True
        )
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stderr[-2000:])
    report = json.loads(done.stdout)
    offered = [one for one in report["fixes"] if one["finding"]["severity"] in score.SEVERE]
    told = [_named(one) for one in offered]
    for one in (*report["refused"], *report["failed"]):
        if _named(one) in keys and _named(one) not in told:
            told.append(_named(one))  # of several that failed the first
            why = one.get("reason") or f"tried and failed: {one['proof']['failure']}"
            result.refused.append(f"{': '.join(_named(one))}: {why}")
    texts = dict(program.sources)
    first = before = kept.counted(program.truth, texts) if offered else {}
    for fix in offered:
        named = _named(fix)
        result.patched.append(named[0])
        tried = Tried(named[0], fix["what"], is_first=True)
        result.tried.append(tried)
        changed = _with_diff(texts, fix["diff"])
        tried.faults = style_faults(program, texts, changed)
        try:
            identity = named[0], keys[named]
            so_far = {**texts, **changed}
            after = _try(program, kept, identity, fix["intention"] or "", so_far, before, tried)
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            tried.why = f"the patched program fails: {str(error).splitlines()[-1]}"
            continue
        if tried.why.startswith(_NO_LESS) and _saves_alone(program, kept, fix["diff"], first):
            tried.works, tried.why = True, ""  # one before it did the same
        texts, before = {**texts, **changed}, after


def _saves_alone(program: Program, kept: Kept, diff: str, before: Mapping[str, Any]) -> bool:
    try:
        changed = _with_diff(program.sources, diff)
    except RuntimeError:
        return False
    return counts_less(before, kept.counted(program.truth, {**program.sources, **changed}))


def _named(fix: Mapping[str, Any]) -> tuple[str, str]:
    """The code and the message of a fix's finding."""
    return fix["finding"]["code"], fix["finding"]["message"]


def _with_diff(texts: Mapping[str, str], diff: str) -> dict[str, str]:
    """The files that ``diff`` changes, after it. Raises RuntimeError if it doesn't apply."""
    with tempfile.TemporaryDirectory() as name:
        folder = score.written(dict(texts), Path(name) / "diff")
        done = subprocess.run(
            ["git", "apply", "-"], input=diff, cwd=folder, capture_output=True, text=True
        )
        if done.returncode:
            raise RuntimeError(f"the diff does not apply: {done.stderr}")
        after = {name: (folder / name).read_text() for name in texts}
    return {name: text for name, text in after.items() if text != texts[name]}


def _try(
    program: Program,
    kept: Kept,
    finding: tuple[str, str],
    intention: str,
    changed: Mapping[str, str],
    before: Mapping[str, Any],
    tried: Tried,
    *,
    runs_eager: bool = False,
) -> dict[str, Any]:
    """Look for the finding of that code and key once more; return what torch counts now."""
    sources = {**program.sources, **changed}
    again = kept.analysis(program.truth, sources)
    left = [one for one in severe(again) if (one.code, one.key) == finding]
    after = kept.counted(program.truth, sources)
    saved = counts_less(before, after)
    cures = before["failed"] and not after["failed"]
    if ends_limit(before, after) or cures:
        pass  # a compile for each version, or of what came after a crash, is what it is for
    elif left:
        tried.why = f"still there: {left[0].message}"
    elif not saved:
        told = {name: (before[name], after[name]) for name in COUNTED}
        tried.why = f"{_NO_LESS}: {told}"
    eager = eager_calls(before, after)
    if eager and not (cures and runs_eager):
        tried.why = eager
        if not runs_eager:
            tried.faults.append(eager)
    tried.works = not tried.why
    tried.losses = compare(before["losses"], comparable_losses(before, after))
    if tried.losses == "different" and not intention:
        tried.faults.append("changes losses without saying so")
    return after


def leaves_calls(patch: Patch) -> bool:
    """Return whether a patch says that it leaves calls uncompiled."""
    effects = EFFECTS.get(patch.edit, ()) if patch.edit is not None else ()
    return patch.runs_eager or "runs_eager" in effects


def _try_beside(
    program: Program,
    kept: Kept,
    proposal: Proposal,
    patch: Patch,
    proposals: Sequence[Proposal],
    texts: dict[str, str],
    tried: Tried,
) -> None:
    """Count again beside the patches of the other findings.

    Where two causes recompile in the same steps, the patch of one saves nothing by itself.
    """
    others = [
        one.patches[0]
        for one in proposals
        if one is not proposal and one.patches and one.finding.severity in score.SEVERE
    ]
    try:
        without = {**program.sources, **applied(texts, others)}
        beside = {**program.sources, **applied(texts, [*others, patch])}
    except RefusedError:
        return
    before, after = (kept.counted(program.truth, one) for one in (without, beside))
    if others and counts_less(before, after):
        tried.works, tried.why = True, ""


def counts_less(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Whether torch compiled less; functions of any library that it skipped decide only a tie."""
    saved = {name: before[name] - after[name] for name in COUNTED}
    skipped = saved.pop("skipped")
    return (sum(saved.values()), skipped) > (0, 0)


def ends_limit(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Return whether no recompile limit is hit any more, and more calls run compiled."""
    compiled = after["compiled_calls"] > before["compiled_calls"]
    return bool(before["limits"]) and not after["limits"] and compiled


def eager_calls(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """Say that a patch leaves calls to eager that were compiled; empty where they are few."""
    calls, compiled = after["calls"], after["compiled_calls"]
    if not calls or not before["calls"]:
        return ""
    lost = before["compiled_calls"] / before["calls"] - compiled / calls
    told = f"runs {calls - compiled} of {calls} calls uncompiled"
    return told if lost > _FEW_CALLS else ""


def comparable_losses(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[float]:
    """Return the losses of ``after``; of a program that stopped before, those it came to then."""
    losses: list[float] = after["losses"]
    return losses[: len(before["losses"])] if before["failed"] else losses


def compare(before: list[float], after: list[float]) -> str:
    """``equal`` bit for bit, ``noise``, ``different``, or ``none`` to compare."""
    if not before or not after:
        return "none"
    if before == after:
        return "equal"
    pairs = zip(before, after, strict=False)
    close = all(relative_difference(old, new) <= TOLERANCE for old, new in pairs)
    return "noise" if close and len(before) == len(after) else "different"


def style_faults(
    program: Program, before: Mapping[str, str], after: Mapping[str, str]
) -> list[str]:
    """What a patch broke of a file's syntax or layout."""
    faults = []
    for name, text in after.items():
        try:
            compile(text, name, "exec")
        except SyntaxError as error:
            faults.append(f"{name} does not parse: {error}")
            continue
        path = program.folder / name
        if is_formatted(before[name], path) and not is_formatted(text, path):
            faults.append(f"{name} is not formatted any more")
    return faults


def is_formatted(text: str, path: Path) -> bool:
    """Whether `ruff format` would leave ``text`` alone, with the settings for ``path``."""
    command: list[str | Path] = [
        Path(sys.executable).with_name("ruff"),
        "format",
        "--stdin-filename",
        path,
        "-",
    ]
    done = subprocess.run(command, input=text.encode(), capture_output=True, cwd=REPOSITORY)
    return done.returncode == 0 and done.stdout == text.encode()


def _rate(part: int, whole: int) -> str:
    return f"{part} of {whole} ({100 * part / whole:.0f}%)" if whole else "–"


def table(results: list[Result]) -> str:
    """The rates as a Markdown table."""
    rows = [
        "| | findings with a patch | first patches that work | all patches that work | "
        "losses equal, noise, by design, unsaid | broken layout |",
        "|---|---|---|---|---|---|",
    ]
    for group in ("corpus", "samples"):
        own = [one for one in results if one.program.group == group]
        tried = [one for result in own for one in result.tried]
        first = [one for one in tried if one.is_first]
        patched = sum(len(one.patched) for one in own)
        refused = sum(len(one.refused) for one in own)
        unsaid = sum("changes losses without saying so" in one.faults for one in tried)
        different = sum(one.losses == "different" for one in tried) - unsaid
        equal, noise = (sum(one.losses == kind for one in tried) for kind in ("equal", "noise"))
        broken = sum(any("losses" not in fault for fault in one.faults) for one in tried)
        cells = [
            group,
            _rate(patched, patched + refused),
            _rate(sum(one.works for one in first), len(first)),
            _rate(sum(one.works for one in tried), len(tried)),
            f"{equal}, {noise}, {different}, {unsaid}",
            str(broken),
        ]
        rows.append("| " + " | ".join(cells) + " |")
    return "\n".join(rows)


def details(results: list[Result]) -> str:
    """Program by program: what got no patch, and what became of each patch."""
    lines = []
    for result in results:
        lines.append(f"{result.program.group}/{result.program.name}")
        lines += [f"    NO PATCH {text}" for text in result.refused]
        for one in result.tried:
            rank = "" if one.is_first else "alternative, "
            state = "works" if one.works else f"FAILS ({one.why})"
            lines.append(f"    {one.code}: {one.what}: {rank}{state}, losses {one.losses}")
            lines += [f"        FAULT {fault}" for fault in one.faults]
        if result.error:
            lines.append(f"    ERROR {result.error}")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.corpus.fixes", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--unseen", action="store_true", help="the unseen programs: rates only")
    parser.add_argument("--no-samples", action="store_true")
    parser.add_argument("--offered", action="store_true", help="what --verify offers")
    parser.add_argument("--keep", type=Path, default=Path("build/remedies"), metavar="FOLDER")
    parser.add_argument("--output", type=Path, help="write the table and the details here")
    arguments = parser.parse_args()
    kept = Kept(arguments.keep)
    samples = not (arguments.no_samples or arguments.unseen)
    chosen = [
        one
        for one in programs(unseen=arguments.unseen, samples=samples)
        if not arguments.names or one.name in arguments.names
    ]

    def one(program: Program) -> Result:
        result = measure(program, kept, offered=arguments.offered)
        if not arguments.unseen:
            print(details([result]), file=sys.stderr, flush=True)
        return result

    with ThreadPoolExecutor(arguments.jobs) as pool:
        results = list(pool.map(one, chosen))
    print(table(results))
    if arguments.output:
        arguments.output.parent.mkdir(parents=True, exist_ok=True)
        shown = "" if arguments.unseen else details(results)
        arguments.output.write_text(f"{table(results)}\n\n{shown}\n")
    faults = [fault for result in results for tried in result.tried for fault in tried.faults]
    return int(bool(faults) or any(result.error for result in results))


if __name__ == "__main__":
    sys.exit(main())
