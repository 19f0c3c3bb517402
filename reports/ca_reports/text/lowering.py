"""How captured graphs reached their backends, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.text.numbers import counted, duration
from ca_reports.text.values import first_few

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ca_reports.lowered import RecordedLowering
    from ca_reports.model import Capture

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
    "lifted_number": "a number that is an input of the graph",
    "mode": "a mode",
    "device": "device",
    "tensor_kind": "tensor of another kind",
    "grad_form": "a .grad that can't be added to alone",
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
    """``Python hook scale at train.py:40``: why it was not lowered, or not from templates."""
    if found.reason is None:
        return None
    words = [_REASONS.get(found.reason, found.reason), found.detail or ""]
    place = "" if found.file is None else f" at {found.file.rpartition('/')[2]}:{found.line or 0}"
    return " ".join(word for word in words if word) + place


def lowering_lines(captures: Iterable[Capture]) -> Iterator[str]:
    """Say what became of the graphs where lowering was on: a sentence, and one for each reason."""
    found = [(each, each.lowering) for each in captures if each.lowering is not None]
    if not found:
        return
    done = [lowering for _, lowering in found if lowering.is_lowered]
    seconds = sum(lowering.seconds or 0.0 for lowering in done)
    yield (
        f"Lowered {len(done)} of {counted(len(found), 'captured graph')} without Dynamo, in "
        f"{duration(seconds)}."
    )
    labels: dict[tuple[str, str], list[str]] = {}
    for capture, lowering in found:
        why = lowering_reason(lowering)
        if why is not None:
            what = "Traced by AOTAutograd" if lowering.is_lowered else "Not lowered"
            labels.setdefault((what, why), []).append(capture.label)
    for (what, why), of_one in labels.items():
        yield f"{what}: {first_few(of_one, 1)}: {why}."
