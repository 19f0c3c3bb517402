"""CA701."""

from __future__ import annotations

from ca_reports.rules.guarded import GuardedRule


class IntValue(GuardedRule):
    """A Python int that a compiled function uses changes from call to call.

    ## What it is

    An argument, a closure's variable, a field or a `functools.partial`'s keyword is an int. Dynamo
    compiled the function for its value.

    ## Why it costs

    Each new value fails the guard, and Dynamo compiles the function again while the step waits. At
    the eighth compile (`recompile_limit`) it gives up and runs the function uncompiled.

    ## Example

        @torch.compile
        def mixed(x, rounds):
            for _ in range(rounds):      # needs the value
                x = torch.sin(x)
            return x

    ## What to do

    Pass a tensor, or compute what depends on the int outside of the function. `dynamic=True` makes
    an int dynamic from the first call, if nothing needs its value: a `range`, an `if`, an index of
    a list do. 0 and 1 always get compiles of their own.

    ## Measured

    4 recompiles for 5 numbers of rounds became none (torch 2.13.0, CPU).

    ## When the rule can be wrong

    Without a record of `ca run` the last value is unknown. Automatic dynamic shapes make an int
    dynamic at its second value, so one recompile may be all that it ever costs.
    """

    code = "CA701"
    name = "int-value"
    subjects = frozenset(("int",))
