"""CA707."""

from __future__ import annotations

from ca_reports.rules.guarded import GuardedRule


class TypeChange(GuardedRule):
    """One argument of a compiled function gets objects of different types.

    ## What it is

    Dynamo compiled the function for one class; another class came, or a Tensor where a Parameter
    was, or a list where a tuple was.

    ## Why it costs

    Each new value fails the guard, and Dynamo compiles the function again while the step waits. At
    the eighth compile (`recompile_limit`) it gives up and runs the function uncompiled.

    ## Example

        for step in range(steps):
            update(x, weight if step % 2 else weight.detach())    # Parameter, Tensor

    ## What to do

    Pass one class in every call. For a Tensor or a Parameter, `.detach()` makes a Tensor of both.

    ## Measured

    1 recompile became none (torch 2.13.0, CPU).

    ## When the rule can be wrong

    A tensor or None is CA703.
    """

    code = "CA707"
    name = "type-change"
    subjects = frozenset(("type",))
