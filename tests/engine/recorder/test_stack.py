"""Reading the variables of the user's frames leaves the user's program as it was."""

from __future__ import annotations

import gc
import sys
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import Any, NamedTuple

import pytest
import torch
from torch.utils.data import DataLoader, IterableDataset, Subset, TensorDataset

from ca_engine.recorder import stack
from ca_engine.recorder.stack import BackwardCall, find_backward_call, variables_of
from tests.engine.recorder.test_recorder import ENGINES, record

keeps_dicts = pytest.mark.skipif(
    sys.version_info >= (3, 13), reason="from 3.13 on frames keep no dict of their variables"
)


class Thing:
    """Something large that the program wants gone."""


def peek() -> dict[str, Any]:
    """The variables of the caller."""
    return variables_of(sys._getframe(1))


def backward_call() -> BackwardCall:
    """What the recorder notes in a backward that the caller calls."""
    return (lambda: find_backward_call())()


def test_a_stale_view_has_no_name_and_all_else_has() -> None:
    def train() -> BackwardCall:
        weight = torch.ones(2, 3, requires_grad=True)
        product = weight.clone()
        stale = product.unbind(0)[0]
        with torch.no_grad():
            flat = product.view(-1)
        product.mul_(2)
        for view in (stale, flat):
            with pytest.raises(RuntimeError, match="modified"):
                _ = view.grad_fn
        del view
        call = backward_call()
        assert call.outputs[product.grad_fn] == ["product"]
        return call

    call = train()
    assert list(call.outputs.values()) == [["product"]]
    assert call.leaves["weight"]
    assert {"stale", "flat", "weight"} <= set(call.names.values())


def in_a_function() -> tuple[list[str], bool]:
    thing, other = Thing(), [1]
    gone = weakref.ref(thing)
    seen = list(peek())
    assert other == [1]
    del thing
    return seen, gone() is None


def in_a_closure() -> tuple[list[str], bool]:
    thing = Thing()
    gone = weakref.ref(thing)

    def uses() -> Thing:
        return thing  # noqa: F821

    seen = list(peek())
    assert uses() is thing
    del thing
    return seen, gone() is None


def in_a_generator() -> tuple[list[str], bool]:
    def generate() -> Iterator[Any]:
        thing = Thing()
        gone = weakref.ref(thing)
        yield list(peek())
        yield thing is gone()
        del thing
        yield gone() is None

    seen, lives, dies = generate()
    assert lives
    return seen, dies


def with_a_method_called_eval() -> tuple[list[str], bool]:
    thing, model = Thing(), torch.nn.Linear(1, 1)
    gone = weakref.ref(thing)
    model.eval()
    seen = list(peek())
    del thing
    return seen, gone() is None


@pytest.mark.parametrize(
    "function", [in_a_function, in_a_closure, in_a_generator, with_a_method_called_eval]
)
def test_what_a_function_deletes_later_dies(
    function: Callable[[], tuple[list[str], bool]],
) -> None:
    variables, dies = function()
    assert "thing" in variables
    # A tracer, as of a debugger, is handed those variables all the time, and so keeps them.
    assert dies or sys.gettrace() is not None


def test_a_dict_that_the_function_holds_stays_as_it_is() -> None:
    def holds() -> dict[str, Any]:
        first = 1
        options = locals()
        second = 2
        peek()
        assert (first, second) == (1, 2)
        return options

    assert holds() == {"first": 1}


def test_vars_of_an_object_is_no_use_of_the_variables() -> None:
    """As `vars(args)` in the `main` of nearly every script; without one it is `locals()`."""

    def of_an_object(args: SimpleNamespace) -> set[str]:
        config = vars(args)
        return set(peek()) | set(config)

    def of_its_own() -> tuple[dict[str, Any], int]:
        first = 1
        options = vars()
        second = len(peek())
        return options, first + second

    assert of_an_object(SimpleNamespace(size=8)) == {"args", "config", "size"}
    if sys.version_info < (3, 13):
        assert of_its_own() == ({"first": 1}, 1)


