"""Findings about functions whose graphs a cache does not take, so that each start compiles them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.causes.rules.base import Match
from ca_reports.facts.bypassed import bypasses
from ca_reports.facts.evidence import Evidence
from ca_reports.sentences.bypasses import remedy
from ca_reports.words.clean import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ca_reports.facts.bypassed import Bypass, BypassKind
    from ca_reports.facts.process import ProcessFacts

_WIDTH = 200


def uncached(
    facts: ProcessFacts,
    kind: BypassKind,
    message: Callable[[Bypass], str],
) -> Iterator[Match]:
    """Yield one match for each function of user code and what the cache does not take of it."""
    known: dict[tuple[object, str | None], list[Bypass]] = {}
    for bypass in bypasses(facts.process):
        compiled = bypass.compiled
        if bypass.kind == kind and compiled is not None and compiled.is_forward:
            known.setdefault((compiled.location, bypass.target), []).append(bypass)
    for (_, target), found in known.items():
        first = found[0]
        compiled = first.compiled
        known_remedy = remedy(kind, target)
        assert known_remedy is not None
        yield Match(
            message=message(first),
            fix=known_remedy.text,
            noticed_at=None if compiled is None else compiled.location,
            evidence=(
                Evidence(
                    f"torch: {one_line(first.lookup.reason, _WIDTH)}"
                    if first.lookup.reason
                    else "torch asked FxGraphCache for its graph, and not AOTAutogradCache",
                    facts.process.file,
                    first.lookup.line,
                ),
            ),
            key=target or "",
            count=len({bypass.lookup.compile_id for bypass in found}),
        )
