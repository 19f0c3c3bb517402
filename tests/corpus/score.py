"""Run `ca` on the corpus and compare what it says with the truth: `make truth`.

    python -m tests.corpus.score [NAME …] [--jobs 2] [--no-fixes] [--seen] [--failures FILE]
                                 [--recorded DIRECTORY]

Five rates, for the programs that rules may be tuned to and for those they may not: those rebuilt
from public reports, then the invented ones, of backwards and of forwards. Each fix is applied as it
stands, and torch counts again: that is also how the costliest of several causes is known.
`--no-fixes` leaves that out, and believes the truth's order.
`--recorded` keeps the runs, and records a program again only if it changed since: what a change of
the reports does to all programs is then known in seconds. After one of the engine, begin a new one.
Exit code 1 if torch contradicts the truth, which is then wrong itself.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from threading import local
from typing import TYPE_CHECKING, Any

from tests import warm
from tests.corpus import truth

if TYPE_CHECKING:
    from collections.abc import Mapping

COUNT = Path(__file__).with_name("count.py")
CA = Path(sys.executable).with_name("ca")
TIMEOUT = 300  # seconds, of one program
_RUNS = 2  # of each state of a program whose seconds are compared
SEVERE = ("error", "warning")
# Seconds of one program vary by this much from run to run: causes closer than that cost the same.
AS_COSTLY = 0.8
RATES = (
    ("cause first", "first"),
    ("every cause of several", "all"),
    ("line to edit", "line"),
    ("seen at the right line", "noticed"),
    ("advice that works", "advice"),
    ("clean and silent", "clean"),
)
# In a recording's folder: what it was made of.
_STAMP = "recorded.json"
_of_thread = local()


@dataclass
class Result:
    """What `ca` and torch said of one program."""

    program: truth.Program
    findings: list[dict[str, Any]] = field(default_factory=list)
    # Rate → how often it was right, and of how many.
    right: Counter[str] = field(default_factory=Counter)
    of: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    # Where torch contradicts the truth.
    untrue: list[str] = field(default_factory=list)
    # By cause, measured where several could be the costliest; else their order in the truth counts.
    saved: list[float] = field(default_factory=list)

    def rate(self, name: str, right: bool, otherwise: str) -> None:
        self.of[name] += 1
        self.right[name] += right
        if not right and otherwise:
            self.failures.append(otherwise)


def _python() -> warm.WarmPython:
    if not hasattr(_of_thread, "python"):
        _of_thread.python = warm.WarmPython()
    found: warm.WarmPython = _of_thread.python
    return found


def ran(
    program: truth.Program,
    command: list[str | Path],
    cwd: Path,
    environment: dict[str, str],
    *,
    may_fail: bool = False,
) -> subprocess.CompletedProcess[str]:
    """Run `command`. Raises RuntimeError if it fails, subprocess.TimeoutExpired if it hangs."""
    if program.cold:
        done = subprocess.run(
            command, cwd=cwd, env=environment, timeout=TIMEOUT, capture_output=True, text=True
        )
    else:
        done = _python().run(command, cwd=cwd, env=environment, timeout=TIMEOUT)
    if done.returncode and not may_fail:
        raise RuntimeError(done.stderr[-2000:])
    return done


def environment(work: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    cache = {"TORCHINDUCTOR_CACHE_DIR": str(work / "inductor")}
    offline = {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false", "OMP_NUM_THREADS": "1"}
    return {**kept, **cache, **offline}


def written(sources: dict[str, str], work: Path) -> Path:
    work.mkdir(parents=True)
    for name, text in sources.items():
        (work / name).write_text(text)
    return work


def measured(
    program: truth.Program, sources: dict[str, str], *, may_fail: bool = False
) -> dict[str, Any]:
    """What torch counts when `sources` run without `ca`.

    With ``losses`` and what was ``trained``, those of each backward, what was ``printed``, the
    ``error`` that they ended with, and CPU ``seconds``. Raises RuntimeError if they fail, unless
    the program does or they ``may_fail``, and if they die uncounted.
    """
    with tempfile.TemporaryDirectory() as name:
        work = written(sources, Path(name) / program.name)
        backend = program.enabled_backend
        enable = ["--enable", backend] if backend else []
        command: list[str | Path] = [sys.executable, COUNT, "counts.json", *enable, program.script]
        may_fail = may_fail or program.fails
        done = ran(program, command, work, environment(Path(name)), may_fail=may_fail)
        if not (work / "counts.json").is_file():
            raise RuntimeError(f"died with {done.returncode}: {done.stderr[-2000:]}")
        found: dict[str, Any] = json.loads((work / "counts.json").read_text())
        error = done.stderr.strip().splitlines()[-1:] if found["failed"] else []
        return {**found, "printed": done.stdout.replace(name, "…"), "error": "".join(error)}


def counted(program: truth.Program, sources: dict[str, str]) -> dict[str, int]:
    """What torch counts when `sources` run without `ca`. Raises RuntimeError if they fail."""
    found = measured(program, sources)
    for name in ("losses", "trained", "printed", "error", "seconds"):
        del found[name]
    return found


def seconds_saved(program: truth.Program) -> list[float]:
    """The CPU seconds that each cause's fix alone saves without `ca`, the least of some runs.

    Raises RuntimeError if the program fails.
    """

    def least(sources: dict[str, str]) -> float:
        return min(float(measured(program, sources)["seconds"]) for _ in range(_RUNS))

    before = least(program.sources)
    return [before - least(program.mended([cause])) for cause in program.causes]


def recorded(
    program: truth.Program, folder: Path, sources: Mapping[str, str] | None = None
) -> Path:
    """The folder below ``folder`` in which ``program`` ran, with its `run`; run now if need be.

    With ``sources`` in place of its own, if given. Raises RuntimeError if `ca run` or the program
    fails.
    """
    work = folder.absolute() / program.name
    texts = program.sources if sources is None else dict(sources)
    if not is_recorded(program, work, texts):
        shutil.rmtree(work, ignore_errors=True)
        written(texts, work)
        with tempfile.TemporaryDirectory() as cache:
            command: list[str | Path] = [CA, "run", "--quiet", "--no-report", "-o", "run"]
            command += [*program.options, program.script]
            ran(program, command, work, environment(Path(cache)), may_fail=program.fails)
        stamp(program, work, texts)
    return work


def stamp(program: truth.Program, work: Path, sources: Mapping[str, str] | None = None) -> None:
    """Note that the folder ``work`` has a run of ``program`` as it is now, or of ``sources``."""
    (work / _STAMP).write_text(_told(program, sources))


def is_recorded(
    program: truth.Program, work: Path, sources: Mapping[str, str] | None = None
) -> bool:
    """Return whether ``work`` has a run of ``program`` as it is now, or of ``sources``."""
    told = work / _STAMP
    return told.is_file() and told.read_text() == _told(program, sources)


def _told(program: truth.Program, sources: Mapping[str, str] | None) -> str:
    return json.dumps([program.options, program.sources if sources is None else dict(sources)])


def explained(program: truth.Program, folder: Path | None = None) -> list[dict[str, Any]]:
    """The findings of `ca run` on a program; the run is kept below ``folder``, if given.

    Raises RuntimeError if `ca`, one of its rules or the program fails.
    """
    with tempfile.TemporaryDirectory() as passing:
        work = recorded(program, folder or Path(passing))
        explain: list[str | Path] = [CA, "explain-recompiles", "run", "--format", "json"]
        done = ran(program, explain, work, environment(Path(passing)))
        report = json.loads(done.stdout)
        if report["failed_rules"]:
            raise RuntimeError(f"a rule failed: {'; '.join(report['failed_rules'])}")
        found: list[dict[str, Any]] = report["findings"]
        return found


def _inherent(program: truth.Program) -> dict[str, int]:
    captures = int(program.kind == "backward")
    return {"captures": captures, "recompiles": 0, "captured_recompiles": 0, "breaks": 0,
            "limits": 0, "failed": 0, **program.left}  # fmt: skip


def contradictions(program: truth.Program) -> list[str]:
    """Where torch's own counts contradict the truth: a cause or a fix that is none."""
    said = []
    before = counted(program, program.sources)
    after = before
    if program.causes:
        after = counted(program, program.mended(program.causes))
    for cause in program.causes:
        saved = after[cause.saves] < before[cause.saves]
        if saved and len(program.causes) > 1:
            alone = counted(program, program.mended([cause]))
            saved = alone[cause.saves] < before[cause.saves]
            if not saved:  # as long as another cause hides it
                rest = [other for other in program.causes if other is not cause]
                saved = after[cause.saves] < counted(program, program.mended(rest))[cause.saves]
        if not saved:
            said += [f"{cause.code} saves no {cause.saves}: {before} → {after}"]
    inherent = {name: left for name, left in _inherent(program).items() if left >= 0}
    if {name: after[name] for name in inherent} != inherent:
        said.append(f"left {after}, not {inherent}; before {before}")
    return said


