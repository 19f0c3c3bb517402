"""CA714."""

from __future__ import annotations

from ca_reports.causes.located import guarded_values
from ca_reports.causes.rules.of_guards import GuardedRule


class AliasInputs(GuardedRule):
    """One tensor is passed as two arguments in some calls, and two in others.

    ## What it is

    Dynamo compiles separately for a tensor that is passed twice, as changing one argument changes
    the other.

    ## Example

        for step in range(steps):
            mixed(x, x if step % 2 else y)

    ## What to do

    Pass two different tensors in every call (`x.clone()`), or always the same one.

    ## Measured

    1 recompile became none (torch 2.13.0, CPU).

    ## When the rule can be wrong

    Which of the arguments were the same tensor is known only if torch names them.
    """

    code = "CA714"
    name = "alias-inputs"
    place = guarded_values.shared_argument
    edits = ("clone",)
    subjects = frozenset(("alias",))
