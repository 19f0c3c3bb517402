"""CA717."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.causes.located import guarded_values
from ca_reports.causes.rules.base import Match
from ca_reports.causes.rules.of_guards import GuardedRule
from ca_reports.facts.evidence import Evidence
from ca_reports.program.stack import own_frame
from ca_reports.words.numbers import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.facts.guarded_things import GuardedThing
    from ca_reports.facts.process import ProcessFacts
    from ca_reports.run.model import Compile, Frame


class CompiledInLoop(GuardedRule):
    """`torch.compile` is called again and again: for each step, each request, each new object.

    ## What it is

    Code that is generated each time (`exec`, `torch.fx.symbolic_trace`) is compiled each time. So
    is a function whose backend is a new object each time.

    ## Why it costs

    No iteration can use what another compiled. The recompile limit does not apply to new code, so
    every iteration pays.

    ## Example

        for batch in loader:
            step = torch.compile(torch.fx.symbolic_trace(model))
            step(batch)

    ## What to do

    Compile once, outside of the loop, and pass what changes as an argument.

    ## Measured

    4 compiles became 1 (torch 2.13.0, CPU).

    ## When the rule can be wrong

    Functions of one name that are defined in one line and compiled apart look the same; a factory
    that is called for a few layers is intended.
    """

    code = "CA717"
    name = "compiled-in-loop"
    place = guarded_values.compile_call
    edits = ("compile_once",)
    subjects = frozenset(("backend",))

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        yield from super().matches(facts)
        for group in facts.repeated_first_compiles:
            yield _of_new_code(group, facts)

    def what(self, thing: GuardedThing) -> str:
        """Return a backend that differs."""
        return "torch.compile was called with another backend object"


def _of_new_code(group: tuple[Compile, ...], facts: ProcessFacts) -> Match:
    first = group[0]
    function = f"`{first.location.function}`" if first.location is not None else "one function"
    return Match(
        message=(
            f"torch.compile was called for new code of {function} {counted(len(group), 'time')}: "
            "each got its own compile"
        ),
        fix=(
            f"make {function} and compile it once, outside of the loop; what changes can be an "
            "argument"
        ),
        events=group[1:],
        noticed_at=_call(first),
        evidence=tuple(
            Evidence(f"{found.compile_id}: first compile", facts.process.file, found.line)
            for found in group
        ),
        confidence="medium",
        key=first.location.function if first.location is not None else "",
        count=len(group),
    )


def _call(compiled: Compile) -> Frame | None:
    """Return the line that called it, where its code is in no file."""
    location = compiled.location
    if location is None or not location.file.startswith("<"):
        return location
    return own_frame([frame for frame in compiled.stack if not frame.file.startswith("<")])
