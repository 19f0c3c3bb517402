"""The lines of the forward: when they are noted, and what is left as it was."""

from __future__ import annotations

import sys
import textwrap
import warnings
from collections.abc import Callable, Iterator
from itertools import combinations, product
from pathlib import Path
from typing import Any

import pytest
import torch

from ca_engine import trace
from ca_engine.compat import patches
from ca_engine.recorder.forward import (
    FORWARDS_AFTER_MISS,
    Budget,
    ForwardStacks,
    read_lines,
    users_line,
)
from ca_engine.recorder.snapshot import number_nodes
from tests import warm
from tests.engine.recorder.test_recorder import bare_environment, read_records

PRELUDE = """
import torch, torch._dynamo
from ca_engine.installation import install, uninstall
from ca_engine.settings import Settings
install(Settings(engine={engine!r}, forward_stacks={asked_for}))
captured = torch.compile(backend="eager")
w = torch.ones(4, requires_grad=True)
w.grad = torch.zeros(4)

def backward(loss):
    with torch._dynamo.compiled_autograd._enable(captured):
        loss.backward()
"""


def record(
    folder: Path, body: str, engine: str = "ca", *, asked_for: bool | None = True
) -> dict[str, list[dict[str, Any]]]:
    script = folder / "script.py"
    prelude = PRELUDE.format(engine=engine, asked_for=asked_for)
    script.write_text(prelude + textwrap.dedent(body))
    trace = folder / "trace"
    done = warm.python().run([sys.executable, script], env=bare_environment(trace), cwd=folder)
    assert done.returncode == 0, done.stderr
    (log,) = trace.glob("*.log")
    return read_records(log)


@pytest.mark.parametrize("engine", ["ca", "torch"])
def test_forwards_after_a_miss_are_noted_and_no_others(tmp_path: Path, engine: str) -> None:
    records = record(
        tmp_path,
        f"""
        for step in range({FORWARDS_AFTER_MISS} + 5):
            loss = (w * 2).exp().sum()  # here
            on = torch._C.is_anomaly_enabled()
            assert on == (1 <= step <= {FORWARDS_AFTER_MISS}), step
            assert not torch._C.is_anomaly_check_nan_enabled() or not on
            backward(loss)
        """,
        engine,
    )
    forwards = records["ca_forward"]
    assert [found["step"] for found in forwards] == list(range(1, FORWARDS_AFTER_MISS + 1))
    # The lines of one capture are told once: at the first hit, as the miss knew none.
    first, *others = forwards
    assert [frame["code"] for frame in first["frames"]] == ["loss = (w * 2).exp().sum()  # here"]
    assert first["nodes"] == [1, 2, 3, 0]
    assert not any(found["nodes"] for found in others)


def test_lines_are_noted_unasked_and_the_program_does_not_see_it(tmp_path: Path) -> None:
    records = record(
        tmp_path,
        """
        seen = set()
        for step in range(20):
            loss = (w * 2).exp().sum() if step < 15 else w.sin().sum()  # here
            seen |= {torch.is_anomaly_enabled(), not torch.is_anomaly_check_nan_enabled()}
            backward(loss)
        assert seen == {False}, seen
        uninstall()
        assert torch.is_anomaly_enabled is torch._C.is_anomaly_enabled
        """,
        asked_for=None,
    )
    # One record a capture: nothing is written of forwards that tell nothing new.
    first, second = records["ca_forward"]
    assert (first["step"], first["capture"], first["nodes"]) == (1, 0, [1, 2, 3, 0])
    assert (second["step"], second["capture"]) == (16, 1)
    assert first["asked_for"] is False


def test_no_lines_are_noted_where_they_are_not_wanted(tmp_path: Path) -> None:
    body = """
    for step in range(4):
        backward((w * 2).exp().sum())
        assert not torch._C.is_anomaly_enabled()
    """
    assert "ca_forward" not in record(tmp_path, body, asked_for=False)


