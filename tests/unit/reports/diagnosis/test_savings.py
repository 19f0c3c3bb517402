"""What a fix saves: its own events, and those that are equal without its cause."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ca_reports.causes.findings import About, Finding
from ca_reports.causes.remedies import Remedy
from ca_reports.diagnosis.savings import with_savings
from ca_reports.facts.costs import Cost, Costs
from ca_reports.facts.process import ProcessFacts
from ca_reports.logs.stored import StoredText
from ca_reports.run.model import Capture, CaptureSeconds, Change, Compile, Process, Run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ca_reports.run.model import Event


def capture(id: int, value: float) -> Capture:
    """A capture for the exponent ``value``, compared with the first one."""
    changes = (Change(1, "PowBackward0", "exponent", 2.0, value),) if id else ()
    return Capture(
        id=id, process=0, rank=None, pid=1, file="log", line=id, time=10.0 * id, step=3 * id,
        kind="new_autograd_node" if id else "first", closest_capture=0 if id else None,
        changes=changes,
    )  # fmt: skip


def short_batch(id: int, seconds: float, *, actual: int = 4) -> Compile:
    """The recompile of capture ``id`` for a batch of ``actual`` samples instead of 8."""
    return Compile(
        f"!{id}/{id}/1", 0, None, 1, id, time=10.0 * id + 5, seconds=seconds,
        recompile_reason=f"!{id}/{id}/0: tensor 'sizes[1]' size mismatch at index 1. "
        f"expected 8, actual {actual}",
    )  # fmt: skip


def saved(captures: list[Capture], compiles: list[Compile]) -> list[Finding]:
    """A cause that explains all recaptures, and one that explains all recompiles."""
    process = Process(0, "log", None, 1, 2, captures=tuple(captures), compiles=tuple(compiles))
    run = Run((), (), (process,))
    number = Finding(
        About("CA206", "number"), "warning", "", Remedy(""), seconds=3.0, events=tuple(captures[1:])
    )
    batch = Finding(
        About("CA101", "batch"), "warning", "", Remedy(""), seconds=6.0, events=tuple(compiles)
    )
    return with_savings([number, batch], [ProcessFacts(process, run)], Costs(run))


class _OneEach(Costs):
    """Every event takes a second."""

    def of(self, event: Event) -> Cost:
        return Cost(1.0)


def test_one_graph_is_compiled_once_for_the_short_batch() -> None:
    captures = [capture(0, 2.0), capture(1, 2.5), capture(2, 3.0)]
    compiles = [short_batch(id, 2.0) for id in range(3)]

    number, batch = saved(captures, compiles)

    assert number.saves == 3.0 + 4.0
    assert [rule.code for rule in number.saves_of] == ["CA101"]
    assert batch.saves is None
    assert batch.saves_of == ()


def test_another_size_is_another_recompile_whoever_captured_the_graph() -> None:
    captures = [capture(0, 2.0), capture(1, 2.5)]
    compiles = [short_batch(0, 2.0), short_batch(1, 2.0, actual=5)]

    number, _ = saved(captures, compiles)

    assert number.saves is None


def test_what_only_one_graph_was_compiled_again_for_is_not_saved() -> None:
    captures = [capture(0, 2.0), capture(1, 2.5)]

    number, _ = saved(captures, [short_batch(1, 2.0)])

    assert number.saves is None


def test_what_another_cause_makes_as_well_stays_for_that_one() -> None:
    """Two orders and a hook in one of two steps: with a fixed order a capture of the hook stays."""

    def made(id: int, closest: int, *changes: Change) -> Capture:
        return replace(capture(id, 0.0), closest_capture=closest, changes=changes)

    moved = Change(2, "MseLossBackward0", "next", [3], [4])
    on, off = (Change(4, "AddBackward0", "hooks", 1 - n, n) for n in (1, 0))
    captures = [capture(0, 0.0), made(1, 0, moved, off), made(2, 0, off), made(3, 1, on)]
    process = Process(0, "log", None, 1, 2, captures=tuple(captures))
    facts = ProcessFacts(process, Run((), (), (process,)))
    order, hook = (
        Finding(About(code, ""), "warning", "", Remedy(""), seconds=seconds, events=tuple(events))
        for code, seconds, events in (("CA211", 1.0, captures[1:2]), ("CA301", 2.0, captures[2:]))
    )
    explained = [
        [lambda _, change: change.attribute == "next"],
        [lambda _, change: change.attribute == "hooks"],
    ]

    order, hook = with_savings([order, hook], [facts], _OneEach(facts.run), explained)

    # Of four captures a fixed order leaves two, and a fixed hook two.
    assert (order.saves, order.spared) == (2.0, 1)
    assert hook.saves is None


def test_what_was_given_up_by_another_cause_stays_for_that_one() -> None:
    """Each capture has a node more; in one an input's flag is switched, which also makes nodes."""

    def made(id: int, *changes: Change) -> Capture:
        return replace(capture(id, 0.0), closest_capture=id - 1, changes=changes)

    more = Change(3, "AddBackward0", "node", None, "AddBackward0")
    flag = Change(9, "torch::autograd::AccumulateGrad", "node", None, "AccumulateGrad")
    captures = [capture(0, 0.0), made(1, more), made(2, more, flag)]
    process = Process(0, "log", None, 1, 2, captures=tuple(captures))
    facts = ProcessFacts(process, Run((), (), (process,)))
    both = [
        Finding(About(code, ""), "warning", "", Remedy(""), seconds=1.0, events=(event,))
        for code, event in (("CA204", captures[1]), ("CA208", captures[2]))
    ]
    explained = [
        [lambda _, change: change.name == "AddBackward0"],
        [lambda _, change: change.attribute == "node"],
    ]

    _, alone = with_savings(both, [facts], _OneEach(facts.run), explained)
    _, beside = with_savings(both, [facts], _OneEach(facts.run), explained, {captures[2].key: 0})

    assert alone.saves is None
    assert (beside.saves, [rule.code for rule in beside.saves_of]) == (0.0, ["CA204"])


