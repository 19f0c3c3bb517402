"""CA203: a loop of varying length runs equally often, and keeps its own turns only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ca_reports.causes.findings import Subject
from ca_reports.patching.propose import propose_for
from tests.unit.reports.patching.programs import finding_of, line_of, patched, program_of, refusal

if TYPE_CHECKING:
    from pathlib import Path

TURNS = Subject(values=(1, 2, 3))
SOURCE = """\
import torch


def iterate(state, embedded, depth):
    for _ in range({count}):
        {body}
    return state


def train(model, data):
    for number in range(model.steps):
        iterate(data, data, model.depth()).sum().backward()
"""


def after(folder: Path, count: str, body: str) -> str:
    source = SOURCE.format(count=count, body=body.replace("\n", "\n        "))
    return patched("CA203", folder, source, "for _ in range", subject=TURNS)


def runs(source: str, depth: int) -> tuple[list[float], list[float]]:
    """What `iterate` returns, and the gradient of what it began with."""
    import torch

    space: dict[str, object] = {}
    exec(source, space)
    start = torch.tensor([0.1, 0.2], requires_grad=True)
    iterate = space["iterate"]
    assert callable(iterate)
    end = iterate(start, torch.tensor([0.3, -0.4]), depth)
    end.sum().backward()
    assert start.grad is not None
    return end.tolist(), start.grad.tolist()


@pytest.mark.parametrize(
    ("count", "body"),
    [
        ("depth", "state = torch.tanh(state * 2 + embedded)"),
        ("depth", "state *= embedded.exp()"),
        ("depth + 0", "new = state.sin()\nstate = new + embedded"),
        ("depth", "state, embedded = state + embedded, embedded.cos()"),
    ],
)
@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_a_loop_that_always_runs_as_often_computes_the_same(
    tmp_path: Path, count: str, body: str, depth: int
) -> None:
    source = SOURCE.format(count=count, body=body.replace("\n", "\n        "))
    assert runs(after(tmp_path, count, body), depth) == runs(
        source.replace("*=", "= state *"), depth
    )


def test_the_loop_has_the_largest_count_that_was_seen(tmp_path: Path) -> None:
    changed = after(tmp_path, "depth", "state = torch.tanh(state)")
    assert "    for turn in range(max(depth, 3)):\n        state_before = state\n" in changed


@pytest.mark.parametrize(
    ("count", "body", "words"),
    [
        ("depth", "seen.append(state)", "more than a list that is stacked"),
        ("depth", "print(state)", "does more than set a variable"),
        ("depth", "state = {0: state}", "no tensor"),
        ("depth", "state = [one.sin() for one in state]", "no tensor"),
        ("depth", "depth = depth - 1", "sets depth itself"),
        ("depth", "state.data = state.tanh()", "no variable"),
        ("len(embedded)", "state = state.tanh()", "runs over data"),
        ("embedded.shape[0]", "state = state.tanh()", "runs over data"),
        ("3", "state = state.tanh()", "single loop"),
        ("depth", "other = state.tanh()", "hands nothing from turn to turn"),
        ("depth", "state = None", "no tensor"),
    ],
)
def test_a_loop_that_does_anything_else_is_left(
    tmp_path: Path, count: str, body: str, words: str
) -> None:
    source = SOURCE.format(count=count, body=body)
    assert words in refusal("CA203", tmp_path, source, "for _ in range", subject=TURNS)


def test_a_first_turn_that_leaves_no_nodes_counts(tmp_path: Path) -> None:
    source = SOURCE.format(count="depth", body="state = state.tanh()")
    turns = Subject(values=(0, 1, 2))
    changed = patched("CA203", tmp_path, source, "for _ in range", subject=turns)
    assert "range(max(depth, 3))" in changed


ROLLOUT = """\
import torch


def rollout(state, controls, horizon):
    {begun}
    for tick in range(horizon):
        {body}
    return {given}
"""


def rolled(source: str, horizon: int) -> list[float]:
    """What `rollout` returns, and the gradient of what it began with."""
    import torch

    space: dict[str, Any] = {}
    exec(source, space)
    start = torch.tensor([0.1, 0.2], requires_grad=True)
    end = space["rollout"](start, torch.arange(10.0).view(5, 2) / 10, horizon)
    end.sin().sum().backward()
    assert start.grad is not None
    return [*end.flatten().tolist(), *start.grad.tolist()]


@pytest.mark.parametrize(
    ("begun", "body", "given"),
    [
        (
            "path = []",
            "state = torch.tanh(state * 2 + controls[tick])\npath.append(state)",
            "torch.stack(path)",
        ),
        (
            "seen, path = None, [state]",
            "state = state.sin()\npath.append(state + controls[tick])",
            "torch.stack(path, dim=1)",
        ),
        ("errors = []", "errors.append(state * controls[tick])", "sum(errors) / len(errors)"),
        ("errors = [state]", "errors.append(state * tick)", "sum(errors) / len(errors)"),
    ],
)
@pytest.mark.parametrize("horizon", [1, 2, 3, 5])
def test_a_list_that_is_stacked_has_its_own_turns_only(
    tmp_path: Path, begun: str, body: str, given: str, horizon: int
) -> None:
    indented = body.replace("\n", "\n        ")
    source = ROLLOUT.format(begun=begun, body=indented, given=given)
    changed = patched("CA203", tmp_path, source, "for tick in", subject=TURNS)
    assert "range(max(horizon, 3))" in changed
    assert ".index_select(" in changed
    assert rolled(changed, horizon) == pytest.approx(rolled(source, horizon))


@pytest.mark.parametrize(
    ("begun", "body", "given", "words"),
    [
        ("path = []", "path.append(state)", "path", "more than a list"),
        ("path = []", "path.append(state)", "torch.cat(path)", "more than a list"),
        ("path = []", "path.append(state)", "torch.stack(path, state)", "more than a list"),
        ("path = list(state)", "path.append(state)", "torch.stack(path)", "more than a list"),
        ("path = [*state]", "path.append(state)", "torch.stack(path)", "more than a list"),
        ("path = []", "path.append(state)", "state", "more than a list"),
        (
            "path = []",
            "path.append(state)\n        state = path[-1].sin()",
            "torch.stack(path)",
            "reads path",
        ),
        (
            "path = []",
            "path.append(state)\n        path.append(state)",
            "torch.stack(path)",
            "twice",
        ),
    ],
)
def test_a_list_that_is_more_is_left(
    tmp_path: Path, begun: str, body: str, given: str, words: str
) -> None:
    source = ROLLOUT.format(begun=begun, body=body, given=given)
    assert words in refusal("CA203", tmp_path, source, "for tick in", subject=TURNS)


PARTS = """\
import torch


