"""Sizes that are inputs of a captured graph: lowered for each set of them, up to a limit."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
import torch
import torch._dynamo
from torch import nn

import ca_engine
import ca_reports
from benchmarks import models
from ca_engine import schema
from ca_engine.capture.compiler import CaptureCompiler
from ca_engine.compat import graph_calls
from ca_engine.compat.versions import torch_version
from ca_engine.lowering import check
from ca_engine.lowering.lowered import LoweredBackward
from ca_engine.lowering.modes import Mode
from ca_engine.lowering.sizes import with_sizes
from ca_reports.diagnosis.analysis import analyze
from tests.engine.conftest import Backward, leaf, run_under
from tests.engine.lowering.aten_graphs import compare_lowering
from tests.engine.lowering.batches import batches_of_an_mlp
from tests.engine.recorder.test_recorder import read_records

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def lengths_of_a_gpt(backward: Backward) -> Any:
    """Two sizes that change together, and products of them."""
    embedding, block = nn.Embedding(8, 4), models.Block(4, 2)
    for length in (3, 5, 4):
        backward(block(embedding(torch.randint(8, (2, length)))).square().mean())
    return [each.grad for module in (embedding, block) for each in module.parameters()]


def a_forward_compiled_for_all_sizes(backward: Backward) -> Any:
    """Its backward is an AOT region that takes sizes itself."""
    x = leaf(4)
    compiled = torch.compile(
        lambda y: (x * y).view(-1).sin().reshape(2, -1).sum(1).square().sum(),
        backend="aot_eager",
        dynamic=True,
    )
    for rows in (2, 4, 6):
        with backward.enabled():
            compiled(torch.randn(rows, 4)).backward()
    return x.grad


def in_place_writes_to_views(backward: Backward) -> Any:
    x = leaf(4)
    for rows in (2, 3, 5):
        y = x * torch.ones(rows, 1)
        y[1:].mul_(2)
        backward(y.exp().sum())
    return x.grad


def an_empty_batch(backward: Backward) -> Any:
    return batches_of_an_mlp(backward, (2, 0, 1, 3))


PROGRAMS: list[Callable[[Backward], Any]] = [
    batches_of_an_mlp,
    lengths_of_a_gpt,
    a_forward_compiled_for_all_sizes,
    in_place_writes_to_views,
    an_empty_batch,
]


def ways_of(program: Any, backend: str) -> set[str]:
    """Until torch 2.12 a forward marks what it saves, as a user can, if it is for all sizes."""
    is_marked = program is a_forward_compiled_for_all_sizes and torch_version() < (2, 13)
    return {"dynamic_sizes" if is_marked and backend != "eager" else "lowered"}


@pytest.mark.long
@pytest.mark.parametrize("program", PROGRAMS)
def test_results_are_those_of_a_graph_for_all_sizes(
    program: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As torch has it by default: one graph, compiled for the sizes that come later too."""
    stock = torch.compile

    def by_default(*args: Any, **options: Any) -> Any:
        return stock(*args, **(options if options["dynamic"] else {**options, "dynamic": None}))

    monkeypatch.setattr(torch, "compile", by_default)
    expected = run_under(CaptureCompiler, program, backend="aot_eager")
    got = run_under(CaptureCompiler, program, backend="aot_eager", lowering=Mode.ON)
    assert set(got.ways) == ways_of(program, "aot_eager")
    assert len(got.graphs) == len(expected.graphs)
    torch.testing.assert_close(got.result, expected.result, rtol=0, atol=0)
    assert got.left == expected.left


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize(
    "backend", ["eager", "aot_eager", pytest.param("inductor", marks=pytest.mark.long)]
)
@pytest.mark.long
def test_check_mode_compares_each_size(program: Any, backend: str) -> None:
    """With what Dynamo and AOTAutograd make of the graph for that size, row by row."""
    expected = run_under(CaptureCompiler, program, backend=backend)
    got = run_under(CaptureCompiler, program, backend=backend, lowering=Mode.CHECK)
    assert set(got.ways) == ways_of(program, backend)
    torch.testing.assert_close(got.result, expected.result, rtol=0, atol=0)
    assert got.left == expected.left