def test_the_loaders_that_variables_hold_are_noted() -> None:
    data = TensorDataset(torch.zeros(22, 3))

    class Trainer:
        def __init__(self, loader: DataLoader[Any]) -> None:
            self.loader = loader

        def fit(self) -> BackwardCall:
            return backward_call()

    class Unsized(IterableDataset[Any]):
        def __iter__(self) -> Iterator[int]:
            raise AssertionError

        def __len__(self) -> int:
            raise AssertionError

    def main() -> BackwardCall:
        train_loader: DataLoader[Any] = DataLoader(data, batch_size=8, drop_last=True)
        others = DataLoader(Subset(data, range(5)), batch_size=2)
        stream: DataLoader[Any] = DataLoader(Unsized(), batch_size=None)
        call = Trainer(train_loader).fit()
        assert len({id(one) for one in (train_loader, others, stream)}) == 3
        return call

    loaders = main().loaders

    known = {
        found["variable"]: (found["batch_size"], found["drop_last"], found["samples"])
        for found in loaders
    }
    assert known == {
        "self.loader": (8, True, 22),
        "train_loader": (8, True, 22),
        "others": (2, False, 5),
        "stream": (None, False, None),
    }
    ids = {found["variable"]: found["id"] for found in loaders}
    assert ids["self.loader"] == ids["train_loader"] != ids["others"]
    assert loaders[0]["line"] != loaders[1]["line"]
    assert {found["file"] for found in loaders} == {__file__}


def test_a_dict_that_another_holds_is_not_emptied() -> None:
    held: list[Any] = []

    def hold() -> None:
        held.append(sys._getframe(1).f_locals)

    def is_held() -> int:
        first = 1
        hold()
        peek()
        return first

    assert is_held() == 1
    assert held[0]["first"] == 1


def test_what_a_text_assigned_stays() -> None:
    def executes() -> object:
        extra = 1
        exec("extra = 2; other = 3")
        peek()
        return eval("other") if sys.version_info < (3, 13) else extra + 2

    assert executes() == 3


def test_a_text_that_runs_the_backward_keeps_what_it_assigned() -> None:
    def executes(run: Callable[..., Any]) -> dict[str, Any]:
        extra = 1
        seen: dict[str, Any] = {}
        run("extra = 2; find(); seen['extra'] = extra", {"find": find_backward_call}, None)
        return {**seen, "unchanged": extra}

    def within(text: str, names: dict[str, Any], _: None) -> None:
        # As a debugger runs what is typed: on the dict of another frame.
        exec(text, names, sys._getframe(1).f_locals)

    assert executes(within)["extra"] == 2


@keeps_dicts
@pytest.mark.parametrize("switch", [sys.settrace, sys.setprofile])
def test_variables_survive_a_trace_function_that_is_asked(switch: Callable[..., None]) -> None:
    before = sys.gettrace(), sys.getprofile()
    seen: list[dict[str, Any]] = []

    def trace(frame: Any, event: str, _: Any) -> Any:
        if frame.f_code.co_name == "traced" and event in ("line", "c_call"):
            seen.append(variables_of(frame))
        return trace

    def traced() -> int:
        first = 1
        second = len([first])
        return first + second

    switch(trace)
    try:
        assert traced() == 2
    finally:
        sys.settrace(before[0])
        sys.setprofile(before[1])
    assert any("first" in variables for variables in seen)


def test_namespaces_are_copied() -> None:
    class Body:
        inside = 1
        seen = peek()
        after = 2

    assert Body.seen["inside"] == 1
    assert (Body.inside, Body.after) == (1, 2)

    names: dict[str, Any] = {"peek": peek}
    exec("first = 1\nseen = peek()\nsecond = first + 1", names)
    assert names["second"] == 2
    assert names["seen"]["first"] == 1
    assert names["seen"] is not names


