"""Compares what a call has with an earlier compile, beside the guard that torch names.

Torch stops at the first guard that fails. Where the call has other sizes as well, or None in the
place of a tensor, it is compiled for these whatever becomes of that guard.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.facts.shapes import given_shape, guarded_shape

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ca_reports.facts.events import RecompileFacts
    from ca_reports.run.model import Compile


def also_differing(
    recompiles: Iterable[RecompileFacts], compiles: Iterable[Compile]
) -> tuple[tuple[str, bool], ...]:
    """Return the arguments for which each of ``recompiles`` would be compiled in any case.

    With each comes whether it was None by then; else it has other sizes. ``compiles`` are all of
    the process. Empty where one of the recompiles differs in nothing else from an earlier compile
    that failed the same guard, as far as was recorded.
    """
    by_id = {(one.process, one.compile_id): one for one in compiles}
    found: dict[tuple[str, bool], None] = {}
    for recompile in recompiles:
        named = recompile.guard
        failed = [
            by_id.get((recompile.compiled.process, guard.failed or ""))
            for guard in recompile.guards
            if (guard.kind, guard.source) == (named.kind, named.source)
        ]
        # A mode makes dispatch keys and no sizes. What makes a tensor of another dtype may.
        own = "" if named.kind == "dispatch_keys" else named.source
        for earlier in failed:
            differing = [
                one
                for one in (() if earlier is None else _differing(recompile.compiled, earlier))
                if one[0] != own
            ]
            if not differing:
                return ()
            found.update(dict.fromkeys(differing))
    return tuple(found)


def _differing(again: Compile, earlier: Compile) -> Iterator[tuple[str, bool]]:
    """Yield arguments that the graph of ``earlier`` takes, and not with what ``again`` has."""
    for name, held in () if again.held is None else again.held.arguments:
        compiled_for = guarded_shape(earlier, name)
        if compiled_for is None:
            continue
        if held.has_value and held.value is None:
            yield name, True
        elif not _fits(compiled_for, given_shape(again, name)):
            yield name, False


def _fits(compiled_for: tuple[int | None, ...], given: tuple[int | None, ...] | None) -> bool:
    """Return whether sizes are those of a graph, as far as both are known."""
    if given is None:
        return True
    return len(given) == len(compiled_for) and all(
        None in pair or pair[0] == pair[1] for pair in zip(compiled_for, given, strict=True)
    )
