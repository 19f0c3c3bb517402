"""CA112."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from ca_reports.causes.findings import SharedSetting
from ca_reports.causes.located import modes
from ca_reports.causes.remedies import NoEdits
from ca_reports.causes.rules import breaking
from ca_reports.causes.rules.base import (
    SPECIFIC,
    Match,
    Rule,
    of_captures,
    of_compiles,
    of_recompiles,
)
from ca_reports.causes.rules.structure import (
    by_call,
    compared,
    forward_line,
    makes_other_nodes,
    recompiles_of,
    share,
    switched,
    weigh,
)
from ca_reports.program.stack import is_installed, is_library_file, own_frame
from ca_reports.sentences.compiles import are_compiled
from ca_reports.sentences.places import in_brief, thread_named
from ca_reports.words.values import listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ca_reports.causes.located.trail import Trail
    from ca_reports.causes.remedies import Remedy
    from ca_reports.facts.events import CaptureFacts, RecompileFacts
    from ca_reports.facts.mode_changes import ModeChange
    from ca_reports.facts.process import ProcessFacts
    from ca_reports.program.restoring import Unrestored
    from ca_reports.program.syntax import Site
    from ca_reports.run.held import RecordedGuards
    from ca_reports.run.model import Change, Compile, Frame

# The keys of such findings.
_GRAD_MODE = "grad_mode"
# Its tensors are of another kind than those of `no_grad`.
_INFERENCE, _NO_GRAD = "`torch.inference_mode()`", "`torch.no_grad()`"
_IN_INFERENCE = NoEdits("what is made in inference mode cannot be changed in place outside of it")
_MODES_WITHOUT = {_INFERENCE: ("inference_mode",), _NO_GRAD: ("no_grad",)}
_INPUTS = {
    None: ", if the inputs of both are made inside of it or both outside",
    True: ", with its inputs made outside of that, as those of the other are",
    False: ", with its inputs made inside of that, as those of the other are",
}
# The node of a cast.
_CAST = "ToCopyBackward0"
_AUTOCAST = "torch.autocast"
_CALLS = {
    "grad_mode": "torch.no_grad / set_grad_enabled",
    "autocast": _AUTOCAST,
    "num_threads": "torch.set_num_threads",
    "deterministic_algorithms": "torch.use_deterministic_algorithms",
    "default_dtype": "torch.set_default_dtype",
    "allow_tf32": "torch.backends.cuda.matmul.allow_tf32",
    "allow_fp16_reduce": "torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction",
    "allow_bf16_reduce": "torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction",
    "torch_function": "torch._C.DisableTorchFunction",
}
# The guard on modes that stand around a call says only that they are others now.
_FUNCTION_MODES = "torch_function_mode_stack"


class GlobalState(Rule):
    """A global setting of torch changed after the graph was compiled.

    ## What it is

    Autocast, grad mode, the number of threads, deterministic algorithms, the default dtype, the
    default device, a `TorchFunctionMode` or the matmul precision changed between two backwards,
    between two calls of a compiled function, or between two forwards. Grad mode also flips within
    one step: `checkpoint(…, use_reentrant=True)` runs its block without gradients in the forward
    and with them in the backward, and so does an `autograd.Function` that computes again. A
    warm-up in another mode than the calls that it is for compiles what they do not use.

    ## Why it costs

    Dynamo guards on all of them. When one changes, the captured graph is recompiled, and so is
    a compiled function that calls `backward`. Under autocast the forward casts weights and
    activations, so its backward is another one, which is also captured. So is a backward with
    `create_graph=True`, for which gradients stay on.

    ## Example

        for step in range(steps):
            torch.use_deterministic_algorithms(step == 2)
            backward(loss)

    ## What to do

    Set it once, before the first step. If a part of the step (an evaluation, a metric) needs
    another value, use a `with` block that ends before the backward. For a checkpoint pass
    `use_reentrant=False`. Where calls of one line flip grad mode, keep gradients on in all of them
    and `.detach()` the results that need none. What a thread runs enters `torch.no_grad()` itself.
    Warm up under the mode of the calls to come: `torch.inference_mode()` is not `torch.no_grad()`.

    ## Measured

    2 compiles of the captured graph became 1; of a checkpointed block 2 compiles became 1; 2 of
    a model that was warmed up without `inference_mode` became 1 (torch 2.13.0, CPU).

    ## When the rule can be wrong

    A guard names the setting, not the code that changed it; that is searched for in your source.
    Autocast in a forward is inferred from the casts of its parameters; casts that are written
    by hand (`weight.to(torch.bfloat16)`) look the same. One compile for training and one for an
    evaluation under `torch.no_grad` is CA715, and no loss: they are told from a step that flips by
    the lines that call, the mode of the modules, and the backwards between. A log without these
    says so, with low confidence. That no backward takes the gradients of a call is known where the
    process ended by itself and none began after it.
    """

    code = "CA112"
    name = "global-state"
    place = modes.global_state
    edits = ("one_setting",)
    specificity = SPECIFIC

    @classmethod
    def remedy(cls, trail: Trail, site: Site | None) -> Remedy | None:
        """By a function, or a context manager, that leaves the setting as it sets it."""
        left = modes.left_changed(trail)
        if left is None or site is None or site.place != left.line.place:
            return None
        return trail.finding.remedy.instead(_put_back(left))

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        yield from _of_functions(facts)
        yield from _of_probes(facts)
        yield from _of_one_line(facts)
        yield from _of_threads(facts)
        yield from _of_unknown_callers(facts)
        told = {change.recompile.compiled.key for change in facts.mode_changes}
        groups: dict[str, list[RecompileFacts]] = {}
        for recompile in facts.recompiles:
            if recompile.guard.kind == "global_state" and recompile.compiled.key not in told:
                groups.setdefault(recompile.guard.source, []).append(recompile)
        for state, group in groups.items():
            # The line of the backward tells more than that of a wrapper around it.
            first = next((found for found in group if found.capture is not None), group[0])
            is_backward = first.capture is not None or any(found.caused for found in group)
            what = "backwards" if is_backward else "calls"
            if state == _FUNCTION_MODES:
                message = f"the torch function modes around the {what} changed"
                fix = (
                    f"enter the same modes around every {what[:-1]}, or leave them before it: "
                    "`torch.set_default_device(…)` and `with torch.device(…)` are such a mode, as "
                    "is every `TorchFunctionMode`"
                )
            else:
                calls = [call for name, call in _CALLS.items() if name in state]
                message = f"torch's global state changed between {what}: {state or 'unnamed'}"
                fix = (
                    f"enter {_AUTOCAST} around every {what[:-1]}, or around none: those for which "
                    "that changes compute in another precision then"
                    if _AUTOCAST in calls
                    else f"end the block that changes it before the {what[:-1]}; or set "
                    f"{' and '.join(calls) or state or 'it'} once, before the first step, by which "
                    "every step computes then"
                )
            yield Match(
                message=message,
                fix=fix,
                **of_recompiles(group, first.location),
                key=state,
                detail=SharedSetting(
                    tuple(name for name in _CALLS if name in state),
                    "modes" if state == _FUNCTION_MODES else "call",
                ),
            )
        yield from _of_forwards_under_autocast(facts)
        yield from _of_backwards_with_graph(facts)


def _put_back(left: Unrestored) -> str:
    """Say to put a setting back where a function, or an `__exit__`, leaves it changed."""
    function, setting = left.function, left.setting.module.code(left.setting.node)
    if left.branch is not None:
        assert isinstance(left.branch.node, ast.If)
        owner = getattr(function.module.parents.get(function.node), "name", "it")
        test = left.branch.module.code(left.branch.node.test)
        return (
            f"let `{owner}.__exit__` put the setting back in any case: it does so only if `{test}` "
            f"({in_brief(left.branch.frame)}), so that `{setting}` holds after the `with`, too"
        )
    name = getattr(function.node, "name", "the function")
    return (
        f"put the setting back at the end of `{name}`, in a `finally`: after `{setting}` "
        f"({in_brief(left.setting.frame)}) it stays that for the calls after it"
    )


def _of_functions(facts: ProcessFacts) -> Iterator[Match]:
    """Match blocks that an `autograd.Function` runs without gradients, its backward with them."""
    groups: dict[Frame | None, list[ModeChange]] = {}
    of_breaks = breaking.recomputed(facts, breaking.backward_breaks(facts))  # CA507 has them
    for change in facts.mode_changes:
        if change.function is not None and change not in of_breaks:
            groups.setdefault(change.function.caller, []).append(change)
    for caller, group in groups.items():
        function = group[0].function
        assert function is not None
        what = _compiled(group)
        if function.is_checkpoint:
            message = (
                f"{what} twice: a reentrant checkpoint runs its block without gradients in the "
                "forward, and with them in the backward"
            )
            fix = (
                "pass `use_reentrant=False` to `checkpoint`, which runs the block with gradients "
                "both times: one compile then serves both"
            )
        else:
            message = (
                f"{what} twice: the forward of an `autograd.Function` runs it without gradients, "
                "and its backward with them"
            )
            fix = (
                "call `torch.utils.checkpoint.checkpoint(…, use_reentrant=False)` in place of the "
                "Function: what it runs again has gradients both times, and needs one compile"
            )
        yield _match(
            group,
            message=message,
            fix=fix,
            location=None if caller is None or is_installed(caller.file) else caller,
            key="reentrant checkpoint" if function.is_checkpoint else "autograd.Function",
            detail=SharedSetting(by="checkpoint" if function.is_checkpoint else "function"),
            edits=("not_reentrant",) if function.is_checkpoint else None,
        )


def _of_probes(facts: ProcessFacts) -> Iterator[Match]:
    """Find evaluations and warm-ups that keep gradients which no backward takes."""
    groups: dict[tuple[Frame | None, str], list[ModeChange]] = {}
    for change in facts.mode_changes:
        if change.origin == "kept":
            keeping, mode = change.keeping.held, _mode_of(change.other)
            where = None if keeping is None else own_frame(keeping.stack)
            groups.setdefault((where, mode), []).append(change)
    for (where, mode), group in groups.items():
        other = next((one.other.held for one in group if one.other and one.other.held), None)
        beside = None if other is None else own_frame(other.stack)
        outside = _common({_has_outside_inputs(one, facts) for one in group})
        yield _match(
            group,
            message=(
                f"{_compiled(group)} with gradients{_at(where)} and without them{_at(beside)}, and "
                "no backward takes any: one mode would serve both"
            ),
            fix=(
                f"put the call that keeps gradients{_at(where)} under {mode}, "
                f"{'as the other is' if beside is not None else 'as other calls are'}: both run on "
                f"one compile then{_INPUTS[outside] if _INFERENCE in mode else ''}"
            ),
            location=where,
            key="kept gradients",
            detail=SharedSetting(_MODES_WITHOUT.get(mode, ()), "evaluation", outside),
        )


def _has_outside_inputs(change: ModeChange, facts: ProcessFacts) -> bool | None:
    """Return whether the call without gradients got tensors from outside of inference mode."""
    return None if change.other is None else facts.has_outside_inputs(change.other)


def _common(values: set[bool | None]) -> bool | None:
    """Return the one value that there is; None where there are several."""
    return next(iter(values)) if len(values) == 1 else None


def _mode_of(compiled: Compile | None) -> str:
    """Name what keeps no gradients around a compile: an older recording does not tell the two."""
    held = None if compiled is None else compiled.held
    if held is None:
        return _NO_GRAD
    if held.inference is None:
        return f"{_NO_GRAD} or {_INFERENCE}"
    return _INFERENCE if held.inference else _NO_GRAD


def _at(frame: Frame | None) -> str:
    return "" if frame is None else f" ({in_brief(frame)})"


def _of_one_line(facts: ProcessFacts) -> Iterator[Match]:
    """Call from one line, within a step, of which some keep gradients and others do not."""
    group = [change for change in facts.mode_changes if change.origin == "one_line"]
    if not group:
        return
    held = group[0].recompile.compiled.held
    yield _match(
        group,
        message=f"{_compiled(group)} with gradients and without: one line calls it in both modes",
        fix=(
            "keep one grad mode around this call: with gradients on in all of them and `.detach()` "
            "on the results that need none, one compile serves all; where no backward follows, "
            "put all under `torch.no_grad()`"
        ),
        location=None if held is None else own_frame(held.stack),
        key=_GRAD_MODE,
        detail=SharedSetting((_GRAD_MODE,)),
    )


def _of_threads(facts: ProcessFacts) -> Iterator[Match]:
    """Call of several threads, of which one keeps gradients and another does not."""
    groups: dict[tuple[str | None, str | None], list[ModeChange]] = {}
    for change in facts.mode_changes:
        if change.origin == "threads":
            keeping, other = _by_gradients(change)
            groups.setdefault((keeping.thread, other.thread), []).append(change)
    for (keeping_in, other_in), group in groups.items():
        keeping, other = _by_gradients(group[0])
        frame, mode = own_frame(keeping.stack), _INFERENCE if other.inference else _NO_GRAD
        if frame is not None and is_library_file(frame.file):
            frame = None  # a pool calls the model itself
        line = "" if frame is None else f" ({in_brief(frame)})"
        yield _match(
            group,
            message=(
                f"{_compiled(group)} with gradients in {thread_named(keeping_in)}, without in "
                f"{thread_named(other_in)}: each thread has a grad mode of its own"
            ),
            fix=(
                f"put what runs in {thread_named(keeping_in)} under {mode}{line}, "
                "unless a backward follows: `torch.set_grad_enabled(False)` holds for the "
                "thread that calls it, and a new one begins with gradients; or keep them on in both"
            ),
            location=frame,
            key=_GRAD_MODE,
            detail=SharedSetting((_GRAD_MODE,), "thread"),
            edits=_IN_INFERENCE if other.inference else ("one_setting",),
        )


def _by_gradients(change: ModeChange) -> tuple[RecordedGuards, RecordedGuards]:
    """Return the records of the compile with gradients and of the one without."""
    now = change.recompile.compiled.held
    before = None if change.earlier is None else change.earlier.held
    assert now is not None
    assert before is not None
    return (now, before) if now.gradients else (before, now)


def _of_unknown_callers(facts: ProcessFacts) -> Iterator[Match]:
    """Match recompiles for grad mode in a log that does not say which calls they were for."""
    group = [change for change in facts.mode_changes if change.origin == "unknown"]
    if not group:
        return
    yield _match(
        group,
        message=(
            f"{_compiled(group)} with gradients and without; which calls these were is not in this "
            "log"
        ),
        fix=(
            "nothing, if one is an evaluation under `torch.no_grad()`: each mode is compiled once; "
            "if both are in one step, keep gradients on in both, and pass `use_reentrant=False` to "
            "`checkpoint`; `ca run` records the calls"
        ),
        key=_GRAD_MODE,
        detail=SharedSetting((_GRAD_MODE,), "unknown"),
        severity="info",
        confidence="low",
    )


def _match(group: Sequence[ModeChange], **fields: Any) -> Match:
    recompiles = [change.recompile for change in group]
    return Match(
        **of_compiles(recompiles, recompiles[0].compiled.location),
        group="",
        **fields,
    )


def _compiled(group: Sequence[ModeChange]) -> str:
    """Return `` `f` and 2 more functions are compiled``."""
    return are_compiled([change.recompile.compiled for change in group])


def _of_backwards_with_graph(facts: ProcessFacts) -> Iterator[Match]:
    """Match backwards that differ in nothing but that some record a graph of themselves."""
    toggled = [
        found
        for found in compared(facts)
        if found.closest is not None
        and not found.changes
        and _records_graph(found) is not _records_graph(found.closest)
    ]
    for group in by_call(toggled):
        yield Match(
            message=(
                "some backwards record a graph of themselves (`create_graph=True`) and others do "
                "not: each kind is captured for itself"
            ),
            fix=(
                "pass the same `create_graph` in every step; where a gradient is needed as a part "
                "of the loss, take it with `torch.autograd.grad(…, create_graph=True)`, and call "
                "`backward()` without it"
            ),
            **of_captures(group),
            key="create_graph",
            detail=SharedSetting(by="backward"),
        )


def _records_graph(found: CaptureFacts) -> bool:
    return bool(found.capture.modes.get("grad_enabled"))


def _of_forwards_under_autocast(facts: ProcessFacts) -> Iterator[Match]:
    """Forward that cast their parameters in some steps and not in others."""
    found = [(capture, share(capture, _is_cast)) for capture in compared(facts)]
    toggled = [
        (capture, part)
        for capture, part in found
        if part is not None and _casts_parameters(capture) and not switched(capture, "is")
    ]
    for group in by_call([capture for capture, _ in toggled]):
        specificity, confidence = weigh(
            [part for capture, part in toggled if part and capture in group]
        )
        dtypes = sorted(
            {
                str(value).removeprefix("torch.")
                for capture in group
                for change in capture.changes
                if change.attribute.endswith(".dtype")
                for value in (change.before, change.after)
                if value is not None
            }
        )
        yield Match(
            message=(
                "the forward ran under autocast in some steps and not in others"
                f"{f' ({listed(dtypes)})' if dtypes else ''}: its casts come and go in the backward"
            ),
            fix=(
                "enter `torch.autocast` in every step or in none; a change in the course of the "
                "training (after a warm-up, say) costs one capture each"
            ),
            **of_captures(group, more=recompiles_of(facts, group)),
            location=forward_line(group, _is_cast),
            confidence=confidence,
            key="autocast in the forward",
            detail=SharedSetting(("autocast",)),
            specificity=specificity,
            explains=_explains_casts,
        )


def _explains_casts(found: CaptureFacts, change: Change) -> bool:
    return _is_cast(change) or makes_other_nodes(found, change)


def _is_cast(change: Change) -> bool:
    """Return whether a cast came or went, or something has another dtype for it."""
    if change.attribute == "node":
        return _CAST in (change.before, change.after)
    return change.attribute.endswith((".dtype", "output_dtypes"))


def _casts_parameters(found: CaptureFacts) -> bool:
    """Return whether there are more casts of parameters than in the closest capture, or fewer."""
    closest = found.closest
    return closest is not None and _parameter_casts(found) != _parameter_casts(closest)


def _parameter_casts(found: CaptureFacts) -> int:
    parameters = {node.get("index") for node in found.nodes if node.get("parameter")}
    return sum(
        node.get("name") == _CAST and bool(parameters.intersection(node.get("next", ())))
        for node in found.nodes
    )
