"""The code that a training step runs."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest

from ca_reports.program.calls import KnownBy
from tests.unit.reports.program.walked import at, flow_of

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """\
    class Net(Module):
        def __init__(self):
            self.layer = made()

        def forward(self, x, scale=1.0):
            return helper(x) * scale

    def made():
        return Linear(3)

    def helper(x):
        return x.relu()

    def unused(x):
        return x.tanh()

    def step(net, batch):
        loss = net(batch, scale=2.0)
        loss.backward()  # 2

    def main():
        net = Net()
        for epoch in range(3):
            for batch in loader():
                step(net, batch)  # 1
            validate(net)

    def loader():
        return [ones(3)]

    main()
"""


def test_the_loops_around_the_stack_are_outermost_first(tmp_path: Path) -> None:
    flow = flow_of(tmp_path, PROGRAM)
    assert [loop.line for loop in flow.loops] == [
        at(flow, "for epoch").line, at(flow, "for batch").line,
    ]  # fmt: skip


def test_what_a_step_calls_is_in_it_and_what_is_called_before_is_not(tmp_path: Path) -> None:
    flow = flow_of(tmp_path, PROGRAM)
    assert all(flow.is_in_steps(at(flow, words)) for words in ("loss = net", "helper(x) *", "relu"))
    assert not any(flow.is_in_steps(at(flow, words)) for words in ("net = Net", "Linear", "tanh"))


def test_of_several_sites_the_nearest_to_the_steps_comes_first(tmp_path: Path) -> None:
    flow = flow_of(tmp_path, PROGRAM)
    relu, called, linear = (at(flow, words) for words in ("relu", "loss = net", "Linear"))
    assert flow.nearest([relu, called, linear]) == [called]
    assert flow.distance(relu) < flow.distance(linear)
    assert flow.in_steps([relu, linear]) == [relu]
    assert flow.in_steps([linear]) == [linear]


def test_what_runs_in_a_step_without_a_function(tmp_path: Path) -> None:
    flow = flow_of(tmp_path, PROGRAM)
    (helper,) = flow.program.functions["helper"]
    assert not flow.is_in_steps_besides(at(flow, "relu"), helper.node)
    assert flow.is_in_steps_besides(at(flow, "loss = net"), helper.node)


def test_what_callers_give_and_leave_out(tmp_path: Path) -> None:
    flow = flow_of(tmp_path, PROGRAM)
    (forward,) = flow.program.functions["forward"]
    given = flow.arguments(forward, "scale")
    assert given is not None
    assert [site.line for site, _ in given.found] == [at(flow, "loss = net").line]
    assert given.default is not None
    assert not given.is_left_out
    assert [site.line for site in flow.callers(forward)] == [at(flow, "loss = net").line]


def test_a_value_is_what_was_assigned(tmp_path: Path) -> None:
    flow = flow_of(tmp_path, PROGRAM)
    (value,) = flow.assigned("net", at(flow, "step(net, batch)"))
    assert value.line == at(flow, "net = Net").line


def test_what_a_partial_gives_stands_before_what_its_calls_give(tmp_path: Path) -> None:
    flow = flow_of(
        tmp_path,
        """\
        from functools import partial

        def loss_of(net, scale, batch):
            return net(batch) * scale

        def main():
            bound = partial(loss_of, Net(), 0.5)
            for batch in loader():
                bound(batch.half())  # 1

        main()
        """,
    )
    (function,) = flow.program.functions["loss_of"]
    given = {
        name: [ast.unparse(site.node) for site, _ in found.found]
        for name in ("net", "scale", "batch")
        if (found := flow.arguments(function, name)) is not None
    }
    assert given == {"net": ["Net()"], "scale": ["0.5"], "batch": ["batch.half()"]}


@pytest.mark.parametrize(
    ("call", "known_by"),
    [
        ("step(batch)", KnownBy.NAMED),
        ("Trainer().step(batch)", KnownBy.GUESSED),
        ("trainer.step(batch)", KnownBy.NAMED),
        ("other.step(batch)", KnownBy.GUESSED),
    ],
)
def test_an_edge_says_how_it_is_known(tmp_path: Path, call: str, known_by: KnownBy) -> None:
    flow = flow_of(
        tmp_path,
        f"""\
        class Trainer:
            def step(self, batch): ...

        {"def step(batch): ..." if call.startswith("step") else ""}

        def main(other):
            trainer = Trainer()
            for batch in loader():
                {call}  # called

        main()  # 1
        """,
    )
    function = flow.program.functions["step"][0]
    assert [(edge.call.line, edge.known_by) for edge in flow.edges(function)] == [
        (at(flow, "# called").line, known_by)
    ]


def test_calls_that_are_only_guessed_are_left_out_where_others_are_known(tmp_path: Path) -> None:
    flow = flow_of(
        tmp_path,
        """\
        class Trainer:
            def step(self, batch): ...

        def main(other):
            trainer = Trainer()
            for batch in loader():
                trainer.step(batch)  # named
                other.step(batch)

        main()  # 1
        """,
    )
    (function,) = flow.program.functions["step"]
    assert [call.line for call in flow.callers(function)] == [at(flow, "# named").line]