def test_noting_keeps_within_its_budget() -> None:
    # GIVEN a clock that goes on by a millisecond each time it is read
    now = iter(range(10**6))
    budget = Budget(lambda: next(now) / 1000)

    # WHEN a second has passed, 10 ms may be spent; after an hour 0.3 s in all
    for _ in range(1000):
        next(now)
    assert budget.is_left()
    budget.spent = 0.02
    assert not budget.is_left()
    for _ in range(100_000):
        next(now)
    assert budget.is_left()
    budget.spent = 0.31
    assert not budget.is_left()


def test_a_forward_that_is_too_long_is_noted_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace, "is_listening", lambda: True)
    budget = Budget()
    monkeypatch.setattr(budget, "is_left", lambda: budget.spent == 0)
    stacks = ForwardStacks(budget)
    stacks.backward_ends(missed=True)
    try:
        assert torch._C.is_anomaly_enabled()
        x = torch.ones(1, requires_grad=True).exp()
        assert not torch._C.is_anomaly_enabled()
        y = x.sin()
    finally:
        stacks.backward_starts()
    assert stacks.noted
    assert x.grad_fn is not None
    assert y.grad_fn is not None
    assert patches.note_of(x.grad_fn)
    assert not patches.note_of(y.grad_fn)


def test_a_child_and_a_program_after_it_have_nothing_of_it(tmp_path: Path) -> None:
    record(
        tmp_path,
        """
        import os
        from torch.fx import traceback
        backward((w * 2).sum())
        ours = traceback.format_stack
        assert torch._C.is_anomaly_enabled()
        if not (child := os.fork()):
            os._exit(torch._C.is_anomaly_enabled() or traceback.format_stack is ours)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert torch._C.is_anomaly_enabled()
        uninstall()
        assert not torch._C.is_anomaly_enabled()
        assert traceback.format_stack is not ours
        """,
    )


def test_what_a_program_switches_itself_stays() -> None:
    undo = patches.note_new_nodes(users_line)
    try:
        assert torch._C.is_anomaly_enabled()
        torch.autograd.set_detect_anomaly(True)
    finally:
        undo()
    try:
        assert torch._C.is_anomaly_enabled()
        # Whole tracebacks, and nothing to undo.
        patches.note_new_nodes(users_line)()
        assert torch._C.is_anomaly_enabled()
        node = torch.ones(1, requires_grad=True).exp().grad_fn
        assert node is not None
        assert len(patches.note_of(node)) > 3
    finally:
        torch.autograd.set_detect_anomaly(False)


# A program's own anomaly modes, and the orders in which it makes, enters and leaves two of
# them: nested, crossed, made beforehand, one left open, one after the other.
MODES: dict[str, Callable[[], Any]] = {
    "detect": lambda: torch.autograd.detect_anomaly(),
    "detect without NaNs": lambda: torch.autograd.detect_anomaly(check_nan=False),
    "on": lambda: torch.autograd.set_detect_anomaly(True),
    "on without NaNs": lambda: torch.autograd.set_detect_anomaly(True, check_nan=False),
    "off": lambda: torch.autograd.set_detect_anomaly(False),
    "off without NaNs": lambda: torch.autograd.set_detect_anomaly(False, check_nan=False),
}
ORDERS = {
    "one": ["make a", "enter a", "leave a"],
    "nested": ["make a", "enter a", "make b", "enter b", "leave b", "leave a"],
    "crossed": ["make a", "enter a", "make b", "enter b", "leave a", "leave b"],
    "one after the other": ["make a", "enter a", "leave a", "make b", "enter b", "leave b"],
    "left open": ["make a", "enter a", "make b", "enter b", "leave b"],
}
FORWARDS = ["note", "undo", "note", "undo"]
AnomalyMode = tuple[bool, bool]


def interleaved(left: list[str], right: list[str]) -> Iterator[list[str]]:
    for places in combinations(range(len(left) + len(right)), len(left)):
        ours, theirs = iter(left), iter(right)
        yield [next(ours if place in places else theirs) for place in range(len(left) + len(right))]