def _at(place: object, quotes: list[truth.Quote], folder: Path) -> bool:
    if not isinstance(place, dict):
        return False
    file = Path(str(place.get("file") or "")).name
    return any(
        file == quote.file and place.get("line") in quote.lines_in(folder) for quote in quotes
    )


def _said(finding: dict[str, Any]) -> str:
    place = finding.get("location") or {}
    at = f"{Path(str(place.get('file'))).name}:{place.get('line')}" if place else "no line"
    return f"{finding['code']} at {at}: {finding['message']}"


def _costliest(result: Result) -> list[truth.Cause]:
    """The cause that costs most, and those that cost as much, as far as seconds can tell."""
    causes = result.program.causes
    most = max(result.saved, default=0.0)
    if most <= 0:
        return causes[:1]
    return [
        cause
        for cause, saved in zip(causes, result.saved, strict=True)
        if saved >= AS_COSTLY * most and not cause.inherent
    ]


def judge(result: Result) -> None:
    """Compare the findings with the truth."""
    program, folder = result.program, result.program.folder
    if isinstance(program, truth.Sample):
        _judge_sample(result)
        return
    severe = [one for one in result.findings if one["severity"] in SEVERE]
    if not program.causes:
        result.rate("clean", not severe, "a clean program: " + "; ".join(map(_said, severe)))
        return
    # What is inherent is told, but is no warning.
    ranked = result.findings if program.causes[0].inherent else severe
    costliest = _costliest(result)
    first = bool(ranked) and any(ranked[0]["code"] in cause.codes for cause in costliest)
    top = _said(ranked[0]) if ranked else "nothing"
    names = " or ".join(cause.code for cause in costliest)
    result.rate("first", first, f"first is {names}, not {top}")
    free = list(severe)
    for cause in program.causes:
        told = [one for one in result.findings if one not in severe] if cause.inherent else free
        fitting = [one for one in told if one["code"] in cause.codes]
        fitting.sort(key=lambda one: not _at(one.get("location"), cause.lines, folder))
        found = fitting[0] if fitting else None
        if len(program.causes) > 1:
            result.rate("all", found is not None, f"{cause.code} is not found")
        quoted = " or ".join(f"{quote.file}: `{quote.text}`" for quote in cause.lines)
        if found is None:
            result.rate("line", False, "")
            result.rate("noticed", False, "")
            result.rate("advice", False, "")
            continue
        told.remove(found)
        at = _at(found.get("location"), cause.lines, folder)
        result.rate("line", at, f"the line is {quoted}, not {_said(found)}")
        places = [found.get("location"), found.get("noticed_at"), found.get("backward_call")]
        shows = [*cause.lines, *cause.noticed]
        result.rate("noticed", any(_at(place, shows, folder) for place in places), "")
        fix = str(found["fix"])
        works = re.search(cause.advice, fix, re.IGNORECASE | re.DOTALL) is not None
        result.rate("advice", works, f"{cause.code}'s fix is /{cause.advice}/, not: {fix}")
    blamed = [_said(one) for one in free]
    if blamed:
        result.failures.append("also said: " + "; ".join(blamed))


