"""CA206."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_engine.lazy_expressions import expression
from ca_reports.causes.findings import BakedNumber
from ca_reports.causes.located import graphs
from ca_reports.causes.rules.base import SPECIFIC, Match, Rule, of_captures
from ca_reports.causes.rules.structure import compared, recompiles_of, share
from ca_reports.words.numbers import six_digits
from ca_reports.words.values import short_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ca_reports.causes.rules.structure import Share
    from ca_reports.facts.events import CaptureFacts
    from ca_reports.facts.process import ProcessFacts
    from ca_reports.run.model import Change

_VALUES_TOLD = 6
# Nodes of torch's own end in a digit; Python Functions save no attributes that are seen.
_TORCHS_OWN = expression(r"Backward\d+$")
# Ints are sizes, dimensions and indices mostly; these attributes are numbers of the user's.
_SCALARS = frozenset(
    "alpha beta delta eps exponent lambd lower margin max max_norm max_val min min_norm min_val "  # noqa: SIM905
    "negative_slope norm_type ord other p scale smoothing threshold upper value weight".split()
)
# CTC keeps these as numbers, also where it is given tensors of them.
_LENGTHS = frozenset(("input_lengths", "target_lengths"))
_ONE_LENGTH = (
    "pad all inputs to one length, and give the loss that length for each of them: it keeps the "
    "lengths as numbers, tensors of them too"
)
# What to write instead, by the beginning of the node's name.
_INSTEAD = {
    "Pow": "a tensor exponent: `x.pow(torch.tensor(e))`",
    "Add": "multiply by a tensor instead of `alpha=`: `x + alpha * y`",
    "Sub": "multiply by a tensor instead of `alpha=`: `x - alpha * y`",
    "LeakyRelu": "`torch.where(x > 0, x, slope * x)` with the slope as a tensor",
    "Elu": "write it out with `torch.where` and the slope as a tensor",
    "Clamp": "tensor bounds: `torch.clamp(x, min=torch.tensor(a), max=torch.tensor(b))`",
    "Hardtanh": "tensor bounds: `torch.clamp(x, min=torch.tensor(a), max=torch.tensor(b))`",
    "Threshold": "`torch.where(x > threshold, x, value)` with the threshold as a tensor",
    "Softplus": "scale by a tensor: `softplus(x * beta) / beta`",
    "Huber": "write it out with `torch.where` and delta as a tensor",
    "SmoothL1": "write it out with `torch.where` and beta as a tensor",
    "Lerp": "a tensor weight: `torch.lerp(a, b, torch.tensor(w))`",
    "Addcmul": "multiply by a tensor instead of `value=`: `x + value * a * b`",
    "Addcdiv": "multiply by a tensor instead of `value=`: `x + value * a / b`",
    "Scaled": "scale the query by a tensor before the call, with `scale=1.0`",
    "Mul": "multiply by a tensor; for label smoothing, write the smoothed loss out",
    "LinalgVectorNorm": "`x.abs().pow(p).sum().pow(1 / p)` with p as a tensor",
}


class ScalarBaked(Rule):
    """An operation saves a Python number for its backward, and the number changes.

    ## What it is

    The exponent of `pow`, `alpha` of `add`, the slope of `leaky_relu` or `elu`, the bounds of
    `clamp`, a threshold, `beta` of `softplus`, `delta` of the Huber loss, the weight of
    `lerp`, label smoothing, the scale of attention, the order of a norm: annealed or computed
    as a Python number. So are the lengths that CTC is given, of inputs and of targets.

    ## Why it costs

    The number is part of compiled autograd's key: one capture and one compile for **each**
    value, in every step if it is annealed.

    ## Example

        exponent = 2.0 + 0.01 * step
        loss = error.abs().pow(exponent).mean()

    ## What to do

    Pass the number as a tensor: it is then an input of the captured graph, whatever its value:
    `pow(torch.tensor(exponent))`, `torch.where` for slopes and thresholds, tensor bounds for
    `clamp`. Plain `x * s`, `x / s` and `x + s` are fine: torch wraps those numbers.

    ## Measured

    One capture for each value became 1 in all (torch 2.13.0, CPU).

    ## When the rule can be wrong

    A number that changes once, at the start of a new phase, costs one capture, which may be
    fine. Where the number is derived from a size, the size is the cause.
    """

    code = "CA206"
    name = "scalar-baked"
    place = graphs.number
    edits = ("tensor_operand",)
    located_in_forward = True

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        if not facts.recorded:
            yield from _from_reasons(facts)
            return
        groups: dict[tuple[object, ...], list[tuple[CaptureFacts, Change, Share]]] = {}
        for found in compared(facts):
            part = share(found, is_scalar)
            if part is None:
                continue
            # What torch's search ended at, else the first; and one of each other kind of node,
            # whose number makes this capture as well.
            node = found.capture.node
            own = [change for change in found.changes if is_scalar(change)]
            own.sort(key=lambda change: node is None or change.index != node.index)
            for change in {one.name: one for one in reversed(own)}.values():
                group = (change.name, change.attribute, found.call_place)
                groups.setdefault(group, []).append((found, change, part))
        for (name, attribute, _), found_of in groups.items():
            captures = [found for found, _, _ in found_of]
            yield _match(
                facts,
                str(name),
                str(attribute),
                captures,
                [change for _, change, _ in found_of],
                [part for _, _, part in found_of],
            )


def is_scalar(change: Change) -> bool:
    """Return whether a node keeps another number of the user's than before."""
    if change.index is None or not _TORCHS_OWN.search(change.name):
        return False
    if change.attribute in _LENGTHS:
        return True
    values = [value for value in (change.before, change.after) if value is not None]
    if not values or any(isinstance(value, (bool, str, list, dict)) for value in values):
        return False
    return any(isinstance(value, float) for value in values) or change.attribute in _SCALARS