def test_a_namespace_with_code_of_its_own_is_left_alone() -> None:
    class Names:
        def __init__(self) -> None:
            self.names: dict[str, Any] = {"peek": peek}

        def __getitem__(self, name: str) -> Any:
            return self.names[name]

        def __setitem__(self, name: str, value: Any) -> None:
            self.names[name] = value

        def items(self) -> Any:
            raise AssertionError

        keys = copy = __iter__ = items

    names = Names()
    exec("seen = peek()", {}, names)  # type: ignore[arg-type]
    assert names["seen"] == {}


def test_a_view_of_the_variables_is_only_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stack, "_FRAMES_KEEP_DICTS", False)
    view = MappingProxyType({"first": 1})  # as from Python 3.13 on
    frame: Any = SimpleNamespace(f_code=in_a_function.__code__, f_locals=view)
    assert variables_of(frame) == {"first": 1}


@pytest.mark.parametrize("engine", ENGINES)
def test_a_missed_backward_keeps_nothing(tmp_path: Path, engine: str) -> None:
    captures = record(
        tmp_path,
        engine,
        """
        import gc, weakref

        class Meta(type):
            def __eq__(self, other):
                return self is other

        class Odd(metaclass=Meta):
            pass

        odd = Odd()
        odd.itself = odd

        def train(steps):
            weight = torch.nn.Parameter(torch.ones(3, 3))
            weight.grad = torch.zeros(3, 3)
            for step in range(steps):
                batch = torch.ones(2 + step, 3)
                factor = torch.ones(3)

                class Scaled(torch.autograd.Function):
                    @staticmethod
                    def forward(ctx, x):
                        ctx.name = "a name of the user's"
                        return x * factor

                    @staticmethod
                    def backward(ctx, grad):
                        return grad * 2

                activation = Scaled.apply(batch @ weight)
                for _ in range(step):
                    activation = activation.sin()
                copy = activation.clone()
                stale = copy.unbind(0)[0]
                copy.mul_(2)
                loss = activation.sum() + copy.sum()
                with torch._dynamo.compiled_autograd._enable(lambda module: module):
                    loss.backward()
                large = [weakref.ref(each) for each in (batch, factor, activation, copy, loss)]
                del batch, factor, Scaled, activation, copy, stale, loss
                torch._dynamo.reset()
                gc.collect()
                kept = [number for number, each in enumerate(large) if each() is not None]
                assert not kept, (step, kept)

        train(3)
        """,
    )["ca_capture"]
    assert len(captures) == 3
    assert [capture["modes"].get("snapshot_error") for capture in captures] == [None] * 3
    for capture in captures:
        (scaled,) = (n for n in capture["autograd_graph"] if n["name"] == "ScaledBackward")
        assert scaled["function"]["name"].endswith("Scaled")
        assert capture["autograd_graph"][0]["variables"] == ["loss"]


def test_nothing_of_a_frame_is_kept_by_the_reader() -> None:
    def train() -> weakref.ref[torch.Tensor]:
        batch = torch.ones(2, requires_grad=True)
        call = backward_call()
        assert "batch" in call.names.values()
        del call
        gone = weakref.ref(batch)
        del batch
        gc.collect()
        return gone

    assert train()() is None


class _Pair(NamedTuple):
    words: torch.Tensor
    labels: torch.Tensor


@dataclass
class _Batch:
    nodes: torch.Tensor
    count: int = 1

    @property
    def trap(self) -> torch.Tensor:
        raise AssertionError("no property of the user's is asked")


def test_fields_of_named_tuples_and_dataclasses_are_data() -> None:
    def train() -> BackwardCall:
        pair = _Pair(torch.ones(3, 5), torch.ones(3))
        batch = _Batch(torch.ones(7))
        call = backward_call()
        del pair, batch
        return call

    sizes = train().sizes
    assert sizes == {"pair.words": [3, 5], "pair.labels": [3], "batch.nodes": [7]}


def test_what_inductor_wrote_is_no_file_of_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", "/data/caches")
    assert not stack.is_users_file("/data/caches/sd/csda6ot4csunku5qpqmtznjzmsn.py")
    assert stack.is_users_file("/data/caches_of_mine/train.py")
