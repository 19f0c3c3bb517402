"""A function that is compiled for several calls, and the proposal for what one passes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ca_engine.guards import Guard
from ca_reports.causes.findings import Subject
from ca_reports.causes.located.naming import named
from ca_reports.causes.remedies import remedy
from ca_reports.causes.rules import find_rule
from ca_reports.causes.rules.guard_advice import detail_of
from ca_reports.facts.events import RecompileFacts
from ca_reports.facts.guard_paths import verbatim
from ca_reports.facts.guarded_things import GuardedThing
from ca_reports.patching.patches import applied
from ca_reports.patching.propose import propose_for
from ca_reports.program.files import SourceFiles
from ca_reports.program.syntax import Program
from ca_reports.run.held import FailedGuard, Held, RecordedGuards
from ca_reports.run.model import Compile, Frame
from tests.unit.reports.patching.programs import finding_of, line_of, program_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ca_reports.causes.findings import Detail
    from ca_reports.causes.remedies import Edit
    from ca_reports.patching.patches import Proposal

MODEL = """\
from torch import nn


class Net(nn.Module):
    def forward(self, x, scale=1.0):
        return x * scale


def score(rows, limit):
    return rows / limit


def rate(board, **context):
    return board * context["late"]
"""
DTYPE = Guard("dtype mismatch", "dtype", "0/0", expected="Float", actual="Double")
NUMBER = Guard("limit == 1.0", "value", "0/0", expected="1.0")
GRADIENT = Guard("requires_grad", "requires_grad", "0/0", expected="True", actual="False")


def proposed(
    folder: Path,
    files: dict[str, str],
    code: str,
    name: str,
    sites: list[str],
    guard: Guard,
    guards: Sequence[Guard] = (),
    to_edit: Frame | None = None,
    beside: Sequence[Compile] = (),
    given: Sequence[Held] = (),
    gradients: bool | None = None,
    detail: Detail | None = None,
) -> tuple[Proposal, dict[str, str]]:
    """The proposal for ``name`` of a function of ``model.py``, compiled once for each of ``sites``.

    A site is words of a line of the first file; where it is several lines, outermost first, they
    are divided by `` > ``. ``guard`` fails at each but the first, or else the next of ``guards``.
    ``beside`` are compiles of other functions, ``given`` what was passed at each site,
    ``gradients`` whether they were kept, ``detail`` that of the finding, which the guard may not
    tell. The function is `score` or `rate` if it has such an
    argument, else `Net.forward`.
    """
    files = {**files, "model.py": MODEL}
    script, text = next(iter(files.items()))
    functions = {"rows": "score", "limit": "score", "context": "rate"}
    function = functions.get(name.partition("[")[0], "forward")
    inner = Frame(str(folder / "model.py"), line_of(MODEL, f"def {function}"), function, "")
    compiles = []
    for number, words in enumerate(sites):
        stack = [
            Frame(str(folder / script), line_of(text, part), "f", "") for part in words.split(" > ")
        ]
        location = stack[-1] if name.startswith("args[") else inner
        stack += [] if location is stack[-1] else [inner]
        held = None
        failed = guards[number - 1] if number and guards else None
        if failed is not None and failed.kind == "length":
            length = Held(type="list", length=int(failed.actual or 0))
            held = RecordedGuards((FailedGuard(failed.failed, name, length),))
        elif failed is not None and failed.kind == "identity":
            member = Held(type="stages.Stage", value=failed.actual, has_value=True)
            held = RecordedGuards((FailedGuard(failed.failed, name, member),))
        elif given:
            held = RecordedGuards(arguments=((name, given[number]),), gradients=gradients)
        compiles.append(
            Compile(
                f"0/{number}", 0, None, None, None, location=location, stack=tuple(stack), held=held
            )
        )
    facts = [
        RecompileFacts(
            one,
            (replace(own, source=name),),
            None,
            one.location,
            compiles={each.compile_id: each for each in compiles},
        )
        for one, own in zip(compiles[1:], guards or [guard] * len(compiles[1:]), strict=True)
    ]
    thing = GuardedThing(tuple(facts))
    others = [
        replace(one, location=replace(one.location, file=str(folder / one.location.file)))
        for one in beside
        if one.location is not None
    ]
    program = program_of(folder, files, (*compiles, *others), thing)
    events = tuple(compiles[1:])
    subject = Subject(name)
    finding = finding_of(
        code,
        folder,
        key=name,
        subject=subject,
        detail=detail or detail_of(thing),
        edits=tried(code),
        events=events,
        message=f"`{verbatim(name)}` differs",
        fix="by hand",
    )
    read = Program(SourceFiles([folder]), [str(folder / script)])
    finding = named(replace(finding, location=to_edit), read)
    proposal = propose_for(finding, program)
    texts = program.texts
    return proposal, applied(texts, proposal.patches[:1])


def tried(code: str) -> tuple[Edit, ...]:
    """The edits of a rule alone, so that what they refuse is told and no reason for none."""
    rule = find_rule(code)
    assert rule is not None
    return remedy("", rule.edits).edits
