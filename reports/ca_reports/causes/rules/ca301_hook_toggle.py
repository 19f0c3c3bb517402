"""CA301."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING, Any

from ca_reports.causes.findings import ToggledHooks, TorchsHooks
from ca_reports.causes.located import modes
from ca_reports.causes.rules.base import SPECIFIC, Match, Rule, capture_events, of_captures
from ca_reports.causes.rules.hooks import hooks_of, torchs_own
from ca_reports.causes.rules.structure import compared, parameters_whose_key_changed, share, weigh
from ca_reports.facts.events import ACCUMULATE_GRAD
from ca_reports.program.hooks import effect_of
from ca_reports.words.values import listed, short_name

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from ca_reports.causes.findings import Confidence
    from ca_reports.causes.located.trail import Trail
    from ca_reports.causes.remedies import Remedy
    from ca_reports.causes.rules.hooks import Hook
    from ca_reports.facts.events import CaptureFacts
    from ca_reports.facts.process import ProcessFacts
    from ca_reports.program.hooks import HookEffect
    from ca_reports.program.syntax import Site
    from ca_reports.run.model import Change

# What a hook adds to C++'s key of an AccumulateGrad (torch 2.13.0): 2 for a tensor hook, 1
# for a post-accumulate hook or retain_grad.
_HOOK_IN_KEY = (1, 2)
# The node that `register_full_backward_hook` puts around a module's call.
MODULE_HOOK = "BackwardHookFunctionBackward"
# The hook of torch's own on that of the output.
_OF_OUTPUT = "setup_output_hook"

_IN_EVERY_STEP = "register it in every step, and let a tensor inside it decide"
_BY_EFFECT: Mapping[HookEffect, str] = {
    "gives_another": f"changes the gradient: {_IN_EVERY_STEP} whether it acts (`torch.where`)",
    "in_place": f"changes what it gets in place: {_IN_EVERY_STEP} whether it acts (`torch.where`)",
    "adds_up": f"adds up what it gets: {_IN_EVERY_STEP} how much, which is 0 in the other steps",
    "keeps": (
        "appends or writes what it gets: register it in every step, let it store one tensor "
        "instead, and read that in the steps that need it"
    ),
}


class HookToggle(Rule):
    """A hook is registered in some backwards and not in others.

    ## What it is

    A tensor hook, `retain_grad()`, a post-accumulate-grad hook or a saved-tensor hook is
    registered for some steps: to log every hundredth gradient, to clip after a warm-up. So is
    a module's full backward hook, for which autograd gets nodes around the module.

    ## Why it costs

    Hooks are part of the captured backward, so each set of hooks is captured and compiled.

    ## Example

        if step % 100 == 0:
            handle = layer.weight.register_hook(log_gradient)

    ## What to do

    Look at what the hook does first. One that only overwrites what it stored the last time may run
    in every step: register it once and keep it. One that changes the gradient gets a tensor that
    decides whether it acts (`torch.where`). One that appends to a list or writes would do so in
    every step: let it store one tensor, and read that in the steps that need it. Call
    `retain_grad()` in every step, or read the gradient in a hook. Enter `saved_tensors_hooks`
    around the same layers in every step.

    ## Measured

    2 captures and 2 compiles became 1 and 1 (torch 2.13.0, CPU).

    ## When the rule can be wrong

    Hooks are counted at each node and told apart by their function. Where nodes came or went
    with their hooks, something else is the cause; then this is only mentioned.
    """

    code = "CA301"
    name = "hook-toggle"
    place = modes.hook
    edits = ("hook_alike",)
    suggests_trial = "hooks"

    @classmethod
    def remedy(cls, trail: Trail, site: Site | None) -> Remedy | None:
        """By what the hook does, where the source shows that."""
        known = trail.finding.detail
        if site is None or not isinstance(known, ToggledHooks) or len(known.functions) != 1:
            return None
        if known.of_saved_tensors:
            return None  # whatever they do, it is the tensors that they are on
        registers = site.module.statement_at(site.line)
        if registers is None:
            return None
        effect = effect_of(registers, trail.names)
        if effect is None or effect not in _BY_EFFECT:
            return None
        return trail.finding.remedy.instead(f"`{known.functions[0]}` {_BY_EFFECT[effect]}")

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        if not facts.recorded:
            yield from _from_key_sizes(facts)
            return
        groups: dict[frozenset[Hook], list[CaptureFacts]] = {}
        for found in compared(facts):
            if share(found, is_hook) is not None:
                groups.setdefault(toggled(found), []).append(found)
        for hooks, captures in groups.items():
            shares = [part for found in captures if (part := share(found, is_hook))]
            specificity, confidence = weigh(shares)
            modules = _modules(captures)
            if modules is not None:
                yield _of_modules(modules, captures, specificity, confidence)
                continue
            own = [hook.location for hook in hooks if hook.location is not None]
            told = listed(sorted(hook.told for hook in hooks), 3) or _nodes(captures[0])
            first = captures[0].changed("hooks")[0]
            maker = torchs_own(hooks)
            if maker is not None:
                yield _of_torch(maker, captures, first, specificity, confidence)
                continue
            yield Match(
                message=(
                    f"{told}: not in every backward ({first.before} → {first.after} hooks on "
                    f"{_where(captures[0], first)})"
                ),
                fix=_fix(hooks),
                events=capture_events(captures),
                location=own[0] if own else captures[0].line,
                evidence=tuple(found.evidence for found in captures),
                confidence=confidence,
                key=_key(hooks, captures[0]),
                detail=ToggledHooks(
                    tuple(sorted({hook.short_name for hook in hooks})), is_of_saved_tensors(hooks)
                ),
                # Hooks that come and go at other times are another cause.
                group=told,
                specificity=min(specificity, SPECIFIC + 2),
                explains=_explains,
            )


def _of_torch(
    maker: str,
    captures: Sequence[CaptureFacts],
    first: Change,
    specificity: int,
    confidence: Confidence,
) -> Match:
    """Match hooks that a function of torch's registers: calling it is what comes and goes."""
    return Match(
        message=(
            f"`{maker}` is used in some backwards and not in others ({first.before} → "
            f"{first.after} hooks on {_where(captures[0], first)})"
        ),
        fix=(
            f"call `{maker}` in every step or in none: what it saves and restores is part of the "
            "captured backward, which it splits at each saved tensor unless the call is inside a "
            "compiled function"
        ),
        **of_captures(captures),
        confidence=confidence,
        key=maker,
        detail=TorchsHooks(maker),
        specificity=min(specificity, SPECIFIC + 2),
        explains=_explains,
    )


