"""Recordings from Python: several of one process, within each other, and what ends them."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch._dynamo.callback import callback_handler

import ca_engine
from ca_engine import trace
from ca_engine.capture.compiler import CaptureCompiler
from ca_engine.compat import compiled_autograd
from tests.engine.recorder.test_recorder import column, of_our_engine, read_records

Records = dict[str, list[dict[str, Any]]]


@pytest.fixture(autouse=True)
def _nothing_cached() -> None:
    ca_engine.clear_cache()


def backward(op: Callable[[torch.Tensor], torch.Tensor] = torch.sin) -> None:
    op(torch.ones(3, requires_grad=True)).sum().backward()


def same(module: Any) -> Any:
    return module


def records_of(folder: Path) -> Records:
    (log,) = folder.glob("*.log")
    return read_records(log)


def test_a_later_recording_counts_hits_of_what_an_earlier_one_captured(tmp_path: Path) -> None:
    for name, times in (("first", 3), ("second", 6)):
        with ca_engine.record(tmp_path / name), ca_engine.enable(same):
            for _ in range(times):
                backward()

    first, second = (records_of(tmp_path / name) for name in ("first", "second"))
    assert column(first, "miss") == [1, 0, 0]
    assert column(second, "step") == list(range(6))
    assert column(second, "miss") == [0] * 6
    assert [(end["backwards"], end["captures"], end["hits"]) for end in first["ca_end"]] == [
        (3, 1, 2)
    ]
    assert [(end["backwards"], end["captures"], end["hits"]) for end in second["ca_end"]] == [
        (6, 0, 6)
    ]


def test_what_hits_after_a_recording_is_in_no_trace(tmp_path: Path) -> None:
    with trace.written_to(tmp_path / "trace"):
        with ca_engine.install(), ca_engine.enable(same):
            backward()
        with compiled_autograd.enable(same):
            for _ in range(4):
                backward()

    assert column(records_of(tmp_path / "trace"), "step") == [0]


def test_a_recording_within_another_has_its_own_begin_and_end(tmp_path: Path) -> None:
    with ca_engine.record(tmp_path / "outer"), ca_engine.enable(same):
        backward()
        backward()
        with ca_engine.record(tmp_path / "inner"):
            backward(torch.cos)
            backward(torch.cos)
            backward()
        backward()

    outer, inner = (records_of(tmp_path / name) for name in ("outer", "inner"))
    assert len(outer["ca_run"]) == len(inner["ca_run"]) == 1
    assert [(end["backwards"], end["captures"], end["hits"]) for end in outer["ca_end"]] == [
        (6, 2, 4)
    ]
    assert [(end["backwards"], end["captures"], end["hits"]) for end in inner["ca_end"]] == [
        (3, 1, 2)
    ]
    assert column(outer, "step") == list(range(6))
    assert column(inner, "step") == [2, 3, 4]


def test_many_recordings_leave_nothing_behind(tmp_path: Path) -> None:
    with ca_engine.record(tmp_path / "before"):
        pass
    callbacks = list(callback_handler.start_callbacks)
    for number in range(3):
        with ca_engine.record(tmp_path / str(number)):
            pass
    assert callback_handler.start_callbacks == callbacks


def test_the_end_names_what_was_raised_within(tmp_path: Path) -> None:
    def fails() -> None:
        with ca_engine.record(tmp_path / "run"), ca_engine.enable(same):
            backward()
            raise ValueError("boom")

    with pytest.raises(ValueError, match="boom"):
        fails()

    (end,) = records_of(tmp_path / "run")["ca_end"]
    assert end["error_text"] == "ValueError: boom"
    assert end["error_stack"][-1]["code"] == 'raise ValueError("boom")'


def test_the_end_names_no_error_of_an_interactive_session_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "last_value", ValueError("an hour ago"), raising=False)
    with ca_engine.record(tmp_path / "run"), ca_engine.enable(same):
        backward()
    (end,) = records_of(tmp_path / "run")["ca_end"]
    assert end["error"] is None


@of_our_engine
def test_another_engine_than_the_installed_one_is_warned_of(tmp_path: Path) -> None:
    with ca_engine.install():
        ca_engine.install(engine="ca").undo()
        with (
            pytest.warns(
                UserWarning, match=r'engine="torch" has no effect: "ca" is already installed'
            ),
            ca_engine.record(tmp_path / "run", engine="torch"),
        ):
            pass
    assert records_of(tmp_path / "run")["ca_run"][0]["engine"] == "ca"


def test_a_trace_that_cannot_be_opened_costs_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    with ca_engine.install(), ca_engine.enable(same), trace.written_to(tmp_path / "file"):
        x = torch.ones(3, requires_grad=True)
        x.sin().sum().backward()
    assert x.grad is not None
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("ca: the recording ends here: File exists (")


def test_a_backward_within_the_compiler_does_not_end_the_capture(tmp_path: Path) -> None:
    def compiler_fn(module: Any) -> Any:
        with ca_engine.disable(), torch.enable_grad():
            backward()
        return module

    with ca_engine.record(tmp_path / "run"), ca_engine.enable(compiler_fn):
        backward()
        backward(torch.cos)

    records = records_of(tmp_path / "run")
    assert [(found["kind"], found["error"]) for found in records["ca_capture"]] == [
        ("first", None),
        ("new_autograd_node", None),
    ]
    assert records["ca_end"][0]["failed_captures"] == 0


class LoadedFromCache(torch.autograd.Function):
    """As AOTAutogradCache leaves a region: its backward cannot be captured any more."""

    _aot_id = 7
    _lazy_backward_info = None

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x * 2

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> torch.Tensor:
        return grads[0] * 2


def test_a_capture_that_a_region_refuses_is_recorded_with_its_error(tmp_path: Path) -> None:
    with (
        ca_engine.record(tmp_path / "run"),
        ca_engine.enable(same),
        pytest.raises(RuntimeError, match="AOTAutogradCache"),
    ):
        backward(LoadedFromCache.apply)

    (capture,) = records_of(tmp_path / "run")["ca_capture"]
    assert "AOTAutogradCache" in capture["error"]


def test_a_refused_backward_is_seen_although_another_thread_hit_meanwhile(tmp_path: Path) -> None:
    def refused() -> torch.Tensor:
        values = [torch.ones(2), torch.ones(3)]
        nested = torch.nested.nested_tensor(values, requires_grad=True)
        return torch.nested.to_padded_tensor(nested * 2, 0.0).sum()

    with ca_engine.record(tmp_path / "run"), ca_engine.enable(same):
        backward()
        try:
            refused().backward()
        except NotImplementedError:
            other = threading.Thread(target=backward)
            other.start()
            other.join()
            with ca_engine.disable():
                backward()

    (hazard,) = records_of(tmp_path / "run")["ca_hazard"]
    assert hazard["kind"] == "backward_failed"
    assert hazard["error"].startswith("NotImplementedError")


@of_our_engine
def test_a_backward_in_another_thread_does_not_end_the_capture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """C++ refuses it. The capture goes on, and so do the reasons of later ones."""
    refused: list[BaseException] = []
    stock = CaptureCompiler.validate_outputs

    def other_backward() -> None:
        try:
            backward(torch.tanh)
        except NotImplementedError as error:
            refused.append(error)

    def validate_outputs(*args: Any) -> Any:
        if not refused:
            other = threading.Thread(target=other_backward)
            other.start()
            other.join()
        return stock(*args)

    monkeypatch.setattr(CaptureCompiler, "validate_outputs", validate_outputs)
    with ca_engine.record(tmp_path / "run"), ca_engine.enable(same):
        backward()
        backward(torch.cos)

    assert len(refused) == 1
    records = records_of(tmp_path / "run")
    assert [(found["kind"], found["error"]) for found in records["ca_capture"]] == [
        ("first", None),
        ("new_autograd_node", None),
    ]
    assert records["ca_end"][0]["failed_captures"] == 0


def test_the_package_lists_what_it_offers() -> None:
    assert set(ca_engine.__all__) <= set(dir(ca_engine))


def test_memory_that_runs_out_while_a_record_is_made_is_not_the_programs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run_out(*_: Any, **__: Any) -> str:
        raise MemoryError

    x = torch.ones(3, requires_grad=True)
    with ca_engine.record(tmp_path), ca_engine.enable(same):
        monkeypatch.setattr(trace, "json", SimpleNamespace(dumps=run_out))
        for _ in range(5):
            x.sin().sum().backward()
        x.cos().sum().backward()
        monkeypatch.undo()
        x.cos().sum().backward()

    assert x.grad is not None
    torch.testing.assert_close(x.grad, 5 * torch.ones(3).cos() - 2 * torch.ones(3).sin())
    assert records_of(tmp_path)["ca_end"][0]["backwards"] == 7
    said = capsys.readouterr().err.splitlines()
    assert len(said) == len(set(said))
    # Lines of a forward are noted as long as their budget lasts, and waits where cores are busy.
    of_the_machine = {
        f"ca: a {kind} record is lost: MemoryError" for kind in ("ca_forward", "ca_core_waits")
    }
    assert set(said) - of_the_machine == {
        "ca: a ca_backwards record is lost: MemoryError",
        "ca: a ca_capture record is lost: MemoryError",
    }
