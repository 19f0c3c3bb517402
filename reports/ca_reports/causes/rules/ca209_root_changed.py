"""CA209."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ca_reports.causes.findings import OtherStart
from ca_reports.causes.located import graphs
from ca_reports.causes.rules.base import PATTERN, SPECIFIC, Match, Rule, capture_events, of_captures
from ca_reports.causes.rules.differences import in_words
from ca_reports.causes.rules.structure import by_call, compared, makes_other_nodes, modules_of
from ca_reports.facts.events import ACCUMULATE_GRAD, AOT_BACKWARD, GRAPH_ROOT
from ca_reports.facts.other_backwards import root_attribute
from ca_reports.sentences.places import at_line, run_cwd, shown_place
from ca_reports.words.numbers import counted
from ca_reports.words.values import listed, short_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ca_reports.causes.findings import Finding
    from ca_reports.causes.located.trail import Search
    from ca_reports.facts.events import CaptureFacts
    from ca_reports.facts.process import ProcessFacts
    from ca_reports.run.model import Change, Frame

# NodeCall 0 is the root, from which the backward starts; 1 the first operation.
_FIRST = 1
_DTYPES = "output_dtypes"
_DOUBLE = "torch.float64"
_ROOT_ATTRIBUTES = ("outputs", _DTYPES, "inputs_asked_for")
_ANOTHER_CALL = "another call"
_LISTS_TOLD = 3
# The index of a node that takes no part.
_NOWHERE = -1
_BOTH_NEEDED = (
    "none needed if both belong to the algorithm: each is captured once; otherwise add up what "
    "they start from and call backward once"
)


class RootChanged(Rule):
    """The backward starts from another tensor, or is asked for other gradients.

    ## What it is

    Two alternating losses, `backward()` in one place and `torch.autograd.grad` in another, a
    different number of `inputs=`, or a loss of another dtype.

    ## Why it costs

    The root comes first in compiled autograd's key. Another root means another backward: one
    capture and one compile for each.

    ## Example

        loss = mse(x, y) if step % 2 == 0 else l1(x, y)
        loss.backward()

    ## What to do

    Use one loss: compute both and weight them with a tensor of 0 and 1. Use one list of inputs
    and one dtype in every step. Two backwards that belong to the algorithm, as in a GAN, cost
    one capture each; that needs no change and is reported as `info`.

    ## Measured

    2 to 4 captures became 1 (torch 2.13.0, CPU).

    ## When the rule can be wrong

    Where the last operation of a forward is conditional, the branch (CA202) is the cause; it
    wins if parameters came or went. Two backwards are told apart by the lines that led to them, and
    on one line by networks that have no parameter in common. Torch's own logs show another
    backward call only by its line.
    """

    code = "CA209"
    name = "root-changed"
    edits = ("both_branches",)
    located_in_forward = True
    leaves_largest = True

    @classmethod
    def search(cls, finding: Finding) -> Search | None:
        """Search for the root; for what was asked for, and not where both calls are meant."""
        known = finding.detail
        kind = known.kind if isinstance(known, OtherStart) else "root"
        return {"root": graphs.root, "inputs": graphs.asked_for, "call": None}[kind]

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        if not facts.recorded:
            yield from _from_reasons(facts)
            return
        own = dict.fromkeys(compared(facts))  # looked up below, of 20,000 each
        asked = [found for found in own if _asks_for_others(found)]
        for group in by_call(asked):
            yield _of_inputs(group)
        changed = [found for found in own if found not in asked and _root_changes(found)]
        beside = (found for found in facts.recaptures if found not in own)
        yield from map(_of_another_root, by_call(changed))
        for group in by_call(filter(_is_beside_forward, beside)):
            yield replace(_of_another_root(group), is_beside=True)
        for found in facts.other_backwards:
            here, there = _where_they_part(found)
            other = "before" if there is None else f"of {shown_place(there, run_cwd(facts.run))}"
            yield Match(
                message=f"a different backward from the one {other}: {_of_another(found)}",
                fix=_BOTH_NEEDED,
                events=capture_events([found]),
                noticed_at=found.line,
                location=here,
                evidence=(found.evidence,),
                key=_ANOTHER_CALL,
                detail=OtherStart("call"),
                group="" if here is None else at_line(here.file, here.line),
                severity="info",
                is_note=True,
                specificity=PATTERN + 10,
            )


def _of_another_root(group: Sequence[CaptureFacts]) -> Match:
    changes = _root_changes(group[0])
    return Match(
        message=_message(changes),
        fix=_fix(changes),
        edits=("loss_in_float", "both_branches") if _is_of_doubles(changes[0]) else None,
        **of_captures(group),
        location=next((change.forward for change in changes if change.forward), None),
        key="root-changed",
        detail=OtherStart("root"),
        specificity=SPECIFIC + (-3 if _is_another_start(changes[0]) else 3),
        explains=_explains,
        # Where a branch is the last operation, another root comes of it.
        shows=lambda _, change: change.attribute == _DTYPES,
    )


def _explains(found: CaptureFacts, change: Change) -> bool:
    return change.name == GRAPH_ROOT or makes_other_nodes(found, change)


def _is_beside_forward(found: CaptureFacts) -> bool:
    """Return whether a backward of a recompiled forward starts at another eager operation, too."""
    if found.capture.error is not None or found.closest is None:
        return False
    roots = [
        name
        for change in _root_changes(found)
        if change.attribute == "outputs"
        for names in (change.before, change.after)
        for name in (names if isinstance(names, list) else ())
    ]
    return bool(roots) and not any(str(name).startswith(AOT_BACKWARD) for name in roots)


def _asks_for_others(found: CaptureFacts) -> bool:
    """Return whether gradients of other tensors were asked for, each of which the loss reaches.

    Where it does not reach all that were asked for, a branch (CA202) may have left some out.
    """
    closest = found.closest
    if closest is None:
        return False
    here, there = (root_attribute(one, "inputs_asked_for") for one in (found, closest))
    if not here or not there:
        return here != there
    reached = [one.node_names[ACCUMULATE_GRAD] for one in (found, closest)]
    others = found.parameters != closest.parameters or _parts_at_a_node(found, closest)
    return here != there or (reached == [here, there] and others)


def _parts_at_a_node(found: CaptureFacts, closest: CaptureFacts) -> bool:
    """Return whether the way to the leaves leaves a node by another edge, below equal nodes.

    Leaves that no module has are nameless; the edges to what was not asked for lead nowhere.
    """
    for here, there in zip(found.nodes, closest.nodes, strict=False):
        if here.get("name") != there.get("name"):
            return False
        edges = [[edge == _NOWHERE for edge in node.get("next") or ()] for node in (here, there)]
        if edges[0] != edges[1]:
            return True
    return False


def _of_inputs(group: Sequence[CaptureFacts]) -> Match:
    first = group[0]
    assert first.closest is not None
    lists = list(dict.fromkeys(_inputs(one) for one in (first.closest, *group)))
    return Match(
        message=f"gradients were asked for other tensors: {_told(lists)}",
        fix=(
            "ask for the same tensors in every step: one `inputs=` list, or always `backward()`; "
            "leave out afterwards what a step does not need"
        ),
        **of_captures(group, first.line),
        location=first.line,
        key="inputs",
        detail=OtherStart("inputs"),
        specificity=SPECIFIC + 4,
        explains=_explains,
    )


def _told(lists: Sequence[str]) -> str:
    if len(lists) == 1:  # of tensors without names
        return f"{lists[0]} each time, and not always the same"
    return f"{' → '.join(lists[:_LISTS_TOLD])}{' → …' if len(lists) > _LISTS_TOLD else ''}"


def _inputs(found: CaptureFacts) -> str:
    """Say ``all leaves``, the modules of the parameters, or ``1 input`` of an unnamed tensor."""
    asked = root_attribute(found, "inputs_asked_for")
    if not asked:
        return "all leaves"
    if len(found.parameters) != asked:
        return counted(int(str(asked)), "input")
    return listed(modules_of(found.parameters), 3)


def _where_they_part(found: CaptureFacts) -> tuple[Frame | None, Frame | None]:
    """Return the first line of the user's at which the ways to two backwards differ, on both."""
    closest = found.closest
    pairs = zip(found.call, closest.call if closest is not None else (), strict=False)
    return next(((here, there) for here, there in pairs if here != there), (None, None))


