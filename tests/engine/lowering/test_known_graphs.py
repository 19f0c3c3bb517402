"""A graph that inductor has compiled before is found without its passes, and nothing else is."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import fx, nn
from torch._functorch import config as functorch_config
from torch._inductor import compile_fx, config

import ca_engine
from ca_engine import schema
from ca_engine.compat import inductor, inductor_cache
from ca_engine.lowering import backends
from ca_engine.lowering.known_graphs import KnownGraph
from ca_engine.lowering.recognise import KnownCompiler
from tests.engine.recorder.test_recorder import read_records

INDUCTOR = KnownCompiler("inductor", compile_fx.compile_fx, False, None, {}, None)


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Gets each graph that goes through inductor's passes; it knows no graph, only kernels."""
    seen: list[Any] = []
    stock = compile_fx._recursive_joint_graph_passes

    def noting(module: Any, *args: Any, **kwargs: Any) -> Any:
        seen.append(module)
        return stock(module, *args, **kwargs)

    monkeypatch.setattr(compile_fx, "_recursive_joint_graph_passes", noting)
    for cache in ("fxgraph", "ca_lowering"):
        shutil.rmtree(Path(inductor_cache.cache_folder(), cache), ignore_errors=True)
    return seen


def trained(
    folder: Path, *, lowering: bool = True, **options: Any
) -> tuple[list[Any], list[tuple[Any, ...]]]:
    """A fresh start of a training with inductor: gradients, and what the cache said."""
    torch._dynamo.reset()
    backends.BACKENDS["inductor"] = backends.Inductor()
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 2))

    def compiler(module: Any) -> Any:
        return torch.compile(module, **options)

    with ca_engine.record(folder), ca_engine.enable(compiler, lowering=lowering):
        for _ in range(2):
            model(torch.randn(3, 4)).square().sum().backward()
    (log,) = folder.iterdir()
    records = read_records(log).get(schema.LOWERING_RECORD, [])
    return [each.grad for each in model.parameters()], [
        (found["way"], found["cache"]) for found in records
    ]


@pytest.mark.long
def test_a_second_start_skips_inductors_passes(passes: list[Any], tmp_path: Path) -> None:
    first, used = trained(tmp_path / "1")
    assert used == [("l2", "miss")] * 2
    assert len(passes) == 2
    second, used = trained(tmp_path / "2")
    assert used == [("l2", "hit")] * 2
    assert len(passes) == 2
    torch.testing.assert_close(second, first, rtol=0, atol=0)
    (log,) = (tmp_path / "2").iterdir()
    assert log.read_text().count('"name": "fx_graph_cache_hit"') == 2


@pytest.mark.long
def test_what_dynamo_brought_to_inductor_is_found_by_lowering(
    passes: list[Any], tmp_path: Path
) -> None:
    """The graphs are the same to the last name, and so are FxGraphCache's keys for them."""
    first, used = trained(tmp_path / "1", lowering=False)
    assert not used
    second, used = trained(tmp_path / "2")
    assert used == [("l2", "hit")] * 2
    torch.testing.assert_close(second, first, rtol=0, atol=0)


def lose_entries(folder: Path) -> None:
    shutil.rmtree(folder / "fxgraph")


def damage_names(folder: Path) -> None:
    for file in (folder / "ca_lowering").glob("*/*"):
        file.write_text("")


def empty_entries(folder: Path) -> None:
    for file in (folder / "fxgraph").glob("*/*/*"):
        file.unlink()


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lose_entries, marks=pytest.mark.long),
        damage_names,
        pytest.param(empty_entries, marks=pytest.mark.long),
    ],
)
def test_what_is_gone_is_compiled_as_ever(
    damage: Callable[[Path], None], passes: list[Any], tmp_path: Path
) -> None:
    first, _ = trained(tmp_path / "1")
    damage(Path(inductor_cache.cache_folder()))
    second, used = trained(tmp_path / "2")
    assert [way for way, _ in used] == ["l2"] * 2
    assert len(passes) == 4
    torch.testing.assert_close(second, first, rtol=0, atol=0)
    # And is found again.
    assert trained(tmp_path / "3")[1] == [("l2", "hit")] * 2
    assert len(passes) == 4


# What tells graphs apart