def _judge_sample(result: Result) -> None:
    """Look for the marked cause first, whatever its severity, and for nothing in a fixed script."""
    program, findings = result.program, result.findings
    if not program.causes:
        result.rate("clean", not findings, "a fixed sample: " + "; ".join(map(_said, findings)))
        return
    (cause,) = program.causes
    top = findings[0] if findings else None
    told = "nothing" if top is None else _said(top)
    is_first = top is not None and top["code"] == cause.code
    result.rate("first", is_first, f"first is {cause.code}, not {told}")
    at = is_first and top is not None and _at(top.get("location"), cause.lines, program.folder)
    result.rate("line", at, f"the line is the marked one, not {told}" if is_first else "")


def measure(program: truth.Program, fixes: bool, folder: Path | None = None) -> Result:
    """Run `ca`, and torch alone if `fixes`, on one program; `folder` keeps or has its run."""
    result = Result(program)
    try:
        if fixes:
            result.untrue = contradictions(program)
            if len(program.causes) > 1 and not program.causes[0].inherent:
                result.saved = seconds_saved(program)
        result.findings = explained(program, folder)
    except (RuntimeError, subprocess.TimeoutExpired) as error:
        result.untrue.append(str(error))
        return result
    judge(result)
    return result


def table(results: list[Result]) -> str:
    """The rates as a Markdown table."""
    groups = [
        (title, group)
        for seen in ("unseen", "seen")
        for kind in ("reports", "backward", "forward")
        if (group := [one for one in results if one.program.group == (title := f"{seen}, {kind}")])
    ]
    if samples := [one for one in results if isinstance(one.program, truth.Sample)]:
        groups.append(("samples", samples))
    groups.append(("all", results))
    rows = ["| | programs | " + " | ".join(name for name, _ in RATES) + " |"]
    rows.append("|---" * (len(RATES) + 2) + "|")
    for title, group in groups:
        cells = [title, str(len(group))]
        for _, rate in RATES:
            right = sum(one.right[rate] for one in group)
            of = sum(one.of[rate] for one in group)
            cells.append(f"{right} of {of}" if of else "–")
        rows.append("| " + " | ".join(cells) + " |")
    return "\n".join(rows)