def rollout(state, controls, horizon):
    for control in controls[:horizon].unbind({dim}):
        state = torch.tanh(state * 2 + control)
    return state
"""


@pytest.mark.parametrize("dim", ["", "0", "dim=0"])
@pytest.mark.parametrize("horizon", [1, 2, 3, 5])
def test_the_last_part_comes_again(tmp_path: Path, dim: str, horizon: int) -> None:
    source = PARTS.format(dim=dim)
    changed = patched("CA203", tmp_path, source, "for control in", subject=TURNS)
    assert "for turn, control in enumerate(parts.unbind(0)):" in changed
    assert rolled(changed, horizon) == rolled(source, horizon)


def test_that_the_added_turns_count_for_batchnorm_is_said(tmp_path: Path) -> None:
    source = (
        SOURCE.format(count="depth", body="state = norm(state)") + "\n\nnorm = BatchNorm1d(2)\n"
    )
    finding = finding_of(
        "CA203", tmp_path, ("train.py", line_of(source, "for _ in range")), subject=TURNS
    )
    (patch,) = propose_for(finding, program_of(tmp_path, {"train.py": source})).patches
    assert "running statistics of BatchNorm in every turn, also those" in patch.intention


LAYERS = """\
import torch


def forward(layers, x, depth):
    for layer in layers[:{bound}]:
        x = layer(x)
    return x


layers = [torch.nn.Tanh()]
"""


@pytest.mark.parametrize("bound", ["depth", "depth + 0"])
@pytest.mark.parametrize("depth", [0, 1, 2, -1])
def test_a_loop_over_a_part_runs_over_all(tmp_path: Path, bound: str, depth: int) -> None:
    import torch

    source = LAYERS.format(bound=bound)
    changed = patched("CA202", tmp_path, source, "x = layer")
    assert "in enumerate(layers):" in changed
    results = []
    for text in (source, changed):
        space: dict[str, Any] = {}
        exec(text, space)
        x = torch.tensor([0.5, 2.0], requires_grad=True)
        end = space["forward"]([torch.sin, torch.exp], x, depth)
        end.sum().backward()
        assert x.grad is not None
        results.append((end.tolist(), x.grad.tolist()))
    assert results[0] == results[1]


LOSSES = """\
def step(losses, count):
    chosen = losses[: {bound}]
    {read}
"""


@pytest.mark.parametrize("read", ["torch.autograd.backward(chosen)", "sum(chosen).backward()"])
def test_all_losses_are_weighted(tmp_path: Path, read: str) -> None:
    source = LOSSES.format(bound="count", read=read)
    cut = "[one * float(at < count) for at, one in enumerate(losses)]"
    assert patched("CA209", tmp_path, source, read) == source.replace("losses[: count]", cut)


def test_the_number_of_losses_is_asked_for_once(tmp_path: Path) -> None:
    source = LOSSES.format(bound="draw()", read="sum(chosen).backward()")
    changed = patched("CA209", tmp_path, source, "backward")
    assert changed.count("draw()") == 1
    assert "    kept = draw()\n" in changed


@pytest.mark.parametrize(
    "read", ["mean(chosen).backward()", "(sum(chosen) / len(chosen)).backward()"]
)
def test_losses_that_are_counted_are_left(tmp_path: Path, read: str) -> None:
    source = LOSSES.format(bound="count", read=read)
    assert "no branch is on the line" in refusal("CA209", tmp_path, source, "backward")


@pytest.mark.parametrize("draws", [True, False])
def test_that_the_added_turns_draw_random_numbers_is_said_also_of_a_method(
    tmp_path: Path, draws: bool
) -> None:
    fires = "torch.rand_like(state) < 0.5" if draws else "state > 0.5"
    source = SOURCE.format(count="depth", body="state = embedded.update(state)")
    source += f"\n\ndef update(self, state):\n    fires = {fires}\n    return state * fires\n"
    finding = finding_of(
        "CA203", tmp_path, ("train.py", line_of(source, "for _ in range")), subject=TURNS
    )
    (patch,) = propose_for(finding, program_of(tmp_path, {"train.py": source})).patches
    assert ("random numbers" in patch.intention) is draws
