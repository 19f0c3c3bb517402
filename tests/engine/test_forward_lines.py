"""The lines of the forward: when they are noted, and what is left as it was."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest
import torch

from ca_engine import compat
from ca_engine.recorder.forward import FORWARDS_AFTER_MISS, read_lines, users_line
from ca_engine.recorder.snapshot import number_nodes
from tests.engine.test_recorder import bare_environment, read_records

PRELUDE = """
import torch, torch._dynamo
from ca_engine.installation import install, uninstall
install(engine={engine!r}, forward_stacks=True)
captured = torch.compile(backend="eager")
w = torch.ones(4, requires_grad=True)
w.grad = torch.zeros(4)

def backward(loss):
    with torch._dynamo.compiled_autograd._enable(captured):
        loss.backward()
"""


def record(folder: Path, body: str, engine: str = "ca") -> dict[str, list[dict[str, Any]]]:
    script = folder / "script.py"
    script.write_text(PRELUDE.format(engine=engine) + textwrap.dedent(body))
    trace = folder / "trace"
    done = subprocess.run(
        [sys.executable, str(script)],
        env=bare_environment(trace),
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
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
            on = torch.is_anomaly_enabled()
            assert on == (1 <= step <= {FORWARDS_AFTER_MISS}), step
            assert not torch.is_anomaly_check_nan_enabled() or not on
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


def test_a_child_and_a_program_after_it_have_nothing_of_it(tmp_path: Path) -> None:
    record(
        tmp_path,
        """
        import os
        from torch.fx import traceback
        backward((w * 2).sum())
        ours = traceback.format_stack
        assert torch.is_anomaly_enabled()
        if not (child := os.fork()):
            os._exit(torch.is_anomaly_enabled() or traceback.format_stack is ours)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert torch.is_anomaly_enabled()
        uninstall()
        assert not torch.is_anomaly_enabled()
        assert traceback.format_stack is not ours
        """,
    )


def test_what_a_program_switches_itself_stays() -> None:
    undo = compat.note_new_nodes(users_line)
    try:
        assert torch.is_anomaly_enabled()
        torch.autograd.set_detect_anomaly(True)
    finally:
        undo()
    try:
        assert torch.is_anomaly_enabled()
        # Whole tracebacks, and nothing to undo.
        compat.note_new_nodes(users_line)()
        assert torch.is_anomaly_enabled()
        node = torch.ones(1, requires_grad=True).exp().grad_fn
        assert node is not None
        assert len(compat.note_of(node)) > 3
    finally:
        torch.autograd.set_detect_anomaly(False)


def test_leaves_and_nodes_without_a_note_have_no_line() -> None:
    x = torch.ones(2, requires_grad=True)
    before = x.exp()
    undo = compat.note_new_nodes(users_line)
    after = before.sin()
    undo()
    lines = read_lines(number_nodes([after.sum()], []))
    # Root, sum (made after), sin, exp (made before), leaf.
    assert lines.nodes == [2]
    (frame,) = lines.frames
    assert frame["code"] == "after = before.sin()"
    assert frame["function"] == "test_leaves_and_nodes_without_a_note_have_no_line"
