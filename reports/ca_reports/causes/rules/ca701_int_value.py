"""CA701."""

from __future__ import annotations

from ca_reports.causes.rules.of_guards import GuardedRule


class IntValue(GuardedRule):
    """A Python int that a compiled function uses changes from call to call.

    ## What it is

    An argument, a closure's variable, a field or a `functools.partial`'s keyword is an int. Dynamo
    compiled the function for its value.

    ## Example

        @torch.compile
        def mixed(x, rounds):
            for _ in range(rounds):      # needs the value
                x = torch.sin(x)
            return x

    ## What to do

    Compute what needs the value (an `if`, a `range`, an index, a key) outside of the function, and
    pass the result. Where the int is only computed with, pass it as a tensor, or compile with
    `dynamic=True`, which makes it dynamic from the first call. 0 and 1 get compiles of their own
    where the int is a size or the bound of a slice. Where `dynamic=False` is set, each value is
    compiled for: leave it out.

    ## Measured

    4 recompiles for 5 numbers of rounds became none (torch 2.13.0, CPU). A tensor in place of a
    number that is a key raises `KeyError`; as the bound of a `range` it ends the graph.

    ## When the rule can be wrong

    Without a record of `ca run` the last value is unknown. Automatic dynamic shapes make an int
    dynamic at its second value, so one recompile may be all that it ever costs.
    """

    code = "CA701"
    name = "int-value"
    edits = ("tensor_number", "eager_rare_calls", "record_outside", "record_apart")
    subjects = frozenset(("int",))
