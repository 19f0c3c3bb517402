"""CA715."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.facts.guarded import code_of
from ca_reports.rules.base import PATTERN, Match, Rule
from ca_reports.text.numbers import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ca_reports.facts.events import RecompileFacts
    from ca_reports.facts.process import ProcessFacts
    from ca_reports.model import Compile, Frame


def _evaluated_twice(variants: Iterable[RecompileFacts]) -> dict[Frame, RecompileFacts]:
    """The calls in evaluation mode that keep gradients, of functions that others call without."""
    every = [(found, found.compiled.held) for found in variants]
    without = {code_of(found.compiled) for found, held in every if held and held.gradients is False}
    return {
        held.stack[-1]: found
        for found, held in every
        if held
        and held.gradients
        and held.stack
        and found.guard.source.endswith(".training")
        and code_of(found.compiled) in without
    }


def _name(compiled: Compile) -> str:
    # A model's forward that is called in a generator has the name of that: `<genexpr>`.
    location = compiled.location
    is_named = location is not None and not location.function.startswith("<")
    return f"`{location.function}`" if location is not None and is_named else "a model"


class TrainAndEval(Rule):
    """A compiled function runs in training and in evaluation, and is compiled once for each.

    ## What it is

    The same compiled model is called with gradients and under `torch.no_grad`, or after `train()`
    and after `eval()`. Its graphs differ: dropout, batch norm, what is saved for a backward.

    ## Why it costs

    It costs one more compile, once, at the first evaluation. No time is lost, and no gate of
    `ca check` counts it: a program that evaluates has two graphs.

    ## Example

        loss = compiled(batch).sum()
        model.eval()
        with torch.no_grad():
            compiled(validation)             # compiled apart, once

    ## What to do

    Nothing. To have it before the first step, run a batch in both modes as a warm-up; to have no
    second compile at all, evaluate the uncompiled model.

    Where one evaluation keeps gradients and another does not, each has a compile. Put both under
    `torch.no_grad`, and they share one; the finding names the call that keeps them.

    ## Measured

    One recompile for three evaluations (torch 2.13.0, CPU).

    ## When the rule can be wrong

    A mode in which a function was compiled before is not new: torch names the guard that
    failed in each earlier compile. A mode that differs in a backward is CA112 or CA205.
    """

    code = "CA715"
    name = "train-and-eval"
    severity = "info"
    specificity = PATTERN

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        twice = _evaluated_twice(facts.evaluation_variants)
        for call, found in twice.items():
            yield Match(
                message=(
                    f"an evaluation of {_name(found.compiled)} keeps gradients, another "
                    "does not: it is compiled for each"
                ),
                fix=(
                    "put this call under `torch.no_grad()` as well, unless a backward follows: "
                    "both run on one compile then"
                ),
                events=(found.compiled,),
                location=call,
                noticed_at=found.compiled.location,
                evidence=(found.evidence,),
                key="with gradients",
            )
        apart = {found.compiled.key for found in twice.values()}
        variants = [one for one in facts.evaluation_variants if one.compiled.key not in apart]
        if not variants:
            return
        functions = len({code_of(found.compiled) for found in variants})
        location = variants[0].compiled.location
        function = _name(variants[0].compiled)
        what = f"{function} is"
        if functions > 1:
            what = f"{function} and {counted(functions - 1, 'more function')} are"
        yield Match(
            message=(
                f"{what} compiled for training and for evaluation, once each: expected, and not "
                "counted as lost"
            ),
            fix="nothing; a warm-up in both modes moves the compile ahead of the first step",
            events=tuple(found.compiled for found in variants),
            noticed_at=location,
            evidence=tuple(found.evidence for found in variants),
            key=location.function if location is not None else "",
            group="",
        )
