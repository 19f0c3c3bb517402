"""Classifies the difference between a backward and the closest earlier one.

Pure functions of facts, shared by the rules on the autograd graph (CA201 to CA302). They
take what the recorder compared: without it (torch's own logs) there are no changes, and
only torch's reason with its key sizes is left.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Literal

from ca_engine.lazy_expressions import expression
from ca_reports.causes.rules.base import GENERAL, SPECIFIC
from ca_reports.facts.events import ACCUMULATE_GRAD, GRAPH_ROOT
from ca_reports.words.values import listed, short_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ca_reports.causes.findings import Confidence
    from ca_reports.facts.events import CaptureFacts
    from ca_reports.facts.process import ProcessFacts
    from ca_reports.run.model import Change, Compile, Frame

# What may be switched on a module, a parameter or an input; the rest are nodes' attributes.
SWITCHES = frozenset(("training", "p", "requires_grad", "input requires_grad", "is"))

# By how much C++'s key of an operation grows by one edge or two, each with a tensor saved or not.
_MORE_EDGES = frozenset((18, 29, 36, 47, 58))

Share = Literal["all", "leading", "some"]

# `x[:n]`, and the same where n is the whole size.
_SLICE, _ALIAS = "SliceBackward0", "AliasBackward0"
_SIZES = expression(r"(?:^|[._])(?:shape|shapes|sizes|size|strides|stride|numel)$")


def is_switch(change: Change) -> bool:
    """Return whether ``change`` is of a module, parameter or input, not of an autograd node."""
    return change.index is None and change.attribute in SWITCHES


def switched(found: CaptureFacts, *attributes: str) -> tuple[Change, ...]:
    """Return the switches of these attributes that changed."""
    return tuple(
        change for change in found.changes if is_switch(change) and change.attribute in attributes
    )


def is_size(change: Change) -> bool:
    """Return whether ``change`` is of a size or a stride, which alone never makes a new node."""
    return bool(_SIZES.search(change.attribute))


def node_changes(found: CaptureFacts) -> tuple[Change, ...]:
    """Return the changes of autograd nodes, sizes and wiring that follows from them aside."""
    return tuple(
        change
        for change in found.changes
        if not is_switch(change) and not is_size(change) and change.attribute != "next"
    )


def makes_other_nodes(found: CaptureFacts, change: Change) -> bool:
    """Return whether a node came, went or is wired otherwise, or what follows from that.

    Gradients of layers that ran before do not: they are another cause.
    """
    if change.attribute == ".grad":
        return not has_equal_parameters(found)
    return not is_switch(change) and change.attribute in ("node", "next")


def has_equal_parameters(found: CaptureFacts) -> bool:
    """Return whether the closest capture was of the same parameters, which thus all had run."""
    return found.closest is not None and found.parameters == found.closest.parameters


def is_whole_slice(found: CaptureFacts, *, resized: bool) -> bool:
    """Return whether slices took all of their tensor here or in the closest capture, not in both.

    Autograd then has an alias in their place: another size, and no other branch. ``resized`` asks
    for those whose inputs have other sizes now, else for those whose inputs have the same.
    """
    nodes = {name.rpartition("::")[2] for name in (*found.added, *found.removed)}
    if found.closest is None or not nodes or not nodes <= {_SLICE, _ALIAS}:
        return False
    now, before = found.capture.data, found.closest.capture.data
    return any(before.get(name, size) != size for name, size in now.items()) is resized


def share(found: CaptureFacts, belongs: Callable[[Change], bool]) -> Share | None:
    """Return how much of the difference ``belongs`` to a cause; None if nothing does.

    ``all`` of it; or the node at which torch's search ended, so that it is what came first
    (``leading``); or ``some``, and something else came first.
    """
    changes = node_changes(found)
    own = [change for change in changes if belongs(change)]
    if not own:
        return None
    if len(own) == len(changes):
        return "all"
    node = found.capture.node
    leading = node is not None and any(change.index == node.index for change in own)
    return "leading" if leading else "some"


def weigh(shares: Iterable[Share]) -> tuple[int, Confidence]:
    """Specificity and confidence of a match whose captures have these shares."""
    worst = max(shares, key=("all", "leading", "some").index)
    weights: dict[Share, tuple[int, Confidence]] = {
        "all": (SPECIFIC + 2, "high"),
        "leading": (SPECIFIC, "medium"),
        "some": (GENERAL - 5, "low"),
    }
    return weights[worst]


def compared(facts: ProcessFacts) -> tuple[CaptureFacts, ...]:
    """Return the recaptures whose difference to an earlier capture is known and is their own.

    Left out is the backward of a compiled forward that was compiled again: its cause is the
    forward's (CA401).
    """
    return tuple(
        found
        for found in facts.recaptures
        if found.capture.error is None
        and found.closest is not None
        and not (found.aot_replaced and found.forward)
    )


def by_call(captures: Iterable[CaptureFacts]) -> list[tuple[CaptureFacts, ...]]:
    """Return the captures, those of one backward call together, in order."""
    groups: dict[tuple[str, int] | None, list[CaptureFacts]] = {}
    for found in captures:
        groups.setdefault(found.call_place, []).append(found)
    return [tuple(group) for group in groups.values()]


def node_gain(found: CaptureFacts, before: CaptureFacts) -> Counter[str]:
    """Node name → how many more there are than in ``before``; negative for fewer, no zeros."""
    gain = Counter(found.node_names)
    gain.subtract(before.node_names)
    return Counter({name: number for name, number in gain.items() if number})


def parameters_whose_key_changed(facts: ProcessFacts, *sizes: int) -> list[CaptureFacts]:
    """Return recaptures at a parameter's node whose key is one of ``sizes`` longer or shorter.

    All that torch's own logs tell of what a key holds.
    """
    return [
        found
        for found in facts.recaptures
        if found.capture.node is not None
        and found.capture.node.name == ACCUMULATE_GRAD
        and any(
            abs((found.capture.key_size or 0) - previous) in sizes
            for previous in found.capture.previous_key_sizes
        )
    ]


def operations_with_more_edges(facts: ProcessFacts) -> list[CaptureFacts]:
    """Return recaptures at an operation whose key is an edge longer, with a tensor saved or not.

    The edge leads to an input that needed no gradient before. Measured on torch 2.13.0 by a weight
    that is frozen and then not: 29 of a product, 18 of a convolution and a layer norm, which save
    the input in any case.
    """
    repeated = {one for group in repeated_operations(facts) for one in group}
    return [
        found
        for found in facts.recaptures
        if found not in repeated and any(one in _MORE_EDGES for one in _grown(found))
    ]


def repeated_operations(facts: ProcessFacts) -> list[list[CaptureFacts]]:
    """Return recaptures by an operation whose key is longer at one place, and shorter at another.

    As that of ``x = x + layer(x)``: its first round alone adds to what needs no gradient, and
    stands elsewhere in a graph of more rounds, or of fewer. A flag that is switched is one of one
    place.
    """
    groups: dict[str, list[CaptureFacts]] = {}
    for found in facts.recaptures:
        if found.capture.node is not None and {*map(abs, _grown(found))} & _MORE_EDGES:
            groups.setdefault(found.capture.node.name, []).append(found)
    return [
        group
        for group in groups.values()
        if len({one.capture.node.index for one in group if one.capture.node is not None}) > 1
        and len({each > 0 for one in group for each in _grown(one)}) > 1
    ]


def _grown(found: CaptureFacts) -> list[int]:
    """Return by how much the key of an operation, no leaf and no root, is longer than those known.

    Negative where it is shorter.
    """
    node, size = found.capture.node, found.capture.key_size or 0
    if node is None or node.name in (ACCUMULATE_GRAD, GRAPH_ROOT):
        return []
    return [size - previous for previous in found.capture.previous_key_sizes]


def leaves(found: CaptureFacts) -> tuple[Mapping[str, Any], ...]:
    """Return the AccumulateGrad nodes of tensors that are no ``nn.Parameter``."""
    return tuple(
        node for node in found.nodes if node.get("name") == ACCUMULATE_GRAD and "variables" in node
    )


def are_alike_above_parameters(found: CaptureFacts, closest: CaptureFacts) -> bool:
    """Return whether the nodes that lead to parameters are as many, of the same names."""
    return _above_parameters(found) == _above_parameters(closest)


def _above_parameters(found: CaptureFacts) -> Counter[str]:
    """Node name → how many of these nodes lead to a parameter."""
    before: dict[int, list[int]] = {}
    names: dict[int, str] = {}
    for node in found.nodes:
        index = int(node["index"])
        names[index] = str(node.get("name"))
        for edge in node.get("next") or ():
            before.setdefault(edge, []).append(index)
    waiting = [int(node["index"]) for node in found.nodes if node.get("parameter")]
    seen = set(waiting)
    while waiting:
        for index in before.get(waiting.pop(), ()):
            if index not in seen:
                seen.add(index)
                waiting.append(index)
    return Counter(names[index] for index in seen)


def forward_line(
    captures: Iterable[CaptureFacts], belongs: Callable[[Change], bool] = lambda _: True
) -> Frame | None:
    """Return the line of the forward that made what changed, of the first capture with one.

    Of changes that ``belongs`` accepts; that of the node which torch names comes first, unless
    there are as many nodes of its name as before: it only moved. None where no lines were noted.
    """
    for found in captures:
        named = None if found.capture.node is None else found.capture.node.index
        own = [change for change in found.changes if change.forward and belongs(change)]
        moved = {change.name for change in own} - {*found.added, *found.removed}
        own.sort(key=lambda change: (change.name in moved, change.index != named))
        if own:
            return own[0].forward
    return None


def root_variable(found: CaptureFacts) -> str | None:
    """Return the variable that holds the tensor on which backward was called."""
    root = found.node(0) or {}
    names = root.get("variables")
    first = names[0] if isinstance(names, list) and names else None
    return first if isinstance(first, str) else None


def recompiles_of(facts: ProcessFacts, captures: Sequence[CaptureFacts]) -> tuple[Compile, ...]:
    """Dynamo's recompiles of the graphs of these captures."""
    ids = {found.capture.id for found in captures}
    return tuple(
        found.compiled for found in facts.graph_recompiles if found.compiled.capture in ids
    )


def one_mode(modules: str) -> str:
    """Say what to do about ``train()`` and ``eval()`` of ``modules``, as the user calls them."""
    return (
        f"keep {modules} in one mode for all backwards: call `eval()` only around validation, or "
        "once before the first step"
    )


def modules_of(parameters: Iterable[str]) -> list[str]:
    """Return ``layers.1`` for ``layers.1.weight`` and ``layers.1.bias``; sorted, each once.

    A parameter of the root module stands for itself.
    """
    return sorted({name.rpartition(".")[0] or name for name in parameters})


def node_counts(nodes: Counter[str]) -> str:
    """Return ``2 × AddmmBackward0, TanhBackward0``; of negative counts the size."""
    return listed(
        [
            short_name(name) if abs(number) == 1 else f"{abs(number)} × {short_name(name)}"
            for name, number in sorted(nodes.items(), key=lambda item: -abs(item[1]))
        ]
    )
