"""What a capture record says about hooks, Functions, modules, inputs and identities."""

from __future__ import annotations

import functools
import gc
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from ca_engine.recorder.modules import LiveModules, state_changes
from ca_engine.recorder.objects import FunctionClasses, describe_hook
from ca_engine.recorder.snapshot import GraphSnapshotter, Snapshot
from ca_engine.recorder.stack import BackwardCall
from tests.engine.recorder.test_recorder import ENGINES, record

sees_saved_tensors = pytest.mark.skipif(
    not hasattr(torch._C._autograd.SavedTensor, "data"),
    reason="up to torch 2.9 a saved tensor can't be seen without running its hooks",
)


def changes(capture: dict[str, Any]) -> dict[tuple[str, str], tuple[object, object]]:
    return {(c["name"], c["attribute"]): (c["before"], c["after"]) for c in capture["changes"]}


def nodes(capture: dict[str, Any], name: str) -> list[dict[str, Any]]:
    return [node for node in capture["autograd_graph"] if node["name"].endswith(name)]


@pytest.mark.parametrize("engine", ENGINES)
def test_hooks_and_functions_are_named_by_where_they_are(tmp_path: Path, engine: str) -> None:
    captures = record(
        tmp_path,
        engine,
        """
        def twice(grad):
            return 2 * grad

        def keep(parameter):
            return None

        def passed(x):
            class Passed(torch.autograd.Function):
                @staticmethod
                def forward(ctx, x):
                    return x * 1

                @staticmethod
                def backward(ctx, grad):
                    return grad
            return Passed.apply(x)

        model = torch.nn.Linear(4, 4)
        model.weight.register_hook(twice)
        model.weight.register_post_accumulate_grad_hook(keep)
        for _ in range(2):
            model.zero_grad()
            backward(passed(model(torch.ones(2, 4))).sum())
        """,
    )["ca_capture"]
    lines = (tmp_path / "script.py").read_text().splitlines()

    weight = next(n for n in nodes(captures[0], "AccumulateGrad") if n["parameter"] == "weight")
    told = {hook["kind"]: hook for hook in weight["hook_list"]}
    assert weight["hooks"] == 2
    assert told["tensor_pre_hook"]["name"] == "twice"
    assert told["post_acc_grad_hook"]["name"] == "keep"
    assert lines[told["tensor_pre_hook"]["line"] - 1] == "def twice(grad):"
    assert told["tensor_pre_hook"]["index"] != told["post_acc_grad_hook"]["index"]

    (first,), (second,) = (nodes(capture, "PassedBackward") for capture in captures)
    assert first["function"]["name"] == "passed.<locals>.Passed"
    assert lines[first["function"]["line"] - 1].strip().startswith("class Passed")
    assert changes(captures[1]) == {
        ("PassedBackward", "function"): (first["function"]["id"], second["function"]["id"])
    }


@pytest.mark.parametrize("engine", ENGINES)
def test_switches_roots_and_inputs_are_recorded(tmp_path: Path, engine: str) -> None:
    captures = record(
        tmp_path,
        engine,
        """
        model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Dropout(0.5))

        def step(objective, batch):
            model.zero_grad()
            backward(objective(model(batch)))

        step(torch.sum, torch.ones(2, 4))
        model.eval()
        step(torch.sum, torch.ones(2, 4))
        model[0].bias.requires_grad_(False)
        step(torch.sum, torch.ones(2, 4))
        step(torch.mean, torch.ones(2, 4))
        step(torch.mean, torch.ones(2, 4, requires_grad=True))
        """,
    )["ca_capture"]
    train, evaluated, frozen, other, leaf = captures
    assert train["carried_nodes"] is None
    assert evaluated["carried_nodes"] == 0
    # Only the module that was switched, not what is in it.
    assert changes(evaluated)["model", "training"] == (True, False)
    assert ("0", "training") not in changes(evaluated)
    assert changes(frozen)["model.0.bias", "requires_grad"] == (True, False)
    root = "torch::autograd::GraphRoot"
    assert changes(other)[root, "outputs"] == (["SumBackward0"], ["MeanBackward0"])
    assert changes(leaf)["batch", "input requires_grad"] == (False, True)
    assert nodes(leaf, "GraphRoot")[0]["variables"] == ["loss"]
    assert [n["variables"] for n in nodes(leaf, "AccumulateGrad") if "variables" in n] == [
        ["batch"]
    ]


@sees_saved_tensors
@pytest.mark.parametrize("engine", ENGINES)
def test_identity_and_wiring_are_recorded(tmp_path: Path, engine: str) -> None:
    captures = record(
        tmp_path,
        engine,
        """
        weight = torch.ones(3, requires_grad=True)
        weight.grad = torch.zeros(3)
        data, other = torch.ones(3), torch.ones(3)
        for x, y in ((data, other), (data, data)):
            backward(((weight * x).sin() * (weight * y).cos()).sum())
        """,
    )["ca_capture"]
    first, second = captures
    told = [c for c in second["changes"] if c["attribute"] == "other is"]
    assert [c["before"] for c in told] == ["a tensor of its own"]
    assert told[0]["after"].startswith("other of MulBackward0 (NodeCall ")
    indices = {node["index"] for node in first["autograd_graph"]}
    assert all(set(node.get("next", [])) <= indices for node in first["autograd_graph"])


