"""CA303."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ca_reports.causes.located import modes
from ca_reports.causes.rules.base import PATTERN, Match, Rule
from ca_reports.causes.rules.hooks import GuardedHook, guarded_hook
from ca_reports.words.guard_names import of_hook, readable
from ca_reports.words.numbers import times

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.facts.process import ProcessFacts


# A global of another module, as Dynamo names it: `G['__import_package_dot_module'].calls`.
_MODULE = re.compile(r"^G\['__import_\w+'\]\.")
_CLOSURE = ".__closure__"


class HookState(Rule):
    """Python state that a hook reads or writes changes from backward to backward.

    ## What it is

    A hook counts its calls, appends to a list, fills a dict, or reads an attribute or a global
    that other code changes. The backward of a custom Function reads a Python value from `ctx`.

    ## Why it costs

    Dynamo compiles hooks into the captured backward and guards on all Python state that they
    read. When the state changes, the graph is recompiled although the backward itself hit; at
    the recompile limit it runs uncompiled from then on.

    ## Example

        def hook(grad):
            norms.append(grad.norm())          # guard: len(norms) == 3
            return grad

    ## What to do

    Keep the state in tensors that the hook updates in place. If that is too much, decorate the
    hook with `torch.compiler.disable`: a few graph breaks, but no compile in each step.

    ## Measured

    1 capture and 9 compiles, up to the limit, became 1 and 1; with `torch.compiler.disable`
    1 and 4 (torch 2.13.0, CPU).

    ## When the rule can be wrong

    The guard names the first difference. A second piece of state shows only once the first is
    fixed.
    """

    code = "CA303"
    name = "hook-state"
    place = modes.hook_state
    edits = ("tensor_state", "saved_tensor", "after_backward")
    specificity = PATTERN
    suggests_trial = "hooks"

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        groups: dict[tuple[int, int | None, str], list[GuardedHook]] = {}
        for recompile in facts.graph_recompiles:
            guarded = guarded_hook(recompile)
            if guarded is not None and not guarded.is_number and recompile.capture is not None:
                path = guarded.path if guarded.index is None else ""
                key = (recompile.capture.capture.id, guarded.index, path)
                groups.setdefault(key, []).append(guarded)
        for found in groups.values():
            first = found[0]
            often = times(len(found))
            guard = _named(" ".join(first.recompile.guard.text.split()), first)
            yield Match(
                message=(
                    f"the captured backward was recompiled {often}: Python state that {first.told} "
                    f"reads changed; first failed guard: {guard}"
                ),
                fix=_fix(first),
                events=tuple(guarded.recompile.compiled for guarded in found),
                location=first.location,
                evidence=tuple(guarded.recompile.evidence for guarded in found),
                key=first.key,
                detail=first.detail,
            )


def _fix(guarded: GuardedHook) -> str:
    state = _state(guarded)
    if guarded.function is not None:
        return (
            f"keep a tensor in `{state}` instead of the Python value "
            "(`ctx.save_for_backward(torch.tensor(…))`), if the backward only computes with it; or "
            f"multiply by a tensor outside of `{guarded.function}`"
        )
    disable = f"`{guarded.hook.short_name}`" if guarded.hook and guarded.hook.name else "the hook"
    return (
        f"keep `{state}` in a tensor that {disable} updates in place, if it only computes with it; "
        f"or decorate {disable} with "
        "`@torch.compiler.disable` (`ca try` runs it so)"
    )


def _state(guarded: GuardedHook) -> str:
    """``self.norms`` for ``hooks[0].norms``: as the hook's own code says it, where it can be."""
    if guarded.index is None:
        return readable(_MODULE.sub("", guarded.path))
    return _named(f"hooks[{guarded.index}]{guarded.path}", guarded)


def _named(text: str, guarded: GuardedHook) -> str:
    """Return ``text`` with what Dynamo calls ``hooks[0]`` as the hook's own code says it.

    What its closure keeps has a name in the source only.
    """
    told = of_hook(text)
    if guarded.index is None or guarded.path.startswith(_CLOSURE):
        return told
    if guarded.function is not None:
        own = "ctx"
    elif guarded.hook is None or not guarded.hook.name:
        own = "the hook"
    else:
        name = guarded.hook.short_name
        own = "self" if name.endswith(".__call__") else name
    hook = rf"\bhooks\[{guarded.index}\]"
    told = re.sub(rf"{hook}\.keywords\['(\w{{1,100}})'\]", r"\1", told)
    return re.sub(rf"{hook}(?:\.func)?", lambda _: own, told)
