"""CA201."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ca_reports.causes.located import graphs
from ca_reports.causes.rules.base import Match, Rule, of_captures
from ca_reports.causes.rules.structure import (
    by_call,
    compared,
    has_equal_parameters,
    parameters_whose_key_changed,
    share,
    weigh,
)
from ca_reports.program.syntax import last_name
from ca_reports.words.numbers import agreeing, counted
from ca_reports.words.values import listed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.causes.located.trail import Trail
    from ca_reports.causes.remedies import Remedy
    from ca_reports.facts.events import CaptureFacts
    from ca_reports.facts.process import ProcessFacts
    from ca_reports.program.syntax import Site
    from ca_reports.run.model import Change

# By how much C++'s key of an AccumulateGrad grows when `.grad` is defined (torch 2.13.0).
_GRAD_IN_KEY = 11


class GradNone(Rule):
    """`.grad` is None in some backwards and a tensor in others.

    ## What it is

    A backward stores the gradient where `.grad` is None and adds to it where `.grad` is a
    tensor. `zero_grad(set_to_none=True)`, the default, combined with gradient accumulation makes
    both happen; so does a first step without `.grad` followed by steps with it.

    ## Why it costs

    Whether `.grad` is defined is part of compiled autograd's key, for each parameter. Every
    combination that occurs is captured and compiled.

    Accumulation has two, by turns in every step: one backward stores the gradients, the others add
    to them. Each is captured once, so the finding is information and no time counts as lost. It is
    a warning where a combination occurs in the first step only, or where some parameters have a
    gradient and others do not, which makes more of them.

    ## Example

        loss.backward()
        if step % 2:
            optimizer.step()
            optimizer.zero_grad()          # .grad is None at every other backward

    ## What to do

    Preallocate the gradients and keep them: `p.grad = torch.zeros_like(p)` before the first
    backward, and `optimizer.zero_grad(set_to_none=False)` from then on. You need both: with the
    flag alone, the first backward still finds None.

    ## Measured

    2 captures and 2 compiles became 1 and 1 (torch 2.13.0, CPU). Accumulating over two batches
    with 3 million parameters, the second capture and its compile took 8.8 s of CPU time, once. With
    gradients kept, a step took 11 ms longer: the first backward adds instead of storing (10 ms),
    and they are filled (1.5 ms). After 800 steps that has cost more than the capture.

    ## When the rule can be wrong

    If other things changed in the same step, `.grad` may be a consequence: a layer that runs
    for the first time has no gradient yet. Then the confidence is lower.
    """

    code = "CA201"
    name = "grad-none"
    place = graphs.zeroed_gradients
    edits = ("keep_gradients",)

    @classmethod
    def remedy(cls, trail: Trail, site: Site | None) -> Remedy | None:
        """By what drops the gradients: a library's trainer, or the program's own call."""
        told = None if site is None else _of_trainer(site) or _of_receiver(site, trail)
        return None if told is None else trail.finding.remedy.instead(told)

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        if not facts.recorded:
            yield from _from_key_sizes(facts)
            return
        flipped = [(found, part) for found in compared(facts) if (part := share(found, _is_grad))]
        shares = {found.capture.id: part for found, part in flipped}
        for group in by_call(found for found, _ in flipped):
            specificity, confidence = weigh(shares[found.capture.id] for found in group)
            yield Match(
                message=_message(group[0]),
                fix=_kept(),
                **of_captures(group),
                confidence=confidence,
                key="grad-none",
                specificity=specificity,
                explains=_explains,
            )


def _kept(zeroed: str = "optimizer", model: str = "model") -> str:
    """Say how to keep the gradients of ``model``, of which ``zeroed`` has `zero_grad()` called."""
    return (
        "keep the gradients as tensors: before the first backward "
        f"`for p in {model}.parameters(): p.grad = torch.zeros_like(p)`, and then "
        f"`{zeroed}.zero_grad(set_to_none=False)`; you need both"
    )


def _is_grad(change: Change) -> bool:
    return change.attribute == ".grad"


def _explains(found: CaptureFacts, change: Change) -> bool:
    """Return a layer that runs for the first time has no gradient yet: then it is a consequence."""
    is_of_equal_nodes = not (found.added or found.removed)
    return _is_grad(change) and (is_of_equal_nodes or has_equal_parameters(found))


def _message(found: CaptureFacts) -> str:
    changes = found.changed(".grad")
    first = changes[0]
    names = []
    for change in changes:
        node = found.node(change.index) or {}
        names.append(str(node.get("parameter") or f"NodeCall {change.index}"))
    several = f"{counted(len(names), 'parameter')} ({listed(names)})"
    which = agreeing(len(names), names[0], several)
    whose = agreeing(len(names), "its", "their")
    happened = f"got {whose} first .grad" if first.before is None else f"lost {whose} .grad"
    return f"{which} {happened}, so the graph changed"


def _from_key_sizes(facts: ProcessFacts) -> Iterator[Match]:
    """In torch's own logs only the size of the key shows it."""
    captures = parameters_whose_key_changed(facts, _GRAD_IN_KEY)
    if captures:
        yield Match(
            message="the .grad of some parameters is None in some backwards and a tensor in others",
            fix=_kept(),
            **of_captures(captures),
            key="grad-none",
        )


def _of_trainer(site: Site) -> str | None:
    """Return what to do for a trainer that drops the gradients; ``site`` is what it was given."""
    node = site.node
    if isinstance(node, ast.ClassDef):
        return (
            f"in `{node.name}`, let `optimizer_zero_grad` call "
            "`optimizer.zero_grad(set_to_none=False)`, and make the gradients in "
            "`on_train_start`: `for p in self.parameters(): p.grad = torch.zeros_like(p)`; you "
            "need both"
        )
    if isinstance(node, ast.Call) and last_name(node.func) != "zero_grad":
        return (
            "before the trainer is made, `for p in model.parameters(): p.grad = "
            "torch.zeros_like(p)` and `model.zero_grad = functools.partial(model.zero_grad, "
            "set_to_none=False)`, which the trainer calls; you need both"
        )
    return None


def _of_receiver(site: Site, trail: Trail) -> str | None:
    """Name what the program calls `zero_grad()` of: its optimizer, by its name, or a module."""
    called = site.node.func if isinstance(site.node, ast.Call) else None
    if not isinstance(called, ast.Attribute) or called.attr != "zero_grad":
        return None
    receiver = ast.unparse(called.value)
    return _kept(receiver) if _steps(receiver, trail) else _kept(receiver, receiver)


def _steps(receiver: str, trail: Trail) -> bool:
    """Return whether it is an optimizer: `receiver.step()`, or `scaler.step(receiver)`."""
    return any(
        receiver in map(ast.unparse, (called.value, *call.node.args))
        for call in trail.program.calls("step")
        if isinstance(call.node, ast.Call) and isinstance(called := call.node.func, ast.Attribute)
    )
