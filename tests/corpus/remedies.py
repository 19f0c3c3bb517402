"""Count, by torch alone, what each remedy makes of a program: the first part of `make truth-fixes`.

    python -m tests.corpus.remedies [NAME …] [--corpus] [--keep FOLDER] [--output FILE]

For the bad sample of each rule, or with ``--corpus`` for programs of the corpus, these are applied,
each by itself, to a copy of the program:

- each patch of `ca fix`, alternatives and those of hints included, then all it offers at once;
- what a finding's sentence says beside them, taken literally: `advice/SAMPLE.toml` has the words
  and the edit that follows them. Words that no finding says any more are an error;
- the sample's fixed twin.

Nothing of `ca` takes part in the count (`count.py`). A remedy is ``worse`` if torch captures or
compiles more than before, ends a graph more often or refuses more, if calls run uncompiled that did
not, if the program fails, or if other losses or gradients come out, or other weights are trained,
and the remedy doesn't say so. Exit code 1 if one is.

What was counted is kept in ``build/remedies``, so that a run that was cut off goes on.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ca_reports.patching.patches import RefusedError, applied
from ca_reports.patching.printed import compare_lines, own_lines
from ca_reports.patching.program import EditableProgram
from ca_reports.patching.propose import choose, propose
from ca_reports.patching.trial import TOLERANCE, relative_difference
from tests.corpus import fixes, score, truth
from tests.corpus.kept import Kept

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ca_reports.diagnosis.analysis import Analysis
    from ca_reports.patching.patches import Patch

ADVICE = Path(__file__).with_name("advice")
COUNTED = (
    "captures", "recompiles", "captured_recompiles", "compiles", "breaks", "limits",
)  # fmt: skip
_BAD, _FIXED = "_bad", "_fixed"


@dataclass(frozen=True)
class Advice:
    """A remedy in the words of a finding's fix, and the edits that follow them literally.

    ``changes`` says what else is computed by it, and ``costs`` why more is compiled; the words say
    both, too. ``not_applied`` is why a person can't follow the words in this program.
    """

    words: str
    edits: tuple[truth.Edit, ...] = ()
    changes: str = ""
    costs: str = ""
    not_applied: str = ""


@dataclass(frozen=True)
class Remedy:
    """A change of a program's sources.

    ``changes``: what it says that it computes otherwise; ``costs``: why it compiles more.
    """

    kind: str
    what: str
    sources: Mapping[str, str]
    changes: str = ""
    costs: str = ""
    runs_eager: bool = False


@dataclass
class Outcome:
    """What torch counts before a remedy and with it, and what is wrong with it."""

    remedy: Remedy
    before: Mapping[str, Any]
    after: Mapping[str, Any] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    @property
    def verdict(self) -> str:
        """``worse``, ``better``, ``same``, ``costs``, or ``cures`` where the program failed."""
        if self.faults:
            return "worse"
        if self.remedy.costs or fixes.ends_limit(self.before, self.after):
            return "costs"
        if self.before["failed"] and not self.after["failed"]:
            return "cures"
        if fewer := total(self.before) - total(self.after):
            return "better" if fewer > 0 else "worse"
        return "better" if self.after["skipped"] < self.before["skipped"] else "same"


@dataclass
class Measured:
    """All remedies of a program, and those that were not applied."""

    program: fixes.Program
    outcomes: list[Outcome] = field(default_factory=list)
    not_applied: list[str] = field(default_factory=list)
    error: str = ""

    @property
    def is_faulty(self) -> bool:
        return bool(self.error) or any(one.verdict == "worse" for one in self.outcomes)


def _written(name: str) -> dict[str, Any]:
    file = ADVICE / f"{name.removesuffix(_BAD)}.toml"
    return truth.table(file) if file.is_file() else {}


def advice(name: str) -> list[Advice]:
    """The advice of a sample that is written down. Raises AssertionError if it is malformed."""
    found = []
    for one in _written(name).get("advice", []):
        edits = tuple(truth.Edit("train.py", **edit) for edit in one.pop("edits", []))
        found.append(Advice(edits=edits, **one))
        assert bool(edits) is not bool(found[-1].not_applied), f"{name}: {found[-1].words}"
    return found


def followed(sources: Mapping[str, str], edits: Sequence[truth.Edit]) -> dict[str, str]:
    """``sources`` with ``edits``, each at the one place where its text is."""
    changed = dict(sources)
    for edit in edits:
        assert changed[edit.file].count(edit.old) == 1, f"{edit.old!r} is not there once"
        changed[edit.file] = changed[edit.file].replace(edit.old, edit.new)
    return changed


def _patches(analysis: Analysis, *, all_severities: bool) -> Iterator[tuple[str, list[Patch]]]:
    """Yield each patch, with the code that it is for, and last all that are offered together."""
    program = EditableProgram(analysis.run, analysis.files, analysis.facts)
    proposals = [
        one
        for one in propose(analysis, program)
        if all_severities or one.finding.severity in score.SEVERE
    ]
    for proposal in proposals:
        for patch in proposal.patches:
            yield proposal.finding.code, [patch]
    offered = [one.patch for one in choose(proposals, program).offered]
    if len(offered) > 1:
        yield "all", offered


def remedies(program: fixes.Program, analysis: Analysis) -> Iterator[Remedy | str]:
    """Yield what is offered for ``program``, or in words what is not applied and why."""
    texts = dict(program.sources)
    is_sample = program.group == "samples"
    for code, patches in _patches(analysis, all_severities=is_sample):
        what = f"{code}: {' + '.join(one.what for one in patches)}"
        try:
            sources = {**texts, **applied(texts, patches)}
        except RefusedError as refused:
            yield f"{what}: {refused}"
            continue
        changes = "; ".join(one.intention for one in patches if one.intention)
        if any(one.keeps_requires_grad for one in patches):
            changes = changes or "keeps requires_grad"
        eager = any(fixes.leaves_calls(one) for one in patches)
        yield Remedy("patch", what, sources, changes, runs_eager=eager)
    if not is_sample:
        return
    for one in advice(program.name):
        if one.edits:
            sources = followed(texts, one.edits)
            yield Remedy("advice", one.words, sources, one.changes, one.costs)
        else:
            yield f"{one.words}: {one.not_applied}"
    twin = program.folder / f"{program.name.removesuffix(_BAD)}{_FIXED}.py"
    costs = _written(program.name).get("twin_costs", "")
    yield Remedy("twin", twin.name, {"train.py": twin.read_text()}, "written by hand", costs)


def measure(program: fixes.Program, kept: Kept) -> Measured:
    """Count each remedy of one program. A program that fails as it stands is an error."""
    measured = Measured(program)
    try:
        analysis = kept.analysis(program.truth, program.sources)
        before = kept.counted(program.truth, program.sources)
    except (RuntimeError, subprocess.TimeoutExpired) as error:
        measured.error = _last_line(error)
        return measured
    said = [one.fix for one in analysis.diagnosis.findings]
    for words in (one.words for one in advice(program.name)):
        if not any(words in one for one in said):
            measured.error = f"no finding says {words!r} any more"
    for remedy in remedies(program, analysis):
        if isinstance(remedy, str):
            measured.not_applied.append(remedy)
            continue
        outcome = Outcome(remedy, before)
        measured.outcomes.append(outcome)
        try:
            outcome.after = kept.counted(program.truth, remedy.sources)
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            outcome.faults.append(f"the program fails: {_last_line(error)}")
            continue
        outcome.faults += faults(before, outcome.after, remedy)
        if not remedy.changes and before["printed"] != outcome.after["printed"]:
            again = kept.counted(program.truth, program.sources, once_more=True)
            outcome.faults += prints_other_lines(before, outcome.after, again)
    return measured


def prints_other_lines(
    before: Mapping[str, Any], after: Mapping[str, Any], again: Mapping[str, Any]
) -> list[str]:
    """Say which line is another one, where the unchanged program prints it alike ``again``."""
    old, new, same = (own_lines(one["printed"]) for one in (before, after, again))
    if before["failed"]:
        new = new[: len(old)]
    found = compare_lines(old, new, (old, same))
    told = f"prints {found.after!r}, not {found.before!r}"
    return [told] if found.verdict == "different" else []


def faults(before: Mapping[str, Any], after: Mapping[str, Any], remedy: Remedy) -> list[str]:
    """What a remedy does that it may not, or not without saying so."""
    found = []
    if after["failed"] > before["failed"]:
        found.append("the program fails")
    costs = remedy.costs or before["failed"] or fixes.ends_limit(before, after)
    if total(after) > total(before) and not costs:
        found.append("torch counts more")
    eager = fixes.eager_calls(before, after)
    if eager and not remedy.runs_eager:
        found.append(eager)
    if remedy.changes:
        return found
    pairs = list(zip(before["trained"], after["trained"], strict=False))
    if any(old[0] != new[0] for old, new in pairs):
        found.append("trains other weights")
    if fixes.compare(before["losses"], fixes.comparable_losses(before, after)) == "different":
        found.append("changes losses")
    if any(relative_difference(old[1], new[1]) > TOLERANCE for old, new in pairs):
        found.append("changes gradients")
    return found


def total(counts: Mapping[str, Any]) -> int:
    """All that torch captured, compiled, refused to compile, and each graph that it ended."""
    return sum(counts[name] for name in COUNTED)


def shown(counts: Mapping[str, Any]) -> str:
    """The counts in short: captures, recompiles (those of captures), compiles, breaks, limits."""
    if not counts:
        return "–"
    names = "captures", "recompiles", "captured_recompiles", "compiles", "breaks", "limits"
    numbers = "/".join(str(counts[name]) for name in names)
    return f"{numbers} {counts['compiled_calls']}:{counts['calls']}"


def table(measured: Sequence[Measured]) -> str:
    """A row for each remedy, then what was not applied, and the verdicts counted."""
    rows = [
        "captures/recompiles/of captures/compiles/breaks/limits, compiled calls:calls",
        "",
        "| program | remedy | before | after | verdict |",
        "|---|---|---|---|---|",
    ]
    verdicts: dict[str, int] = {}
    for one in measured:
        for outcome in one.outcomes:
            remedy = outcome.remedy
            verdict = ", ".join([outcome.verdict, *outcome.faults])
            verdicts[outcome.verdict] = verdicts.get(outcome.verdict, 0) + 1
            before, after = shown(outcome.before), shown(outcome.after)
            cells = [one.program.name, f"{remedy.kind} {remedy.what}", before, after, verdict]
            rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    rows.append("")
    for one in measured:
        rows += [f"not applied: {one.program.name}: {text}" for text in one.not_applied]
        rows += [f"ERROR: {one.program.name}: {one.error}"] if one.error else []
        if not (one.outcomes or one.not_applied or one.error):
            rows.append(f"nothing offered: {one.program.name}")
    rows.append(", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items())))
    return "\n".join(rows)


def _last_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[-1]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.corpus.remedies", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--corpus", action="store_true", help="programs, in place of samples")
    parser.add_argument("--keep", type=Path, default=Path("build/remedies"), metavar="FOLDER")
    parser.add_argument("--output", type=Path, help="write the table here")
    arguments = parser.parse_args()
    kept = Kept(arguments.keep)
    measured = []
    for program in fixes.programs(unseen=False, samples=not arguments.corpus):
        if (program.group == "corpus") is not arguments.corpus:
            continue
        if arguments.names and program.name not in arguments.names:
            continue
        measured.append(measure(program, kept))
        print(table(measured[-1:]), file=sys.stderr, flush=True)
        if arguments.output:
            arguments.output.parent.mkdir(parents=True, exist_ok=True)
            arguments.output.write_text(f"{table(measured)}\n")
    print(table(measured))
    return int(any(one.is_faulty for one in measured))


if __name__ == "__main__":
    sys.exit(main())
