"""CA708."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ca_reports.causes.located import arguments, guarded_values
from ca_reports.causes.remedies import NoEdits
from ca_reports.causes.rules.of_guards import GuardedRule
from ca_reports.facts.differing import also_differing
from ca_reports.facts.guard_paths import referring
from ca_reports.sentences.compiles import function_of_thing
from ca_reports.words.numbers import joined
from ca_reports.words.values import listed

if TYPE_CHECKING:
    from ca_reports.causes.rules.base import Match
    from ca_reports.facts.guarded_things import GuardedThing
    from ca_reports.facts.process import ProcessFacts

# So many kinds of differences beside its own make a function one that is called in several ways.
_SEVERAL = 2
_KINDS = {
    "dtype": "its dtype",
    "device": "its device",
    "rank": "its rank",
    "requires_grad": "its requires_grad",
    "dispatch_keys": "its dispatch keys",
}
_MODES = {
    "grad_mode": "whether gradients are kept",
    "torch_function_mode_stack": "the torch function modes around the call",
}


class TensorKind(GuardedRule):
    """The dtype, device, requires_grad or dispatch keys of a tensor change from call to call.

    ## What it is

    Dynamo compiled the function for one kind of tensor: float32, on the CPU, without gradient, not
    made in inference mode. Another kind came.

    ## Example

        for step in range(steps):
            model(batch if step % 2 else batch.double())

    ## What to do

    Make the inputs alike before the call: `.to(torch.float32)`, one device, `.resolve_conj()`. Of
    `requires_grad`: `.detach()` in every call if no gradient is to pass in any, else
    `.requires_grad_()` on what the step itself makes. It decides what is trained: a parameter, a
    copy of one and what an optimizer was given keep their own.

    ## Measured

    1 recompile became none (torch 2.13.0, CPU).

    ## When the rule can be wrong

    Blocks that are compiled one by one share code: the first gets the data, which needs no
    gradient, the others activations, which do. That is one recompile; the gradient of the data,
    which would save it, may cost more in a long training.
    """

    code = "CA708"
    name = "tensor-kind"
    place = arguments.or_call(guarded_values.tensor_kind)
    edits = ("one_kind", "eager_rare_calls")
    subjects = frozenset(("tensor",))

    def match(self, thing: GuardedThing, facts: ProcessFacts) -> Match:
        """Add what else tells the versions of the function apart, if there is more of it."""
        found = super().match(thing, facts)
        if differing := also_differing(thing.recompiles, facts.process.compiles):
            return replace(
                found,
                message=f"{found.message}; {joined([_otherwise(*one) for one in differing])}",
                fix="nothing by this alone: that call has a compile of its own in any case",
                edits=NoEdits("the call is compiled for its other arguments in any case"),
                severity="info",
            )
        others = _other_kinds(thing, facts)
        if len(others) < _SEVERAL:
            return found
        function = function_of_thing(thing, "it")
        return replace(
            found,
            message=f"{found.message}; its versions also differ in {listed(others)}",
            fix=f"{found.fix}; each combination of these is a version of its own: make the calls "
            f"alike, or compile what calls {function}, whose graph then has each of its calls",
        )


def _other_kinds(thing: GuardedThing, facts: ProcessFacts) -> list[str]:
    """Name the other kinds of differences for which guards of the function's versions failed."""
    found: dict[str, None] = {}
    for recompile in facts.recompiles:
        if recompile.compiled.code_number != thing.first.compiled.code_number:
            continue
        for guard in recompile.compiled.failed_guards:
            if guard.source == thing.source and guard.kind != thing.guard.kind:
                found.update(dict.fromkeys([_KINDS[guard.kind]] if guard.kind in _KINDS else ()))
            elif guard.kind == "global_state":
                found.update((_mode(name), None) for name in (guard.source or "").split())
    return list(found)


def _otherwise(name: str, is_none: bool) -> str:
    """Say how an argument also differs: `` `idx` has another size ``."""
    return f"`{referring(name)}` {'is None' if is_none else 'has another size'}"


def _mode(name: str) -> str:
    return _MODES.get(name, f"torch's global state (`{name}`)")