def is_hook(change: Change) -> bool:
    """Return whether ``change`` is in the number of hooks on a node, or is a node made for them."""
    return change.attribute == "hooks" or change.name == MODULE_HOOK


def _explains(found: CaptureFacts, change: Change) -> bool:
    """Name a parameter by its name, other nodes by their place among those around them."""
    other_nodes = {*found.added, *found.removed} - {MODULE_HOOK}
    is_sure = change.name in (ACCUMULATE_GRAD, MODULE_HOOK) or not other_nodes
    return is_hook(change) and is_sure


def _modules(captures: Sequence[CaptureFacts]) -> list[str] | None:
    """Return the modules around whose calls nodes for backward hooks come and go, as far as known.

    None if no such node does.
    """
    nodes = [
        (side, side.node(index))
        for found in captures
        for change in found.changes
        if change.name == MODULE_HOOK and change.attribute == "node"
        for side, index in ((found, change.index), (found.closest, change.before_index))
        if side is not None and index is not None
    ]
    if not nodes:
        return None
    outputs = [
        (side, node)
        for side, node in nodes
        if node and any(_OF_OUTPUT in str(hook.get("name")) for hook in node.get("hook_list", ()))
    ]
    return sorted({name for side, node in outputs if (name := _hooked_module(side, node))})


def _hooked_module(found: CaptureFacts, output: Mapping[str, Any]) -> str:
    """Return the module whose output has this node; empty for one without parameters.

    Its parameters are those reached from there without passing the node of its input.
    """
    parameters: set[str] = set()
    waiting, seen = list(output.get("next") or ()), set()
    while waiting:
        at = waiting.pop()
        node = None if at in seen else found.node(at)
        seen.add(at)
        if node is None or node.get("name") == MODULE_HOOK:
            continue
        if node.get("parameter"):
            parameters.add(str(node["parameter"]))
        waiting += node.get("next") or ()
    levels = zip(*(name.split(".")[:-1] for name in parameters), strict=False)
    return ".".join(level[0] for level in takewhile(lambda level: len(set(level)) == 1, levels))


