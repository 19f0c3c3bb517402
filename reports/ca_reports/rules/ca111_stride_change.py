"""CA111."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.facts.size_changes import is_layout_guard
from ca_reports.rules.base import SPECIFIC, Match, Rule
from ca_reports.rules.differences import in_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.facts.events import CaptureFacts, RecompileFacts
    from ca_reports.facts.process import ProcessFacts

# Nodes that come and go with the layout of a tensor: where a view will not do, a copy is made.
_LAYOUT_NODES = frozenset(
    (
        "ViewBackward0",
        "UnsafeViewBackward0",
        "ReshapeAliasBackward0",
        "CloneBackward0",
        "AsStridedBackward0",
        "AsStridedBackward1",
        "ToCopyBackward0",
    )
)
_FIX = (
    "bring this tensor into one layout in every step: .contiguous(), or "
    ".to(memory_format=torch.channels_last) for all"
)


class StrideChange(Rule):
    """A tensor comes in another memory layout in some steps.

    ## What it is

    Some steps bring a tensor in channels-last format, transposed, or as a strided view, others
    the same tensor contiguous.

    ## Why it costs

    Strides are no part of compiled autograd's key, so the backward mostly hits. But Dynamo
    compiled the captured graph for one order of strides, and compiles it again for another.
    Where a view is impossible in the other layout (`flatten` of channels-last), a copy takes
    its place, which is another node: then the backward is captured again, too.

    ## Example

        if step % 2:
            images = images.to(memory_format=torch.channels_last)
        backward(loss_of(model(images)))

    ## What to do

    One memory format for all steps: `.contiguous()`, or
    `.to(memory_format=torch.channels_last)`, right after the loader, whatever it gives.

    ## Measured

    2 compiles of the captured graph became 1 (torch 2.13.0, CPU).

    ## When the rule can be wrong

    A size that changes takes strides along. The rule tells the two apart by their ratio; a
    length that exactly doubles between two steps can be taken for a layout.
    """

    code = "CA111"
    name = "stride-change"
    specificity = SPECIFIC

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        pairs = frozenset(pair for change in facts.size_changes for pair in change.pairs)
        groups: dict[tuple[object, ...], list[RecompileFacts]] = {}
        for recompile in facts.recompiles:
            if is_layout_guard(recompile.guard, pairs):
                key = (recompile.compiled.capture is None, recompile.line)
                groups.setdefault(key, []).append(recompile)
        for group in groups.values():
            first = group[0]
            guard = first.guard
            yield Match(
                message=(
                    f"`{guard.source}` came in another memory layout: stride "
                    f"{guard.expected} → {guard.actual} in dimension {guard.index}"
                ),
                fix=_FIX,
                events=tuple(event for recompile in group for event in recompile.events),
                location=first.line,
                evidence=tuple(recompile.evidence for recompile in group),
                confidence="high" if "1" in (guard.expected, guard.actual) else "medium",
                key="layout",
            )
        for recapture in facts.recaptures:
            if _by_layout(recapture):
                yield _copied(recapture)


def _by_layout(found: CaptureFacts) -> bool:
    """Whether nothing but views and copies came or went."""
    nodes = found.added + found.removed
    return (
        bool(nodes)
        and set(nodes) <= _LAYOUT_NODES
        and not found.changed(".grad", "parameter", "hooks")
        and bool({"UnsafeViewBackward0", "CloneBackward0", "AsStridedBackward1"} & set(nodes))
    )


def _copied(found: CaptureFacts) -> Match:
    return Match(
        message=f"a tensor came in another memory layout: {in_words(found)}",
        fix=_FIX,
        events=(found.capture,),
        location=found.line,
        evidence=(found.evidence,),
        confidence="medium",
        key="layout",
    )