def _of_another(found: CaptureFacts) -> str:
    changes = _root_changes(found)
    return _message(changes) if changes else in_words(found) or "captured once"


def _root_changes(found: CaptureFacts) -> list[Change]:
    """Return what the backward was asked for, what tells most first."""
    changes = [change for change in found.changes if change.name == GRAPH_ROOT]
    return [
        change
        for attribute in reversed(_ROOT_ATTRIBUTES)
        for change in changes
        if change.attribute == attribute and not (attribute == _DTYPES and _is_of_number(change))
    ]


def _is_another_start(change: Change) -> bool:
    """Return whether as many losses come from other operations, as behind a branch."""
    return change.attribute == "outputs" and not _has_other_length(change)


def _has_other_length(change: Change) -> bool:
    before, after = change.before, change.after
    return isinstance(before, list) and isinstance(after, list) and len(before) != len(after)


def _is_of_number(change: Change) -> bool:
    """Return whether there are more or fewer losses, all of the dtypes that there were."""
    before, after = change.before, change.after
    return isinstance(before, list) and isinstance(after, list) and {*before} == {*after}


def _is_of_doubles(change: Change) -> bool:
    """Return whether a loss has NumPy's double precision in some steps."""
    each = (names for names in (change.before, change.after) if isinstance(names, list))
    return change.attribute == _DTYPES and any(_DOUBLE in names for names in each)


