"""CA720."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.causes.findings import SeveralModules
from ca_reports.causes.located import guarded_values
from ca_reports.causes.rules.base import PATTERN, Match, Rule, of_compiles
from ca_reports.causes.rules.of_guards import at_the_limit
from ca_reports.facts.guarded_things import compiled_line
from ca_reports.facts.inherent import are_modules
from ca_reports.sentences.compiles import function_of
from ca_reports.sentences.limits import RAISE_LIMIT
from ca_reports.words.numbers import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ca_reports.causes.findings import Finding
    from ca_reports.causes.located.trail import Search
    from ca_reports.facts.events import RecompileFacts
    from ca_reports.facts.process import ProcessFacts


class SeveralUses(Rule):
    """A compiled helper is called from several places of a model, and is compiled for each.

    ## What it is

    A function that is compiled by itself (a norm, a rotation) is called by several layers, or by
    one layer for several tensors. They differ in their number of dimensions, sizes, dtype or
    layout. Or the blocks of a model are compiled one by one: all of one class share the code of
    its `forward`, and each number of channels is a compile. So are two models of one class that
    differ in their sizes, as a generator and a discriminator that are both `nn.Sequential`.

    ## Why it costs

    It costs one compile for each place, once, in the first step. No time is counted as lost, and
    no gate of `ca check` counts it: functions of their own would cost the same. Many places reach
    the limit of recompiles (`recompile_limit`, 8), from which on the function runs uncompiled, in
    all of them: then it is a warning.

    ## Example

        @torch.compile
        def normalized(x): ...

        x = normalized(x)                        # 3 dimensions
        q = normalized(q.view(rows, heads, -1, width))     # 4 dimensions

    ## What to do

    Nothing. To have no compile for each place, compile the model that calls it: its graph then
    has what the function does. At the limit do that. Where models of one class are made one after
    another, as in a search over hidden sizes, call `torch.compiler.reset()` before each. A higher
    limit, `torch._dynamo.config.recompile_limit = 64`, compiles each of them once.

    ## Measured

    One recompile in the first of five steps; none with the model compiled. One for the second of
    two `nn.Sequential`, in four steps. A helper of 12 layers of other sizes: 8 compiles and the
    limit; 1 compile of the model instead. Ten models of five widths and two activations, one
    after another: 7 recompiles and the limit; none with `torch.compiler.reset()` before each. Ten
    of ten depths: with `fullgraph=True` an error at the ninth, and none with either (torch 2.13.0,
    CPU).

    ## When the rule can be wrong

    A place that is called with something else in a later step is no part of it. What one line calls
    in a loop is one place.
    """

    code = "CA720"
    name = "several-uses"
    joined_by = "name"
    severity = "info"
    specificity = PATTERN

    @classmethod
    def search(cls, finding: Finding) -> Search | None:
        """Search for the call that compiles, where there are too many; as a note it needs none."""
        if isinstance(finding.detail, SeveralModules):
            return guarded_values.compile_call
        return None if finding.is_note else guarded_values.compiled_one_by_one

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        for uses in facts.uses_by_code:
            first = uses[0].compiled
            function = function_of(first)
            if are_modules(uses, facts.other_modules):
                yield _of_modules(uses, function, facts)
                continue
            places = f"{function} is compiled for each of {counted(len(uses) + 1, 'place')}"
            limit = facts.limit_of_uses(uses)
            if limit is None:
                told = "expected, and not counted as lost"
                fix = f"nothing; a compiled model has {function} in its own graph"
            else:
                told = f"too many for one function{at_the_limit(uses[0], facts)}"
                fix = (
                    f"compile the model that calls {function} instead: one graph then has all of "
                    f"these places, which are more than the {limit} versions that one function may "
                    f"have; or {RAISE_LIMIT}"
                )
            yield Match(
                message=f"{places} of a model that call it: {told}",
                fix=fix,
                edits=None if limit is None else ("raised_limit",),
                severity=None if limit is None else "warning",
                is_note=limit is None,
                **of_compiles(uses, first.location),
                key="" if first.location is None else first.location.function,
                group="",
            )


def _of_modules(uses: Sequence[RecompileFacts], function: str, facts: ProcessFacts) -> Match:
    """Match modules of one class that differ in their parameters: each is compiled once."""
    first = uses[0].compiled
    is_at_limit = facts.limit_of_uses(uses) is not None
    told = "expected, and not counted as lost"
    fix = "nothing: each module has a graph of its own"
    if is_at_limit:
        told = f"too many for one function{at_the_limit(uses[0], facts)}"
        fix = (
            "call `torch.compiler.reset()` before the next module is compiled, if earlier ones are "
            "no longer needed: modules of one class share one limit; where all are in use, "
            f"{RAISE_LIMIT}"
        )
    return Match(
        message=(
            f"{function} is compiled for each of {counted(len(uses) + 1, 'module')} that share its "
            f"code and differ in their sizes: {told}"
        ),
        fix=fix,
        edits=("reset_between", "raised_limit") if is_at_limit else None,
        severity="warning" if is_at_limit else None,
        is_note=not is_at_limit,
        **of_compiles(uses, compiled_line(first)),
        key="" if first.location is None else first.location.function,
        group="",
        detail=SeveralModules(len(uses) + 1) if is_at_limit else None,
    )
