"""Our engine in place of torch's, and recording from Python."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import torch._dynamo.compiled_autograd as torch_engine
from torch import fx
from torch._dynamo.output_graph import OutputGraph

import ca_engine
from ca_engine import installation
from tests.engine.conftest import STOCK_COMPILER
from tests.engine.recorded import backward
from tests.engine.recorder.test_recorder import column, read_records


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


def test_uninstall_gives_dynamo_its_own_way_to_a_backend_back() -> None:
    stock = OutputGraph.call_user_compiler
    for _ in range(2):
        ca_engine.install()
        assert OutputGraph.call_user_compiler is not stock
        installation.uninstall()
        assert OutputGraph.call_user_compiler is stock


def test_an_unknown_torch_falls_back_to_torchs_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch, "__version__", "9.9.0")
    with pytest.warns(UserWarning, match=r"untested with torch 9\.9\.0: torch's own is used"):
        switch = ca_engine.install(engine="ca")
    compiler: Any = torch_engine.AutogradCompilerInstance(lambda module: module)
    assert isinstance(compiler._inner, STOCK_COMPILER)
    switch.undo()


def test_who_names_no_engine_is_not_warned_that_it_is_torchs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder
) -> None:
    monkeypatch.setattr(torch, "__version__", "2.8.0")
    with ca_engine.record(tmp_path / "run") as folder, ca_engine.enable(lambda module: module):
        backward(torch.sin)
    assert not recwarn.list
    (log,) = folder.glob("*.log")
    (began,) = read_records(log)["ca_run"]
    assert (began["engine"], began["engine_needs"]) == ("torch", "2.11 to 2.15")


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
