"""`import ca_engine`: the switches, recording from Python, and the cache."""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import torch._dynamo.compiled_autograd as torch_engine
from torch import fx

import ca_engine
from ca_engine import installation
from tests.engine.conftest import STOCK_COMPILER
from tests.engine.recorder.test_recorder import column, read_records


@pytest.fixture
def captured() -> list[fx.GraphModule]:
    return []


@pytest.fixture
def keep(captured: list[fx.GraphModule]) -> Callable[[fx.GraphModule], Any]:
    def compile_graph(module: fx.GraphModule) -> Any:
        captured.append(module)
        return module

    return compile_graph


def backward(op: Callable[[torch.Tensor], torch.Tensor]) -> None:
    op(torch.ones(3, requires_grad=True)).sum().backward()


def test_enable_ends_with_its_block(
    captured: list[fx.GraphModule], keep: Callable[[fx.GraphModule], Any]
) -> None:
    with ca_engine.enable(keep):
        backward(torch.sin)
        with ca_engine.disable():
            backward(torch.cos)
        backward(torch.tan)
    backward(torch.exp)
    assert len(captured) == 2


def test_enable_as_a_function_holds_until_undone(
    captured: list[fx.GraphModule], keep: Callable[[fx.GraphModule], Any]
) -> None:
    switch = ca_engine.enable(keep)
    backward(torch.sin)
    switch.undo()
    switch.undo()
    backward(torch.cos)
    assert len(captured) == 1


def test_disable_as_a_function_holds(
    captured: list[fx.GraphModule], keep: Callable[[fx.GraphModule], Any]
) -> None:
    switch = ca_engine.enable(keep)
    off = ca_engine.disable()
    backward(torch.sin)
    off.undo()
    backward(torch.cos)
    switch.undo()
    assert len(captured) == 1


def test_dynamo_is_told_once_what_to_skip(keep: Callable[[fx.GraphModule], Any]) -> None:
    rules = torch._dynamo.trace_rules
    with ca_engine.enable(keep):
        skipped = list(rules.SKIP_DIRS)
    installation.uninstall()
    with ca_engine.enable(keep):
        assert skipped == rules.SKIP_DIRS
    package = str(Path(ca_engine.__file__).parent)
    assert rules.check_file(f"{package}/capture/compiler.py").skipped
    assert rules.check_file(f"{package}/reasons.py").skipped
    assert not rules.check_file(f"{package}/traced.py").skipped


def test_install_redirects_torchs_own_ways_in(keep: Callable[[fx.GraphModule], Any]) -> None:
    with ca_engine.install():
        assert torch_engine.AutogradCompilerInstance is not STOCK_COMPILER
        with ca_engine.install():  # inside another it changes nothing
            pass
        assert torch_engine.AutogradCompilerInstance is not STOCK_COMPILER
    assert torch_engine.AutogradCompilerInstance is STOCK_COMPILER


def test_an_unknown_torch_falls_back_to_torchs_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch, "__version__", "9.9.0")
    with pytest.warns(UserWarning, match=r"untested with torch 9\.9\.0: torch's own is used"):
        switch = ca_engine.install()
    compiler: Any = torch_engine.AutogradCompilerInstance(lambda module: module)
    assert isinstance(compiler._inner, STOCK_COMPILER)
    switch.undo()


def test_record_writes_a_trace_that_reads_as_a_run(
    tmp_path: Path, keep: Callable[[fx.GraphModule], Any]
) -> None:
    with ca_engine.record(tmp_path / "run") as folder, ca_engine.enable(keep):
        backward(torch.sin)
        backward(torch.sin)
    backward(torch.cos)
    (log,) = folder.glob("*.log")
    records = read_records(log)
    assert column(records, "miss") == [1, 0]
    assert len(records["ca_run"]) == len(records["ca_end"]) == 1


