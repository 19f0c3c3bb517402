"""CA721."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.causes.findings import UnknownHook
from ca_reports.causes.located import modes
from ca_reports.causes.remedies import NoEdits
from ca_reports.causes.rules.base import PATTERN, Match, Rule
from ca_reports.facts.evidence import Evidence
from ca_reports.facts.guard_paths import readable
from ca_reports.sentences.compiles import function_of
from ca_reports.words.values import first_few

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ca_reports.facts.process import ProcessFacts
    from ca_reports.run.late_hooks import LateHook

_MODULES_TOLD = 3
_SETTING = "torch._dynamo.config.skip_nnmodule_hook_guards = False"
_KINDS = {
    "forward": "forward hook",
    "forward_pre": "forward pre-hook",
    "backward": "backward hook",
    "backward_pre": "backward pre-hook",
}


class UncalledHook(Rule):
    """A hook of a module is registered after the compile, and the compiled graph never calls it.

    ## What it is

    Dynamo makes the calls of a model's parts, with the hooks that they have by then, part of the
    graph, and by default does not guard on a part's having none. A hook that is registered on such
    a part later is not called. Nothing is compiled again, and nothing says so.

    ## Why it costs

    You lose what the hook is for, not time: a loss of inner features is always zero, statistics
    stay empty, a mask is not applied. The training goes on without it.

    ## Example

        compiled = torch.compile(model)
        compiled(batch)                                   # a smoke test
        model.layers[1].register_forward_hook(keep)       # never called

    ## What to do

    Register the hook before the first compiled call, or run what comes before it uncompiled
    (`model(batch)`). Where hooks come and go,

        torch._dynamo.config.skip_nnmodule_hook_guards = False

    before the first call has Dynamo guard on them, and compile once more for each set.

    ## Measured

    A hook that keeps an inner layer's output was not called in 5 steps after a smoke test; called
    in all of them when it was registered before it, and with the setting, for one recompile (torch
    2.13.0, CPU).

    ## When the rule can be wrong

    Hooks of the compiled model itself are called outside of its graph, and are no finding. A hook
    that is registered and removed between two calls of the graph is not seen. Where tensors get
    hooks in each step, one of a module is seen after up to 64 of those.
    """

    code = "CA721"
    name = "late-hook"
    place = modes.late_hook
    needs_recorder = True
    specificity = PATTERN

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        groups: dict[tuple[object, ...], list[LateHook]] = {}
        for hook in facts.process.late_hooks:
            key = (hook.graph.rpartition("/")[0], hook.kind, hook.defined, hook.name)
            groups.setdefault(key, []).append(hook)
        for group in groups.values():
            yield _match(group, facts)


def _match(group: Sequence[LateHook], facts: ProcessFacts) -> Match:
    first = group[0]
    compiles = (one for one in facts.process.compiles if one.compile_id == first.graph)
    compiled = next(compiles, None)
    function = "what calls it" if compiled is None else function_of(compiled)
    hook = f"a {_KINDS.get(first.kind, 'hook')}"
    named = f" (`{first.name}`)" if first.name else ""
    modules = dict.fromkeys(readable(one.module).removeprefix("self.") for one in group)
    of = first_few([f"`{one}`" for one in modules], _MODULES_TOLD)
    return Match(
        message=f"{hook}{named} of {of} is not called: {function} was compiled before it",
        fix=(
            "register it before the first compiled call, or make the calls before it with the "
            f"uncompiled model; or set `{_SETTING}` before the first call: Dynamo then guards on "
            "hooks, and compiles once more for each set of them"
        ),
        noticed_at=first.called_at,
        evidence=tuple(
            Evidence(
                f"{one.graph} ran beside it, and was compiled without it: {one.module}",
                facts.process.file,
                one.line,
            )
            for one in group
        ),
        key=f"{first.kind} {first.name or ''}",
        group="",
        count=len(group),
        detail=UnknownHook(first.kind, first.name or ""),
        edits=NoEdits("whether the hook is to run from the first call on is for you to say"),
    )
