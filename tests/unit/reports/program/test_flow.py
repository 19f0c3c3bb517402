"""The code that a training step runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
