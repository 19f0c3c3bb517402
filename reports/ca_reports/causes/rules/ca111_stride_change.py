"""CA111."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.causes.findings import OtherLayout, Subject
from ca_reports.causes.located import arguments, modes, written
from ca_reports.causes.remedies import NoEdits
from ca_reports.causes.rules.base import SPECIFIC, Match, Rule, of_compiles, of_recompiles
from ca_reports.causes.rules.differences import in_words
from ca_reports.facts.guard_paths import guard_path, verbatim
from ca_reports.facts.size_changes import (
    LAYOUT_NODES,
    is_of_layout,
    is_size_of_one,
)
from ca_reports.words.numbers import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.causes.located.trail import Trail
    from ca_reports.causes.remedies import Remedy
    from ca_reports.facts.events import CaptureFacts, RecompileFacts
    from ca_reports.facts.guarded_things import GuardedThing
    from ca_reports.facts.process import ProcessFacts
    from ca_reports.program.syntax import Site

_FIX = (
    "give this tensor one memory layout in every step: `.contiguous()`, or "
    "`.to(memory_format=torch.channels_last)`"
)
_BY_HAND = NoEdits("where the model is converted is for you to say")
# To `.contiguous()` any stride will do there, and `.clone()` keeps it.
_OF_ONE = (
    "copy it in every step with `.clone(memory_format=torch.contiguous_format)`: that dimension "
    "has a size of 1, whose stride `.contiguous()` leaves as it is"
)
# Where the log has no sizes, that is the copy which helps whatever they are.
_OF_ANY = (
    "copy it in every step with `.clone(memory_format=torch.contiguous_format)`, as for a slice of "
    "a tensor that grows; if two formats are meant, `.contiguous()` or "
    "`.to(memory_format=torch.channels_last)` in all steps will do, but in a dimension of size 1, "
    "whose stride they leave as it is"
)


class StrideChange(Rule):
    """A tensor has a different memory layout in some steps.

    ## What it is

    In some steps a tensor is in channels-last format, transposed, or a strided view; in others
    the same tensor is contiguous; or it is a part of a larger one, which begins elsewhere.

    ## Why it costs

    Strides are not part of compiled autograd's key, so the backward mostly hits. But Dynamo
    compiled the captured graph for one stride order, and recompiles it for another. Where the
    other layout allows no view (`flatten` of channels-last), a copy takes its place, which is
    another node: then the backward is also recaptured.

    ## Example

        if step % 2:
            images = images.to(memory_format=torch.channels_last)
        backward(loss_of(model(images)))

    ## What to do

    Use one memory format in all steps: `.contiguous()`, or
    `.to(memory_format=torch.channels_last)`, right after the loader.

    ## Measured

    2 compiles of the captured graph became 1 (torch 2.13.0, CPU).

    ## When the rule can be wrong

    When a size changes, so do strides; but torch compares the sizes of a tensor first, so that a
    guard on a stride fails only where all sizes are those that were compiled for (torch 2.6 to
    2.13). Where a view or a copy took the place of another in the backward, the sizes that came
    with it are no cause of their own.
    """

    code = "CA111"
    name = "stride-change"
    place = arguments.or_call(modes.layout)
    edits = ("one_layout",)
    specificity = SPECIFIC

    @classmethod
    def remedy(cls, trail: Trail, site: Site | None) -> Remedy | None:
        """By what is written to: a copy would get that instead."""
        return written.remedy(trail)

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        groups: dict[tuple[object, ...], list[RecompileFacts]] = {}
        for recompile in facts.recompiles:
            if recompile.guard.kind == "stride":
                groups.setdefault(_tensor(recompile), []).append(recompile)
        for group in groups.values():
            first = group[0]
            guard = first.guard
            yield Match(
                message=(
                    f"`{verbatim(guard.source)}` changed its memory layout: stride "
                    f"{guard.expected} → {guard.actual} in dimension {guard.index}"
                ),
                fix=_fix(first),
                **of_recompiles(group, first.line),
                key=" ".join(("layout", *map(str, _tensor(first)[1:]))),
                subject=Subject(guard.source),
                detail=OtherLayout(is_of_one=_size(first) == 1),
                edits=_BY_HAND if guard_path(guard.source).is_parameter else None,
            )
        for thing in facts.guarded:
            if thing.guard.kind == "storage_offset":
                yield _moved(thing)
            elif thing.guard.kind == "stride_relation":
                yield _parted(thing)
        for recapture in facts.recaptures:
            if _by_layout(recapture):
                yield _copied(recapture)


def _fix(recompile: RecompileFacts) -> str:
    if guard_path(recompile.guard.source).is_parameter:
        return (
            "convert the whole model before its first compiled call, such as by `model.to("
            "memory_format=torch.channels_last)`: a graph is made for the layouts of its parameters"
        )
    if _size(recompile) == 1:
        return _OF_ONE
    return _FIX if _has_sizes(recompile) else _OF_ANY


def _tensor(recompile: RecompileFacts) -> tuple[object, ...]:
    """Return which tensor it is: of a captured backward, whose inputs have no names, any.

    A limit's last compile names the line of the call, so that the code's number is asked.
    """
    if recompile.compiled.capture is not None:
        return (recompile.line,)
    return recompile.compiled.code_number, recompile.guard.source


def _size(recompile: RecompileFacts) -> int | None:
    """Return the size of the dimension whose stride differs; None if unknown."""
    found = recompile.compiled.argument(recompile.guard.source)
    shape, index = (None if found is None else found.shape), recompile.guard.index
    sizes = () if shape is None or index is None else shape[index : index + 1]
    return sizes[0] if sizes else None


def _has_sizes(recompile: RecompileFacts) -> bool:
    """Return whether the log may have the sizes of what a function was given."""
    return recompile.compiled.capture is not None or recompile.compiled.held is not None


def _by_layout(found: CaptureFacts) -> bool:
    """Return whether nothing but views and copies came or went."""
    nodes = found.added + found.removed
    return (
        bool(nodes)
        and set(nodes) <= LAYOUT_NODES
        and not found.changed("parameter", "hooks")
        and not is_size_of_one(found)
        and bool({"UnsafeViewBackward0", "CloneBackward0", "AsStridedBackward1"} & set(nodes))
    )


def _moved(thing: GuardedThing) -> Match:
    return _part_of_a_larger(
        thing,
        "begins elsewhere in its storage in some calls",
        f"`{thing.ref}.clone()` in all of them (`.contiguous()` copies no part that is "
        "contiguous already)",
        OtherLayout(begins_elsewhere=True),
    )


def _parted(thing: GuardedThing) -> Match:
    """Match a stride that follows from the sizes in some calls, and not in those of a slice."""
    return _part_of_a_larger(
        thing,
        "has another memory layout in some calls, a stride that does not follow from its sizes",
        f"`{thing.ref}.contiguous()`",
        OtherLayout(),
    )


def _part_of_a_larger(thing: GuardedThing, what: str, instead: str, detail: OtherLayout) -> Match:
    again = counted(thing.times, "recompile")
    return Match(
        message=f"`{thing.ref}` {what}: {again}",
        fix=f"`{thing.ref}` is a part of a larger tensor in some calls only: pass {instead}",
        **of_compiles(thing.recompiles, thing.location),
        confidence="medium",
        key="layout",
        subject=Subject(thing.source),
        detail=detail,
    )


def _copied(found: CaptureFacts) -> Match:
    return Match(
        message=f"a tensor changed its memory layout: {in_words(found)}",
        fix=_FIX,
        events=(found.capture,),
        noticed_at=found.line,
        evidence=(found.evidence,),
        confidence="medium",
        key="layout",
        explains=lambda _, change: is_of_layout(change),
    )
