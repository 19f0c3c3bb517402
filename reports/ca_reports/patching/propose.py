"""Findings → proposals: which edit of a remedy the source allows."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from ca_reports.causes.findings import OtherNodes
from ca_reports.causes.remedies import EFFECTS, NoEdits
from ca_reports.patching import (
    breaks,
    caches,
    calls,
    choices,
    clocks,
    conditions,
    contexts,
    detach,
    differentiated,
    drop_last,
    dynamic,
    dynamic_ints,
    flags,
    freezing,
    grad_mode,
    gradients,
    hooks,
    inner,
    layout,
    lazy,
    lengths,
    limits,
    made_once,
    marking,
    numbers,
    observers,
    options,
    ordering,
    padding,
    picked,
    rebinding,
    recording,
    reporting,
    seldom,
    stepping,
    strides,
    subclasses,
    unrolled,
)
from ca_reports.patching.patches import (
    ChangedSinceError,
    Proposal,
    RefusedError,
    UnmeasuredError,
    applied,
    changed_lines,
)
from ca_reports.patching.program import EditableProgram
from ca_reports.patching.result import Fix, Fixes
from ca_reports.patching.undone import undone
from ca_reports.program.files import parsed
from ca_reports.run.model import Compile

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from ca_reports.causes.findings import Finding
    from ca_reports.causes.remedies import Edit
    from ca_reports.diagnosis.analysis import Analysis
    from ca_reports.patching.patches import Patch

    Maker = Callable[[Finding, EditableProgram], list[Patch]]

_NO_BRANCH = "the branch on the line is that of another finding; no second branch found"
_IN_VAIN = "alone it saves nothing, and what takes its compiles has no patch"

# What makes the patches for an edit.
MAKERS: Mapping[Edit, Maker] = {
    "limit_of_compile": limits.of_compile,
    "loss_in_float": calls.root_in_float,
    "any_size": dynamic.patches,
    "after_backward": observers.after_backward,
    "batch_of_rows": calls.selected,
    "both_branches": conditions.branch,
    "bucket_of_ddp": options.first_bucket,
    "checkpoint_alike": conditions.checkpoint,
    "choose_in_graph": choices.on_tensor,
    "choose_in_hook": breaks.where,
    "choose_on_bool": choices.on_bool,
    "choose_on_value": choices.on_item,
    "class_once": made_once.function_class,
    "clock_in_eager": clocks.zero,
    "clone": calls.clone,
    "compile_callee": inner.of_argument,
    "compile_once": made_once.compiled,
    "compile_round": inner.of_round,
    "compile_wrapped": inner.of_wrapped,
    "compiled_again": options.without_break,
    "dense_gradient": options.dense,
    "detach_state": detach.patches,
    "drawn_in_graph": choices.on_drawn,
    "drop_frozen": freezing.frozen,
    "duck_sizes": options.duck_shapes,
    "dynamic_counts": dynamic.data_dependent,
    "dynamic_ints": dynamic_ints.patches,
    "dynamic_marks": dynamic.marked,
    "dynamic_numbers": dynamic.of_numbers,
    "eager_differentiated": differentiated.patches,
    "eager_outlier": calls.uncompiled,
    "eager_rare_calls": seldom.patches,
    "eager_small_sizes": calls.few,
    "few_lengths": lengths.patches,
    "filled_cache": caches.patches,
    "fixed_rounds": unrolled.patches,
    "flag_as_tensor": flags.patches,
    "full_batches": drop_last.patches,
    "hook_alike": conditions.hook,
    "hook_once": hooks.hook,
    "keep_gradients": gradients.patches,
    "kept_entry": observers.kept_as_tensor,
    "kept_rate": numbers.kept_rate,
    "made_before": lazy.made_before,
    "made_in_call": lazy.made_in_call,
    "mark_unbacked": marking.unbacked,
    "mode_alike": conditions.mode,
    "not_reentrant": grad_mode.not_reentrant,
    "object_once": calls.made_once,
    "one_class": calls.one_class,
    "one_flag": freezing.required,
    "one_kind": calls.kind,
    "one_layout": strides.patches,
    "one_order": ordering.patches,
    "one_setting": conditions.state,
    "output_shapes": options.output_shapes,
    "own_offload": breaks.save_on_cpu,
    "pad_always": padding.patches,
    "parameter_sizes": dynamic.of_parameters,
    "picked_outside": picked.outside,
    "plain_tensor": subclasses.plain,
    "python_reducer": options.python_reducer,
    "raise_in_graph": breaks.checked,
    "raise_on_value": breaks.raised,
    "raised_limit": limits.raised,
    "rebind_tensor": rebinding.patches,
    "record_outside": recording.disabled,
    "record_apart": recording.kept_apart,
    "reordered_call": options.reordered,
    "report_after_graph": reporting.reported,
    "reset_between": limits.reset,
    "resumed_value": options.resumed,
    "saved_tensor": contexts.saved,
    "scalar_outputs": options.scalar_outputs,
    "sorted_keys": seldom.in_order,
    "step_after": stepping.patches,
    "tensor_default": numbers.default,
    "tensor_number": numbers.number,
    "tensor_operand": numbers.operand,
    "tensor_state": numbers.state,
    "whole_evaluation": drop_last.patches,
    "write_after": options.written,
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

    @cache
    def proposed(number: int) -> Proposal:
        finding = every[number]
        if _has_the_line_of_another(finding, every):
            return Proposal(finding, refusal=_NO_BRANCH)
        return propose_for(finding, program, is_measured=is_measured)

    found = []
    for number, finding in enumerate(every):
        if codes and finding.code not in codes:
            continue
        proposal = proposed(number)
        needed = [other for other in _needed(proposal, every) if proposed(other).patches]
        if needed:
            beside = every[needed[0]]
            proposal = replace(proposal, beside=beside)
            if codes and beside.code not in codes:
                proposal = _without(proposal, f"with --code {beside.code} as well")
        elif proposal.patches and _saves_nothing_alone(finding):
            proposal = replace(proposal, patches=(), refusal=_IN_VAIN)
        found.append(proposal)
    return tuple(found)


def _needed(proposal: Proposal, every: Sequence[Finding]) -> list[int]:
    """Return the numbers of findings of ``every``, of which a proposal needs the patch of one.

    Those that take the compiles that it would save, or, up to the limit of one code, others.
    And numbers, where it makes all sizes dynamic: then torch may compile for each value of one that
    was dynamic before. With torch 2.13.0 the guard is of `remove_tensorify_specialized_graphargs`:
    5 recompiles of a GPT became 7, and the limit.
    """
    own = proposal.finding
    if not proposal.patches:
        return []
    is_idle, is_dynamic = _saves_nothing_alone(own), proposal.patches[0].any_value
    codes = {event.code_number for event in _compiles(own)}
    found = []
    for number, other in enumerate(every):
        value = other.guarded_value if other is not own else None
        of_code = [one for one in _compiles(other) if one.code_number in codes]
        goes_on = value is not None and value.goes_on and any(one.is_refused for one in of_code)
        varies = value is not None and not (value.is_whole or value.is_text) and bool(of_code)
        is_taking = is_idle and other is not own and other.rule in own.saves_of
        if goes_on or is_taking or (is_dynamic and varies):
            found.append(number)
    return found


def _compiles(finding: Finding) -> list[Compile]:
    return [event for event in finding.events if isinstance(event, Compile)]


def _saves_nothing_alone(finding: Finding) -> bool:
    """Return whether what is compiled for it is then compiled for another cause.

    And may be compiled again for what the patch adds.
    """
    return finding.saves == 0 and not finding.spared and bool(finding.saves_of)


def _without(proposal: Proposal, words: str) -> Proposal:
    """Return a proposal whose patches are not offered, as what they need is not."""
    assert proposal.beside is not None
    reason = f"it needs the patch for {proposal.beside.code}: {words}"
    return replace(proposal, patches=(), refusal=reason)


def choose(proposals: Iterable[Proposal], program: EditableProgram) -> Fixes:
    """Offer a patch of each proposal such that all can be applied together.

    Of two findings with one remedy it is the first one's. Where two patches change the same lines,
    the later one is made of what the earlier makes of them.
    """
    proposals = list(proposals)
    chosen = _chosen(proposals, program)
    offered = {id(one.finding) for one in chosen.offered}
    lost = {
        id(one.finding)
        for one in chosen.offered
        if one.beside is not None and id(one.beside) not in offered
    }
    if not lost:
        return chosen
    kept = [
        _without(one, "that one cannot be offered with it") if id(one.finding) in lost else one
        for one in proposals
    ]
    return choose(kept, program)


def _chosen(proposals: Iterable[Proposal], program: EditableProgram) -> Fixes:
    """Offer patches of ``proposals``, whether or not what they need is offered."""
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
            if any(one.finding.failure is not None for one in offered if one.patch in in_the_way):
                raise RefusedError("the patch of what stops the run changes the same lines")
            if in_the_way:
                first, others = _upon(proposal.finding, in_the_way, first, program), []
            applied(texts, [*below, first])
            if reason := undone(texts, below, first):
                raise RefusedError(reason)
        except RefusedError as overlap:
            refused.append(replace(proposal, patches=(), refusal=str(overlap)))
            continue
        alternatives = tuple(Fix(proposal.finding, other) for other in others)
        beside = proposal.beside
        offered.append(Fix(proposal.finding, first, alternatives=alternatives, beside=beside))
    return Fixes(texts, tuple(offered), tuple(refused))


def _upon(
    finding: Finding, in_the_way: Sequence[Patch], patch: Patch, program: EditableProgram
) -> Patch:
    """Return the patch for ``finding`` on top of the one that also changes the lines of ``patch``.

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
    own = finding.detail
    return (
        isinstance(own, OtherNodes)
        and own.part in ("operations", "weights")
        and any(
            isinstance(other.detail, OtherNodes)
            and other.detail.part in ("modules", "unknown")
            and other.location == finding.location
            for other in every
        )
    )


