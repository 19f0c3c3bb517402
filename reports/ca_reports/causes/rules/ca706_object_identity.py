"""CA706."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.causes.located import wrapped
from ca_reports.causes.rules.of_guards import GuardedRule

if TYPE_CHECKING:
    from ca_reports.causes.located.trail import Trail
    from ca_reports.causes.remedies import Remedy
    from ca_reports.program.syntax import Site


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

    Make it once and share it. A few objects that are meant cost one compile each. Where a decorator
    compiles the wrapper that it makes of each function, compile the function before it is wrapped:
    the wrappers are one code, whose versions count against one limit.

    ## Measured

    3 recompiles for 4 functions became none. A decorator whose wrapper was compiled for 12
    functions: 8 compiles, and 4 functions uncompiled at the limit; with each compiled before it is
    wrapped 12 compiles and no recompile (torch 2.13.0, CPU).

    ## When the rule can be wrong

    Older versions of torch guard on identity where 2.13 no longer does. An object that was
    freed and
    made again counts as another one.
    """

    code = "CA706"
    name = "object-identity"
    edits = ("object_once",)
    subjects = frozenset(("object",))

    @classmethod
    def remedy(cls, trail: Trail, site: Site | None) -> Remedy | None:
        """Compile what wrappers of one code wrap, where it is seen that they wrap several."""
        return wrapped.remedy(trail) or super().remedy(trail, site)
