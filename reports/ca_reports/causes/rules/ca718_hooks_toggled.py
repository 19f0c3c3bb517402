"""CA718."""

from __future__ import annotations

from ca_reports.causes.located import modes
from ca_reports.causes.rules.of_guards import GuardedRule


class HooksToggled(GuardedRule):
    """Forward hooks of a compiled module are registered or removed between its calls.

    ## What it is

    With `torch._dynamo.config.skip_nnmodule_hook_guards = False` Dynamo guards on the hooks of a
    module, and compiles its forward for each set of them.

    ## Example

        for step in range(steps):
            handle = model.layer.register_forward_hook(log) if step % 10 == 0 else None
            compiled(x)

    ## What to do

    Register all hooks before the first compiled call, and leave them on.

    ## Measured

    1 recompile became none (torch 2.13.0, CPU).

    ## When the rule can be wrong

    By default Dynamo ignores hooks that are registered after the compile: they do not run, and
    nothing in the log says so.
    """

    code = "CA718"
    name = "hooks-toggled"
    place = modes.module_hook
    subjects = frozenset(("hooks",))
