"""A run of a program that is only written down: what `ca_reports.patching` reads."""

from __future__ import annotations

import os
from pathlib import Path
from textwrap import dedent
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from ca_engine.guards import Guard
from ca_reports.causes.findings import (
    BakedNumber,
    Detail,
    Finding,
    Subject,
)
from ca_reports.causes.remedies import remedy
from ca_reports.causes.rules import find_rule
from ca_reports.causes.rules.guard_advice import detail_of
from ca_reports.facts.events import RecompileFacts
from ca_reports.facts.guarded_things import GuardedThing
from ca_reports.patching.patches import applied
from ca_reports.patching.program import EditableProgram
from ca_reports.patching.propose import propose_for
from ca_reports.program.files import SourceFiles
from ca_reports.run.model import Capture, Compile, Frame, Process, Recorded, Run

if TYPE_CHECKING:
    from ca_reports.facts.process import ProcessFacts
    from ca_reports.facts.recompile_limits import RecompileLimit
    from ca_reports.patching.patches import Proposal

# Codes of Python numbers, whose rules tell what has them.
NUMBERS = frozenset(("CA401", "CA402", "CA701", "CA702", "CA704", "CA705"))
STARTED = 1_000_000_000.0


def program_of(
    folder: Path,
    files: dict[str, str],
    compiles: tuple[Compile, ...] = (),
    thing: GuardedThing | None = None,
    beside: GuardedThing | None = None,
    *,
    limits: tuple[RecompileLimit, ...] = (),
) -> EditableProgram:
    """The program of these files, written long before the run began; the first is its script.

    ``compiles`` are those of its one process, in which guards on ``thing`` failed, and would have
    failed on what is ``beside`` it. ``limits`` are what its functions hit.
    """
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(dedent(text).encode())
        os.utime(path, (STARTED - 100, STARTED - 100))
    recorded = Recorded(
        str(folder / "ca-runs/r"), script=next(iter(files)), cwd=str(folder), start=STARTED
    )
    process = Process(0, "log", None, None, 0, compiles=compiles)
    run = Run((), (), (process,), recorded=(recorded,), source_roots=(str(folder),))
    facts = SimpleNamespace(
        guarded=(thing,) if thing is not None else (),
        coinciding=(beside,) if beside is not None else (),
        limits=limits,
        limit_errors=(),
    )
    return EditableProgram(run, SourceFiles.of(run), [cast("ProcessFacts", facts)])


def finding_of(code: str, folder: Path, *frames: tuple[str, int], **more: Any) -> Finding:
    """A finding of ``code`` whose backward was called through these lines, outermost first."""
    rule = find_rule(code)
    assert rule is not None
    stack = tuple(Frame(str(folder / file), line, "", "") for file, line in frames)
    event = Capture(1, 0, None, None, "log", 1, stack=stack, step=2)
    location = stack[-1] if stack else None
    known = {"detail": number(more["key"])} if code in NUMBERS and more.get("key") else {}
    return Finding(
        rule.about(),
        "warning",
        remedy=remedy(more.pop("fix", "fix"), more.pop("edits", rule.edits)),
        **{"message": "message", "location": location, "events": (event,)} | known | more,
    )


def number(source: str) -> Detail | None:
    """What a rule says of a number that guards call ``source``, and that was 1.0 and then 2.0."""
    guard = Guard(f"{source} == 1.0", "value", "0/0", expected="1.0", actual="2.0", source=source)
    compiled = Compile("0/1", 0, None, None, None)
    return detail_of(GuardedThing((RecompileFacts(compiled, (guard,), None, None),)))


def baked(told: str) -> BakedNumber:
    """``PowBackward0 exponent``: an operation that keeps a number which changes."""
    node, attribute = told.split()
    return BakedNumber(node, attribute, (2.0, 3.0))


def for_argument(
    code: str,
    folder: Path,
    files: dict[str, str],
    function: str,
    guard: Guard,
    fix: str = "by hand",
    detail: Detail | None = None,
    **more: Any,
) -> tuple[Proposal, dict[str, str]]:
    """The proposal for an argument of `function`, which was compiled twice; the files patched.

    The first of ``files`` calls it, on its last line; the second has it.
    """
    (script, text), (module, own) = list(files.items())[:2]
    inner = Frame(str(folder / module), line_of(own, f"def {function}"), function, "")
    call = Frame(str(folder / script), len(text.splitlines()), "<module>", "")
    compiles = tuple(
        Compile(f"0/{number}", 0, None, None, None, location=inner, stack=(call, inner))
        for number in range(2)
    )
    thing = GuardedThing((RecompileFacts(compiles[1], (guard,), None, inner),))
    program = program_of(folder, files, compiles, thing)
    name = guard.source
    known = detail or detail_of(thing)
    finding = finding_of(
        code, folder, key=name, subject=Subject(name), events=compiles[1:], fix=fix, detail=known,
        **more,
    )  # fmt: skip
    proposal = propose_for(finding, program)
    texts = program.texts
    return proposal, applied(texts, proposal.patches[:1])


def line_of(text: str, words: str) -> int:
    """The one-based number of the first line of ``text`` that has these words."""
    lines = dedent(text).splitlines()
    return next(number for number, line in enumerate(lines, 1) if words in line)


def patched(code: str, folder: Path, source: str, at: str = ".backward(", **more: Any) -> str:
    """The one-file program after its first patch; ``at`` is on the line of the finding.

    Fails if the patch is refused, or does not parse.
    """
    return every(code, folder, {"train.py": source}, at, **more)[0]["train.py"]


def every(
    code: str, folder: Path, files: dict[str, str], at: str = ".backward(", **more: Any
) -> list[dict[str, str]]:
    """The changed files of each alternative."""
    program = program_of(folder, files)
    script, text = next(iter(files.items()))
    proposal = propose_for(finding_of(code, folder, (script, line_of(text, at)), **more), program)
    assert not proposal.refusal, proposal.refusal
    texts = program.texts
    found = [applied(texts, [patch]) for patch in proposal.patches]
    for files_ in found:
        for name, changed in files_.items():
            compile(changed, name, "exec")
    return found


def refusal(code: str, folder: Path, source: str, at: str = ".backward(", **more: Any) -> str:
    """Why the one-file program gets no patch."""
    program = program_of(folder, {"train.py": source})
    finding = finding_of(code, folder, ("train.py", line_of(source, at)), **more)
    proposal = propose_for(finding, program)
    assert not proposal.patches
    return proposal.refusal


HOOK = """\
def main():
    model = Model()
    # Train.
    for epoch in range(2):
        for step in range(9):
            {before}
            {hook}
            model(x).backward()
"""

HEATED = '''\
"""A model."""

from torch import nn


class Model(nn.Module):
    def __init__(self, heat):
        super().__init__()
        self.heat = {value}

    def forward(self, x):
        return {result}
'''

OVER_LOADER = """
for inputs in loader:
    model(inputs).sum().backward()
"""


def with_loader(call: str, imports: str = "from torch.utils.data import DataLoader") -> str:
    return f"{imports}\nloader = {call}\n{OVER_LOADER}"


CHECKPOINTED = """\
import torch
from torch.utils.checkpoint import checkpoint

layers = [torch.nn.Tanh()]
for step in range(9):
    loss = model(x)
{lines}
    loss.backward()
"""


def in_step(*lines: str) -> str:
    return CHECKPOINTED.format(lines="\n".join(f"    {line}" for line in lines))
