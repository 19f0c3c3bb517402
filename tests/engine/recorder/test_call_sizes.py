"""The sizes of the inputs of compiled graphs, counted in all their calls."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ca_engine import trace
from ca_engine.compat.graph_inputs import ObservedGraph
from ca_engine.recorder import call_sizes
from ca_engine.recorder.call_sizes import MOST_SETS, CallSizes, CountedGraph
from tests import slopes
from tests.engine.recorder.test_compiles import records_of

MODEL = """
import torch, torch._dynamo
from ca_engine.installation import install
from ca_engine.settings import Settings
install(Settings(sizes={sizes}))

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(8, 8)

    def forward(self, batch, mask=None):
        return self.layer(batch["ids"]) * mask[:, :, None]

net = torch.compile(Net(), backend="aot_eager")
for length in (5, 5, 7, 9, 7, 7, 1, 5):
    loss = net({{"ids": torch.randn(3, length, 8)}}, mask=torch.ones(3, length)).sum()
    loss.backward()
"""


def test_each_graph_says_which_sizes_it_was_called_with_and_how_often(tmp_path: Path) -> None:
    first, any_length, one = records_of(tmp_path, MODEL.format(sizes=True))["ca_sizes"]
    assert [found["graph"] for found in (first, any_length, one)] == ["0/0", "0/1", "0/2"]
    # No parameter, and the names that guards have.
    assert first["inputs"] == {"batch['ids']": [3, 5, 8], "mask": [3, 5]}
    assert (first["symbols"], first["sizes"], first["calls"]) == ([], [[]], [2])
    (symbol,) = any_length["symbols"]
    assert any_length["inputs"] == {"batch['ids']": [3, symbol, 8], "mask": [3, symbol]}
    counts = dict(zip(map(tuple, any_length["sizes"]), any_length["calls"], strict=True))
    # The first length, too, ends up there: Dynamo asks the latest graph first.
    assert counts == {(7,): 3, (9,): 1, (5,): 1}
    assert one["inputs"]["mask"] == [3, 1]
    assert one["calls"] == [1]
    assert first["digits"] is None


def test_of_each_graph_the_first_and_the_last_call_are_known(tmp_path: Path) -> None:
    found = records_of(tmp_path, MODEL.format(sizes=True))["ca_sizes"]
    # 5, 5; 7, 9, 7, 7 and the last 5; 1.
    assert [(one["first_call"], one["last_call"]) for one in found] == [(1, 2), (3, 8), (7, 7)]


def test_times_leave_out_the_first_call_and_steps_with_a_compile(tmp_path: Path) -> None:
    first, any_length, _ = records_of(tmp_path, MODEL.format(sizes=True))["ca_sizes"]
    # 5, 5: the first compiled, the next step did for 7.
    assert first["steps"] == [None]
    assert first["seconds"][0] > 0
    by_size = dict(zip(map(tuple, any_length["sizes"]), any_length["steps"], strict=True))
    assert by_size[7,] > 0
    assert by_size[9,] > 0


PAST_LIMIT = """
import torch, torch._dynamo
from ca_engine.installation import install
from ca_engine.settings import Settings
install(Settings(sizes=True))
torch._dynamo.config.recompile_limit = 2

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(8, 8)

    def forward(self, batch, mask=None):
        return self.layer(batch["ids"]) * mask[:, :, None]

net = torch.compile(Net(), backend="eager", dynamic=False)
for length in (5, 6, 5, 7, 7, 8, 6, 7, 9):
    net({"ids": torch.randn(3, length, 8)}, mask=torch.ones(3, length)).sum().backward()
"""


def test_calls_that_a_recompile_limit_left_to_python_are_counted(tmp_path: Path) -> None:
    first, second, eager = records_of(tmp_path, PAST_LIMIT)["ca_sizes"]
    assert [found["calls"] for found in (first, second)] == [[2], [2]]
    assert [found["last_call"] for found in (first, second, eager)] == [3, 4, None]
    assert eager["graph"] == "0/eager"
    assert eager["inputs"] == {"batch['ids']": ["d0", "d1", "d2"], "mask": ["d3", "d4"]}
    counts = dict(zip(map(tuple, eager["sizes"]), eager["calls"], strict=True))
    assert counts == {(3, 7, 8, 3, 7): 3, (3, 8, 8, 3, 8): 1, (3, 9, 8, 3, 9): 1}
    # The first of them tried to compile.
    seven, eight, nine = eager["seconds"]
    assert seven > 0
    assert eight > 0
    assert nine > 0


def test_an_argument_that_cannot_be_read_takes_no_call_with_it(tmp_path: Path) -> None:
    broken = """
