"""CA703."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ca_reports.causes.findings import LackedGradients
from ca_reports.causes.located import graphs
from ca_reports.causes.rules.of_guards import GuardedRule
from ca_reports.facts.inherent import are_of_new_modules

if TYPE_CHECKING:
    from ca_reports.causes.findings import Finding
    from ca_reports.causes.located.trail import Search
    from ca_reports.causes.rules.base import Match
    from ca_reports.facts.guarded_things import GuardedThing
    from ca_reports.facts.process import ProcessFacts


class ModeValue(GuardedRule):
    """A str, bool, None or enum that selects a path in a compiled function changes.

    ## What it is

    The function branches on a flag, a task's name or an argument that may be None. Dynamo compiles
    one path for each value.

    ## Example

        @torch.compile
        def head(x, task):
            return x.sin() if task == "depth" else x.cos()

        head(x, "depth"); head(x, "normals"); head(x, "edges")

    ## What to do

    Where it selects a head or a loss, compile what all share by itself, and call the rest outside.
    Else choose outside, and pass what was chosen as a tensor. A few values cost one compile each;
    more of them than `recompile_limit` leave calls uncompiled. For an argument that is
    a tensor or None, always pass a tensor.

    ## Measured

    3 recompiles for 4 tasks became none (torch 2.13.0, CPU). Of a task by turns, with a head, a
    loss and a target of its own, 2 became none with the part that all tasks share compiled by
    itself. A limit of 32 that the main thread set did not hold in a worker's, where 12 tasks met
    the default of 8; with `torch.compile(recompile_limit=32)` each was compiled once.

    ## When the rule can be wrong

    A value that comes back needs no compile, so how often the value changes is unknown; only
    how many values there were. Where each value had its own stretch of calls and none came back, as
    in a recipe that starts to quantize after some steps, both computations are meant, and the
    finding is only worth knowing: `ca run` records which calls were each graph's first and last.
    What a warm-up compiles before the first real call is a note. Where modules that share their
    code each keep a value of their own, as the layers of a decoder that look at all tokens or at a
    window, one compile for each value is meant: then the finding is only worth knowing. That the
    modules are several is known from `ca run`'s record.
    """

    code = "CA703"
    name = "mode-value"
    edits = ("flag_as_tensor", "compile_callee", "eager_rare_calls")
    subjects = frozenset(("mode", "training"))

    @classmethod
    def search(cls, finding: Finding) -> Search | None:
        """Choose what drops gradients, where a function asks which there are."""
        is_of_gradients = isinstance(finding.detail, LackedGradients)
        return graphs.zeroed_gradients if is_of_gradients else cls.place

    def match(self, thing: GuardedThing, facts: ProcessFacts) -> Match:
        """Say it, for information where each of several modules keeps its own value."""
        found = super().match(thing, facts)
        is_kept = thing.subject == "mode" and thing.path.is_of_self
        if not is_kept or facts.limit_of(thing.first.compiled) is not None:
            return found
        if are_of_new_modules(thing.recompiles, facts.process.compiles):
            return replace(found, severity="info")
        return found