def anomaly_modes(events: list[str], a: str, b: str) -> Iterator[AnomalyMode]:
    """The mode after each event: whether it is on, and whether NaNs are looked for."""
    makers = {"a": MODES[a], "b": MODES[b]}
    made: dict[str, Any] = {}
    undo: patches.Undo | None = None
    torch.set_anomaly_enabled(False, True)
    try:
        for event in events:
            match event.split():
                case ["note"]:
                    undo = patches.note_new_nodes(users_line)
                case ["undo"] if undo is not None:
                    undo()
                case ["make", name]:
                    made[name] = makers[name]()
                case ["enter", name]:
                    made[name].__enter__()
                case ["leave", name]:
                    made[name].__exit__()
            yield torch._C.is_anomaly_enabled(), torch._C.is_anomaly_check_nan_enabled()
    finally:
        if undo is not None:
            undo()
        torch.set_anomaly_enabled(False, True)


@pytest.mark.parametrize("order", ORDERS)
def test_no_mode_of_ours_stays_and_none_of_a_programs_goes(order: str) -> None:
    """In no order of forwards that are noted and modes that a program sets itself."""
    from torch.fx import traceback

    stock = traceback.format_stack
    events = ORDERS[order]
    uses_both = any(event.endswith("b") for event in events)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that anomaly detection was enabled
        for a, b in product(MODES, MODES if uses_both else ["off"]):
            alone = [(False, True), *anomaly_modes(events, a, b)]
            for mixed in interleaved(FORWARDS, events):
                is_noted, done = False, 0
                for event, found in zip(mixed, anomaly_modes(mixed, a, b), strict=True):
                    where = f"{event} in {mixed} with {a}, {b}"
                    done += event not in FORWARDS
                    is_noted = event == "note" or (is_noted and event != "undo")
                    # Ours is on only where none of the program's is, from each "note" on.
                    ours = is_noted and not alone[done][0] and (found[0] or event == "note")
                    assert found == ((True, False) if ours else alone[done]), where
                assert traceback.format_stack is stock, mixed
                assert vars(torch.autograd.anomaly_mode)["torch"] is torch, mixed


@pytest.mark.parametrize("engine", ["ca", "torch"])
def test_a_mode_around_a_noted_forward_leaves_nothing_on(tmp_path: Path, engine: str) -> None:
    record(
        tmp_path,
        f"""
        import warnings
        warnings.simplefilter("ignore")
        for step in range(2 * {FORWARDS_AFTER_MISS} + 5):
            loss = (w * 2).exp().sum()
            if step in (3, 7):
                with torch.autograd.detect_anomaly(check_nan=step == 3):
                    assert torch._C.is_anomaly_check_nan_enabled() == (step == 3)
                    backward(loss + loss.detach())
                    assert torch._C.is_anomaly_enabled(), "the program's own mode was ended"
            else:
                backward(loss)
        assert not torch._C.is_anomaly_enabled()
        """,
        engine,
    )


def test_a_compilers_own_mode_ends_no_noting() -> None:
    undo = patches.note_new_nodes(users_line)
    try:

        @torch.compile(backend="aot_eager")
        def compiled(x: torch.Tensor) -> torch.Tensor:
            return x.exp().sin()

        compiled(torch.ones(2, requires_grad=True))
        node = torch.ones(1, requires_grad=True).exp().grad_fn  # here
        assert node is not None
        (entry,) = patches.note_of(node)
    finally:
        undo()
    assert f"in {test_a_compilers_own_mode_ends_no_noting.__name__}" in entry
    assert not torch._C.is_anomaly_enabled()


def test_leaves_and_nodes_without_a_note_have_no_line() -> None:
    x = torch.ones(2, requires_grad=True)
    before = x.exp()
    undo = patches.note_new_nodes(users_line)
    after = before.sin()
    undo()
    lines = read_lines(number_nodes([after.sum()], []))
    # Root, sum (made after), sin, exp (made before), leaf.
    assert lines.nodes == [2]
    (frame,) = lines.frames
    assert frame["code"] == "after = before.sin()"
    assert frame["function"] == "test_leaves_and_nodes_without_a_note_have_no_line"
