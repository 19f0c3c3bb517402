"""Words about the way of captured graphs to their backends, and the cost of torch's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.facts import torch_costs
from ca_reports.words.numbers import counted, duration
from ca_reports.words.values import first_few

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ca_reports.facts.torch_costs import Estimate
    from ca_reports.run.lowered import RecordedBackground, RecordedLowering
    from ca_reports.run.model import Capture, Process, Run

_REASONS = {
    "unknown_compiler": "the compiler function is not torch.compile",
    "unknown_backend": "backend",
    "compiler_option": "torch.compile with",
    "config": "setting",
    "not_asked_for": "switched off for backend",
    "fullgraph": "fullgraph, and Python code in the graph",
    "python_hook": "Python hook",
    "python_function": "autograd.Function",
    "cpp_hook": "C++ hook",
    "cpp_function": "C++ Function",
    "module_call": "a module called in the backward",
    "dynamic_sizes": "dynamic sizes",
    "many_sizes": "sizes are many:",
    "lifted_number": "a number that is an input of the graph",
    "mode": "a mode",
    "device": "device",
    "tensor_kind": "tensor of another kind",
    "grad_form": "a .grad that can't be added to alone",
    "grad_overlaps": "an expanded .grad",
    "grad_is_read": "the graph reads a .grad",
    "undefined_gradient": "an undefined gradient",
    "accumulates_twice": "a parameter that gets two gradients",
    "output_alias": "",
    "changes_a_tensor": "written in place by",
    "changes_metadata": "tensor changed by",
    "constant": "constant of type",
    "result": "result of type",
    "higher_order_operator": "higher-order operator",
    "late_view": "a view of what was just written, from",
    "untraceable": "can't be traced:",
    "guard": "guard failed:",
    "error": "internal error:",
}


def lowering_reason(found: RecordedLowering) -> str | None:
    """Say why it was not lowered, or not from templates: ``Python hook scale at train.py:40``."""
    if found.reason is None:
        return None
    words = [_REASONS.get(found.reason, found.reason), found.detail or ""]
    place = "" if found.file is None else f" at {found.file.rpartition('/')[2]}:{found.line or 0}"
    return " ".join(word for word in words if word) + place


def lowering_words(found: RecordedLowering) -> str:
    """Return ``no: Python hook scale at train.py:40``, ``yes (l2), FxGraphCache hit``."""
    why = lowering_reason(found)
    if not found.is_lowered:
        return f"no: {why}" if why else "no"
    cache = f", FxGraphCache {found.cache}" if found.cache else ""
    cache += f" ({found.cache_reason})" if found.cache_reason else ""
    background = found.background
    beside = f"; {background_words(background)}" if background is not None else ""
    then = "; then compiled by Dynamo" if found.is_left_to_dynamo and not beside else ""
    sizes = f" for {found.size_sets} sizes" if found.size_sets > 1 else ""
    return f"yes ({found.way}){sizes}{cache}{beside}{then}{f': {why}' if why else ''}"


def background_words(found: RecordedBackground) -> str:
    """Return ``compiled in the background in 17 s, took over after 812 backwards``."""
    backwards = counted(found.backwards or 0, "backward")
    if found.is_done:
        done = (
            "compiled by an earlier start"
            if found.is_known
            else f"compiled in the background in {duration(found.compile_seconds or 0.0)}"
        )
        then = "; runs as captured where a guard fails" if found.state == "guard" else ""
        return f"{done}, took over after {backwards}{then}"
    if found.state == "failed":
        return f"not compiled in the background: {found.reason or 'unknown reason'}"
    return "not compiled in the background before the end"


def engine_lines(run: Run) -> Iterator[str]:
    """Say how sizes were captured, whose costs those are, and what lowering saved, or why not."""
    if any(_varied_as_fixed(process) for process in run.processes):
        yield (
            "--enable captures a size as a constant until it varies, as torch.compile does; "
            "torch's own `_enable` captures all as dynamic from the first: so does --dynamic."
        )
    added = torch_costs.torch_capture(run)
    if added is not None:
        taken = sum(each.seconds.capture or 0.0 for each in run.captures)
        yield (
            f"Capturing took {duration(taken)} with ca's engine; torch's would add "
            f"{_about(added)}: --engine torch measures it."
        )
    yield from lowering_lines(run.captures)


def _varied_as_fixed(process: Process) -> bool:
    """Return whether sizes were recaptured where `ca` turned the engine on as torch decides."""
    return (
        bool(process.enabled)
        and process.dynamic is None
        and any(one.kind == "changed_shapes" for one in process.captures)
    )


def _about(found: Estimate) -> str:
    """Return ``about 1.2 s (0.50 s to 2.0 s)``."""
    return f"about {duration(found.seconds)} ({duration(found.least)} to {duration(found.most)})"


def lowering_lines(captures: Iterable[Capture]) -> Iterator[str]:
    """Say what became of the graphs where lowering was on: a sentence, and one for each reason."""
    found = [(each, each.lowering) for each in captures if each.lowering is not None]
    if not found:
        return
    done = [lowering for _, lowering in found if lowering.is_lowered]
    seconds = sum(lowering.seconds or 0.0 for lowering in done)
    added = torch_costs.dynamo(capture for capture, _ in found)
    yield (
        f"Lowered {len(done)} of {counted(len(found), 'captured graph')} without Dynamo, in "
        f"{duration(seconds)}{f'; Dynamo would add {_about(added)}' if added else ''}."
    )
    yield from _background_lines(found)
    labels: dict[tuple[str, str], list[str]] = {}
    for capture, lowering in found:
        why = lowering_reason(lowering)
        if why is not None:
            what = _outcome(lowering)
            labels.setdefault((what, why), []).append(capture.label)
    for (what, why), of_one in labels.items():
        yield f"{what}: {first_few(of_one, 1)}: {why}."


def _beside_the_training(
    waited_for: Sequence[RecordedBackground], done: Sequence[RecordedBackground]
) -> str:
    own = sum(each.own_seconds or 0.0 for each in waited_for)
    backwards = sum(each.backwards or 0 for each in done)
    return (
        f"the training waited {duration(own)}; meanwhile "
        f"{counted(backwards, 'backward')} ran as captured."
    )


def _background_lines(found: Sequence[tuple[Capture, RecordedLowering]]) -> Iterator[str]:
    """Say what was compiled beside the training, and what was not and why."""
    beside = [(each, lowered.background) for each, lowered in found if lowered.background]
    if not beside:
        return
    graphs = counted(len(beside), "graph")
    known = [each for _, each in beside if each.is_known]
    done = [each for _, each in beside if each.is_done and not each.is_known]
    if known:
        yield (
            f"Took {len(known)} of {graphs} from FxGraphCache, where an earlier start had left "
            f"them; {_beside_the_training(known, known)}"
        )
    if len(known) < len(beside):
        seconds = sum(each.compile_seconds or 0.0 for each in done)
        others = [each for _, each in beside if not each.is_known]
        yield (
            f"Compiled {len(done)} of {graphs} in the background, in {duration(seconds)}, of which "
            f"{_beside_the_training(others, done)}"
        )
    labels: dict[str, list[str]] = {}
    for capture, each in beside:
        if not each.is_done:
            labels.setdefault(background_words(each), []).append(capture.label)
    for words, of_one in labels.items():
        yield f"{words[0].upper()}{words[1:]}: {first_few(of_one, 1)}."


def _outcome(found: RecordedLowering) -> str:
    if not found.is_lowered:
        return "Not lowered"
    if found.background is not None and found.reason == "guard":
        return "Runs as captured"
    return "Then compiled by Dynamo" if found.is_left_to_dynamo else "Traced by AOTAutograd"