def propose_for(
    finding: Finding, program: EditableProgram, *, is_measured: bool = True
) -> Proposal:
    """Propose a patch for one finding, by the first edit of its remedy that the source allows.

    Without one the reason is that of the edit which the sentence is about.
    """
    edit = finding.remedy.edit
    reason = RefusedError(edit.reason) if isinstance(edit, NoEdits) else None
    try:
        for one in finding.remedy.edits:
            patches = _made(one, finding, program, is_measured=is_measured)
            if not isinstance(patches, RefusedError):
                return Proposal(finding, patches)
            reason = reason or patches
    except (ChangedSinceError, UnmeasuredError) as final:
        reason = final
    except Exception as error:  # a bug here must not cost the other findings their patches
        told = f"{type(error).__name__}: {error}"
        reason = RefusedError(f"the search for one failed, please report it: {told}")
    return Proposal(finding, refusal=finding.names.said(str(reason)))


def _made(
    edit: Edit, finding: Finding, program: EditableProgram, *, is_measured: bool
) -> tuple[Patch, ...] | RefusedError:
    """Return the patches for an edit, or why there are none.

    Raises `ChangedSinceError`, and `UnmeasuredError` if all of them leave calls uncompiled.
    """
    try:
        patches = MAKERS[edit](finding, program)
        if not is_measured:
            patches = _compiled(patches)
        for one in patches:
            _require_whole(one, program)
        return tuple(
            replace(
                layout.kept(one, program),
                edit=edit,
                what=finding.names.said(one.what),
                intention=finding.names.said(_with_what_asks(one, edit, program)),
                note=finding.names.said(one.note),
            )
            for one in patches
        )
    except (ChangedSinceError, UnmeasuredError):
        raise
    except RefusedError as refused:
        return refused


