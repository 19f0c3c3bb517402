"""CA208."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.causes.located import graphs
from ca_reports.causes.rules.base import SPECIFIC, Match, Rule, of_captures
from ca_reports.causes.rules.structure import (
    are_alike_above_parameters,
    by_call,
    compared,
    leaves,
    makes_other_nodes,
    switched,
)
from ca_reports.words.values import listed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.facts.events import CaptureFacts
    from ca_reports.facts.process import ProcessFacts


class InputRequiresGrad(Rule):
    """A tensor other than a parameter requires grad in some steps only.

    ## What it is

    A batch, an embedding or a noise vector has `requires_grad=True` in the steps of a penalty
    or an attack, and not in the others.

    ## Why it costs

    With the flag on, the backward continues down to that tensor and stores its gradient; with
    the flag off, it does not. Each of the two graphs is captured and compiled.

    ## Example

        batch.requires_grad_(step % 16 == 0)       # lazy regularisation

    ## What to do

    Keep the flag constant: leave it on, and drop the gradient where it is not needed
    (`batch.grad = None` after the backward, so that no optimizer makes a step with it), or give
    the penalty its own backward, which is then always the same.

    ## Measured

    2 captures and 2 compiles became 1 and 1 (torch 2.13.0, CPU).

    ## When the rule can be wrong

    Any leaf tensor outside a module counts, including weights that a functional program keeps
    in plain tensors. Where operations on parameters came or went with an unnamed one, such as those
    of a gradient penalty, the branch is the cause (CA202). The confidence is high where the flag
    of a variable in the code that called backward changed.
    """

    code = "CA208"
    name = "input-requires-grad"
    place = graphs.input_gradients
    edits = ("one_flag",)
    needs_recorder = True

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        flipped = [found for found in compared(facts) if flips_input(found)]
        for group in by_call(flipped):
            names = _variables(group[0])
            sure = bool(names)
            tensors = listed([f"`{name}`" for name in names]) or "a tensor other than a parameter"
            first = group[0]
            assert first.closest is not None
            on = len(leaves(first)) > len(leaves(first.closest))
            flag = "False → True" if on else "True → False"
            yield Match(
                message=f"requires_grad of {tensors} differs from step to step: {flag}",
                fix=(
                    f"leave requires_grad of {tensors} on in every step, and set its `.grad` to "
                    "None after the backward where it is not to have one; or, if nothing reads "
                    "that gradient, leave it off in every step"
                ),
                **of_captures(group),
                confidence="high" if sure else "medium",
                key="input-requires-grad",
                specificity=SPECIFIC + (4 if sure else -1),
                explains=makes_other_nodes,
            )


def flips_input(found: CaptureFacts) -> bool:
    """Return whether a tensor that is no parameter requires grad here or in the closest, not both.

    Where operations on parameters came or went with one that is no variable of the code that called
    backward, it is a tensor of theirs: that on which a gradient penalty takes its gradient.
    """
    closest = found.closest
    if closest is None or len(leaves(found)) == len(leaves(closest)):
        return False
    return bool(_variables(found)) or are_alike_above_parameters(found, closest)


def _variables(found: CaptureFacts) -> list[str]:
    """Return the variables whose flag changed, as far as it is they that came or went."""
    more = found if len(leaves(found)) > len(leaves(found.closest or found)) else found.closest
    inside = {name for node in leaves(more or found) for name in node["variables"] if name}
    changed = [change.name for change in switched(found, "input requires_grad")]
    return [name for name in changed if name in inside]
