"""CA715."""

from __future__ import annotations

import ast
from itertools import takewhile, zip_longest
from typing import TYPE_CHECKING

from ca_reports.causes.findings import SideJob
from ca_reports.causes.located.modes import compiling
from ca_reports.causes.located.trail import recorded_line
from ca_reports.causes.rules.base import PATTERN, Match, Rule
from ca_reports.facts.guard_paths import referring
from ca_reports.program.stack import is_installed, own_frame
from ca_reports.sentences.compiles import are_compiled, function_of
from ca_reports.sentences.places import in_brief
from ca_reports.words.values import first_few

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ca_reports.causes.findings import Finding
    from ca_reports.causes.located.trail import Search, Trail
    from ca_reports.causes.remedies import Remedy
    from ca_reports.facts.events import RecompileFacts
    from ca_reports.facts.mode_changes import ModeChange
    from ca_reports.facts.process import ProcessFacts
    from ca_reports.program.syntax import Site
    from ca_reports.run.model import Compile, Frame

_LINES_TOLD = 3


def _evaluated_twice(variants: Iterable[RecompileFacts]) -> dict[Frame, RecompileFacts]:
    """Find calls in evaluation mode that keep gradients, of functions others call without."""
    every = [(found, found.compiled.held) for found in variants]
    without = {
        found.compiled.code_number for found, held in every if held and held.gradients is False
    }
    return {
        held.stack[-1]: found
        for found, held in every
        if held
        and held.gradients
        and held.stack
        and found.path.attribute == "training"
        and found.compiled.code_number in without
    }


def _is_of_evaluation(change: ModeChange) -> bool:
    """Return whether a module was seen in both of its modes, and not grad mode alone to differ."""
    if any(guard.kind == "value" for guard in change.recompile.guards):
        return True
    before = None if change.earlier is None else change.earlier.held
    now = change.recompile.compiled.held
    return before is not None and now is not None and before.training != now.training


def _without_gradients(change: ModeChange) -> Frame | None:
    """Return the user's line that made the call without gradients; None if unknown."""
    for compiled in (change.recompile.compiled, change.earlier):
        held = None if compiled is None else compiled.held
        if held is not None and held.gradients is False:
            return own_frame(held.stack)
    return None