def _with_what_asks(patch: Patch, edit: Edit, program: EditableProgram) -> str:
    """Return what a patch changes, with the line that asks which gradients are None.

    Where it gives gradients of zero, as it says itself, there are fewer of these.
    """
    if not patch.intention or "trains_on_zeros" not in EFFECTS.get(edit, ()):
        return patch.intention
    found = next(
        (place for file in program.files.values() for place in gradients.asked_for_none(file)), None
    )
    if found is None:
        return patch.intention
    return f"{patch.intention}; {found} asks which gradients are None, and fewer are"


def _require_whole(patch: Patch, program: EditableProgram) -> None:
    """Raise `RefusedError` where a patch changes nothing, or what comes of it is no Python."""
    if not patch.replacements:
        raise RefusedError(f"the source has it already: {patch.what}")
    texts = {name: program.files[name].text for name in patch.files}
    for name, text in applied(texts, [patch]).items():
        if parsed(text) is None:
            raise RefusedError(f"{name} cannot be changed: {patch.what}")


def _compiled(patches: list[Patch]) -> list[Patch]:
    """Return those that leave no call uncompiled. Raises `UnmeasuredError` if there are none."""
    kept = [patch for patch in patches if not patch.runs_eager]
    if not kept:
        raise UnmeasuredError(f"{patches[0].what}: --verify counts whether these are few")
    return kept