def test_check_mode_finds_what_differs_for_one_size(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[int] = []
    stock = check.graphs_difference

    def differing(ours: Any, theirs: Any) -> str | None:
        compared.append(1)
        assert stock(ours, theirs) is None
        return stock([rows[:-1] for rows in ours], theirs) if len(compared) == 3 else None

    monkeypatch.setattr(check, "graphs_difference", differing)
    with pytest.raises(check.LoweringDifferenceError, match="rows, with AOTAutograd"):
        run_under(CaptureCompiler, batches_of_an_mlp, backend="aot_eager", lowering=Mode.CHECK)
    assert len(compared) == 3


def test_sizes_become_constants_and_so_does_what_is_computed_with_them() -> None:
    graph = torch.fx.Graph()
    inputs, sizes = graph.placeholder("inputs"), graph.placeholder("sizes")
    first, second = (
        graph.call_function(
            graph_calls.unwrap_maybe_dynamic_int,
            (graph.call_function(operator.getitem, (sizes, index)),),
        )
        for index in range(2)
    )
    most = graph.call_function(torch.sym_max, (first, second))
    product = graph.call_function(operator.mul, (most, 3))
    item = graph.call_function(operator.getitem, (inputs, 0))
    graph.output(graph.call_function(torch.ops.aten.view.default, (item, [first, -1, product])))
    module = with_sizes(torch.fx.GraphModule(nn.Module(), graph), [2, 5])
    (view,) = module.graph.find_nodes(op="call_function", target=torch.ops.aten.view.default)
    assert view.args[1] == [2, -1, 15]
    assert module([torch.zeros(30)], ()).shape == (2, 1, 15)


@pytest.mark.long
def test_beyond_the_limit_dynamo_compiles_and_it_is_said_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(schema.MOST_LOWERED_SIZES, "aot_eager", 2)
    program = partial(batches_of_an_mlp, sizes=(3, 4, 5, 6, 7, 8, 4, 6))
    # Of the first capture sizes are constants.
    ways = ["lowered", "lowered", "lowered", "many_sizes"]
    assert compare_lowering(program, backend="aot_eager").ways == ways


@pytest.mark.long
def test_beyond_the_limit_dynamo_compiles_once_for_all_sizes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(schema.MOST_LOWERED_SIZES, "aot_eager", 2)
    batches = [torch.randn(size, 3) for size in (2, 4, 5, 6, 7, 8)]
    with ca_engine.record(tmp_path / "run"):
        train(batches=batches)
    (log,) = (tmp_path / "run").iterdir()
    ways = [record["way"] for record in read_records(log)[schema.LOWERING_RECORD]]
    assert ways == ["l2", "l2", "l2", "no"]
    _, second = analyze(ca_reports.load([tmp_path / "run"])).run.captures
    # Two that were lowered, one of Dynamo's.
    assert len(second.compile_ids) == 3
    assert not any(hasattr(batch, "_dynamo_weak_dynamic_indices") for batch in batches)


def test_beyond_the_limit_sizes_that_were_lowered_stay_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    runs: list[int] = []
    stock = LoweredBackward.__call__

    def counting(self: Any, inputs: Any, sizes: Any, *rest: Any) -> Any:
        runs.append(tuple(sizes) in self._ways)
        return stock(self, inputs, sizes, *rest)

    monkeypatch.setitem(schema.MOST_LOWERED_SIZES, "aot_eager", 1)
    monkeypatch.setattr(LoweredBackward, "__call__", counting)
    program = partial(batches_of_an_mlp, sizes=(3, 4, 5, 4))
    run_under(CaptureCompiler, program, backend="aot_eager", lowering=Mode.ON)
    assert runs == [False, False, False, True]


def train(backend: str = "aot_eager", batches: Sequence[torch.Tensor] | None = None) -> None:
    torch._dynamo.reset()
    model = nn.Sequential(nn.Linear(3, 2), nn.Tanh())
    with ca_engine.enable(partial(torch.compile, backend=backend), lowering=True):
        for batch in batches or [torch.ones(size, 3) for size in (2, 4, 5, 4, 6)]:
            model(batch).sum().backward()
            model.zero_grad()
    torch._dynamo.reset()


def test_records_and_compile_ids_tell_the_sizes_apart(tmp_path: Path) -> None:
    with ca_engine.record(tmp_path / "run"):
        train()
    (log,) = (tmp_path / "run").iterdir()
    records = read_records(log)[schema.LOWERING_RECORD]
    assert [set(record["sizes"]) for record in records] == [set(), {4}, {5}, {6}]
    assert {record["way"] for record in records} == {"l2"}
    analysis = analyze(ca_reports.load([tmp_path / "run"]))
    first, second = analysis.run.captures
    assert [each.partition("/")[2] for each in first.compile_ids] == ["0/0"]
    assert [each.partition("/")[2] for each in second.compile_ids] == ["1/0", "1/1", "1/2"]
    assert second.lowering is not None
    assert second.lowering.size_sets == 3
    (found,) = [each for each in analysis.diagnosis.findings if each.code == "CA102"]
    assert "each of 3 sizes cost" in found.fix


def test_direct_serves_all_sizes(tmp_path: Path) -> None:
    with ca_engine.record(tmp_path / "run"):
        train("eager")
    (log,) = (tmp_path / "run").iterdir()
    records = read_records(log)[schema.LOWERING_RECORD]
    assert [record["sizes"] for record in records] == [[], []]
