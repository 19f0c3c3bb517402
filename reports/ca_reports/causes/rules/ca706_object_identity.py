"""CA706."""

from __future__ import annotations

from ca_reports.causes.rules.of_guards import GuardedRule


class ObjectIdentity(GuardedRule):
    """A compiled function is guarded on one particular object, and gets another one.

    ## What it is

    An object, a function or a module that the code compares by identity (`is`, `id`, a dict's key,
    a function made by `exec`) is made again, or each of several instances has its own.

    ## Example

        def make(power):
            space = {}
            exec(f"def f(x): return x ** {power}", space)    # new code each time
            return space["f"]

        for step in range(steps):
            apply(x, make(2))

    ## What to do

    Make it once and share it. A few objects that are meant cost one compile each.

    ## Measured

    3 recompiles for 4 functions became none (torch 2.13.0, CPU).

    ## When the rule can be wrong

    Older versions of torch guard on identity where 2.13 no longer does. An object that was
    freed and
    made again counts as another one.
    """

    code = "CA706"
    name = "object-identity"
    edits = ("object_once",)
    subjects = frozenset(("object",))
