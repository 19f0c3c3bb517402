"""``ca fix``: patches for what a run found, proven by running them."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from ca_cli import formats, inputs, options, patching, proving, writing
from ca_cli.console import console_on, say
from ca_cli.errors import GATE_FAILED, UsageError
from ca_cli.options import command

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ca_reports.diagnosis.analysis import Analysis
    from ca_reports.output.lines import Lines
    from ca_reports.patching.program import EditableProgram
    from ca_reports.patching.result import Fix, Fixes
    from ca_reports.run.model import Failure, Run

# Of what a line that begins farther left goes on with.
_INDENT = 4


@command(cls=formats.command_writing("fixes"))
def fix(
    path: Annotated[
        str | None, inputs.run_argument("The folder of a run.", metavar="[RUN]")
    ] = None,
    code: Annotated[
        list[str] | None,
        typer.Option("--code", metavar="CODE", help="Fix findings of this code only; repeatable."),
    ] = None,
    verify: Annotated[
        bool,
        typer.Option("--verify", help="Run the script as it is and with each patch, and compare."),
    ] = False,
    steps: Annotated[
        int | None,
        typer.Option(
            "--steps",
            min=1,
            metavar="N",
            show_default="enough to see the finding",
            help="With --verify: stop each run after N backwards.",
        ),
    ] = None,
    timeout: Annotated[
        float | None,
        typer.Option(
            "--timeout",
            min=1,
            metavar="SECONDS",
            show_default="5 times as long as without a patch, and a minute",
            help="With --verify: end a run that takes longer; its patch is not offered.",
        ),
    ] = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", help="With --verify: show no progress.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Run and write without asking.")] = False,
    apply: Annotated[
        bool, typer.Option("--apply", help="Write the files; with --verify what it proved.")
    ] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Also show patches that were tried and failed.")
    ] = False,
    format: formats.Chosen = "diff",
    output: options.Output = None,
    force: options.Force = False,
) -> None:
    """Write a patch for what a run found, and prove it by running it.

    A patch is offered only where the source shows that it is safe. Nothing is written without
    --apply, and then each file is kept beside it as it was. Exit code 1 says that a finding is
    left without a patch.

    \b
    ca fix
    ca fix --verify --steps 40
    ca fix --code CA101 --apply
    """  # noqa: D301 -- the character, which keeps these lines apart
    chosen = formats.find(format, "fixes")
    if output is not None:
        writing.refuse(output, force=force)
    given = {"--steps": steps, "--timeout": timeout, "--quiet": quiet, "--yes": yes}
    if not verify and (unused := next((name for name in given if given[name]), None)):
        raise UsageError(f"{unused} needs --verify")
    if apply and (output is not None or format != "diff"):
        option = "-o" if output is not None else "--format"
        raise UsageError(f"--apply writes the files themselves: leave {option} out")
    from ca_reports.patching.patches import RefusedError

    try:
        analysis, found, program = _propose(path, code or [], verify=verify, verbose=verbose)
    except RefusedError as refused:
        raise UsageError(str(refused)) from None
    if apply or verify:
        _require_files(found)
    if verify and found.offered:
        chosen_runs = proving.Chosen(steps, timeout, yes=yes, quiet=quiet)
        found = proving.verified(analysis.run, found, program, chosen_runs)
        found = _without_others(found, analysis, code or [])
    _say_left_out(found, analysis.run, analysis.summary.crash)
    if apply:
        _apply(found, program)
    else:
        formats.emit(chosen, "fixes", found, output, force=force)
    fixed = {id(one) for fix in found.offered for one in (fix.finding, *fix.also)}
    left = [*(one.finding for one in found.failed), *(one.finding for one in found.refused)]
    is_left = any(one.severity != "info" and id(one) not in fixed for one in left)
    if is_left or found.left:
        raise typer.Exit(GATE_FAILED)


def _propose(
    path: str | None, codes: Sequence[str], *, verify: bool, verbose: bool
) -> tuple[Analysis, Fixes, EditableProgram]:
    from ca_reports.causes.rules import find_rule
    from ca_reports.patching.program import EditableProgram
    from ca_reports.patching.propose import choose, propose

    known = {code: find_rule(code) for code in codes}
    if unknown := next((code for code, rule in known.items() if rule is None), None):
        raise UsageError(f"unknown rule {unknown} (`ca rule --all` lists them)")
    analysis = inputs.load_analysis([path] if path else None)
    program = EditableProgram(analysis.run, analysis.files, analysis.facts)
    codes = [rule.code for rule in known.values() if rule is not None]
    chosen = choose(propose(analysis, program, codes, is_measured=verify), program)
    return analysis, replace(chosen, verbose=verbose, places=analysis.places), program


def _without_others(fixes: Fixes, analysis: Analysis, codes: Sequence[str]) -> Fixes:
    """Leave out what the run had before under other codes than those that were chosen, if any."""
    from ca_reports.causes.rules import find_rule

    if not codes:
        return fixes
    chosen = {rule.code for code in codes if (rule := find_rule(code)) is not None}
    before = {(one.code, one.key) for one in analysis.diagnosis.findings if one.code not in chosen}
    return replace(
        fixes, left=tuple(one for one in fixes.left if (one.code, one.key) not in before)
    )


def _require_files(fixes: Fixes) -> None:
    """Raise `UsageError` where a patch is of a text that is in no file: nothing can write it."""
    from ca_reports.words.places import is_typed

    changed = (name for one in fixes.offered for name in one.patch.files)
    if name := next(filter(is_typed, changed), None):
        raise UsageError(
            f"{name} is in no file: `ca fix` without --apply and --verify prints its change"
        )


def _apply(fixes: Fixes, program: EditableProgram) -> None:
    from ca_reports.patching.patches import applied

    changed = applied(dict(fixes.texts), [one.patch for one in fixes.offered])
    if not changed:
        say("nothing to apply", sys.stderr)
    patching.apply(program, changed)


def _say_left_out(fixes: Fixes, run: Run, crash: Failure | None) -> None:
    """Print on stderr what no patch is offered for, and why: stdout is a patch."""
    if sys.stderr is None:
        return
    from ca_reports.output.advice import no_patch
    from ca_reports.output.lines import Lines
    from ca_reports.sentences.failures import in_one_line, raised
    from ca_reports.sentences.places import run_cwd
    from ca_reports.words.clean import one_line

    lines, cwd = Lines(console_on(sys.stderr)), run_cwd(run)
    if crash is not None:
        offered = (event.key for one in fixes.offered for event in one.finding.events)
        of_crash = crash.key in offered
        patch = "" if of_crash else "; no patch is known"
        lines.line(
            f"the run crashed: {raised(crash)}: {in_one_line(crash)}{patch}", hanging=_INDENT
        )
    for proposal in fixes.refused:
        if proposal.finding.severity == "info":
            continue  # nothing is lost
        why, by_hand = no_patch(proposal.finding, proposal.refusal, cwd)
        lines.line(why, hanging=_INDENT)
        lines.line(by_hand, indent=_INDENT)
    for finding in fixes.gone:
        if finding.severity != "info":
            lines.line(f"{finding.rule}: gone with the patches that are offered")
    for one in fixes.failed:
        _say_failed(one, fixes, lines)
    _say_still_there(fixes, lines, cwd)
    is_left = any(one.finding.severity != "info" for one in fixes.refused)
    if not (fixes.offered or fixes.failed or is_left or crash):
        ends = (process.end for process in run.processes)
        error = next((end.error_text for end in ends if end is not None and end.error_text), None)
        said = "nothing to fix"
        if error:
            said += f" in what was recorded: the script ended with {one_line(error, 200)}"
        lines.line(said)


def _say_failed(one: Fix, fixes: Fixes, lines: Lines) -> None:
    """Say what became of a patch that was tried, and show it if all is to be told."""
    from ca_reports.output.fixes_lines import lines as told

    assert one.proof is not None
    if not fixes.verbose:
        lines.line(f"{one.finding.rule}: tried and failed: {one.proof.failure}", hanging=_INDENT)
        return
    for line in told(one):
        lines.line(line, hanging=_INDENT)
    for line in fixes.diff(one).splitlines():
        say(line, sys.stderr)


def _say_still_there(fixes: Fixes, lines: Lines, cwd: str | None) -> None:
    """Name what is left with all patches, but for what was named as left without one."""
    from ca_reports.output.fixes_lines import still_there
    from ca_reports.words.clean import one_line

    named = {(one.finding.code, one.finding.key) for one in fixes.refused}
    named |= {(one.finding.code, one.finding.key) for one in fixes.failed}
    for finding in fixes.left:
        if (finding.code, finding.key) not in named:
            told = f"still there with the patch: {one_line(still_there(finding, cwd), 240)}"
            lines.line(told, hanging=_INDENT)
