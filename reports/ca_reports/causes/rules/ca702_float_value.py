"""CA702."""

from __future__ import annotations

from ca_reports.causes.rules.of_guards import GuardedRule


class FloatValue(GuardedRule):
    """A Python float that a compiled function uses changes from call to call.

    ## What it is

    A temperature, a loss weight or the learning rate of a compiled optimizer step is a Python
    float.
    Dynamo compiled the function for its value.

    ## Example

        @torch.compile
        def soft(logits, temperature):
            return torch.nn.functional.dropout(logits, temperature)

        for epoch in range(epochs):
            soft(logits, 0.5 - 0.05 * epoch)

    ## What to do

    Where only arithmetic uses it, pass it as a 0-dim tensor of one dtype:
    `torch.tensor(float(t))`. What needs its value (an `if`, `int()`, a function that takes Python
    numbers only) is computed outside, or written with tensors. For a compiled optimizer step, make
    the optimizer, or each of its groups, with `lr=torch.tensor(0.1)`; schedulers fill such a tensor
    in place. `OneCycleLR` and `CyclicLR` write `betas` or `momentum` as well, which stay numbers:
    `cycle_momentum=False` keeps them, and changes the training.

    ## Measured

    With `dynamic=False`, 4 recompiles for 5 temperatures became none (torch 2.13.0, CPU).

    ## When the rule can be wrong

    Automatic dynamic shapes make a float dynamic at its second value where only tensors are
    computed
    with it, so one recompile may be all that it ever costs.
    """

    code = "CA702"
    name = "float-value"
    edits = ("tensor_number", "eager_rare_calls", "record_outside", "record_apart")
    subjects = frozenset(("float",))
