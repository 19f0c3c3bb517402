"""Backwards that are not what they look like: what is recorded of them, and what is not."""

from __future__ import annotations

import sys
import textwrap
import traceback
from pathlib import Path
from typing import Any

import pytest
import torch

from ca_engine.compat import patches
from tests import warm
from tests.engine.recorder.test_recorder import ENGINES, bare_environment, read_records

PRELUDE = """
import torch, torch._dynamo
from ca_engine import install
install(engine={engine!r})
ca = torch._dynamo.compiled_autograd
captured = torch.compile(backend="eager")
w = torch.ones(4, requires_grad=True)

def step(loss):
    w.grad = None
    with ca._enable(captured):
        loss.backward()
"""


def record(
    folder: Path, body: str, *, engine: str = "ca", code: int = 0
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Runs ``body`` after the prelude in a process of its own; its hazards, and its end."""
    script = folder / "script.py"
    script.write_text(PRELUDE.format(engine=engine) + textwrap.dedent(body))
    trace = folder / "trace"
    done = warm.python().run([sys.executable, script], env=bare_environment(trace), cwd=folder)
    assert done.returncode == code, done.stderr
    # Inductor's compile workers have logs of their own in torch 2.11 and 2.12.
    (log,) = (path for path in trace.glob("*.log") if b"ca_run" in path.read_bytes())
    records = read_records(log)
    return records.get("ca_hazard", []), records["ca_end"][0]


@pytest.mark.parametrize("engine", ENGINES)
def test_anomaly_mode_after_the_capture(tmp_path: Path, engine: str) -> None:
    hazards, end = record(
        tmp_path,
        """
        for number in range(5):
            with torch.autograd.set_detect_anomaly(number >= 2):
                step((w * 2).sum())  # here
        """,
        engine=engine,
    )
    (hazard,) = hazards
    assert (hazard["kind"], hazard["then"], hazard["now"]) == ("anomaly", False, True)
    assert (hazard["step"], hazard["capture"]) == (2, 0)
    assert hazard["stack"][-2]["code"].endswith("# here")
    assert hazard["stack"][-1]["code"] == "loss.backward()"
    assert end["hazards"] == [3]


def test_what_is_no_hazard(tmp_path: Path) -> None:
    hazards, _ = record(
        tmp_path,
        """
        # Without its check for NaNs anomaly mode changes nothing.
        for number in range(3):
            with torch.autograd.set_detect_anomaly(number == 2, check_nan=False):
                step((w * 2).sum())
        # Autocast matters for compiled forwards only: for others it is eager's.
        with torch.autocast("cpu", torch.bfloat16):
            step((w * 2).sum())
        # Nobody asked for this one to be captured.
        w.sin().sum().backward()
        """,
    )
    assert hazards == []


# (forward under autocast, backward under autocast, option) → (assumed, found) or nothing
AUTOCASTS: list[tuple[bool, bool, object, tuple[object, object] | None]] = [
    # The forward ran without autocast, so the backward was traced for none.
    (False, True, "same_as_forward", ({}, {"cpu": "bfloat16"})),
    (True, True, "off", ({}, {"cpu": "bfloat16"})),
    (False, False, [{"device_type": "cpu"}], ({"cpu": "bfloat16"}, {})),
    (True, True, "same_as_forward", None),
    (False, False, "same_as_forward", None),
    (False, True, [{"device_type": "cpu"}], None),
    # As autocast is to be used: the gradients are the same.
    (True, False, "same_as_forward", None),
    (True, False, "off", None),
]


@pytest.mark.skipif(
    not hasattr(torch._functorch.config, "backward_pass_autocast"), reason="an option of torch 2.9"
)
def test_autocast_that_the_compiled_forward_did_not_assume(tmp_path: Path) -> None:
    # A function of its own for each case: the option is no guard of a compiled forward.
    cases = [
        f"""
region = torch.compile(lambda x: (x @ x).sin() + {number}, backend="aot_eager")
torch._functorch.config.backward_pass_autocast = {option!r}
for _ in range(2):
    with torch.autocast("cpu", torch.bfloat16, enabled={forward}):
        loss = region(x).float().sum()
    with torch.autocast("cpu", torch.bfloat16, enabled={backward}):
        with ca._enable(torch.compile(backend="aot_eager")):
            torch.autograd.grad(loss, x)
"""
        for number, (forward, backward, option, _) in enumerate(AUTOCASTS)
    ]
    hazards, end = record(tmp_path, "x = torch.ones(4, 4, requires_grad=True)" + "".join(cases))
    assert {hazard["kind"] for hazard in hazards} == {"autocast"}
    assert [
        (hazard["step"], hazard["option"], (hazard["then"], hazard["now"])) for hazard in hazards
    ] == [
        (2 * number, option, expected)
        for number, (_, _, option, expected) in enumerate(AUTOCASTS)
        if expected is not None
    ]
    assert end["hazards"] == [2, 2, 2]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_backward_outside_of_compiled_functions(tmp_path: Path, engine: str) -> None:
    hazards, end = record(
        tmp_path,
        """
        torch._dynamo.config.compiled_autograd = True
        region = torch.compile(lambda x: x.sin(), backend="aot_eager")
        for _ in range(3):
            region(w).sum().backward()  # eager
        with ca._disable():
            region(w).sum().backward()  # wanted
        torch.compile(lambda: region(w).sum().backward(), backend="eager")()
        """,
        engine=engine,
    )
    (hazard,) = hazards
    assert (hazard["kind"], hazard["capture"]) == ("not_captured", None)
    assert hazard["stack"][-1]["code"].endswith("# eager")
    assert end["hazards"] == [3]
    assert end["captures"] == 1


@pytest.mark.parametrize("engine", ENGINES)
def test_errors_of_backwards_captures_and_the_process(tmp_path: Path, engine: str) -> None:
    hazards, end = record(
        tmp_path,
        """
        torch._dynamo.config.suppress_errors = False
        def refuse(grad):
            raise ValueError("no" * 5_000)
        x = torch.ones(3, requires_grad=True)
        x.register_hook(refuse)
        for _ in range(2):
            try:
                step(x.exp().sum())
            except Exception:
                pass
        def last():
            raise KeyError("the end")
        last()
        """,
        engine=engine,
        code=1,
    )
    assert {hazard["kind"] for hazard in hazards} == {"backward_failed"}
    assert all(len(hazard["error"]) <= 2_000 for hazard in hazards)
    assert (end["error"], end["error_text"]) == ("KeyError", "KeyError: 'the end'")
    assert [frame["function"] for frame in end["error_stack"]] == ["<module>", "last"]


@pytest.mark.parametrize("engine", ENGINES)
def test_an_error_in_a_node_is_quoted(tmp_path: Path, engine: str) -> None:
    script = """
        region = torch.compile(lambda x: x.sin(), backend="aot_eager")
        x = torch.ones(3, requires_grad=True)
        with ca._enable(captured):
            torch.autograd.grad(region(x).sum(), x, create_graph=True)
        """
    record(tmp_path, script, engine=engine, code=1)
    (log,) = (tmp_path / "trace").glob("*.log")
    (capture,) = read_records(log)["ca_capture"]
    assert capture["error"] == (
        "RuntimeError: torch.compile does not currently support higher order gradients."
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_a_refused_backward_that_the_program_runs_in_eager_is_quoted(
    tmp_path: Path, engine: str
) -> None:
    # Torch refuses nested tensors before a capture begins, and nobody is told.
    hazards, end = record(
        tmp_path,
        """
        x = torch.nested.nested_tensor([torch.ones(2, 4), torch.ones(3, 4)], layout=torch.jagged)
        for _ in range(3):
            loss = (x * w).values().sum()
            try:
                step(loss)
            except NotImplementedError:
                loss.backward()
        try:
            raise ValueError("not of a backward")
        except ValueError:
            (2 * w).sum().backward()
        """,
        engine=engine,
    )
    (hazard,) = hazards
    assert (hazard["kind"], hazard["step"], hazard["capture"]) == ("backward_failed", 0, None)
    assert hazard["error"].startswith("NotImplementedError: NestedTensor")
    assert hazard["stack"][-1]["code"] == "loss.backward()"
    assert hazard["stack"][-1]["function"] == "step"
    assert end["hazards"] == [3]
    assert end["error"] is None


def test_hazards_are_bounded(tmp_path: Path) -> None:
    hazards, end = record(
        tmp_path,
        """
        torch._dynamo.config.compiled_autograd = True
        for number in range(130):
            exec(compile("\\n" * number + "w.sum().backward()", "generated.py", "exec"))
        """,
    )
    assert len(hazards) == 100
    assert end["hazards_left_out"] == 30


def test_the_watched_engine_leaves_no_frame_and_can_be_undone() -> None:
    stock = torch.autograd.Variable._execution_engine
    starts: list[int] = []
    undo = patches.watch_backwards(lambda: starts.append(1))
    try:
        torch.ones(2, requires_grad=True).sum().backward()
        x = torch.ones(2, requires_grad=True)
        x.register_hook(lambda grad: 1 / 0)
        with pytest.raises(ZeroDivisionError) as raised:
            x.sum().backward()
        frames = traceback.extract_tb(raised.value.__traceback__)
        assert not [frame for frame in frames if "ca_engine" in frame.filename]
        # Dynamo knows the engine by its type.
        assert isinstance(torch.autograd.Variable._execution_engine, type(stock))
    finally:
        undo()
    assert len(starts) == 2
    assert torch.autograd.Variable._execution_engine is stock
