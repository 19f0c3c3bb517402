"""CA205."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from ca_engine.lazy_expressions import expression
from ca_reports.causes.findings import OtherNodes
from ca_reports.causes.located import dropouts, graphs
from ca_reports.causes.rules.base import SPECIFIC, Match, Rule, of_captures
from ca_reports.causes.rules.ca206_scalar_baked import is_scalar
from ca_reports.causes.rules.structure import (
    by_call,
    compared,
    forward_line,
    node_changes,
    one_mode,
    switched,
)
from ca_reports.words.numbers import agreeing
from ca_reports.words.values import listed, short_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ca_reports.causes.findings import Finding
    from ca_reports.causes.located.trail import Trail
    from ca_reports.facts.events import CaptureFacts
    from ca_reports.facts.process import ProcessFacts
    from ca_reports.program.syntax import Site
    from ca_reports.run.model import Change

# Changes that a mode cannot make.
_NOT_OF_A_MODE = frozenset((".grad", "hooks", "function", "parameter"))

# The attribute of a batch norm's or an RNN's node that is the module's mode.
_FLAGS = ("training", "train")
_KEY = "mode-flip"
_KEPT_IN_FORWARD = (
    "run every forward that has a backward in one mode: no `eval()` or `train()` around some of "
    "them; to keep running statistics as they are in some steps, save and restore them"
)
_KEPT_ABOVE_0 = (
    "keep the dropout's p above 0 (a very small one turns it off) or at 0, and its module in one "
    "mode"
)

# Nodes in the code of a captured graph: what they are called, products of which one side needs no
# gradient, and whether a batch norm uses the statistics of its batch.
_CALLED = expression(r"compiled_autograd_ops_(\w{1,200}Backward\d{0,3})\(")
_MASKED = expression(r"compiled_autograd_ops_MulBackward0\(\[\w{1,100}\], \[True, False\]")
_BATCH_NORM = expression(r"ops_NativeBatchNormBackward0\([^\n()]{0,400}?, (True|False), getitem")


class ModeFlip(Rule):
    """A module switches between `train()` and `eval()`, or a dropout's `p` to or from 0.

    ## What it is

    Some backwards run with dropout and batch norm in training mode and others in evaluation
    mode, or a dropout's probability is scheduled and reaches 0.

    ## Why it costs

    Dropout adds no nodes to the autograd graph when it is off, and batch norm has another
    backward in each mode. Each combination of modes is captured and compiled.

    ## Example

        if step > warm_up:
            model.backbone.eval()          # in the middle of the training

    ## What to do

    Keep one mode for all backwards: switch to `eval()` only for validation under `no_grad()`.
    To freeze statistics for good, switch before the first step. To turn dropout off, use a very
    small `p` instead of 0.

    ## Measured

    2 captures and 2 compiles became 1 and 1 (torch 2.13.0, CPU).

    ## When the rule can be wrong

    The flags of all modules that ran are compared, even where the mode means nothing. If
    something else changed in the same step, that may be the cause; the confidence is high only
    where a node's own training flag or the nodes of a dropout differ. Torch's own logs have the
    captured graphs: there it is told from the flag of a batch norm, or from products with a mask,
    which need not be a dropout's.
    """

    code = "CA205"
    name = "mode-flip"
    place = graphs.mode
    edits = ("mode_alike",)
    located_in_forward = True

    @classmethod
    def adopt(cls, trail: Trail, site: Site | None) -> Finding | None:
        """Take what looks as a branch, where the lines that came or went are a dropout's."""
        known = trail.finding.detail
        found = dropouts.toggled(trail) if isinstance(known, OtherNodes) else None
        if found is None:
            return None
        return cls.taken(
            trail.finding,
            found.site,
            key=_KEY,
            message=f"{trail.finding.message}: a dropout, which is off in the others",
            fix=_KEPT_ABOVE_0 if found.by_probability else _KEPT_IN_FORWARD,
        )

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        if not facts.recorded:
            yield from _from_graphs(facts)
            return
        flipped = [found for found in compared(facts) if _flipped(found)]
        for group in by_call(flipped):
            sure = all(_sure(found) for found in group)
            changes = switched(group[0], "training", "p")
            yield Match(
                message=(
                    f"{_told(changes)}{_consequence(group[0])}" if changes else _of_flags(group[0])
                ),
                fix=_fix(changes) if changes else _KEPT_IN_FORWARD,
                **of_captures(group),
                location=forward_line(group, _of_a_mode),
                confidence="high" if sure else "medium",
                key=_KEY,
                specificity=SPECIFIC + (4 if sure else 0),
                explains=_explains,
            )


def _flipped(found: CaptureFacts) -> bool:
    """Return whether a mode changed, and something of the graph that a mode can change.

    What was switched back before the backward is seen at a node's own flag.
    """
    if not switched(found, "training", "p"):
        return bool(_flags(found))
    return any(_of_a_mode(change) for change in node_changes(found))