def test_many_causes_of_one_event_each_are_not_compared_with_each_other() -> None:
    captures = [capture(id, 2.0 + id) for id in range(1_001)]
    facts = ProcessFacts(Process(0, "log", None, 1, 2, captures=tuple(captures)), Run((), (), ()))
    findings = [
        Finding(About("CA206", "number"), "warning", "", Remedy(""), seconds=1.0, events=(event,))
        for event in captures[1:]
    ]

    def explains(_found: object, _change: object) -> bool:
        raise AssertionError("a million of these take minutes")

    found = with_savings(findings, [facts], _OneEach(facts.run), [[explains]] * len(findings))

    assert found == findings


def thinned(*seconds: float, leaves_largest: bool, nodes: Sequence[int] = ()) -> Finding:
    """A cause whose captures take so many seconds, the first one of the run among them."""
    captures = [
        replace(capture(id, id), seconds=CaptureSeconds(capture=each))
        for id, each in enumerate(seconds)
    ]
    for id, count in enumerate(nodes):
        graph = StoredText.pack(b"\n".join([b"{}"] * count))
        captures[id] = replace(captures[id], autograd_json=graph)
    process = Process(0, "log", None, 1, 2, captures=tuple(captures))
    run = Run((), (), (process,))
    about = About("CA202", "branch", leaves_largest=leaves_largest)
    lost = sum(seconds[1:])
    branch = Finding(about, "warning", "", Remedy(""), seconds=lost, events=tuple(captures[1:]))
    other = Finding(About("CA101", "batch"), "warning", "", Remedy(""), seconds=0.1)
    return with_savings([branch, other], [ProcessFacts(process, run)], Costs(run))[0]


def test_where_every_step_runs_all_the_largest_capture_is_left() -> None:
    assert thinned(4.0, 11.0, 3.0, leaves_largest=True).saves == 4.0 + 3.0
    assert thinned(4.0, 11.0, 3.0, leaves_largest=False).saves is None


def test_a_first_capture_that_is_the_largest_is_left_anyway() -> None:
    assert thinned(12.0, 11.0, 3.0, leaves_largest=True).saves is None


def test_what_a_process_does_once_is_not_left() -> None:
    """The first capture is of half of the nodes, and the compiler starts in it."""
    found = thinned(12.0, 10.0, leaves_largest=True, nodes=(5, 10))

    assert found.saves == 10.0 - (10.0 - 5.0)


def test_what_is_switched_back_is_known_whatever_came_of_it() -> None:
    """An input's gradient is on, off and on again, and the graph is longer the second time."""

    def made(id: int, *changes: Change) -> Capture:
        return replace(capture(id, 0.0), closest_capture=id - 1, changes=changes)

    off = Change(None, "input", "input requires_grad", before=True, after=False)
    on = replace(off, before=False, after=True)
    node = Change(3, "SelectBackward0", "node", "SelectBackward0", None)
    more = Change(3, "AddBackward0", "node", None, "AddBackward0")
    twice = [Change(at, "SelectBackward0", "node", None, "SelectBackward0") for at in (4, 5)]
    captures = [capture(0, 0.0), made(1, off, node), made(2, more), made(3, on, *twice)]
    process = Process(0, "log", None, 1, 2, captures=tuple(captures))
    facts = ProcessFacts(process, Run((), (), (process,)))
    loop, flag = (
        Finding(About(code, ""), "warning", "", Remedy(""), seconds=seconds, events=events)
        for code, seconds, events in (
            ("CA203", 1.0, (captures[2],)),
            ("CA208", 2.0, (captures[1], captures[3])),
        )
    )

    loop, flag = with_savings([loop, flag], [facts], _OneEach(facts.run))

    # Without the longer graph the fourth capture is the first one again.
    assert (loop.saves, loop.spared) == (1.0 + 1.0, 1)
    assert flag.saves is None
