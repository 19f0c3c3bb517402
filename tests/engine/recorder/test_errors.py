"""Where an exception came from, of real compiles, graphs and programs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest
import torch

from ca_engine.recorder.errors import MAX_TEXT, describe_error, origin, origin_in_captured_graph

Compiled = Callable[..., Any]


@pytest.fixture(autouse=True)
def _own_compiles() -> Iterator[None]:
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


def refuse(graph: torch.fx.GraphModule, inputs: list[torch.Tensor]) -> Compiled:
    raise NotImplementedError("no kernel")


def failed_backend() -> None:
    torch.compile(torch.sin, backend=refuse)(torch.ones(3))


def break_with_fullgraph() -> None:
    def step(x: torch.Tensor) -> torch.Tensor:
        torch._dynamo.graph_break()
        return x + 1

    torch.compile(step, backend="eager", fullgraph=True)(torch.ones(3))


def fake_tensors() -> None:
    torch.compile(torch.matmul, backend="eager")(torch.ones(3, 4), torch.ones(3, 4))


def constraint() -> None:
    def step(x: torch.Tensor) -> torch.Tensor:
        return x + torch.ones(6, 2)

    x = torch.ones(6, 2)
    torch._dynamo.mark_dynamic(x, 0)
    torch.compile(step, backend="eager")(x)


def unknown_backend() -> None:
    torch.compile(torch.sin, backend="nonesuch")(torch.ones(3))


def lazy_backward() -> None:
    from torch._dynamo.backends.common import aot_autograd

    def forward(graph: torch.fx.GraphModule, inputs: list[torch.Tensor]) -> Compiled:
        return graph.forward

    backend = aot_autograd(fw_compiler=forward, bw_compiler=refuse)
    x = torch.ones(3, requires_grad=True)
    torch.compile(torch.sin, backend=backend)(x).sum().backward()


def raised_from() -> None:
    try:
        failed_backend()
    except Exception as error:
        raise SystemError("the model failed") from error


def raised_while_handled() -> None:
    try:
        failed_backend()
    except Exception:
        raise SystemError("the model failed")  # noqa: B904 -- that is what is tried


def own() -> None:
    raise KeyError("rows")


def own_after_a_caught_one() -> None:
    with suppress(Exception):
        failed_backend()
    own()


def own_in_a_compiled_function() -> None:
    def step(x: torch.Tensor, k: int) -> torch.Tensor:
        if k > 3:
            raise ValueError(f"k is {k}")
        return x * k

    torch.compile(step, backend="eager")(torch.ones(3), 4)


def in_a_graph() -> None:
    def pick(table: torch.Tensor, i: torch.Tensor) -> torch.Tensor:
        return table[i] * 2

    torch.compile(pick, backend="aot_eager")(torch.ones(5), torch.tensor([9]))


def _twice(function: Callable[[torch.Tensor], tuple[torch.Tensor, ...]]) -> None:
    one, other = function(torch.ones(3, requires_grad=True))
    one.backward()
    other.backward()


def freed_in_a_compiled_backward() -> None:
    def both(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return x.exp().sum(), x.sin().sum()

    _twice(torch.compile(both, backend="aot_eager"))


def freed_in_a_backward() -> None:
    def both(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        y = x.exp()
        return y.sum(), (y * y).sum()

    _twice(both)


@contextmanager
def raised() -> Iterator[list[BaseException]]:
    found: list[BaseException] = []
    try:
        yield found
    except Exception as error:
        found.append(error)


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (failed_backend, "compile"),
        (break_with_fullgraph, "compile"),
        (fake_tensors, "compile"),
        (constraint, "compile"),
        (unknown_backend, "compile"),
        (lazy_backward, "compile"),
        (raised_from, "compile"),
        (raised_while_handled, "compile"),
        (own, "program"),
        (own_after_a_caught_one, "program"),
        (own_in_a_compiled_function, "program"),
        (in_a_graph, "graph"),
        (freed_in_a_compiled_backward, "graph"),
        (freed_in_a_backward, "program"),
    ],
)
def test_where_an_exception_came_from(program: Callable[[], None], expected: str) -> None:
    with raised() as found:
        program()

    (error,) = found
    came_from, cause = origin(error)
    assert came_from == expected
    is_of_chain = program in (raised_from, raised_while_handled)
    assert (cause is not error) is is_of_chain
    assert type(cause).__name__ == (
        "BackendCompilerFailed" if is_of_chain else type(error).__name__
    )


def test_a_hook_in_a_captured_graph_is_the_programs() -> None:
    def hook() -> None:
        raise ValueError("refused")

    with raised() as found:
        hook()
    assert origin_in_captured_graph(found[0]) == "program"
    with raised() as found:
        failed_backend()
    assert origin_in_captured_graph(found[0]) == "compile"
    assert origin_in_captured_graph(RuntimeError("raised by C++, below no frame")) == "graph"


def test_texts_are_cut() -> None:
    assert describe_error(KeyError("x")) == "KeyError: 'x'"
    assert len(describe_error(ValueError("no" * 5_000))) == MAX_TEXT