def _match(
    facts: ProcessFacts,
    name: str,
    attribute: str,
    captures: Sequence[CaptureFacts],
    changes: Sequence[Change],
    shares: Sequence[Share],
) -> Match:
    node = short_name(name)
    values = _values(changes)
    told = " → ".join(values[:_VALUES_TOLD]) + (" → …" if len(values) > _VALUES_TOLD else "")
    alone = all(part == "all" for part in shares)
    leading = all(part != "some" for part in shares)
    return Match(
        message=f"{node} {attribute} {told}: one capture for each value",
        fix=_fix(node, attribute),
        **of_captures(captures, more=recompiles_of(facts, captures)),
        location=next((change.forward for change in changes if change.forward), None),
        confidence="high" if alone else "medium" if leading else "low",
        key=f"{node} {attribute}",
        specificity=SPECIFIC + (3 if leading else -25),
        detail=BakedNumber(node, attribute, tuple(_numbers(changes))),
        explains=lambda found, change: change.name == name and _explains(found, change),
    )


def _fix(node: str, attribute: str) -> str:
    if attribute in _LENGTHS:
        return _ONE_LENGTH
    instead = next((text for prefix, text in _INSTEAD.items() if node.startswith(prefix)), None)
    if instead is None:
        return (
            f"write the operation with a tensor for {attribute} where it takes one, or keep one "
            "value"
        )
    return f"instead of a Python number for {attribute}: {instead}"


def _explains(found: CaptureFacts, change: Change) -> bool:
    """Of nodes that came or went, nobody knows which of those that are left is which."""
    return is_scalar(change) and change.name not in {*found.added, *found.removed}


def _from_reasons(facts: ProcessFacts) -> Iterator[Match]:
    """In torch's own logs: the same node, known to save a number, with keys of equal size."""
    groups: dict[str, list[CaptureFacts]] = {}
    for found in facts.recaptures:
        node, known = found.capture.node, found.capture.previous_key_sizes
        if node is not None and known and set(known) == {found.capture.key_size}:
            groups.setdefault(short_name(node.name), []).append(found)
    for name, captures in groups.items():
        instead = next((text for prefix, text in _INSTEAD.items() if name.startswith(prefix)), None)
        if instead is None or not _TORCHS_OWN.search(name):
            continue
        yield Match(
            message=f"{name} saves a Python number that changes: one capture for each value",
            fix=f"instead of a Python number: {instead}",
            **of_captures(captures),
            confidence="medium",
            key=name,
            detail=BakedNumber(name, "", ()),
            specificity=SPECIFIC,
        )


def _values(changes: Sequence[Change]) -> list[str]:
    """Return the distinct values, in the order of the captures."""
    found: list[object] = [changes[0].before, *(change.after for change in changes)]
    return list(dict.fromkeys(_number(value) for value in found))


def _numbers(changes: Sequence[Change]) -> list[float]:
    """Return the distinct numbers, in the order of the captures."""
    found = [changes[0].before, *(change.after for change in changes)]
    return list(dict.fromkeys(float(value) for value in found if isinstance(value, int | float)))


def _number(value: object) -> str:
    text = str(value)
    return six_digits(value) if isinstance(value, float) and len(text) > 8 else text
