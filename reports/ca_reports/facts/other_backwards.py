"""Tells another backward of the program from the same one that was captured again.

A generator and a discriminator, the penalty of a lazy regularisation, the inner and the outer loop
of a meta-learner, the losses of several tasks: a step may call several backwards, and each has to
be captured once. What differs between two of them is no cause of anything. So only captures of one
backward are compared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.facts.events import ACCUMULATE_GRAD, GRAPH_ROOT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ca_reports.facts.events import CaptureFacts
    from ca_reports.program.stack import Frame

# What of the root says which backward it is: from where it starts, and for whom.
_ROOT = ("outputs", "inputs_asked_for")


def other_backwards(
    captures: Sequence[CaptureFacts], steps: Iterable[tuple[int, int]]
) -> tuple[CaptureFacts, ...]:
    """Return the captures that are the first of a backward that was not captured before.

    ``steps`` are the backwards of the process as (step, capture).
    """
    known = {found.capture.id for found in captures}
    last = {id: step for step, id in steps if id in known}
    return tuple(_others(captures, last))


def _others(captures: Sequence[CaptureFacts], last: Mapping[int, int]) -> Iterator[CaptureFacts]:
    # The networks that each call went through, and the last step of any backward so far.
    known: dict[tuple[Frame, ...], set[str]] = {}
    latest = -1
    for found in captures:
        networks = known.get(found.call)
        if found.closest is not None and found.capture.error is None and found.call:
            if networks is not None:
                is_other = (
                    bool(networks) and bool(own := _networks(found)) and not own & networks
                ) or _is_of_same_forward(found)
            else:
                # Where no backward of another call came again, a phase ended before this one.
                by_turns = found.capture.step is not None and latest > found.capture.step
                is_other = _starts_elsewhere(found) or (by_turns and _goes_elsewhere(found))
            if is_other:
                yield found
        known.setdefault(found.call, set()).update(_networks(found))
        latest = max(latest, last.get(found.capture.id, -1))


def _is_of_same_forward(found: CaptureFacts) -> bool:
    """Return whether it goes through the forward of the backward just before, from another loss.

    One line may differentiate several losses of one forward: ``[grad(loss) for loss in losses]``.
    A graph that grows goes through an earlier forward, too; but on its way it meets what the
    earlier backward started from, or starts from the like of it and reaches the same parameters.
    """
    before = found.previous
    if not found.capture.carried_nodes or before is None or before.call != found.call:
        return False
    start = root_attribute(before, "outputs")
    starts = start if isinstance(start, list) else [start]
    carried = {node.get("name") for node in found.nodes if node.get("carried")}
    if carried & set(starts):
        return False
    return start != root_attribute(found, "outputs") or bool(
        found.parameters - before.parameters and before.parameters - found.parameters
    )


def _networks(found: CaptureFacts) -> set[str]:
    """Return the modules whose parameters get gradients, by the variables that hold them.

    One line may call the backward of each network in turn: ``for loss in losses: loss.backward()``.
    Empty where gradients of some tensors were asked for: those may be any of one network's.
    """
    if root_attribute(found, "inputs_asked_for"):
        return set()
    return {name.partition(".")[0] for name in found.parameters if "." in name}


def _starts_elsewhere(found: CaptureFacts) -> bool:
    return any(change.name == GRAPH_ROOT and change.attribute in _ROOT for change in found.changes)


def _goes_elsewhere(found: CaptureFacts) -> bool:
    """Return whether other operations were differentiated, not only other gradients stored."""
    return any(name != ACCUMULATE_GRAD for name in (*found.added, *found.removed))


def root_attribute(found: CaptureFacts, name: str) -> object:
    """Return the GraphRoot's ``outputs``, ``output_dtypes`` or ``inputs_asked_for``."""
    root = found.node(0) or {}
    return (root.get("attributes") or {}).get(name)