def test_two_recordings_in_one_process_are_apart(
    tmp_path: Path, keep: Callable[[fx.GraphModule], Any]
) -> None:
    for name, op in (("first", torch.sin), ("second", torch.cos)):
        with ca_engine.record(tmp_path / name), ca_engine.enable(keep):
            backward(op)
    for name, node in (("first", "SinBackward0"), ("second", "CosBackward0")):
        (log,) = (tmp_path / name).glob("*.log")
        (capture,) = read_records(log)["ca_capture"]
        assert node in {entry["name"] for entry in capture["autograd_graph"]}


def test_the_cache_can_be_seen_and_cleared(keep: Callable[[fx.GraphModule], Any]) -> None:
    with ca_engine.enable(keep):
        ca_engine.clear_cache()
        before = len(ca_engine.cache_info().captures)
        for op in (torch.sin, torch.sin, torch.cos):
            backward(op)
        info = ca_engine.cache_info()
        assert [capture.hits for capture in info.captures[before:]] == [1, 0]
        assert info.estimated_bytes > 0
        ca_engine.clear_cache()
        assert len(ca_engine.cache_info().captures) == before
        backward(torch.sin)
        assert len(ca_engine.cache_info().captures) == before + 1


def test_clearing_the_cache_frees_the_compiled_graphs() -> None:
    alive: list[weakref.ref[Any]] = []

    class Compiled:
        def __init__(self, module: fx.GraphModule) -> None:
            self.module = module
            alive.append(weakref.ref(self))

        def __call__(self, *args: Any) -> Any:
            return self.module(*args)

    with ca_engine.enable(Compiled):
        backward(torch.sin)
        assert alive[0]() is not None
        ca_engine.clear_cache()
        gc.collect()
        assert alive[0]() is None
        backward(torch.sin)
        ca_engine.reset()
    gc.collect()
    assert alive[1]() is None


def test_clearing_the_cache_within_a_backward_is_refused() -> None:
    x = torch.ones(3, requires_grad=True)
    x.register_hook(lambda grad: ca_engine.clear_cache())
    with (
        ca_engine.enable(lambda module: module),
        pytest.raises(RuntimeError, match="can't be cleared from within"),
    ):
        x.sum().backward()


def test_importing_the_package_imports_no_torch() -> None:
    code = "import sys, ca_engine, ca_engine.schema; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


FIRST_BACKWARD = """
import sys
from pathlib import Path
{imports}
with ca_engine.record({folder!r}), ca_engine.enable(lambda module: module):
    torch.ones(3, requires_grad=True).sum().backward()
"""


@pytest.mark.parametrize(
    "imports", ["import torch, ca_engine", "import ca_engine; ca_engine.enable; import torch"]
)
def test_the_first_record_of_a_process_is_not_lost(tmp_path: Path, imports: str) -> None:
    code = FIRST_BACKWARD.format(imports=imports, folder=str(tmp_path / "run"))
    subprocess.run([sys.executable, "-c", code], check=True)
    (log,) = (tmp_path / "run").glob("*.log")
    records = read_records(log)
    assert len(records["ca_run"]) == len(records["ca_end"]) == 1
    assert column(records, "step") == [0]


def test_a_recording_counts_from_its_begin(
    tmp_path: Path, keep: Callable[[fx.GraphModule], Any]
) -> None:
    with ca_engine.install(), ca_engine.enable(keep):
        backward(torch.sin)
        backward(torch.sin)
        ca_engine.clear_cache()
        with ca_engine.record(tmp_path / "run"):
            backward(torch.sin)
            backward(torch.cos)
    (log,) = (tmp_path / "run").glob("*.log")
    records = read_records(log)
    assert column(records, "step") == [0, 1]
    assert [found["kind"] for found in records["ca_capture"]] == ["first", "new_autograd_node"]
    (end,) = records["ca_end"]
    assert (end["backwards"], end["captures"]) == (2, 2)


def test_what_is_recorded_can_be_read_before_the_end(
    tmp_path: Path, keep: Callable[[fx.GraphModule], Any]
) -> None:
    with ca_engine.record(tmp_path / "run") as folder, ca_engine.enable(keep):
        for _ in range(6):
            backward(torch.sin)
        installation.settle()
        (log,) = folder.glob("*.log")
        assert column(read_records(log), "miss") == [1, 0, 0, 0, 0, 0]
