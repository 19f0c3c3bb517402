"""Findings → proposals: which code is fixed where."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from ca_reports.fixes import (
    breaks,
    caches,
    calls,
    choices,
    clocks,
    conditions,
    contexts,
    detach,
    drop_last,
    dynamic,
    dynamic_ints,
    flags,
    freezing,
    gradients,
    hooks,
    layout,
    lengths,
    made_once,
    marking,
    numbers,
    observers,
    options,
    ordering,
    padding,
    recording,
    reporting,
    seldom,
    stepping,
    strides,
    unrolled,
)
from ca_reports.fixes.patches import (
    ChangedSinceError,
    Proposal,
    RefusedError,
    applied,
    changed_lines,
)
from ca_reports.fixes.program import EditableProgram
from ca_reports.fixes.result import Fix, Fixes
from ca_reports.rules.ca202_branch import NO_PARAMETERS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from ca_reports.analysis import Analysis
    from ca_reports.findings import Finding
    from ca_reports.fixes.patches import Patch

    Remedy = Callable[[Finding, EditableProgram], list[Patch]]


def _or_seldom(remedy: Remedy) -> Remedy:
    """What ``remedy`` makes, else a stance for the calls that differ from the first."""

    def chosen(finding: Finding, program: EditableProgram) -> list[Patch]:
        try:
            return remedy(finding, program)
        except ChangedSinceError:
            raise
        except RefusedError as refused:
            with suppress(RefusedError):
                return seldom.patches(finding, program)
            raise refused from None

    return chosen


def _unless_metadata(remedy: Remedy) -> Remedy:
    """What ``remedy`` makes, unless the value is metadata of a tensor's subclass.

    A tensor in its place would be metadata still: the class has to name it as an inner tensor.
    """

    def chosen(finding: Finding, program: EditableProgram) -> list[Patch]:
        thing = program.guarded(finding)
        if thing is not None and thing.guard.kind == "metadata":
            raise RefusedError("`__tensor_flatten__` is to be changed by hand")
        return remedy(finding, program)

    return chosen


def _in_each_function(remedy: Remedy) -> Remedy:
    """What ``remedy`` makes for each of the compiled functions that one number is passed to."""

    def chosen(finding: Finding, program: EditableProgram) -> list[Patch]:
        parts = [replace(finding, events=events) for events in program.by_function(finding)]
        if len(parts) < 2:
            return remedy(finding, program)
        first, *others = [remedy(part, program)[0] for part in parts]
        changes = dict.fromkeys(
            change for patch in (first, *others) for change in patch.replacements
        )
        notes = dict.fromkeys(one.note for one in (first, *others) if one.note)
        return [replace(first, replacements=tuple(changes), note="; ".join(notes))]

    return chosen


_NO_BRANCH = "the branch on the line is that of another finding; the source does not show one more"


def _or_else(remedy: Remedy, other: Remedy, *, reason_of_other: bool = True) -> Remedy:
    """What ``remedy`` makes, else ``other``; of two that refuse the reason of one."""

    def chosen(finding: Finding, program: EditableProgram) -> list[Patch]:
        try:
            return remedy(finding, program)
        except ChangedSinceError:
            raise
        except RefusedError as refused:
            try:
                return other(finding, program)
            except ChangedSinceError:
                raise
            except RefusedError:
                if reason_of_other:
                    raise
            raise refused

    return chosen


def _or_dynamic(remedy: Remedy) -> Remedy:
    """What ``remedy`` makes, else dynamic whole numbers of modules."""
    return _or_else(remedy, dynamic_ints.patches, reason_of_other=False)


def _or_recorded(remedy: Remedy) -> Remedy:
    """What ``remedy`` makes, else no compile of a function that only records."""
    recorded = _or_else(recording.disabled, recording.kept_apart)
    return _or_else(remedy, recorded, reason_of_other=False)


# What makes the patches for a finding of that code.
REMEDIES: dict[str, Remedy] = {
    "CA101": drop_last.patches,
    "CA102": lengths.patches,
    "CA103": _or_else(marking.unbacked, calls.few, reason_of_other=False),
    "CA104": calls.selected,
    "CA111": strides.patches,
    "CA112": conditions.state,
    "CA201": gradients.patches,
    "CA202": conditions.branch,
    "CA203": unrolled.patches,
    "CA204": detach.patches,
    "CA205": conditions.mode,
    "CA206": numbers.operand,
    "CA207": freezing.frozen,
    "CA208": freezing.required,
    "CA209": _or_else(calls.root_in_float, conditions.branch),
    "CA210": made_once.function_class,
    "CA211": _or_else(ordering.patches, conditions.branch, reason_of_other=False),
    "CA212": calls.clone,
    "CA301": conditions.hook,
    "CA302": hooks.hook,
    "CA303": _or_else(
        _or_else(numbers.attribute, contexts.saved, reason_of_other=False),
        observers.after_backward,
        reason_of_other=False,
    ),
    "CA304": numbers.default,
    "CA401": _or_dynamic(numbers.cascade),
    "CA402": _or_dynamic(numbers.cascade),
    "CA403": dynamic.data_dependent,
    "CA501": _or_else(
        _or_else(
            breaks.where, _or_else(reporting.reported, choices.on_item), reason_of_other=False
        ),
        _or_else(observers.kept_as_tensor, observers.after_backward),
        reason_of_other=False,
    ),
    "CA502": conditions.checkpoint,
    "CA503": breaks.save_on_cpu,
    "CA504": stepping.patches,
    "CA506": options.dense,
    "CA507": conditions.checkpoint,
    "CA606": options.python_reducer,
    "CA611": dynamic.marked,
    "CA613": options.first_bucket,
    "CA701": _unless_metadata(_or_recorded(_in_each_function(_or_seldom(numbers.value)))),
    "CA702": _unless_metadata(_or_recorded(_in_each_function(_or_seldom(numbers.learning_rate)))),
    "CA703": _or_seldom(flags.patches),
    "CA704": _or_recorded(_or_seldom(_or_dynamic(numbers.attribute))),
    "CA705": _or_recorded(_or_seldom(numbers.global_)),
    "CA706": calls.made_once,
    "CA707": _or_seldom(calls.one_class),
    "CA708": _unless_metadata(_or_seldom(calls.kind)),
    "CA709": _or_seldom(calls.uncompiled),
    "CA710": _or_recorded(seldom.patches),
    "CA711": _or_recorded(_or_seldom(_or_else(seldom.in_order, caches.patches))),
    "CA712": padding.patches,
    "CA713": options.duck_shapes,
    "CA714": calls.clone,
    "CA716": options.resumed,
    "CA717": made_once.compiled,
    "CA801": _or_else(_or_else(breaks.checked, reporting.reported), choices.on_tensor),
    "CA802": options.scalar_outputs,
    "CA803": options.written,
    "CA804": _or_else(options.reordered, clocks.zero, reason_of_other=False),
    "CA805": options.without_break,
    "CA806": options.reordered,
    "CA807": options.output_shapes,
    "CA809": options.reordered,
}


def propose(
    analysis: Analysis,
    program: EditableProgram,
    codes: Collection[str] = (),
    *,
    is_measured: bool = True,
) -> tuple[Proposal, ...]:
    """Propose a patch for each finding of ``codes``, or for every one.

    Unless the patches are measured next, none is proposed that leaves calls uncompiled.
    """
    every = analysis.diagnosis.findings
    return tuple(
        Proposal(finding, refusal=_NO_BRANCH)
        if _has_the_line_of_another(finding, every)
        else propose_for(finding, program, is_measured=is_measured)
        for finding in every
        if not codes or finding.code in codes
    )


def choose(proposals: Iterable[Proposal], program: EditableProgram) -> Fixes:
    """Offer a patch of each proposal such that all can be applied together.

    Of two findings with one remedy it is the first one's. Where two patches change the same lines,
    the later one is made of what the earlier makes of them.
    """
    texts = program.texts
    offered: list[Fix] = []
    refused = []
    for proposal in proposals:
        if not proposal.patches:
            refused.append(proposal)
            continue
        first, *others = proposal.patches
        if any(first.replacements == one.patch.replacements for one in offered):
            continue
        below = [one.patch for one in offered]
        in_the_way = [one for one in below if _overlap(texts, one, first)]
        try:
            if in_the_way:
                first, others = _upon(proposal.finding, in_the_way, first, program), []
            applied(texts, [*below, first])
        except RefusedError as overlap:
            refused.append(replace(proposal, patches=(), refusal=str(overlap)))
            continue
        alternatives = tuple(Fix(proposal.finding, other) for other in others)
        offered.append(Fix(proposal.finding, first, alternatives=alternatives))
    return Fixes(texts, tuple(offered), tuple(refused))


def _upon(
    finding: Finding, in_the_way: Sequence[Patch], patch: Patch, program: EditableProgram
) -> Patch:
    """The patch for ``finding`` on top of the one that also changes the lines of ``patch``.

    Raises `RefusedError` if there are several, or nothing can be made of what that one leaves.
    """
    texts = program.texts
    other = in_the_way[0]
    if len(in_the_way) > 1 or other.upon is not None:
        raise RefusedError(_overlap(texts, other, patch))
    below = applied(texts, [other])
    found = propose_for(finding, program.patched(below), is_measured=patch.runs_eager)
    if not found.patches:
        raise RefusedError(_overlap(texts, other, patch))
    above = found.patches[0]
    changes = [
        change
        for name, text in applied(texts | below, [above]).items()
        for change in changed_lines(name, texts[name], text)
    ]
    return replace(above, replacements=tuple(changes), upon=other)


def _overlap(texts: dict[str, str], one: Patch, other: Patch) -> str:
    """Say why two patches cannot be applied together; empty if they can."""
    try:
        applied(texts, [one, other])
    except RefusedError as overlap:
        return str(overlap)
    return ""


def _has_the_line_of_another(finding: Finding, every: Collection[Finding]) -> bool:
    """Return whether a branch without parameters is shown at one that has some, a finding itself.

    The patch of that line is the other finding's, and leaves what this one is about.
    """
    return finding.key in NO_PARAMETERS and any(
        other.key == "branch" and other.location == finding.location for other in every
    )


def propose_for(
    finding: Finding, program: EditableProgram, *, is_measured: bool = True
) -> Proposal:
    """Propose a patch for one finding: see `propose`."""
    remedy = REMEDIES.get(finding.code)
    if remedy is None:
        return Proposal(finding, refusal="it is changed by hand")
    try:
        patches = remedy(finding, program)
        if not is_measured:
            patches = _compiled(patches)
        return Proposal(finding, tuple(layout.kept(patch, program) for patch in patches))
    except RefusedError as refused:
        return Proposal(finding, refusal=str(refused))
    except Exception as error:  # a bug here must not cost the other findings their patches
        told = f"{type(error).__name__}: {error}"
        return Proposal(finding, refusal=f"the search for one failed, please report it: {told}")


def _compiled(patches: list[Patch]) -> list[Patch]:
    """Return those that leave no call uncompiled. Raises `RefusedError` if there are none."""
    kept = [patch for patch in patches if not patch.runs_eager]
    if not kept:
        raise RefusedError(f"{patches[0].what}: --verify counts whether these are few")
    return kept
