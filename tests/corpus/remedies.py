"""Count, by torch alone, what each remedy makes of a program: `make truth-fixes`.

    python -m tests.corpus.remedies [NAME …] [--minutes N] [--recorded FOLDER] [--output FILE]
    python -m tests.corpus.remedies --merge FILE

Remedies are those of the golden files, so neither `ca` nor torch runs to know them. Each is applied
by itself to a copy of the program:

- each patch of `ca fix`, alternatives included, then the first ones of all findings at once;
- of a rule's sample what a finding's sentence says beside them, taken literally:
  `advice/SAMPLE.toml` has the words and the edit that follows them;
- the sample's fixed twin.

Nothing of `ca` takes part in the count (`count.py`). A remedy is ``harmful`` if torch captures or
compiles more than before, ends a graph more often or refuses more, if calls run uncompiled that did
not, if the program fails, or if other losses or gradients come out, or other weights are trained,
and the remedy doesn't say so. It is ``right`` if torch counts less, alone or, where two causes
recompile in the same steps, beside the patches of the other findings or the truth's own remedy. It
is ``withheld`` if it leaves more than a tenth of the calls uncompiled and only `--verify` would
offer it, which counts them.

What is counted stays in `counts.json.zst`: samples, programs of public reports, then the others.
`test_remedies.py` judges what is there in seconds. Exit code 1 if a patch is harmful or no better,
and `remedies.toml` doesn't say why. ``--recorded`` takes the remedies of runs that
`tests.corpus.score --recorded` kept, for programs that are not frozen. ``--merge`` takes the counts
of another file, such as that of another branch.
"""

from __future__ import annotations

import argparse
import hashlib
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from ca_reports.patching.printed import compare_lines, own_lines
from ca_reports.patching.trial import TOLERANCE, relative_difference
from tests.corpus import counts, diffs, golden, truth

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tests.corpus.counts import Count, Counts
    from tests.corpus.replay import Finding

ADVICE = Path(__file__).with_name("advice")
LEDGER = Path(__file__).with_name("remedies.toml")
COUNTED = (
    "captures", "recompiles", "captured_recompiles", "compiles", "breaks", "limits",
)  # fmt: skip
GROUPS = ("samples", "reports", "invented")
_BAD, _FIXED = "_bad", "_fixed"
# The part of the calls of what is compiled that a patch may leave to eager.
_FEW_CALLS = 0.1
_SAVED_EVERY = 60  # seconds

Verdict = Literal["right", "no better", "harmful", "withheld", "uncounted"]