class TrainAndEval(Rule):
    """A compiled function runs in training and in evaluation, and is compiled once for each.

    ## What it is

    The same compiled model is called with gradients and under `torch.no_grad`, or after `train()`
    and after `eval()`. Its graphs differ: dropout, batch norm, what is saved for a backward. That
    these are two phases is seen by the lines that call, the mode of the modules, or the backwards
    between two calls. That two threads call is no sign of it.

    ## Why it costs

    It costs one more compile, once, at the first evaluation. No time is lost, and no gate of
    `ca check` counts it: a program that evaluates has two graphs.

    ## Example

        loss = compiled(batch).sum()
        model.eval()
        with torch.no_grad():
            compiled(validation)             # compiled apart, once

    ## What to do

    Nothing. To have no second compile, evaluate the uncompiled model; where the call without
    gradients is a part of each step, keep them on there, and `.detach()` what it returns.

    A sampler that shows texts between steps is neither: it calls the compiled model without
    gradients, with an input that grows token by token. It is a warning, and the uncompiled module
    serves it: the one that was given to `torch.compile`, or `compiled._orig_mod`. The finding names
    the call that leads there.

    Where one evaluation keeps gradients and another does not, each has a compile. Put both under
    `torch.no_grad`, and they share one; the finding names the call that keeps them.

    ## Measured

    One recompile for three evaluations (torch 2.13.0, CPU). Of a sampler in a training 1 became 0
    with the uncompiled module; `dynamic=True`, and padding to the training's size, left the 1.

    ## When the rule can be wrong

    A mode in which a function was compiled before is not new: torch names the guard that
    failed in each earlier compile. A mode that differs in a backward is CA112 or CA205, and so is
    grad mode that flips within a step, as by a reentrant checkpoint, or differs by thread, or that
    differs between a warm-up and what it is for, of which no backward follows.
    """

    code = "CA715"
    name = "train-and-eval"
    joined_by = "name"
    severity = "info"
    specificity = PATTERN

    @classmethod
    def search(cls, finding: Finding) -> Search | None:
        """Return the recorded line of a job beside the training; nothing else has one to edit."""
        return recorded_line if isinstance(finding.detail, SideJob) else None

    @classmethod
    def remedy(cls, trail: Trail, site: Site | None) -> Remedy | None:
        """Use the name that the uncompiled module has, for a job beside the training."""
        name = _given(trail) if isinstance(trail.finding.detail, SideJob) else None
        return None if name is None else trail.finding.remedy.instead(_uncompiled(name))

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        twice = _evaluated_twice(facts.evaluation_variants)
        for call, found in twice.items():
            yield Match(
                message=(
                    f"an evaluation of {function_of(found.compiled)} keeps gradients, another "
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
        variants = [
            change
            for change in facts.mode_changes
            if change.origin == "phases" and change.recompile.compiled.key not in apart
        ]
        yield from map(_beside, (one for one in facts.mode_changes if one.origin == "beside"))
        evaluated = [change for change in variants if _is_of_evaluation(change)]
        others = [change for change in variants if change not in evaluated]
        if evaluated:
            yield _match(evaluated, "for training and for evaluation")
        if others:
            lines = [line for line in map(_without_gradients, others) if line is not None]
            places = first_few(list(dict.fromkeys(map(in_brief, lines))), _LINES_TOLD)
            at = f" ({places})" if places else ""
            yield _match(
                others,
                "with gradients and without",
                f"; to have one compile, keep gradients on in the call without them{at}, and "
                "`.detach()` what it returns: it then saves what a backward needs",
            )


def _beside(change: ModeChange) -> Match:
    """Name the call that leads from the training's lines to a job beside it."""
    compiled, growth, other = change.recompile.compiled, change.growth, change.other
    assert growth is not None
    assert other is not None
    way, trained = _way(other), _way(change.keeping)
    parting = (own for own, beside in zip_longest(way, trained) if own != beside)
    return Match(
        message=(
            f"{function_of(compiled)} is compiled once more for a job beside the training: without "
            f"gradients, where `{referring(growth.name)}` grows from {growth.first} to "
            f"{growth.last} in dimension {growth.dimension}, sizes that no step has"
        ),
        fix=_uncompiled(),
        detail=SideJob(),
        events=(compiled,),
        location=next(parting, None),
        noticed_at=way[-1] if way else compiled.location,
        evidence=(change.recompile.evidence,),
        key="beside the training",
        severity="warning",
    )


def _way(compiled: Compile) -> tuple[Frame, ...]:
    """Return the user's frames that led to a compile, outermost first."""
    stack = () if compiled.held is None else compiled.held.stack
    return tuple(frame for frame in stack if not is_installed(frame.file))


def _uncompiled(name: str = "compiled._orig_mod") -> str:
    return (
        f"call `{name}` there, the module that was given to `torch.compile`: it runs uncompiled, "
        "and nothing is compiled for what is only shown"
    )


def _given(trail: Trail) -> str | None:
    """Return the name of the module that the only `torch.compile` was given; None if unknown.

    Where the compiled one takes its name, another variable may still hold it.
    """
    calls = compiling(trail)
    call = calls[0].node if len(calls) == 1 else None
    if not isinstance(call, ast.Call) or not call.args or not isinstance(call.args[0], ast.Name):
        return None
    module, given = calls[0].module, call.args[0].id
    made = module.statement_at(calls[0].line)
    if not isinstance(made, ast.Assign) or given not in map(ast.unparse, made.targets):
        return given
    body: Sequence[ast.stmt] = getattr(module.parents.get(made), "body", ())
    copies = [
        ast.unparse(one.targets[0])
        for one in takewhile(lambda one: one is not made, body)
        if isinstance(one, ast.Assign) and isinstance(one.value, ast.Name) and one.value.id == given
    ]
    return copies[-1] if copies else f"{given}._orig_mod"


def _match(variants: Sequence[ModeChange], modes: str, otherwise: str = "") -> Match:
    compiles = [change.recompile.compiled for change in variants]
    location = compiles[0].location
    return Match(
        message=f"{are_compiled(compiles)} {modes}, once each: expected, and not counted as lost",
        fix=f"nothing: each mode is compiled once{otherwise}",
        events=tuple(compiles),
        noticed_at=location,
        evidence=tuple(change.recompile.evidence for change in variants),
        is_note=True,
        key=location.function if location is not None else "",
        group="",
    )