def square(x: torch.Tensor) -> torch.Tensor:
    return x.square().sum()


@contextmanager
def threads(number: int) -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(number)
    yield
    torch.set_num_threads(before)


@contextmanager
def deterministic() -> Iterator[None]:
    torch.use_deterministic_algorithms(True)
    yield
    torch.use_deterministic_algorithms(False)


@contextmanager
def float64_by_default() -> Iterator[None]:
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[Any]]:
    """Runs a backward under inductor, whose graphs run as they are; gives their files' names."""

    def run_as_it_is(graph: fx.Graph, *_: Any) -> Any:
        module = fx.GraphModule(nn.Module(), graph)
        return lambda inputs: module(*inputs)

    monkeypatch.setattr(inductor, "inductor_compile", run_as_it_is)

    def run(loss: Any = square, x: torch.Tensor | None = None, **options: Any) -> list[Any]:
        found: list[Any] = []
        remember = KnownGraph.remember

        def noting(self: Any, compiled: Any) -> None:
            found.append(self._file)
            remember(self, compiled)

        torch._dynamo.reset()
        leaf = torch.ones(2, 3) if x is None else x
        compiler = partial(torch.compile, options=options)
        with (
            monkeypatch.context() as patch,
            ca_engine.enable(compiler, lowering=True),
        ):
            patch.setattr(KnownGraph, "remember", noting)
            loss(leaf.requires_grad_()).backward()
        return found

    return run


OTHERS: dict[str, Any] = {
    "operator": (lambda x: x.exp().sum(), {}),
    "constant": (lambda x: x.pow(3).sum(), {}),
    "sizes": (square, {"x": torch.ones(3, 2)}),
    "strides": (square, {"x": torch.ones(3, 2).t()}),
    "dtype": (square, {"x": torch.ones(2, 3, dtype=torch.float64)}),
    "parameter": (square, {"x": nn.Parameter(torch.ones(2, 3))}),
    "setting": (square, {"max_fusion_size": 3}),
}
WORLDS = {
    "threads": lambda: threads(7),
    "deterministic": deterministic,
    "dtype": float64_by_default,
}


@pytest.mark.parametrize("what", OTHERS)
def test_another_graph_has_another_name(what: str, names: Callable[..., list[Any]]) -> None:
    (one,), (again,) = names(), names()
    assert one is not None
    assert again == one
    loss, options = OTHERS[what]
    (other,) = names(loss, **options)
    assert other not in (None, one)


def test_a_view_of_a_larger_tensor_has_another_name(names: Callable[..., list[Any]]) -> None:
    def weighted(weight: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        return (x * weight).sum()

    (one,) = names(partial(weighted, torch.ones(2, 3)))
    (other,) = names(partial(weighted, torch.ones(3, 3)[1:]))
    assert other not in (None, one)


@pytest.mark.parametrize("what", WORLDS)
def test_another_state_has_another_name(what: str, names: Callable[..., list[Any]]) -> None:
    (one,) = names()
    with WORLDS[what]():
        (other,) = names(x=torch.ones(2, 3, dtype=torch.float32))
    assert other not in (None, one)


@pytest.mark.parametrize(
    "setting",
    [
        config.patch(fx_graph_cache=False),
        functorch_config.patch(enable_autograd_cache=False),
        config.patch(post_grad_custom_post_pass=lambda _: None),
    ],
    ids=["FxGraphCache is off", "AOTAutogradCache is off", "a pass of the program's own"],
)
def test_what_is_not_kept_has_no_name(setting: Any, names: Callable[..., list[Any]]) -> None:
    with setting:
        assert names() == [None]


@torch.library.custom_op("ca_tests::doubled", mutates_args=())
def doubled(x: torch.Tensor) -> torch.Tensor:
    return x * 2


def test_an_operator_of_the_programs_own_has_no_name(names: Callable[..., list[Any]]) -> None:
    """What it computes may be another thing in the next process."""
    doubled.register_fake(torch.empty_like)
    doubled.register_autograd(lambda _, grad: doubled(grad))

    @torch.compile(backend="aot_eager")
    def loss(x: torch.Tensor) -> torch.Tensor:
        return doubled(x).sum()

    assert names(loss) == [None]
