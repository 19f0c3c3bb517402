"""Recompiles that every program of its kind has: they cost once, and nothing is to be changed.

The variant of a function for evaluation, beside the one for training; and the compile in which
Dynamo makes a size dynamic, at its second value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.facts.guarded import code_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ca_engine.guards import Guard
    from ca_reports.facts.events import RecompileFacts

# A function has at most so many variants by mode: train or eval, with gradients or without.
_MODES = 4


def evaluation_variants(recompiles: Iterable[RecompileFacts]) -> tuple[RecompileFacts, ...]:
    """The recompiles of user code in a mode that its function was not yet compiled in.

    Torch gives a reason for each earlier compile: where all of them are the mode, none was for
    this one. Grad mode is looked at before anything else, a module's after the sizes, if these
    failed before: such a reason leaves the mode open. One that brought a new backward is none: a
    *training* step came in another mode.
    """
    found: dict[str, list[RecompileFacts]] = {}
    for recompile in recompiles:
        known = found.setdefault(code_of(recompile.compiled), [])
        if (
            len(known) + 1 < _MODES
            and is_mode(recompile.guard)
            and all(
                is_mode(guard)
                or (recompile.guard.kind == "value" and guard.kind in ("size", "stride"))
                for guard in recompile.guards
            )
            and not any(caused.aot_replaced for caused in recompile.caused)
        ):
            known.append(recompile)
    return tuple(recompile for group in found.values() for recompile in group)


def is_mode(guard: Guard) -> bool:
    """Return whether a guard is on grad mode, or on a module's ``train()`` or ``eval()``."""
    if guard.kind == "global_state":
        return "grad_mode" in guard.source
    return guard.kind == "value" and guard.source.endswith(".training")
