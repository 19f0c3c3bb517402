"""CA302."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from ca_reports.causes.located import modes
from ca_reports.causes.rules.base import PATTERN, Match, Rule, capture_events, of_captures
from ca_reports.causes.rules.hooks import hook_count, hooks_of
from ca_reports.causes.rules.structure import by_call, compared
from ca_reports.facts.events import ACCUMULATE_GRAD
from ca_reports.words.numbers import agreeing
from ca_reports.words.values import listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ca_reports.causes.rules.hooks import Hook
    from ca_reports.facts.events import CaptureFacts
    from ca_reports.facts.process import ProcessFacts
    from ca_reports.run.model import Change


class HookLeak(Rule):
    """Hooks are registered in each step and never removed.

    ## What it is

    `register_hook` is called in the training loop on a long-lived tensor, usually a parameter.
    The handle it returns is dropped, so the hooks pile up.

    ## Why it costs

    No two backwards are alike: a capture and a compile in every step, each longer than the
    last. And every hook runs: n hooks that scale by 0.9 scale by 0.9 ** n.

    ## Example

        for batch in loader:
            model.head.weight.register_hook(scale)     # once more at each step

    ## What to do

    Register it once, before the loop; or keep the handle and call `handle.remove()` after the
    backward.

    ## Measured

    10 captures and 10 compiles in 10 steps became 1 and 1 (torch 2.13.0, CPU).

    ## When the rule can be wrong

    One additional hook may be intended; three captures, each with more hooks, leave little
    doubt.
    """

    code = "CA302"
    name = "hook-leak"
    place = modes.hook
    edits = ("hook_once",)
    specificity = PATTERN
    suggests_trial = "hooks"

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        if not facts.recorded:
            yield from _from_key_sizes(facts)
            return
        changed = [found for found in compared(facts) if _one_more(found)]
        most = _most_before(facts.captures) if changed else {}
        # As many as an earlier capture has, where that is of another graph.
        changed = [found for found in changed if hook_count(found) >= most[found.capture.id]]
        for group in by_call(changed):
            if len(group) < 2 and not _twice(group[0]):
                continue
            closest = group[0].closest
            assert closest is not None
            counts = [str(hook_count(found)) for found in (closest, *group)]
            hooks = sorted(_new(group[-1]), key=lambda hook: hook.told)
            own = [hook.location for hook in hooks if hook.location is not None]
            told = listed([hook.told for hook in hooks], 2) or "hooks"
            names = listed([f"`{hook.short_name}`" for hook in hooks if hook.name], 2)
            yield Match(
                message=(
                    f"{told} {agreeing(len(hooks), 'is', 'are')} registered in each step and never "
                    "removed: "
                    f"{' → '.join(counts[:5])}{' → …' if len(counts) > 5 else ''} hooks"
                ),
                fix=(
                    f"register {names or 'it'} once, before the loop, or keep what "
                    "`register_hook` returns and call `.remove()` on it after the backward"
                ),
                events=capture_events(group),
                location=own[0] if own else group[0].line,
                evidence=tuple(found.evidence for found in group),
                confidence="high" if len(group) > 1 else "medium",
                key="hook-leak",
                explains=_explains,
            )


def _explains(_found: CaptureFacts, change: Change) -> bool:
    return change.attribute == "hooks"


def _new(found: CaptureFacts) -> frozenset[Hook]:
    return frozenset(hooks_of(found) - hooks_of(found.closest)) if found.closest else frozenset()


def _one_more(found: CaptureFacts) -> bool:
    """Return whether nodes that were there before have more hooks, and none fewer."""
    changes = found.changed("hooks")
    if found.closest is None or not changes or found.added or found.removed:
        return False
    return all(
        isinstance(change.before, int)
        and isinstance(change.after, int)
        and change.after > change.before > 0
        for change in changes
    )


def _most_before(captures: Iterable[CaptureFacts]) -> dict[int, int]:
    """Return the id of each capture, and how many hooks any one before it ran at most."""
    found: dict[int, int] = {}
    most = 0
    for capture in captures:
        found[capture.capture.id] = most
        most = max(most, hook_count(capture))
    return found


def _twice(found: CaptureFacts) -> bool:
    """Return whether the hook that is new was there before, on the same tensor."""
    known = hooks_of(found.closest) if found.closest else {}
    new = _new(found)
    return bool(new) and all(known[hook] for hook in new)


def _from_key_sizes(facts: ProcessFacts) -> Iterator[Match]:
    """In torch's own logs: keys of one parameter that grow by 1 or 2 in each capture."""
    captures = [found for found in facts.recaptures if _growing_keys(found)]
    if len(captures) > 1:
        yield Match(
            message="a parameter has more hooks in each capture",
            fix="register the hook once, before the loop, or remove it after the backward",
            **of_captures(captures),
            confidence="medium",
            key="hook-leak",
        )


def _growing_keys(found: CaptureFacts) -> bool:
    capture = found.capture
    if capture.node is None or capture.node.name != ACCUMULATE_GRAD or capture.key_size is None:
        return False
    sizes: Sequence[int] = (*capture.previous_key_sizes, capture.key_size)
    return len(sizes) > 1 and all(after - before in (1, 2) for before, after in pairwise(sizes))