def _message(changes: list[Change]) -> str:
    change = changes[0]
    if change.attribute == "inputs_asked_for":
        return f"gradients for {_asked(change.before)} → {_asked(change.after)}"
    what = "dtype of the loss" if change.attribute == _DTYPES else "backward starts at"
    return f"{what}: {_names(change.before)} → {_names(change.after)}"


def _fix(changes: list[Change]) -> str:
    attribute = changes[0].attribute
    if attribute == _DTYPES:
        return "compute the loss in one dtype in every step"
    if _has_other_length(changes[0]):
        return (
            "start from the same losses in every step: compute each of them always, times 0 or 1 "
            "as a tensor, and add them up"
        )
    return (
        f"compute both losses ({_names(changes[0].before)}, {_names(changes[0].after)}) in every "
        "step and weight them with a tensor of 0 and 1"
    )


def _asked(number: object) -> str:
    return "all leaves" if number == 0 else counted(int(str(number)), "input")


def _names(values: object) -> str:
    names = values if isinstance(values, list) else [values]
    return ", ".join(short_name(str(name)).removeprefix("torch.") for name in names[:4])


def _from_reasons(facts: ProcessFacts) -> Iterator[Match]:
    captures = [
        found
        for found in facts.recaptures
        if found.capture.node is not None
        and found.capture.node.name == GRAPH_ROOT
        and found.capture.previous_key_sizes
    ]
    # TORCH_LOGS text has no stacks: that the first operation is another one is all it tells.
    captures += [
        found
        for found in facts.recaptures
        if found.line is None
        and found.capture.kind == "new_autograd_node"
        and found.capture.node is not None
        and found.capture.node.index == _FIRST
        and found.capture.previous_key_sizes
    ]
    if captures:
        yield Match(
            message="the backward starts from another tensor, or is asked for other gradients",
            fix="use one loss, one list of inputs and one dtype in every step",
            **of_captures(captures),
            confidence="high" if all(found.line for found in captures) else "medium",
            key="root-changed",
            detail=OtherStart("root"),
        )
    for group in by_call(
        found
        for found in facts.recaptures
        if found not in captures
        and found.is_first_of_line
        and found.capture.kind == "new_autograd_node"
        and not found.aot_replaced
    ):
        before = group[0].previous
        line = None if before is None else before.line
        other = "the one before" if line is None else shown_place(line, run_cwd(facts.run))
        yield Match(
            message=f"a different backward call from {other}",
            fix=_BOTH_NEEDED,
            **of_captures(group),
            confidence="medium",
            key=_ANOTHER_CALL,
            detail=OtherStart("call"),
            severity="info",
            specificity=SPECIFIC - 1,
        )
