"""CA704."""

from __future__ import annotations

from ca_reports.causes.rules.of_guards import GuardedRule


class AttributeValue(GuardedRule):
    """A number kept on a module changes between calls of its forward, or in them.

    ## What it is

    A step counter, an annealed weight or a temperature is kept as a Python number on the module.
    Dynamo takes ints on modules as constants, and floats where Python needs their value.

    ## Example

        def forward(self, x):
            self.calls += 1                      # a guard in every call
            return x * min(1.0, self.calls / 100)

    ## What to do

    Count outside of the forward. Where the number is only computed with, make it a buffer:
    `self.register_buffer("calls", torch.zeros(()), persistent=False)`, which leaves checkpoints as
    they are, and `self.calls = self.calls + 1`: changed in place, a compiled backward may take the
    new value for the old (CA615). Ints that slice or size tensors:
    `torch._dynamo.config.allow_unspec_int_on_nn_module = True` makes them dynamic. A `range`, a key
    or an index of a list needs the value: compute it outside.

    ## Measured

    4 recompiles in 5 calls became none (torch 2.13.0, CPU).

    ## When the rule can be wrong

    An attribute of an object that is not a module is reported as an int or float (CA701, CA702),
    unless it is reached from `self`.
    """

    code = "CA704"
    name = "attribute-value"
    edits = ("tensor_number", "dynamic_ints", "eager_rare_calls", "record_outside", "record_apart")
    subjects = frozenset(("attribute",))
