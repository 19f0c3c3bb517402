"""CA504."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.causes.rules import breaking
from ca_reports.causes.rules.base import PATTERN, Match, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.facts.process import ProcessFacts

_OPTIMIZER = "torch/optim/optimizer.py"
# In what torch says of one that it refuses to trace.
_METHOD = "`Optimizer."


class OptimizerInBackward(Rule):
    """`optimizer.step()` runs in a hook, and the backward breaks there for each parameter.

    ## What it is

    To free each gradient as soon as it is computed, an optimizer steps in a
    `post_accumulate_grad_hook`. Compiled autograd compiles the hook with the backward. `step`
    works on Python dictionaries: Dynamo breaks in it, and guards on the groups, the state and
    the learning rate of every optimizer.

    ## Why it costs

    Several graphs for each parameter, and recompiles of the code after them wherever one
    parameter's shape differs from the previous one's.

    ## Example

        def update(parameter):
            optimizers[parameter].step()

        for parameter in model.parameters():
            parameter.register_post_accumulate_grad_hook(update)

    ## What to do

    Write the update out, with the learning rate in a tensor:

        def update(parameter):
            with torch.no_grad():
                parameter.sub_(learning_rate * parameter.grad)

    Or step after the backward; that step can be compiled separately.

    ## Measured

    Two parameters: one capture and 16 compiled graphs; written out, one of each.

    ## When the rule can be wrong

    It looks for torch's own `torch/optim` in the stack of a break. An optimizer from another
    package is reported as CA501.
    """

    code = "CA504"
    name = "optimizer-in-backward"
    edits = ("step_after",)
    specificity = PATTERN + 10  # a recompile after a break is the break's
    suggests_trial = "hooks"

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        breaks = [
            found
            for found in breaking.backward_breaks(facts)
            if found.in_user_code and (found.passes_through(_OPTIMIZER) or _METHOD in found.text)
        ]
        if not breaks:
            return
        count = breaking.count_of(breaks)
        line = breaks[0].line
        hook = f"`{line.function}` " if line is not None and line.function else ""
        yield Match(
            message=(
                f"{breaking.breaks_in_words(count)} in the compiled backward, where the hook "
                f"{hook}runs an optimizer"
            ),
            fix=(
                "write the update out in the hook (`parameter.sub_(lr * parameter.grad)`, with "
                "`lr` a tensor), or call `optimizer.step()` after the backward"
            ),
            events=breaking.events_of(facts, breaks),
            noticed_at=line,
            evidence=breaking.evidence_of(facts, breaks),
            key="optimizer",
            count=count,
        )