@sees_saved_tensors
@pytest.mark.parametrize("engine", ENGINES)
def test_what_functions_and_regions_saved_is_recorded(tmp_path: Path, engine: str) -> None:
    captures = record(
        tmp_path,
        engine,
        """
        class Scaled(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, by):
                ctx.save_for_backward(x, by)
                return x * by

            @staticmethod
            def backward(ctx, grad):
                return grad * ctx.saved_tensors[1], None

        @torch.compile(backend="aot_eager", dynamic=True)
        def region(weight, x):
            return (weight * x).sin()

        weight = torch.ones(1, 4, requires_grad=True)
        weight.grad = torch.zeros(1, 4)
        for rows in (3, 5):
            x = torch.ones(rows, 4)
            backward(Scaled.apply(region(weight, x), x if rows == 5 else x.clone()).sum())
        """,
    )["ca_capture"]
    first, second = captures
    (scaled,) = nodes(first, "ScaledBackward")
    assert [scaled["tensors"][f"saved[{n}]"]["shape"] for n in (0, 1)] == [[3, 4], [3, 4]]
    (region,) = nodes(first, "CompiledFunctionBackward")
    assert 3 in region["attributes"]["symints"]
    assert {"shape": [3, 4], "dtype": "torch.float32"}.items() <= min(
        region["tensors"].values(), key=lambda tensor: -tensor["shape"][0]
    ).items()
    lines = (tmp_path / "script.py").read_text().splitlines()
    (place,) = region["forward_lines"]
    assert place["function"] == "region"
    assert place["code"] == lines[place["line"] - 1].strip() == "return (weight * x).sin()"
    told = changes(second)
    assert told["ScaledBackward", "saved[0].shape"] == ([3, 4], [5, 4])
    assert ("CompiledFunctionBackward", "symints") in told
    # The Function's factor is by then the region's input.
    alike = [found for found in second["changes"] if found["attribute"].endswith(" is")]
    assert alike
    assert {found["before"] for found in alike} == {"a tensor of its own"}


def test_a_graph_that_is_used_again_is_carried(tmp_path: Path) -> None:
    _, second = record(
        tmp_path,
        "ca",
        """
        weight = torch.ones(3, requires_grad=True)
        weight.grad = torch.zeros(3)
        total = weight.sin().sum()
        torch.compile(lambda: total.backward(retain_graph=True), backend='eager')()
        total = total + weight.cos().sum()
        backward(total)
        """,
    )["ca_capture"]
    assert second["carried_nodes"] == 2
    assert {n["name"] for n in second["autograd_graph"] if n.get("carried")} == {
        "SinBackward0",
        "SumBackward0",
    }


def snapshot(snapshotter: GraphSnapshotter, *roots: torch.Tensor) -> Snapshot:
    return snapshotter.take(BackwardCall(roots, (), [], {}, {}, {}, {}, {}, []))


def products(length: int) -> torch.Tensor:
    product = torch.ones(2, requires_grad=True)
    for _ in range(length):
        product = product * 2
    return product.sum()


def in_a_thread(function: Callable[[], Any]) -> Any:
    results: list[Any] = []
    thread = threading.Thread(target=lambda: results.append(function()))
    thread.start()
    thread.join()
    return results[0]


def test_a_graph_of_another_thread_is_not_carried() -> None:
    snapshotter = GraphSnapshotter()
    assert snapshot(snapshotter, products(20)).carried is None
    for _ in range(2):  # these two threads may well have the same ident
        fresh = in_a_thread(lambda: snapshot(snapshotter, products(5)))
        assert fresh.carried is None
        assert not any(node.get("carried") for node in fresh.nodes)
    # Neither do other threads' graphs count in this one.
    assert snapshot(snapshotter, products(3)).carried == 0


def test_what_two_threads_made_is_not_said_to_be_carried() -> None:
    snapshotter = GraphSnapshotter()
    snapshot(snapshotter, products(20))
    below = products(5)
    mixed = snapshot(snapshotter, in_a_thread(lambda: (below * 2).sum()))
    assert mixed.carried is None
    assert not any(node.get("carried") for node in mixed.nodes)


def test_views_of_what_changed_in_place_are_of_one_thread() -> None:
    def views() -> torch.Tensor:
        changed = torch.zeros(4, 4)
        view = changed.view(-1)
        changed[0] = leaf
        return (changed.t() * view.view(4, 4)).sum()

    leaf = torch.ones(4, requires_grad=True)
    snapshotter = GraphSnapshotter()
    snapshot(snapshotter, views())
    total = views()
    assert snapshot(snapshotter, total).carried == 0
    assert snapshot(snapshotter, (total * 2).sum()).carried