class Ask(Protocol):
    """Returns what torch counts of a program's sources, or None where that isn't known."""

    def __call__(
        self, program: truth.Program, sources: Mapping[str, str], *, once_more: bool = False
    ) -> Count | None: ...


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
    ``runs_eager``: it is offered only where a run has counted how many calls it leaves uncompiled;
    ``leaves_calls``: it says that it leaves some. ``holds_gradients``: those are there after the
    backward that a hook took away in it, so only losses tell what is trained.
    ``upon``: sources with the patch that it needs, which ``sources`` have as well.
    ``number``: of the finding that it is a patch of, from 0, and of the patch among its patches.
    """

    kind: Literal["patch", "together", "advice", "twin"]
    what: str
    sources: Mapping[str, str]
    changes: str = ""
    costs: str = ""
    runs_eager: bool = False
    leaves_calls: bool = False
    keeps_requires_grad: bool = False
    holds_gradients: bool = False
    upon: Mapping[str, str] | None = None
    number: tuple[int, int] = (0, 0)

    @property
    def is_offered(self) -> bool:
        """Return whether `ca fix` offers it, and so may not be without use."""
        return self.kind in ("patch", "together")


@dataclass
class Outcome:
    """Holds what torch counts before a remedy and with it, and what is wrong with it.

    ``beside`` are pairs of counts: of the program with what else is mended, and with this, too.
    """

    remedy: Remedy
    before: Count | None = None
    after: Count | None = None
    beside: list[tuple[Count, Count]] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    # What is not known yet: then there is no verdict.
    missing: bool = False

    @property
    def verdict(self) -> Verdict:
        """Judge it by the counts."""
        if self.missing or self.before is None or self.after is None:
            return "uncounted"
        is_withheld = not self._cures and bool(eager_calls(self.before, self.after))
        if is_withheld and self.remedy.runs_eager:
            return "withheld"  # whatever else it does, nobody gets it
        if self.faults:
            return "harmful"
        if is_withheld:
            return "withheld"
        return "right" if self._saves else "no better"

    @property
    def told(self) -> str:
        """Return the verdict with what is wrong: ``harmful, changes losses``."""
        return ", ".join([self.verdict, *self.faults])

    @property
    def _cures(self) -> bool:
        assert self.before is not None
        assert self.after is not None
        return bool(self.before["failed"] > self.after["failed"])

    @property
    def _saves(self) -> bool:
        assert self.before is not None
        assert self.after is not None
        if self.remedy.costs or self._cures or ends_limit(self.before, self.after):
            return True
        return any(counts_less(*pair) for pair in ((self.before, self.after), *self.beside))

    @property
    def losses(self) -> str:
        """Compare the losses: ``equal``, ``noise``, ``different`` or ``none``."""
        if self.before is None or self.after is None:
            return "none"
        return compare(self.before["losses"], comparable_losses(self.before, self.after))


@dataclass
class Measured:
    """All remedies of a program, those that were not applied, and findings that have none."""

    program: truth.Program
    outcomes: list[Outcome] = field(default_factory=list)
    not_applied: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    error: str = ""


def group_of(program: truth.Program) -> str:
    """Return the group of programs that it is measured in."""
    if isinstance(program, truth.Sample):
        return "samples"
    return "reports" if program.source else "invented"


def programs(names: Sequence[str] = (), folder: Path | None = None) -> list[truth.Program]:
    """Return the programs whose remedies are known: samples, reports, and the others mixed."""

    def order(program: truth.Program) -> tuple[int, str]:
        mixed = hashlib.blake2b(program.name.encode(), digest_size=8).hexdigest()
        return GROUPS.index(group_of(program)), mixed

    return sorted(golden.programs(names, folder), key=order)


# ---- what is offered


def _written(name: str) -> dict[str, Any]:
    file = ADVICE / f"{name.removesuffix(_BAD)}.toml"
    return truth.table(file) if file.is_file() else {}


def advice(program: truth.Program) -> list[Advice]:
    """The advice of a sample that is written down. Raises AssertionError if it is malformed."""
    found = []
    for one in _written(program.name).get("advice", []):
        edits = tuple(truth.Edit(program.script, **edit) for edit in one.pop("edits", []))
        found.append(Advice(edits=edits, **one))
        assert bool(edits) is not bool(found[-1].not_applied), f"{program.name}: {found[-1].words}"
    return found


def followed(sources: Mapping[str, str], edits: Sequence[truth.Edit]) -> dict[str, str]:
    """``sources`` with ``edits``, each at the one place where its text is."""
    changed = dict(sources)
    for edit in edits:
        assert changed[edit.file].count(edit.old) == 1, f"{edit.old!r} is not there once"
        changed[edit.file] = changed[edit.file].replace(edit.old, edit.new)
    return changed


def patches(program: truth.Program, findings: Sequence[Finding]) -> Iterator[Remedy]:
    """Yield each patch of a golden file, and the first ones of all findings at once."""
    first = []
    for at, finding in enumerate(findings):
        for number, patch in enumerate(finding.get("patches", ())):
            what = f"{finding['code']}: {patch['what']}"
            sources, upon = diffs.apply(program.sources, patch["diff"]), None
            if "beside" in finding:
                needed = findings[finding["beside"]]["patches"][0]
                upon = diffs.apply(program.sources, needed["diff"])
                sources = diffs.merge(program.sources, [upon, sources])
            one = Remedy(
                "patch", what, sources, patch.get("intention", ""),
                runs_eager=patch.get("runs_eager", False),
                leaves_calls=patch.get("leaves_calls", False),
                keeps_requires_grad=patch.get("keeps_requires_grad", False),
                holds_gradients=patch.get("holds_gradients", False),
                upon=upon,
                number=(at, number),
            )  # fmt: skip
            first += [one] if number == 0 and not one.runs_eager else []
            yield one
    together, texts = _together(program.sources, first)
    if len(together) > 1:
        yield Remedy(
            "together", "all: " + " + ".join(one.what for one in together), texts,
            "; ".join(one.changes for one in together if one.changes),
            leaves_calls=any(one.leaves_calls for one in together),
            keeps_requires_grad=any(one.keeps_requires_grad for one in together),
            holds_gradients=any(one.holds_gradients for one in together),
        )  # fmt: skip


def _together(
    sources: Mapping[str, str], chosen: Iterable[Remedy]
) -> tuple[list[Remedy], dict[str, str]]:
    """Apply remedies at once: each that changes other words than those before.

    Where two change one line and their words do not make a program, the later one is left out.
    """
    taken: list[Remedy] = []
    texts = dict(sources)
    for remedy in chosen:
        if any(one.sources == remedy.sources for one in taken):
            continue
        try:
            merged = diffs.merge(sources, [*(one.sources for one in taken), remedy.sources])
            for name, text in merged.items():
                compile(text, name, "exec", dont_inherit=True)
        except (ValueError, SyntaxError):
            continue
        texts = merged
        taken.append(remedy)
    return taken, texts


def remedies(program: truth.Program, findings: Sequence[Finding]) -> Iterator[Remedy | str]:
    """Yield what is offered for ``program``, or in words what is not applied and why."""
    yield from patches(program, findings)
    if not (isinstance(program, truth.Sample) and program.name.endswith(_BAD)):
        return
    for one in advice(program):
        if one.edits:
            sources = followed(program.sources, one.edits)
            yield Remedy("advice", one.words, sources, one.changes, one.costs)
        else:
            yield f"{one.words}: {one.not_applied}"
    twin = program.folder / f"{program.name.removesuffix(_BAD)}{_FIXED}.py"
    costs = _written(program.name).get("twin_costs", "")
    sources = {program.script: twin.read_text()}
    yield Remedy("twin", twin.name, sources, "written by hand", costs)


# ---- what torch counts of it


def measure(program: truth.Program, findings: Sequence[Finding], ask: Ask) -> Measured:
    """Judge each remedy of a program by what ``ask`` returns.

    A program that fails as it stands, and doesn't say so, is an error.
    """
    measured = Measured(program)
    for finding in findings:
        if not finding.get("patches"):
            at = finding["location"] or "no line"
            measured.refused.append(f"{finding['code']} at {at}: {finding['refusal']}")
    offered = list(remedies(program, findings))
    measured.not_applied = [one for one in offered if isinstance(one, str)]
    known = [one for one in offered if isinstance(one, Remedy)]
    if not known:
        return measured
    try:
        before = ask(program, program.sources)
    except (RuntimeError, subprocess.TimeoutExpired) as error:
        measured.error = _last_line(error)
        return measured
    if before is not None and before["failed"] and not program.fails:
        measured.error = f"fails as it stands: {before['error']}"
        return measured
    for remedy in known:
        outcome = Outcome(remedy, before)
        if remedy.upon is not None:
            outcome.before = ask(program, remedy.upon)
        measured.outcomes.append(outcome)
        try:
            _count(outcome, program, ask)
            if outcome.verdict == "no better" and remedy.kind == "patch":
                _count_beside(outcome, program, known, ask)
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            outcome.faults.append(f"the program fails: {_last_line(error)}")
            outcome.missing = True
    return measured


def _count(outcome: Outcome, program: truth.Program, ask: Ask) -> None:
    remedy, before = outcome.remedy, outcome.before
    after = outcome.after = ask(program, remedy.sources)
    if before is None or after is None:
        return
    outcome.faults += faults(before, after, remedy)
    if not remedy.changes and before["printed"] != after["printed"]:
        again = ask(program, program.sources, once_more=True)
        outcome.missing = again is None
        if again is not None:
            outcome.faults += prints_other_lines(before, after, again)


def _count_beside(
    outcome: Outcome, program: truth.Program, known: Sequence[Remedy], ask: Ask
) -> None:
    """Count beside what mends the rest: the first patches of other findings, the truth's remedy.

    Where two causes recompile in the same steps, the patch of one saves nothing by itself.
    """
    at, _ = outcome.remedy.number
    first = [
        one
        for one in known
        if one.kind == "patch" and not (one.number[1] or one.number[0] == at or one.runs_eager)
    ]
    _, patched = _together(program.sources, first)
    code = outcome.remedy.what.partition(":")[0]
    causes = [one for one in program.causes if one.fix and code not in one.codes]
    mended = program.mended(causes or program.causes)
    for others in (patched, mended):
        if others == program.sources:
            continue
        try:
            with_it = diffs.merge(program.sources, [others, outcome.remedy.sources])
        except ValueError:
            continue
        if with_it == others:
            continue
        before, after = ask(program, others), ask(program, with_it)
        if before is None or after is None:
            outcome.missing = True
        else:
            outcome.beside.append((before, after))
        if outcome.verdict == "right":
            return


def prints_other_lines(before: Count, after: Count, again: Count) -> list[str]:
    """Say which line is another one, where the unchanged program prints it alike ``again``."""
    old, new, same = (own_lines(one["printed"]) for one in (before, after, again))
    if before["failed"]:
        new = new[: len(old)]
    found = compare_lines(old, new, (old, same))
    told = f"prints {found.after!r}, not {found.before!r}"
    return [told] if found.verdict == "different" else []


def faults(before: Count, after: Count, remedy: Remedy) -> list[str]:
    """Return what a remedy does that it may not, or not without saying so."""
    found = []
    if after["failed"] > before["failed"]:
        found.append(f"the program fails: {after['error']}")
    costs = remedy.costs or before["failed"] or ends_limit(before, after)
    if total(after) > total(before) and not costs:
        found.append("torch counts more")
    eager = eager_calls(before, after)
    is_cured = before["failed"] > after["failed"]
    if eager and not (remedy.runs_eager or (remedy.leaves_calls and is_cured)):
        found.append(eager)
    if remedy.changes:
        return found
    if compare(before["losses"], comparable_losses(before, after)) == "different":
        found.append("changes losses")
    if remedy.keeps_requires_grad:
        return found
    pairs = list(zip(before["trained"], after["trained"], strict=False))
    if any(old[0] != new[0] for old, new in pairs):
        found.append("trains other weights")
    gradients = [] if remedy.holds_gradients else pairs
    if any(relative_difference(old[1], new[1]) > TOLERANCE for old, new in gradients):
        found.append("changes gradients")
    return found


def total(counted: Count) -> int:
    """All that torch captured, compiled, refused to compile, and each graph that it ended."""
    return sum(counted[name] for name in COUNTED)


def counts_less(before: Count, after: Count) -> bool:
    """Return whether torch compiled less; functions that it skipped decide only a tie."""
    saved = total(before) - total(after)
    return (saved, before["skipped"] - after["skipped"]) > (0, 0)


def ends_limit(before: Count, after: Count) -> bool:
    """Return whether no recompile limit is hit any more, and more calls run compiled."""
    compiled = after["compiled_calls"] > before["compiled_calls"]
    return bool(before["limits"]) and not after["limits"] and compiled


def eager_calls(before: Count, after: Count) -> str:
    """Say that a patch leaves calls to eager that were compiled; empty where they are few."""
    calls, compiled = after["calls"], after["compiled_calls"]
    if not calls or not before["calls"]:
        return ""
    lost = before["compiled_calls"] / before["calls"] - compiled / calls
    told = f"runs {calls - compiled} of {calls} calls uncompiled"
    return told if lost > _FEW_CALLS else ""


def comparable_losses(before: Count, after: Count) -> list[float]:
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


# ---- what is known to be wrong


@dataclass(frozen=True)
class Known:
    """A patch that is no better, or harmful, why that is so, and why it is offered all the same."""

    program: str
    patch: str
    verdict: Verdict
    because: str


def known() -> list[Known]:
    """Return what the ledger holds."""
    return [Known(**one) for one in truth.table(LEDGER).get("known", [])]


def most_uncounted() -> int:
    """Return how many patches may have no count."""
    found: int = truth.table(LEDGER)["uncounted"]
    return found


def unexplained(measured: Iterable[Measured]) -> list[str]:
    """Name the remedies that are harmful, and patches that are no better, without a reason.

    And reasons for what is not so any more.
    """
    judged = list(measured)
    wrong = {
        (one.program.name, outcome.remedy.what): outcome
        for one in judged
        for outcome in one.outcomes
        if outcome.verdict == "harmful"
        or (outcome.verdict == "no better" and outcome.remedy.is_offered)
    }
    explained = {(one.program, one.patch): one.verdict for one in known()}
    found = [
        f"{program}: {what}: {outcome.verdict}{': ' if outcome.faults else ''}"
        + ", ".join(outcome.faults)
        for (program, what), outcome in wrong.items()
        if explained.get((program, what)) != outcome.verdict
    ]
    names = {one.program.name for one in judged}
    open_ = {
        (one.program.name, outcome.remedy.what)
        for one in judged
        for outcome in one.outcomes
        if outcome.verdict == "uncounted"
    }
    found += [
        f"{program}: {what} is not {verdict} any more: take it out of {LEDGER.name}"
        for (program, what), verdict in explained.items()
        if program in names and (program, what) not in {*wrong, *open_}
    ]
    return found + [f"{one.program.name}: {one.error}" for one in judged if one.error]


def uncounted(measured: Iterable[Measured]) -> list[str]:
    """Name the remedies without a count."""
    return [
        f"{one.program.name}: {outcome.remedy.what}"
        for one in measured
        for outcome in one.outcomes
        if outcome.verdict == "uncounted"
    ]


# ---- the command


def shown(counted: Count | None) -> str:
    """The counts in short: captures, recompiles (those of captures), compiles, breaks, limits."""
    if not counted:
        return "–"
    numbers = "/".join(str(counted[name]) for name in COUNTED)
    return f"{numbers} {counted['compiled_calls']}:{counted['calls']}"


def details(measured: Sequence[Measured]) -> str:
    """A row for each remedy, then what was not applied, and what is refused."""
    rows = [
        "captures/recompiles/of captures/compiles/breaks/limits, compiled calls:calls",
        "",
        "| program | remedy | before | after | verdict |",
        "|---|---|---|---|---|",
    ]
    for one in measured:
        for outcome in one.outcomes:
            remedy = outcome.remedy
            before, after = shown(outcome.before), shown(outcome.after)
            what = f"{remedy.kind} {remedy.what}"
            rows.append(golden.row(one.program.name, what, before, after, outcome.told))
    rows.append("")
    for one in measured:
        rows += [f"not applied: {one.program.name}: {text}" for text in one.not_applied]
        rows += [f"no patch: {one.program.name}: {text}" for text in one.refused]
        rows += [f"ERROR: {one.program.name}: {one.error}"] if one.error else []
    return "\n".join(rows)


def table(measured: Iterable[Measured]) -> str:
    """The verdicts of each group as a Markdown table."""
    rows = [
        "| | findings with a patch | patches | right | first ones right | no better | harmful "
        "| withheld | not counted | losses equal, noise, by design | all at once right "
        "| advice right | advice no better |",
        "|---" * 13 + "|",
    ]
    of_group: dict[str, list[Measured]] = {name: [] for name in (*GROUPS, "all")}
    for one in measured:
        of_group[group_of(one.program)].append(one)
        of_group["all"].append(one)
    for name, own in of_group.items():
        outcomes = [outcome for one in own for outcome in one.outcomes]
        patched = [one for one in outcomes if one.remedy.kind == "patch"]
        counted = [one for one in patched if one.verdict != "uncounted"]
        verdicts = Counter(one.verdict for one in patched)
        first = [one for one in counted if not one.remedy.number[1]]
        together = [one for one in outcomes if one.remedy.kind == "together" and one.after]
        words = Counter(one.verdict for one in outcomes if one.remedy.kind == "advice")
        findings = sum(not one.remedy.number[1] for one in patched)
        losses = Counter(one.losses for one in counted)
        cells = [
            name,
            _rate(findings, findings + sum(len(one.refused) for one in own)),
            len(patched),
            _rate(verdicts["right"], len(counted)),
            _rate(sum(one.verdict == "right" for one in first), len(first)),
            verdicts["no better"],
            verdicts["harmful"],
            verdicts["withheld"],
            verdicts["uncounted"],
            f"{losses['equal']}, {losses['noise']}, {losses['different']}",
            f"{sum(one.verdict == 'right' for one in together)} of {len(together)}",
            words["right"],
            words["no better"],
        ]
        rows.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(rows)


def _rate(part: int, whole: int) -> str:
    return f"{part} of {whole} ({100 * part / whole:.0f}%)" if whole else "–"


def _last_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[-1]


def fill(
    chosen: Sequence[truth.Program], kept: Counts, *, minutes: float, folder: Path | None = None
) -> Iterator[Measured]:
    """Yield what each program's remedies come to; once the time is up, by the counts that are kept.

    Counts are saved on the way, so that what was cut off goes on.
    """
    begun = saved = time.monotonic()
    asked: set[str] = set()

    def ask(
        program: truth.Program, sources: Mapping[str, str], *, once_more: bool = False
    ) -> Count | None:
        asked.add(counts.digest(program, sources))
        if time.monotonic() - begun > 60 * minutes:
            return kept.get(program, sources, once_more=once_more)
        return kept.count(program, sources, once_more=once_more)

    try:
        for program in chosen:
            asked.clear()
            findings = (
                golden.read(program.name) if folder is None else golden.replayed(program, folder)
            )
            measured = measure(program, findings, ask)
            if folder is None and not (measured.error or uncounted([measured])):
                kept.keep_only(program, asked)
            yield measured
            if minutes and time.monotonic() - saved > _SAVED_EVERY:
                kept.save()
                saved = time.monotonic()
    finally:
        if minutes:
            kept.save()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.corpus.remedies", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--minutes", type=float, default=float("inf"), metavar="N",
                        help="count no more after that; 0 only judges what is counted")  # fmt: skip
    parser.add_argument("--recorded", type=Path, metavar="FOLDER", help="patches of the runs in it")
    parser.add_argument("--merge", type=Path, metavar="FILE", help="take the counts of this file")
    parser.add_argument("--output", type=Path, metavar="FILE", help="write each remedy's row here")
    arguments = parser.parse_args()
    kept = counts.read()
    if arguments.merge:
        kept.merge(counts.unpack(arguments.merge.read_bytes()))
        kept.save()
        return 0
    measured = []
    chosen = programs(arguments.names, arguments.recorded)
    for one in fill(chosen, kept, minutes=arguments.minutes, folder=arguments.recorded):
        measured.append(one)
        for outcome in one.outcomes:
            if outcome.verdict in ("harmful", "no better"):
                print(f"{one.program.name}: {outcome.remedy.what}: {outcome.told}",
                      file=sys.stderr, flush=True)  # fmt: skip
    print(table(measured))
    if arguments.output:
        arguments.output.parent.mkdir(parents=True, exist_ok=True)
        arguments.output.write_text(f"{table(measured)}\n\n{details(measured)}\n")
    wrong = unexplained(measured)
    if wrong:
        print("", *wrong, sep="\n")
    if left := uncounted(measured):
        print("", f"{len(left)} remedies have no count.", sep="\n")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
