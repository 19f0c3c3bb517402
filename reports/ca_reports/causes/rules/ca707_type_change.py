"""CA707."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ca_reports.causes.rules.of_guards import GuardedRule
from ca_reports.facts.guarded_things import modules_of

if TYPE_CHECKING:
    from ca_reports.causes.rules.base import Match
    from ca_reports.facts.guarded_things import GuardedThing
    from ca_reports.facts.process import ProcessFacts


class TypeChange(GuardedRule):
    """One argument of a compiled function gets objects of different types.

    ## What it is

    Dynamo compiled the function for one class; another class came, or a Tensor where a Parameter
    was, or a list where a tuple was.

    ## Example

        for step in range(steps):
            update(x, weight if step % 2 else weight.detach())    # Parameter, Tensor

    ## What to do

    Pass one class in every call. For a Tensor or a Parameter, `.detach()` makes a Tensor of both;
    for subclasses of `torch.Tensor`, `.as_subclass(torch.Tensor)` does, where the function needs
    nothing of them. A class that a function defines is another one after each call of it: define
    it once, at module level.

    ## Measured

    1 recompile became none. An image and a mask as plain tensors: 2 became none. A class defined
    in a helper, for ten layers: 7 and the limit became none (torch 2.13.0, CPU).

    ## When the rule can be wrong

    A tensor or None is CA703. Where modules that share their code hold submodules of several
    classes, as the layers of a hybrid model do, one compile for each class is meant: then the
    finding is only worth knowing. That the modules are several is known from `ca run`'s record.
    """

    code = "CA707"
    name = "type-change"
    edits = ("one_class", "eager_rare_calls")
    subjects = frozenset(("type",))

    def match(self, thing: GuardedThing, facts: ProcessFacts) -> Match:
        """Say it, for information where each of several modules has its own class of submodule."""
        found = super().match(thing, facts)
        code = thing.first.compiled.code_number
        others = (one for one in facts.forward_recompiles if one.compiled.code_number == code)
        if thing.path.is_in_module and len(modules_of(others)) > 1:
            return replace(found, severity="info")
        return found