def failures(results: list[Result]) -> str:
    """What was said instead, program by program."""
    lines = []
    for result in results:
        if not result.failures and not result.untrue:
            continue
        lines.append(f"{result.program.folder.parent.name}/{result.program.name}")
        lines += [f"    {text}" for text in result.failures]
        lines += [f"    UNTRUE: {text}" for text in result.untrue]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.corpus.score", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--no-fixes", action="store_true")
    parser.add_argument("--seen", action="store_true", help="leave out the unseen ones")
    parser.add_argument("--truth-only", action="store_true", help="count by torch, run no ca")
    parser.add_argument("--recorded", type=Path, help="keep the runs here, and use those it has")
    parser.add_argument("--failures", type=Path, help="write the failures of the seen ones here")
    arguments = parser.parse_args()
    chosen = [
        one
        for one in truth.programs()
        if not (arguments.seen and one.unseen)
        and (not arguments.names or one.name in arguments.names)
    ]

    def one(program: truth.Program) -> Result:
        if arguments.truth_only:
            result = Result(program)
            try:
                result.untrue = contradictions(program)
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                result.untrue = [str(error)]
        else:
            result = measure(program, not arguments.no_fixes, arguments.recorded)
        state = "untrue" if result.untrue else f"{len(result.failures)} failures"
        print(f"{program.name}: {state}", *result.untrue, sep="\n    ", file=sys.stderr, flush=True)
        return result

    with ThreadPoolExecutor(arguments.jobs) as pool:
        results = list(pool.map(one, chosen))
    if not arguments.truth_only:
        print(table(results), failures(results), sep="\n\n")
    if arguments.failures:
        seen = [result for result in results if not result.program.unseen]
        arguments.failures.parent.mkdir(parents=True, exist_ok=True)
        arguments.failures.write_text(f"{table(seen)}\n\n{failures(seen)}\n")
    return int(any(result.untrue for result in results))


if __name__ == "__main__":
    sys.exit(main())