def _flags(found: CaptureFacts) -> list[Change]:
    """Return the nodes that a forward in another mode made."""
    return [change for change in node_changes(found) if change.attribute in _FLAGS]


def _of_a_mode(change: Change) -> bool:
    return change.attribute not in _NOT_OF_A_MODE


def _explains(_found: CaptureFacts, change: Change) -> bool:
    """Return whether it is a number that a mode changes: the probability of a dropout."""
    return _of_a_mode(change) and (change.attribute == "p" or not is_scalar(change))


def _sure(found: CaptureFacts) -> bool:
    names = {short_name(name) for name in (*found.added, *found.removed)}
    dropout = any("Dropout" in name or name == "MulBackward0" for name in names)
    norm = any("BatchNorm" in name for name in names)
    return dropout or norm or bool(_flags(found))


def _told(changes: Sequence[Change]) -> str:
    """Say ``dropout `drop` p: 0.1 → 0.0, `norm`, `head` were switched from train to eval``."""
    told = [
        f"dropout `{change.name}` p: {change.before} → {change.after}"
        for change in changes
        if change.attribute == "p"
    ]
    for before, after, was_training in (("train", "eval", True), ("eval", "train", False)):
        switched_so = [
            f"`{change.name}`"
            for change in changes
            if change.attribute != "p" and bool(change.before) is was_training
        ]
        if switched_so:
            were = agreeing(len(switched_so), "was", "were")
            told.append(f"{listed(switched_so, 3)} {were} switched from {before} to {after}")
    return ", ".join(told)


def _consequence(found: CaptureFacts) -> str:
    flags = [short_name(change.name) for change in _flags(found)]
    gone = [short_name(name) for name in found.removed]
    new = [short_name(name) for name in found.added]
    parts = [f"{listed(flags, 2)} changed"] if flags else []
    parts += [f"without {listed(gone, 2)}"] if gone else []
    parts += [f"with {listed(new, 2)}"] if new else []
    return f": {', '.join(parts)}" if parts else ""


def _of_flags(found: CaptureFacts) -> str:
    """Say which nodes were made in another mode, of modules that are back in the one before."""
    flags = _flags(found)
    before, after = ("training", "evaluation") if flags[0].before else ("evaluation", "training")
    names = listed(dict.fromkeys(short_name(change.name) for change in flags), 2)
    return (
        f"{names} ran in {before} mode in some steps and in {after} mode in others; the modules "
        "are switched back before the backward"
    )


def _fix(changes: tuple[Change, ...]) -> str:
    modules = [f"`{change.name}`" for change in changes if change.attribute == "training"]
    dropouts = [f"`{change.name}`" for change in changes if change.attribute == "p"]
    parts = []
    if modules:
        parts.append(one_mode(listed(modules, 3)))
    if dropouts:
        parts.append(
            f"keep the p of {listed(dropouts, 3)} above 0 (a very small one turns it off) or at 0"
        )
    return "; ".join(parts)


def _from_graphs(facts: ProcessFacts) -> Iterator[Match]:
    """Yield what torch's own logs tell: graphs that differ in what a mode changes alone."""
    for group in by_call(_flipped_graphs(facts)):
        yield Match(
            message=(
                "batch norm or dropout worked as in training in some backwards, and as in "
                "evaluation in others"
            ),
            fix=one_mode("the model"),
            **of_captures(group),
            confidence="medium",
            key=_KEY,
            specificity=SPECIFIC - 1,
        )


class _Modes(NamedTuple):
    """The nodes of a captured graph on which a mode shows."""

    masked: int  # products with a mask
    batch_norms: tuple[str, ...]  # each one's `training`, "True" or "False"

    def flip(self, other: _Modes) -> bool:
        """Return whether a mode tells the two apart: a dropout came or went, or a batch norm's."""
        a_dropout = self.masked != other.masked and 0 in (self.masked, other.masked)
        return a_dropout or self.batch_norms != other.batch_norms


def _flipped_graphs(facts: ProcessFacts) -> list[CaptureFacts]:
    """Return the recaptures of which an earlier capture has the same other nodes, in other modes.

    Each graph's text, which is kept compressed, is read once.
    """
    recaptures = {found.capture.id for found in facts.recaptures}
    seen: dict[frozenset[tuple[str, int]], set[_Modes]] = {}
    flipped = []
    for found in facts.captures:
        graph = found.capture.graph
        if graph is None:
            continue
        others, modes = _read(graph.text)
        earlier = seen.setdefault(others, set())
        if found.capture.id in recaptures and any(modes.flip(other) for other in earlier):
            flipped.append(found)
        earlier.add(modes)
    return flipped


def _read(text: str) -> tuple[frozenset[tuple[str, int]], _Modes]:
    """Return how often each node is in a captured graph, without those of modes, and these."""
    nodes = Counter(_CALLED.findall(text))
    masked = len(_MASKED.findall(text))
    nodes["MulBackward0"] -= masked
    masked += nodes.pop("NativeDropoutBackward0", 0)
    return frozenset((+nodes).items()), _Modes(masked, tuple(_BATCH_NORM.findall(text)))
