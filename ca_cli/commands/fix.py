"""``ca fix``: patches for what a run found, proven by running them."""

from __future__ import annotations

import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ca_cli import formats, inputs, patching, trials, verifying, writing
from ca_cli.console import say, tell
from ca_cli.errors import GATE_FAILED, UsageError
from ca_cli.options import command

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ca_reports.fixes.program import EditableProgram
    from ca_reports.fixes.result import Fix, Fixes
    from ca_reports.model import Run
    from ca_reports.trial import TrialOutcome


@command(cls=formats.command_writing("fixes"))
def fix(
    path: Annotated[
        str | None,
        typer.Argument(
            metavar="[RUN]", show_default="the newest run in ca-runs", help="The folder of a run."
        ),
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
    yes: Annotated[bool, typer.Option("--yes", help="Run and write without asking.")] = False,
    apply: Annotated[
        bool, typer.Option("--apply", help="Write the files; with --verify what it proved.")
    ] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Also show patches that were tried and failed.")
    ] = False,
    format: formats.Chosen = "diff",
    output: writing.Output = None,
    force: writing.Force = False,
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
    if (steps is not None or yes) and not verify:
        raise UsageError(f"{'--yes' if yes else '--steps'} needs --verify")
    if apply and (output is not None or format != "diff"):
        option = "-o" if output is not None else "--format"
        raise UsageError(f"--apply writes the files themselves: leave {option} out")
    from ca_reports.fixes.patches import RefusedError

    try:
        recorded, found, program = _propose(path, code or [], verbose=verbose)
    except RefusedError as refused:
        raise UsageError(str(refused)) from None
    if verify and found.offered:
        found = _verified(recorded, found, program, steps, yes=yes)
    _say_left_out(found, recorded)
    if apply:
        _apply(found, program)
    else:
        formats.emit(chosen, "fixes", found, output, force=force)
    fixed = {id(one.finding) for one in found.offered}
    left = [*(one.finding for one in found.failed), *(one.finding for one in found.refused)]
    if any(one.severity != "info" and id(one) not in fixed for one in left):
        raise typer.Exit(GATE_FAILED)


def _propose(
    path: str | None, codes: Sequence[str], *, verbose: bool
) -> tuple[Run, Fixes, EditableProgram]:
    from ca_reports.fixes.program import EditableProgram
    from ca_reports.fixes.propose import choose, propose
    from ca_reports.rules import find_rule

    known = {code: find_rule(code) for code in codes}
    if unknown := next((code for code, rule in known.items() if rule is None), None):
        raise UsageError(f"unknown rule {unknown} (`ca rule --all` lists them)")
    analysis = inputs.load_analysis([path] if path else None)
    program = EditableProgram(analysis.run, analysis.files, analysis.facts)
    codes = [rule.code for rule in known.values() if rule is not None]
    chosen = choose(propose(analysis, program, codes), program)
    return analysis.run, replace(chosen, verbose=verbose, places=analysis.places), program


def _verified(
    recorded: Run, fixes: Fixes, program: EditableProgram, steps: int | None, *, yes: bool
) -> Fixes:
    """Run each patch and its alternatives; of a finding's proven ones offer the best."""
    from ca_reports.fixes.patches import applied
    from ca_reports.fixes.proof import prove
    from ca_reports.fixes.propose import propose_for
    from ca_reports.fixes.result import Fix

    command = verifying.command_of(recorded)
    limit = steps or verifying.steps_for((one.finding for one in fixes.offered), recorded)
    tried = [one for found in fixes.offered for one in (found, *found.alternatives)]
    # As it is, and with each patch; of several findings also with all that are proven, and with
    # each other patch beside those.
    runs = 1 + len(tried)
    most = runs + (len(tried) if len(fixes.offered) > 1 else 0)
    verifying.agree_to(command, runs, most, limit, yes=yes)
    offered: list[Fix] = []
    failed: list[Fix] = []
    with tempfile.TemporaryDirectory(prefix="ca-fix-") as name:
        folder = Path(name)
        before = command.run("as is", "as the script says", folder / "as-is", limit)
        if before.error is not None or before.backwards:
            trials.require_backwards(before)
        else:
            tell(
                "no backward ran, so every run goes to the script's end, and what it prints is "
                "compared"
            )
        again: TrialOutcome | None = None
        for number, found in enumerate(fixes.offered):
            proven: list[Fix] = []
            base, each = before, (found, *found.alternatives)
            if found.patch.upon is not None:
                below = next((one for one in offered if one.patch is found.patch.upon), None)
                if below is not None and below.proof is not None:
                    base = below.proof.after
                else:
                    by_itself = propose_for(found.finding, program).patches
                    each = tuple(Fix(found.finding, patch) for patch in by_itself)
            for other, one in enumerate(each):
                changed = {
                    program.files[file].path: text
                    for file, text in applied(dict(fixes.texts), [one.patch]).items()
                }
                place = folder / f"patch-{number}-{other}"
                after = command.run(found.finding.code, one.patch.what, place, limit, changed)
                proof = prove(one.finding, one.patch, limit, base, after)
                if proof.losses == "different" and not proof.differs_from:
                    again = again or command.run("as is", "once more", folder / "again", limit)
                    proof = proof.compared_with(again)
                own = replace(one, proof=proof, alternatives=())
                (failed if proof.failure else proven).append(own)
            if proven:
                proven.sort(key=_cost)
                offered.append(replace(proven[0], alternatives=tuple(proven[1:])))
        alone = replace(fixes, offered=tuple(offered), failed=tuple(failed))
        fixes, proven_by = _together(command, alone, program, limit, before, folder / "together")
        if proven_by is None:
            return fixes
        return _beside(command, fixes, program, limit, proven_by, folder / "beside")


def _together(
    command: verifying.Command,
    fixes: Fixes,
    program: EditableProgram,
    limit: int,
    before: TrialOutcome,
    place: Path,
) -> tuple[Fixes, TrialOutcome | None]:
    """Run all offered patches at once; if that fails, offer the first, which is worth most.

    Also return what came of what is offered; None if nothing is.
    """
    from ca_reports.fixes.patches import Patch, Proposal, RefusedError, applied
    from ca_reports.fixes.proof import prove

    first, *others = fixes.offered or (None,)
    if first is None:
        return fixes, None
    outcome = first.proof.after if first.proof is not None else None
    if not others:
        return fixes, outcome
    patches = [one.patch for one in fixes.offered]
    number = len(patches)
    joined = Patch(
        f"{number} patches",
        tuple(dict.fromkeys(change for one in patches for change in one.replacements)),
        "; ".join(one.intention for one in patches if one.intention),
    )
    try:
        texts = applied(dict(fixes.texts), patches)
    except RefusedError as overlap:
        failure = str(overlap)
    else:
        changed = {program.files[file].path: text for file, text in texts.items()}
        after = command.run("together", joined.what, place, limit, changed)
        # Losses may differ from the earliest finding on that one of the patches is for.
        proof = prove(min(fixes.offered, key=_first_step).finding, joined, limit, before, after)
        failure = proof.failure
        if not failure:
            tell(f"{joined.what} together: {proof.counts}; {proof.agreement}")
            return fixes, after
    tell(f"{joined.what} together: {failure}; only the first is offered")
    words = f"proven alone, but not beside {first.finding.code}: apply that, and run it again"
    left = tuple(Proposal(one.finding, refusal=words) for one in others)
    return replace(fixes, offered=(first,), refused=(*fixes.refused, *left)), outcome


def _beside(
    command: verifying.Command,
    fixes: Fixes,
    program: EditableProgram,
    limit: int,
    proven: TrialOutcome,
    place: Path,
) -> Fixes:
    """Run what failed once more, with the offered patches, whose outcome is ``proven``.

    Of two causes in the same steps, or two breaks of one graph, the patch of one may save nothing
    by itself.
    """
    from ca_reports.fixes.patches import RefusedError, applied
    from ca_reports.fixes.proof import prove

    offered, failed = list(fixes.offered), list(fixes.failed)
    for number, one in enumerate(fixes.failed):
        has_one = any(found.finding is one.finding for found in offered)
        if has_one or one.proof is None or one.proof.after.error or one.proof.losses == "different":
            continue
        try:
            texts = applied(dict(fixes.texts), [*(found.patch for found in offered), one.patch])
        except RefusedError:
            continue
        codes = ", ".join(dict.fromkeys(found.finding.code for found in offered))
        name, what = f"{one.finding.code} beside {codes}", one.patch.what
        changed = {program.files[file].path: text for file, text in texts.items()}
        after = command.run(name, what, place / str(number), limit, changed)
        proof = prove(one.finding, one.patch, limit, proven, after)
        if proof.failure:
            continue
        needed = f"by itself it saves nothing: measured beside the patch for {codes}"
        note = f"{one.patch.note}; {needed}" if one.patch.note else needed
        offered.append(replace(one, patch=replace(one.patch, note=note), proof=proof))
        failed.remove(one)
        proven = after
    return replace(fixes, offered=tuple(offered), failed=tuple(failed))


def _first_step(fix: Fix) -> int:
    """The first backward of a finding's events; 0 where they do not say."""
    steps = (getattr(event, "step", None) for event in fix.finding.events)
    return min((step for step in steps if step is not None), default=0)


def _cost(fix: Fix) -> tuple[bool, bool, float]:
    """Rank proven patches by what is left to pay.

    One that compiled longer than the program as it is comes last, one that changes no numbers
    first.
    """
    assert fix.proof is not None
    is_longer = fix.proof.longer is not None
    return is_longer, bool(fix.patch.intention), fix.proof.after.seconds_lost or 0.0


def _apply(fixes: Fixes, program: EditableProgram) -> None:
    from ca_reports.fixes.patches import applied

    changed = applied(dict(fixes.texts), [one.patch for one in fixes.offered])
    if not changed:
        say("nothing to apply", sys.stderr)
    patching.apply(program, changed)


def _say_left_out(fixes: Fixes, run: Run) -> None:
    from ca_reports.render.fixes_lines import lines
    from ca_reports.text.clean import one_line

    for proposal in fixes.refused:
        if proposal.finding.severity == "info":
            continue  # nothing is lost
        say(f"{proposal.finding.rule}: no patch: {proposal.refusal}", sys.stderr)
    for one in fixes.failed:
        assert one.proof is not None
        if fixes.verbose:
            for line in lines(one):
                say(line, sys.stderr)
            for line in fixes.diff(one).splitlines():
                say(line, sys.stderr)
        else:
            say(f"{one.finding.rule}: tried and failed: {one.proof.failure}", sys.stderr)
    is_left = any(one.finding.severity != "info" for one in fixes.refused)
    if not (fixes.offered or fixes.failed or is_left):
        ends = (process.end for process in run.processes)
        error = next((end.error_text for end in ends if end is not None and end.error_text), None)
        said = "nothing to fix"
        if error:
            said += f" in what was recorded: the script ended with {one_line(error, 200)}"
        say(said, sys.stderr)