def test_what_a_function_keeps_on_its_node_hides_nothing() -> None:
    class Meta(torch.autograd.function.FunctionMeta):
        def __eq__(self, other: object) -> bool:
            raise AssertionError

        __hash__ = None  # type: ignore[assignment]

    class Named(torch.autograd.Function, metaclass=Meta):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            ctx.name = "layer1"
            return x * 1

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
            return grad

    x: torch.Tensor = Named.apply(torch.ones(2, requires_grad=True))
    found = snapshot(GraphSnapshotter(), x)
    assert [node["name"] for node in found.nodes[:2]] == [
        "torch::autograd::GraphRoot",
        "NamedBackward",
    ]
    assert found.nodes[0]["attributes"]["outputs"] == ["NamedBackward"]
    assert found.nodes[1]["function"]["name"].endswith("Named")


def test_a_functions_class_dies_with_what_it_refers_to() -> None:
    def take(factor: torch.Tensor) -> None:
        class Scaled(torch.autograd.Function):
            @staticmethod
            def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
                return x * factor

            @staticmethod
            def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
                return grad

        assert snapshot(snapshotter, Scaled.apply(torch.ones(2, requires_grad=True)))

    snapshotter = GraphSnapshotter()
    factor = torch.ones(2)
    gone = weakref.ref(factor)
    take(factor)
    del factor
    gc.collect()
    assert gone() is None


def test_sizes_that_are_no_numbers_are_told_as_such() -> None:
    leaf = torch.nested.nested_tensor(
        [torch.ones(2, 3), torch.ones(4, 3)], layout=torch.jagged, requires_grad=True
    )
    found = snapshot(GraphSnapshotter(), (leaf * 2).values().sum())
    (product,) = (node for node in found.nodes if node["name"] == "MulBackward0")
    assert product["attributes"]["grad_shapes"] == [[2, -1, 3]]
    assert found.nodes[-1]["shape"] == [2, -1, 3]


def test_a_graph_whose_values_are_freed_is_described() -> None:
    x = torch.ones(4, requires_grad=True)
    chosen = x[torch.tensor([1, 2])].sin()
    chosen.sum().backward()
    found = snapshot(GraphSnapshotter(), chosen.cos().sum())
    (index,) = (node for node in found.nodes if node["name"] == "IndexBackward0")
    assert index["tensors"] == {"indices": None}


def test_a_hook_is_described_without_asking_it_for_its_class() -> None:
    class Hook:
        @property  # type: ignore[misc]  # what a hook may do, and object's cannot
        def __class__(self) -> Any:
            raise AssertionError

        def __call__(self, grad: torch.Tensor) -> torch.Tensor:
            raise AssertionError

    class Odd:
        def __getattr__(self, name: str) -> Any:
            raise RuntimeError(name)

    class Calls:
        __call__ = Odd()

    told = describe_hook("tensor_pre_hook", 0, functools.partial(Hook()))
    assert str(told["name"]).endswith("Hook.__call__")
    assert describe_hook("tensor_pre_hook", 0, Calls())["line"] is None


def test_a_callable_object_is_described_without_running_its_code() -> None:
    class Hook:
        def __call__(self, grad: torch.Tensor) -> torch.Tensor:
            raise AssertionError

        def __getattr__(self, name: str) -> Any:
            raise AssertionError(name)

    told = describe_hook("tensor_pre_hook", 3, Hook())
    assert (told["index"], told["line"]) == (3, Hook.__call__.__code__.co_firstlineno)
    assert str(told["name"]).endswith("Hook.__call__")
    assert describe_hook("cpp_tensor_pre_hook", None, None)["name"] is None
    assert describe_hook("pre_hook", 0, print)["line"] is None


def test_two_classes_of_one_name_have_two_numbers() -> None:
    classes = FunctionClasses()
    first, second = (type("F", (torch.autograd.Function,), {}) for _ in range(2))
    numbers = [classes.describe(each)["id"] for each in (first, second, first)]
    assert numbers == [0, 1, 0]


def test_a_tied_parameter_is_a_switch() -> None:
    model = torch.nn.Sequential(*(torch.nn.Linear(2, 2, bias=False) for _ in range(2)))
    modules = LiveModules()
    modules.learn(list(model.parameters()))
    before = modules.state(model.parameters())
    model[1].weight = model[0].weight
    after = modules.state(model.parameters())
    assert [(c["name"], c["attribute"], c["after"]) for c in state_changes(before, after)] == [
        ("1.weight", "is", "0.weight")
    ]


def test_only_modules_that_took_part_are_compared() -> None:
    trained, bystander = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)
    modules = LiveModules()
    modules.learn(list(trained.parameters()) + list(bystander.parameters()))
    before = modules.state(trained.parameters())
    bystander.eval()
    assert not state_changes(before, modules.state(trained.parameters()))
