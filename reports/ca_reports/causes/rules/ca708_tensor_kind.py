"""CA708."""

from __future__ import annotations

from ca_reports.causes.located import arguments, guarded_values
from ca_reports.causes.rules.of_guards import GuardedRule


class TensorKind(GuardedRule):
    """The dtype, device, requires_grad or dispatch keys of a tensor change from call to call.

    ## What it is

    Dynamo compiled the function for one kind of tensor: float32, on the CPU, without gradient, not
    made in inference mode. Another kind came.

    ## Why it costs

    Each new value fails the guard, and Dynamo compiles the function again while the step waits. At
    the eighth compile (`recompile_limit`) it gives up and runs the function uncompiled.

    ## Example

        for step in range(steps):
            model(batch if step % 2 else batch.double())

    ## What to do

    Make the inputs alike before the call: `.to(torch.float32)`, one device, `.resolve_conj()`. Of
    `requires_grad`: `.detach()` in every call if no gradient is to pass in any, else
    `.requires_grad_()` on what the step itself makes. It decides what is trained: a parameter, a
    copy of one and what an optimizer was given keep their own.

    ## Measured

    1 recompile became none (torch 2.13.0, CPU).

    ## When the rule can be wrong

    Blocks that are compiled one by one share code: the first gets the data, which needs no
    gradient, the others activations, which do. That is one recompile; the gradient of the data,
    which would save it, may cost more in a long training.
    """

    code = "CA708"
    name = "tensor-kind"
    place = arguments.or_call(guarded_values.tensor_kind)
    edits = ("one_kind", "eager_rare_calls")
    subjects = frozenset(("tensor",))
