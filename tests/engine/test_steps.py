"""`ca_engine.step`: names for backwards, in the program and in its records."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
import torch._dynamo
import torch._dynamo.testing

import ca_engine
from ca_engine import steps
from ca_engine.steps import Position
from tests.engine.recorder.test_recorder import ENGINES, column, record


@pytest.fixture(autouse=True)
def _unnamed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(steps, "_next", {})
    steps.forget()
    yield
    steps.forget()


def test_a_call_holds_until_the_next_one() -> None:
    ca_engine.step(17, epoch=2, phase="validation")
    assert steps.current == Position(17, 2, "validation")
    ca_engine.step(18)
    assert steps.current == Position(18, None, None)


def test_a_block_gives_back_what_held_before() -> None:
    ca_engine.step(3, phase="train")
    with ca_engine.step(0, phase="validation") as position:
        assert steps.current is position
        ca_engine.step(1, phase="validation")
    assert steps.current == Position(3, None, "train")
    with pytest.raises(ZeroDivisionError), ca_engine.step(4):
        raise ZeroDivisionError
    assert steps.current == Position(3, None, "train")


def test_without_a_number_the_steps_of_each_epoch_and_phase_are_counted() -> None:
    numbers = []
    for epoch in range(2):
        for _ in range(3):
            numbers.append(ca_engine.step(epoch=epoch, phase="train").position.step)
            with ca_engine.step(epoch=epoch, phase="validation") as position:
                numbers.append(position.step)
    assert numbers == 2 * [0, 0, 1, 1, 2, 2]
    ca_engine.step(40, epoch=9)
    assert ca_engine.step(epoch=9).position.step == 41


def test_made_up_phases_do_not_fill_the_memory() -> None:
    for number in range(1_000):
        ca_engine.step(phase=f"{number}" * 1_000)
    assert len(steps._next) < 100
    assert steps.current is not None
    assert len(steps.current.phase or "") == steps.MAX_PHASE


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"number": 1.5}, TypeError),
        ({"epoch": "2"}, TypeError),
        ({"phase": 3}, TypeError),
        ({"number": -1}, ValueError),
        ({"epoch": -1}, ValueError),
    ],
)
def test_what_is_no_step_is_refused(arguments: dict[str, object], error: type[Exception]) -> None:
    with pytest.raises(error):
        ca_engine.step(**arguments)  # type: ignore[arg-type]
    assert steps.current is None


def test_an_integer_of_torch_is_an_integer() -> None:
    ca_engine.step(torch.tensor(4), epoch=torch.tensor(1))  # type: ignore[arg-type]
    assert steps.current == Position(4, 1, None)


def test_naming_steps_imports_no_torch() -> None:
    program = "import sys, ca_engine; ca_engine.step(3); print('torch' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"


def test_inside_compiled_code_it_breaks_the_graph_but_compiles_no_number_anew() -> None:
    backend = torch._dynamo.testing.CompileCounter()

    @torch.compile(backend=backend)
    def called(x: torch.Tensor, number: int) -> torch.Tensor:
        y = x * 2
        ca_engine.step(number)
        return y + 1

    @torch.compile(backend=backend)
    def in_a_block(x: torch.Tensor, number: int) -> torch.Tensor:
        y = x * 2
        with ca_engine.step(number) as position:
            assert position.step is not None
            return y + 1

    for function in (called, in_a_block):
        for number in range(4):
            assert function(torch.ones(1), number).item() == 3
        before = backend.frame_count
        for number in range(4, 20):
            function(torch.ones(1), number)
        assert backend.frame_count == before
    assert steps.current == Position(19, None, None)


@pytest.mark.parametrize("engine", ENGINES)
def test_records_carry_the_names(tmp_path: Path, engine: str) -> None:
    records = record(
        tmp_path,
        engine,
        """
        import ca_engine
        x = torch.ones(4, requires_grad=True)
        x.grad = torch.zeros(4)
        with ca_engine.step(7, epoch=2, phase="train"):
            backward(x.sin().sum())
        with ca_engine.step(phase="validation"):
            backward(x.cos().sum())
        backward(x.sin().sum())
        """,
    )
    assert [found["loop"] for found in records["ca_capture"]] == [
        {"step": 7, "epoch": 2, "phase": "train"},
        {"step": 0, "epoch": None, "phase": "validation"},
    ]
    named = [batch for batch in records["ca_backwards"] if "loop_step" in batch]
    rows = [row for batch in named for row in zip(*(batch[name] for name in COLUMNS), strict=True)]
    # A batch in which nothing has a name has no columns for it.
    assert rows[:2] == [(0, 7, 2, "train"), (1, 0, None, "validation")]
    assert rows[2:] in ([], [(2, None, None, None)])
    assert column(records, "step") == [0, 1, 2]


COLUMNS = ("step", "loop_step", "loop_epoch", "loop_phase")


def test_a_loop_that_names_nothing_writes_nothing_more(tmp_path: Path) -> None:
    records = record(
        tmp_path,
        "ca",
        """
        x = torch.ones(4, requires_grad=True)
        backward(x.sin().sum())
        """,
    )
    assert records["ca_capture"][0]["loop"] is None
    assert not any(name.startswith("loop") for name in records["ca_backwards"][0])
