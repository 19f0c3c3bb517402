"""CA202."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ca_engine.lazy_expressions import expression
from ca_reports.causes.findings import OtherNodes, RepeatedNodes, Subject
from ca_reports.causes.located import branches, parametrized
from ca_reports.causes.remedies import BY_HAND
from ca_reports.causes.rules.base import GENERAL, SPECIFIC, Match, Rule, of_captures
from ca_reports.causes.rules.ca208_input_requires_grad import flips_input
from ca_reports.causes.rules.structure import (
    by_call,
    compared,
    forward_line,
    is_whole_slice,
    makes_other_nodes,
    modules_of,
    node_counts,
    repeated_operations,
    switched,
)
from ca_reports.facts.events import GRAPH_ROOT
from ca_reports.program.syntax import last_name
from ca_reports.torchlib import tensors
from ca_reports.words.numbers import agreeing
from ca_reports.words.values import listed, short_name

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from ca_reports.causes.findings import Finding, Part
    from ca_reports.causes.located.trail import Trail
    from ca_reports.causes.remedies import Remedy
    from ca_reports.facts.events import CaptureFacts
    from ca_reports.facts.process import ProcessFacts
    from ca_reports.program.syntax import Site
    from ca_reports.run.model import Change


# The parameters of a parametrization, new and old style: `0.parametrizations.weight.original1`.
_PARAMETRIZED = expression(r"(?:^|\.)parametrizations\.(\w+)\.original\d*$|\.(\w+)_(?:g|v|orig|u)$")


_BOTH_WAYS = (
    "compute both ways in every step and choose with `torch.where` or a 0-or-1 tensor, so that the "
    "operations are always the same"
)


_WITHOUT = "branch without parameters"


class Branch(Rule):
    """The forward takes another branch: parts of the model don't run in every step.

    ## What it is

    A conditional submodule, LayerDrop, a random augmentation, an auxiliary head: Python code
    in the forward decides which operations run, and only those that ran are in the autograd
    graph.

    ## Why it costs

    Every combination that occurs is another graph: one capture and one compile each. Of several
    equal layers it matters how many run, not which.

    ## Example

        for layer in self.layers:
            if random.random() > 0.2:       # LayerDrop
                x = x + layer(x)

    ## What to do

    Always run it and multiply the result by a 0-or-1 tensor: `x = x + keep * layer(x)`, or
    `torch.where(condition, a, b)` for two ways to compute something. What is multiplied by 0
    gets zero gradients; an optimizer with momentum or weight decay still moves it.

    Pruning (`torch.nn.utils.prune`) or a parametrization that begins in a later step is such a
    branch: from then on each weight is a product with its mask. Begin before the first step, with
    `prune.identity` or a mask of ones.

    ## Measured

    2 captures and 2 compiles became 1 and 1; with 5 droppable layers 5 and 5 became 1 and 1
    (torch 2.13.0, CPU).

    ## When the rule can be wrong

    Nodes without parameters come and go for other reasons too, each with its own rule: a mode
    (CA205), frozen parameters (CA207), a loop (CA203). Where none of these fits, the branch is
    inferred, and the confidence is lower. Torch's own logs show only that another kind of node
    was in that place before.
    """

    code = "CA202"
    name = "branch"
    place = branches.branch
    edits = ("both_branches",)
    located_in_forward = True
    leaves_largest = True

    @classmethod
    def remedy(cls, trail: Trail, site: Site | None) -> Remedy | None:
        """By what decides: where weights begin to be computed, what is detached."""
        if site is None:
            return None
        own = trail.finding.remedy
        if (begun := parametrized.remedy(trail, site)) is not None:
            return begun
        detached = _of_detached(site)
        return None if detached is None else own.instead(detached)

    @classmethod
    def adopt(cls, trail: Trail, site: Site | None) -> Finding | None:
        """Take what looks as a loop, where it is an `if` in rounds of which there are as many."""
        repeated = trail.finding.detail
        if site is None or not isinstance(repeated, RepeatedNodes):
            return None
        if not isinstance(site.node, ast.If | ast.IfExp):
            return None
        return cls.taken(
            trail.finding,
            site,
            key=_WITHOUT,
            message=repeated.told,
            fix=_BOTH_WAYS,
            detail=OtherNodes("operations"),
        )

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        if not facts.recorded:
            yield from _from_reasons(facts)
            return
        found = compared(facts)
        with_norms = [capture for capture in found if _parametrized(capture)]
        for group in by_call(with_norms):
            yield _of_parametrization(group)
        found = tuple(capture for capture in found if capture not in with_norms)
        with_parameters = [capture for capture in found if _parameters_differ(capture)]
        for group in by_call(with_parameters):
            modules = sorted({each for one in group for each in _parts(one, _difference(one))})
            yield Match(
                message=_message(group[0], modules),
                fix=(
                    f"run {listed(modules)} in every step and multiply "
                    f"{agreeing(len(modules), 'its output', 'their outputs')}, or the loss of "
                    f"{agreeing(len(modules), 'it', 'them')}, by a 0-or-1 tensor"
                ),
                **of_captures(group),
                location=forward_line(group, _came_or_went),
                key="branch",
                detail=OtherNodes("modules"),
                specificity=SPECIFIC - 2,
                explains=makes_other_nodes,
                subject=Subject(modules=tuple(modules)),
            )
        others = [
            capture
            for capture in found
            if capture not in with_parameters
            and _nodes_differ(capture)
            and not any(is_whole_slice(capture, resized=one) for one in (True, False))
        ]
        of_weights = dict.fromkeys(filter(_computed_weights, others))
        others = [capture for capture in others if capture not in of_weights]
        yield from (_of_nodes(group, "weights") for group in by_call(of_weights))
        yield from (_of_nodes(group, "operations") for group in by_call(others))


def _of_nodes(group: Sequence[CaptureFacts], part: Part) -> Match:
    is_of_weights = part == "weights"
    return Match(
        message=_weights_message(group) if is_of_weights else _nodes_message(group),
        fix=_BOTH_WAYS,
        **of_captures(group),
        location=forward_line(group, _came_or_went),
        confidence="medium",
        key="branch above parameters" if is_of_weights else _WITHOUT,
        detail=OtherNodes(part),
        specificity=GENERAL,
        explains=makes_other_nodes,
    )


def _parametrized(capture: CaptureFacts) -> frozenset[str]:
    """Return the weights that are computed from other parameters in one of both captures only."""
    names = _difference(capture)
    weights = (
        f"{name[: found.start()]}.{found[1] or found[2]}".removeprefix(".")
        for name in names
        if (found := _PARAMETRIZED.search(name)) is not None
    )
    return names.intersection(weights)


def _of_parametrization(group: Sequence[CaptureFacts]) -> Match:
    weights = sorted(frozenset().union(*map(_parametrized, group)))
    return Match(
        message=(
            f"{listed([f'`{name}`' for name in weights])} has a parametrization (weight_norm, "
            "spectral_norm, …) in some backwards and not in others"
        ),
        fix=parametrized.REGISTERED_ONCE,
        edits=(BY_HAND, *Branch.edits),
        **of_captures(group),
        key="parametrization",
        detail=OtherNodes("parametrization"),
        specificity=SPECIFIC + 2,
        explains=makes_other_nodes,
    )


def _computed_weights(found: CaptureFacts) -> frozenset[str]:
    """Name parameters that go through nodes which came or went, and through no others.

    Each weight times its mask, say: what made the node was given a parameter and no activation.
    """
    assert found.closest is not None
    changes = [change for change in found.changed("node") if None in (change.before, change.after)]
    if len(changes) != len(found.changed("node")):
        return frozenset()
    weights: set[str] = set()
    for nodes, indices in (
        (found.nodes, {change.index for change in changes if change.before is None}),
        (found.closest.nodes, {change.before_index for change in changes if change.after is None}),
    ):
        known = {node.get("index"): node for node in nodes}
        for index in indices:
            below = known.get(index, {}).get("next") or (None,)
            for after in below:
                parameter = known.get(after, {}).get("parameter")
                if parameter is None and after not in indices:
                    return frozenset()
                weights.update(filter(None, [parameter]))
    return frozenset(weights)


def _came_or_went(change: Change) -> bool:
    return change.attribute == "node"


def _difference(found: CaptureFacts) -> frozenset[str]:
    """Return parameters on one side only, as far as a count of the nodes says that some must be."""
    closest = found.closest
    return found.parameters ^ closest.parameters if closest else frozenset()


def _parts(found: CaptureFacts, parameters: Collection[str]) -> list[str]:
    """Return the modules that came or went; of one that runs in both captures, the parameters."""
    assert found.closest is not None
    both = modules_of(found.parameters & found.closest.parameters)
    parts = {
        name if any(f"{run}.".startswith(f"{module}.") for run in both) else module
        for name in parameters
        for module in modules_of([name])
    }
    return sorted(parts)


def _parameters_differ(found: CaptureFacts) -> bool:
    return bool(
        _difference(found)
        and (found.added or found.removed)
        and not switched(found, "requires_grad", "is")
    )


def _nodes_differ(found: CaptureFacts) -> bool:
    """Return whether operations came or went below an unchanged root."""
    closest = found.closest
    return bool(
        closest is not None
        and (found.added or found.removed)
        and not any(change.name == GRAPH_ROOT for change in found.changes)
        and not flips_input(found)
        and not switched(found, "requires_grad", "is")
    )


def _message(found: CaptureFacts, modules: Sequence[str]) -> str:
    assert found.closest is not None
    gone = _parts(found, found.closest.parameters - found.parameters)
    new = _parts(found, found.parameters - found.closest.parameters)
    here, before = found.capture.label, found.closest.capture.label
    if gone and new:
        missing = f"{listed(gone)} missing in capture {here}, {listed(new)} in {before}"
    else:
        missing = f"missing in capture {here if gone else before}"
    are = agreeing(len(modules), "isn't", "aren't")
    return f"{listed(modules)} {are} in every backward ({missing})"


def _weights_message(group: Sequence[CaptureFacts]) -> str:
    weights = sorted(frozenset().union(*map(_computed_weights, group)))
    return f"{_nodes_message(group)}, through which {listed([f'`{one}`' for one in weights])} went"


def _nodes_message(group: Sequence[CaptureFacts]) -> str:
    first = group[0]
    if first.added and first.removed:
        return f"{node_counts(first.added)} replaced {node_counts(first.removed)} in some backwards"
    which = first.added or first.removed
    return f"{node_counts(which)} in some backwards only"


def _from_reasons(facts: ProcessFacts) -> Iterator[Match]:
    """In torch's own logs: nodes in the place of another kind of node, or at another place."""
    for repeated in repeated_operations(facts):
        (name,) = {short_name(one.capture.node.name) for one in repeated if one.capture.node}
        yield Match(
            message=(
                f"{name} repeats more or less often in some backwards: blocks of the forward are "
                "skipped (LayerDrop), or a loop runs another number of times"
            ),
            fix=(
                "run every block in every step, and multiply what it adds by a 0-or-1 tensor; or "
                "skip as many in each: however many run, is captured once, whichever they are; "
                "`ca run` would name the modules that come and go"
            ),
            **of_captures(repeated),
            confidence="medium",
            key="branch",
            detail=OtherNodes("unknown"),
            specificity=GENERAL,
        )
    new = [
        found
        for found in facts.recaptures
        if (node := found.capture.node) is not None
        and node.name != GRAPH_ROOT
        and found.capture.key_size is not None
        and not found.capture.previous_key_sizes
        and not found.aot_replaced
        and not found.is_first_of_line
    ]
    for group in by_call(new):
        names = listed([short_name(found.capture.node.name) for found in group])  # type: ignore[union-attr]
        many = len(group) > 1
        yield Match(
            message=(
                f"{names} replaced {'other operations' if many else 'another operation'}: "
                "the forward took another branch"
            ),
            fix=(
                "run the same operations in every step and choose with a 0-or-1 tensor; `ca run` "
                "would name the modules that come and go"
            ),
            **of_captures(group),
            confidence="medium",
            key="branch",
            detail=OtherNodes("unknown"),
            specificity=GENERAL,
        )


def _of_detached(site: Site) -> str | None:
    """Return a part that always runs and is cut off the graph in some steps."""
    detached = next(
        (
            part
            for part in ast.walk(site.node)
            if isinstance(part, ast.Call) and last_name(part.func) in tensors.DETACHES
        ),
        None,
    )
    if detached is None or not isinstance(detached.func, ast.Attribute):
        return None
    what = ast.unparse(detached.func.value)
    return (
        f"`{what}` is detached in some steps only, which takes what made it out of the graph: "
        f"write `keep * {what} + (1 - keep) * {what}.detach()` with a 0-or-1 tensor `keep`, so "
        "that the graph is the same in every step"
    )