from ca_engine.recorder import call_sizes

def raises(*_):
    raise RuntimeError("a property of the user's")

call_sizes.value_at = raises
"""
    script = PAST_LIMIT.replace("class Net", f"{broken}\nclass Net")
    graphs = [one["graph"] for one in records_of(tmp_path, script)["ca_sizes"]]
    assert graphs == ["0/0", "0/1"]


def test_nothing_is_counted_where_that_is_turned_off(tmp_path: Path) -> None:
    assert "ca_sizes" not in records_of(tmp_path, MODEL.format(sizes=False))


def test_what_a_program_computes_and_raises_is_the_same(tmp_path: Path) -> None:
    script = """
    import torch, torch._dynamo
    from ca_engine import install
    install()

    def backend(graph, inputs):
        def run(*args):
            if args[-1].shape[0] == 3:
                raise ValueError("three")
            return graph(*args)
        return run

    f = torch.compile(lambda x: x.sin() + 1, backend=backend)
    x = torch.arange(4.0)
    assert torch.equal(f(x), x.sin() + 1)
    try:
        f(torch.zeros(3))
    except ValueError as error:
        assert str(error) == "three"
    else:
        raise AssertionError
    """
    records_of(tmp_path, script)


def counted_by(graph: CountedGraph) -> dict[Any, int]:
    return {key: found.calls for key, found in graph.counted.items()}


def call_all(graph: CountedGraph, keys: list[Any]) -> None:
    for key in keys:
        found = graph.counted.get(key) or graph.add(key)
        found.calls += 1


@pytest.fixture
def one_size() -> CountedGraph:
    return CountedGraph(ObservedGraph("0/1", {"x": ("s0",)}, {"s0": 0}))


def test_up_to_4096_different_sizes_are_counted_exactly(one_size: CountedGraph) -> None:
    keys = [random.Random(7).randrange(1, 4097) for _ in range(9000)]
    call_all(one_size, keys)
    assert counted_by(one_size) == Counter(keys)
    assert one_size.record()["digits"] is None


def test_more_sizes_are_rounded_up_by_less_than_a_hundredth(one_size: CountedGraph) -> None:
    numbers = random.Random(7)
    keys = [numbers.randrange(1, 10**6) for _ in range(20_000)]
    call_all(one_size, keys)
    found = counted_by(one_size)
    assert len(found) <= MOST_SETS
    assert sum(found.values()) == len(keys)
    for key, rounded in zip(sorted(keys), sorted(_spread(found)), strict=True):
        assert key <= rounded <= key * 1.01


def _spread(counts: dict[Any, int]) -> list[int]:
    return [key for key, count in counts.items() for _ in range(count)]


def test_of_several_sizes_the_memory_stays_bounded() -> None:
    positions = {"s0": 0, "s1": 1, "s2": 2}
    graph = CountedGraph(ObservedGraph("0/1", {"x": tuple(positions)}, positions))
    numbers = random.Random(7)
    keys = [tuple(numbers.randrange(1, 2**30) for _ in range(3)) for _ in range(6000)]
    call_all(graph, keys)
    found = graph.record()
    assert len(found["sizes"]) <= MOST_SETS
    assert sum(found["calls"]) + found["left_out"] == len(keys)


def test_a_call_costs_no_more_than_a_few_calls_of_python_functions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def made(*args: Any) -> Any:
        return args

    def nested(*args: Any) -> Any:
        return made(*args)

    monkeypatch.setattr(call_sizes, "_FIRST_FLUSH", 1e9)
    with trace.written_to(tmp_path):
        sizes = CallSizes(lambda: None)
        sizes.is_on = True
        run = sizes.observe(ObservedGraph("0/0", {"x": ("s0",)}, {"s0": 0}), made)
        bare, through, counted = (_seconds(one) for one in (made, nested, run))
    # Measured: 0.4 µs, where a call of a function of Python's takes 0.08 µs.
    assert counted - bare < 15 * (through - bare) + 5 * bare


def _seconds(function: Callable[..., Any]) -> float:
    def call() -> None:
        for _ in range(20_000):
            function(512, 1, 2)

    return slopes.seconds(call, 5)