def _of_modules(
    modules: list[str],
    captures: Sequence[CaptureFacts],
    specificity: int,
    confidence: Confidence,
) -> Match:
    """Full backward hooks: autograd gets a node at the inputs and outputs of their module."""
    where = f" on {listed([f'`{name}`' for name in modules], 3)}" if modules else ""
    return Match(
        message=f"a full backward hook{where}: not in every backward",
        fix=(
            "register it once, before the first backward, and keep it: let it store the gradient "
            "in every step, and use what it stored only in the steps that need it"
        ),
        **of_captures(captures),
        confidence=confidence,
        key="full backward hook",
        specificity=min(specificity, SPECIFIC + 2),
        explains=_explains,
    )


def toggled(found: CaptureFacts) -> frozenset[Hook]:
    """Return the hooks that are registered more or less often than at the closest capture."""
    if found.closest is None:
        return frozenset()
    now, before = hooks_of(found), hooks_of(found.closest)
    return frozenset((now - before) + (before - now))


def is_of_retain_grad(hooks: Collection[Hook]) -> bool:
    """Return whether all of these hooks, and there are some, are those of `retain_grad()`."""
    return bool(hooks) and all(hook.kind == "cpp_tensor_pre_hook" for hook in hooks)


def is_of_saved_tensors(hooks: Collection[Hook]) -> bool:
    """Return whether all of these hooks, and there are some, unpack saved tensors."""
    return bool(hooks) and all(hook.kind == "unpack_hook" for hook in hooks)


def comes_and_goes(facts: ProcessFacts, belongs: Callable[[Collection[Hook]], bool]) -> bool:
    """Return whether hooks that ``belongs`` accepts are in some backwards only.

    Then this is the finding about them: its advice is about the graph breaks that they make, too.
    """
    return any(belongs(toggled(found)) for found in compared(facts))


def _fix(hooks: frozenset[Hook]) -> str:
    if is_of_retain_grad(hooks):
        return (
            "call `retain_grad()` in every step or in none; a tensor hook (`x.register_hook(…)`) "
            "that is registered in every step sees the same gradient, and splits no backward"
        )
    if is_of_saved_tensors(hooks):
        return (
            "enter `saved_tensors_hooks` around the same layers in every step, or in none: which "
            "tensors are packed is part of the captured backward"
        )
    return (
        f"if {_names(hooks)} only overwrites what it stored the last time, register it in every "
        "step, or once before the first backward where it is on a parameter or module; if it "
        "changes the gradient, let a tensor inside it decide whether it acts (`torch.where`); if "
        "it appends or writes, let it store one tensor instead, and read that in the steps that "
        "need it"
    )


def _names(hooks: frozenset[Hook]) -> str:
    return listed(sorted(f"`{hook.short_name}`" for hook in hooks if hook.name), 3) or "it"


def _nodes(found: CaptureFacts) -> str:
    return f"hooks on {listed(short_name(change.name) for change in found.changed('hooks'))}"


def _key(hooks: Iterable[Hook], found: CaptureFacts) -> str:
    """Name the functions, however many parameters they are on; the nodes where none is known."""
    named = {hook.key for hook in hooks}
    return ", ".join(sorted(named or {short_name(one.name) for one in found.changed("hooks")}))


def _where(found: CaptureFacts, change: Change) -> str:
    node = found.node(change.index) or {}
    return str(node.get("parameter") or short_name(change.name))


def _from_key_sizes(facts: ProcessFacts) -> Iterator[Match]:
    """In torch's own logs only the key size of a parameter's node shows it."""
    captures = parameters_whose_key_changed(facts, *_HOOK_IN_KEY)
    # Ever more of them are a leak: CA302.
    if captures and max(len(found.capture.previous_key_sizes) for found in captures) < 3:
        yield Match(
            message="a parameter has a hook in some backwards and not in others",
            fix="register hooks once, before the first backward, if they may run in every step",
            **of_captures(captures),
            confidence="medium",
            key="hook-toggle",
        )
