"""CA301."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.facts.events import ACCUMULATE_GRAD
from ca_reports.rules.base import SPECIFIC, Match, Rule, capture_events
from ca_reports.rules.hooks import hooks_of, torchs_own
from ca_reports.rules.structure import compared, parameters_whose_key_changed, share, weigh
from ca_reports.text.values import listed, short_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ca_reports.facts.events import CaptureFacts
    from ca_reports.facts.process import ProcessFacts
    from ca_reports.findings import Confidence
    from ca_reports.model import Change
    from ca_reports.rules.hooks import Hook

# What a hook adds to C++'s key of an AccumulateGrad (torch 2.13.0): 2 for a tensor hook, 1
# for a post-accumulate hook or retain_grad.
_HOOK_IN_KEY = (1, 2)


class HookToggle(Rule):
    """A hook is registered in some backwards and not in others.

    ## What it is

    A tensor hook, `retain_grad()`, a post-accumulate-grad hook or a saved-tensor hook is
    registered for some steps: to log every hundredth gradient, to clip after a warm-up.

    ## Why it costs

    Hooks are part of the captured backward, so each set of hooks is captured and compiled.

    ## Example

        if step % 100 == 0:
            handle = layer.weight.register_hook(log_gradient)

    ## What to do

    Register the hook once and keep it; inside, let a tensor decide whether it acts
    (`torch.where`). Call `retain_grad()` in every step, or read the gradient in a hook.

    ## Measured

    2 captures and 2 compiles became 1 and 1 (torch 2.13.0, CPU).

    ## When the rule can be wrong

    Hooks are counted at each node and told apart by their function. Where nodes came or went
    with their hooks, something else is the cause; then this is only mentioned.
    """

    code = "CA301"
    name = "hook-toggle"
    suggests_trial = "hooks"

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
                key=told,
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
    """Hooks that a function of torch's registers, so that calling it is what comes and goes."""
    return Match(
        message=(
            f"`{maker}` is used in some backwards and not in others ({first.before} → "
            f"{first.after} hooks on {_where(captures[0], first)})"
        ),
        fix=(
            f"call `{maker}` in every step or in none: what it saves and restores is part of the "
            "captured backward"
        ),
        events=capture_events(captures),
        noticed_at=captures[0].line,
        evidence=tuple(found.evidence for found in captures),
        confidence=confidence,
        key=maker,
        specificity=min(specificity, SPECIFIC + 2),
        explains=_explains,
    )


def is_hook(change: Change) -> bool:
    """Return whether ``change`` is in the number of hooks on a node."""
    return change.attribute == "hooks"


def _explains(found: CaptureFacts, change: Change) -> bool:
    """A parameter is known by its name, other nodes by their place among those around them."""
    is_sure = change.name == ACCUMULATE_GRAD or not (found.added or found.removed)
    return is_hook(change) and is_sure


def toggled(found: CaptureFacts) -> frozenset[Hook]:
    """The hooks that are registered more or less often than at the closest capture."""
    if found.closest is None:
        return frozenset()
    now, before = hooks_of(found), hooks_of(found.closest)
    return frozenset((now - before) + (before - now))


def _fix(hooks: frozenset[Hook]) -> str:
    if hooks and all(hook.kind == "cpp_tensor_pre_hook" for hook in hooks):
        return (
            "call `retain_grad()` in every step or in none; a tensor hook (`x.register_hook(…)`) "
            "that is registered in every step sees the same gradient"
        )
    return (
        f"register {_names(hooks)} once, before the first backward, and let a tensor inside it "
        "decide whether it acts"
    )


def _names(hooks: frozenset[Hook]) -> str:
    return listed(sorted(f"`{hook.short_name}`" for hook in hooks if hook.name), 3) or "it"


def _nodes(found: CaptureFacts) -> str:
    return f"hooks on {listed(short_name(change.name) for change in found.changed('hooks'))}"


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
            fix="register hooks once, before the first backward",
            events=capture_events(captures),
            noticed_at=captures[0].line,
            evidence=tuple(found.evidence for found in captures),
            confidence="medium",
            key="hook-toggle",
        )
