"""CA207."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.causes.findings import Subject
from ca_reports.causes.located import graphs
from ca_reports.causes.remedies import NoEdits
from ca_reports.causes.rules.base import SPECIFIC, Match, Rule, of_captures
from ca_reports.causes.rules.structure import (
    by_call,
    compared,
    makes_other_nodes,
    modules_of,
    operations_with_more_edges,
    switched,
)
from ca_reports.words.values import listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ca_reports.facts.events import CaptureFacts
    from ca_reports.facts.process import ProcessFacts
    from ca_reports.run.model import Change, Compile


class Freeze(Rule):
    """Parameters are frozen or unfrozen while the training runs.

    ## What it is

    `requires_grad` of parameters changes between steps: gradual unfreezing, alternating
    training of two halves, a frozen generator while the discriminator learns.

    ## Why it costs

    A frozen parameter has no AccumulateGrad node, and nothing below the lowest trained layer
    is in the autograd graph. Each set of trained parameters is captured and compiled, and a
    compiled forward is recompiled for it.

    ## Example

        if step == 1000:
            model.backbone.requires_grad_(True)

    ## What to do

    Keep `requires_grad=True` everywhere and discard the gradients you do not want: set them to
    None before the optimizer's step, which leaves out what has none, or add those parameters to
    the optimizer later. A few long stages may be cheaper left as they are: each costs one capture.

    ## Measured

    3 captures, 3 compiles and 3 forward compiles became 1, 1 and 1 (torch 2.13.0, CPU).

    ## When the rule can be wrong

    All parameters of the modules that ran are compared. A flag on a parameter that this loss
    does not reach is not the cause; it is left out if the graph shows no change that a flag can
    make. In torch's own logs only the size of an operation's key tells that one more of its inputs
    needs a gradient, and not which: it may be an input of the model's (CA208).
    """

    code = "CA207"
    name = "freeze"
    place = graphs.frozen
    edits = ("drop_frozen",)
    leaves_largest = True

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        if not facts.recorded:
            yield from _from_key_sizes(facts)
            return
        frozen = [
            found
            for found in facts.recaptures
            if _parameters(found) and (found in compared(facts) or found.aot_replaced)
        ]
        for group in by_call(frozen):
            stages = [_told(found) for found in group]
            modules = modules_of(change.name for found in group for change in _parameters(found))
            yield Match(
                message=f"requires_grad changed during training: {listed(stages, 3)}",
                fix=(
                    f"leave requires_grad of {listed(_quoted(modules))} on and, before "
                    "`optimizer.step()`, set the `.grad` of what is to stay frozen to None; or "
                    "freeze once, before the first backward"
                ),
                **of_captures(group, more=_of_forwards(group)),
                key="freeze",
                # Where the forward is compiled, this is the cause of its recompile (CA401).
                specificity=SPECIFIC + 7,
                explains=_explains,
                subject=Subject(modules=_modules(group)),
            )


def _from_key_sizes(facts: ProcessFacts) -> Iterator[Match]:
    """Match what torch's own logs tell by the size of an operation's key: one edge more."""
    captures = operations_with_more_edges(facts)
    if captures:
        names = dict.fromkeys(one.capture.node.name for one in captures if one.capture.node)
        yield Match(
            message=(
                f"an input of {listed([*names], 3)} needs a gradient that needed none before, as a "
                "weight that was unfrozen does"
            ),
            fix=(
                "nothing, if layers are unfrozen on a schedule: each stage is captured once; "
                "otherwise find what changes `requires_grad` (`ca run` names the parameters)"
            ),
            **of_captures(captures),
            confidence="medium",
            key="freeze",
            edits=NoEdits("this log does not say whose `requires_grad` changed"),
        )


def _modules(group: Sequence[CaptureFacts]) -> tuple[str, ...]:
    """Return the modules that each recapture froze or unfroze, and those that have all of them."""
    names = [change.name for found in group for change in _parameters(found)]
    each = [
        name for found in group for name in modules_of(change.name for change in _parameters(found))
    ]
    return tuple(dict.fromkeys([*modules_of(names), *each]))


def _explains(found: CaptureFacts, change: Change) -> bool:
    return makes_other_nodes(found, change) or change.attribute == "parameter"


def _of_forwards(group: Sequence[CaptureFacts]) -> Iterator[Compile]:
    """Yield the compiled forwards that the flags made Dynamo recompile."""
    for found in group:
        for compiled in found.forward_recompiles:
            if any(guard.kind == "requires_grad" for guard in compiled.failed_guards):
                yield compiled


def _parameters(found: CaptureFacts) -> tuple[Change, ...]:
    """Return the switched parameters, if one of them entered or left the graph."""
    changes = switched(found, "requires_grad")
    closest = found.closest
    if not changes or closest is None:
        return ()
    moved = found.parameters ^ closest.parameters
    return changes if any(change.name in moved for change in changes) else ()


def _quoted(modules: list[str]) -> list[str]:
    return [f"`{name}`" for name in modules]


def _told(found: CaptureFacts) -> str:
    changes = _parameters(found)
    modules = listed(_quoted(modules_of(change.name for change in changes)), 3)
    return f"{modules} {changes[0].before} → {changes[0].after}"
