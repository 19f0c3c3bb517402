"""CA204: where `.detach()` goes."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest

from tests.unit.reports.patching.programs import every, patched, refusal

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """\
import torch
{first}
for step in range(9):
    loss = model(x)
    {carry}  # carried
    (loss + total).backward()
"""
ZEROS = "total = torch.zeros(())"


@pytest.mark.parametrize(
    ("carry", "detached"),
    [
        ("total = total + loss", "total = total.detach() + loss"),
        (
            "total = 0.9 * total + f(total=total)",
            "total = 0.9 * total.detach() + f(total=total.detach())",
        ),
        (
            "total = (\n        total\n        + loss\n    )",
            "total = (\n        total.detach()\n        + loss\n    )",
        ),
        ("total = cell(loss, total)", "total = cell(loss, total.detach())"),
    ],
)
def test_what_is_read_of_the_step_before(tmp_path: Path, carry: str, detached: str) -> None:
    changed = patched("CA204", tmp_path, PROGRAM.format(first=ZEROS, carry=carry), "# carried")
    assert changed == PROGRAM.format(first=ZEROS, carry=detached)


@pytest.mark.parametrize(
    ("value", "detached"),
    [
        ("torch.lerp(kept[name], weight, 0.1)", "torch.lerp(kept[name], weight, 0.1).detach()"),
        ("kept[name] * 0.9 + weight * 0.1", "(kept[name] * 0.9 + weight * 0.1).detach()"),
    ],
)
def test_an_average_of_parameters_has_no_gradient_at_all(
    tmp_path: Path, value: str, detached: str
) -> None:
    source = (
        "import torch\n\nkept = {{}}\nfor name, weight in net.named_parameters():\n"
        "    kept[name] = {}\n"
    )
    changed = patched("CA204", tmp_path, source.format(value), "kept[name] =")
    assert changed == source.format(detached)


@pytest.mark.parametrize(
    ("first", "carry", "detached"),
    [
        # What is a number, None or a pair before the first step.
        ("total = 0.0", "total = total + loss", "total = torch.as_tensor(total).detach() + loss"),
        (
            "total = None",
            "total = cell(loss, total)",
            "total = cell(loss, (None if total is None else total.detach()))",
        ),
        (
            "total = (torch.zeros(1), torch.zeros(1))",
            "out, total = cell(loss, total)",
            "out, total = cell(loss, tuple(part.detach() for part in total))",
        ),
        (
            "total = start()",
            "total = total + loss",
            "total = torch.as_tensor(total).detach() + loss",
        ),
        (ZEROS, "total += loss", "total = total.detach() + loss"),
        (ZEROS, "total *= 2 + loss", "total = total.detach() * (2 + loss)"),
        (ZEROS, "total, other = total + loss, 1", "total, other = total.detach() + loss, 1"),
        # Attributes and entries of dicts, of one object or of another.
        (
            "self.total = torch.zeros(1)",
            "self.total = 0.9 * self.total + loss",
            "self.total = 0.9 * self.total.detach() + loss",
        ),
        (
            "state.sums = {name: torch.zeros(1) for name in names}",
            "state.sums[name] = state.sums[name] + loss",
            "state.sums[name] = state.sums[name].detach() + loss",
        ),
        (
            "sums = defaultdict(float)",
            "sums[name] += loss",
            "sums[name] = torch.as_tensor(sums[name]).detach() + loss",
        ),
        (
            "sums = {}",
            "sums['a'] = mix(loss, sums.get('a', torch.zeros(1)))",
            "sums['a'] = mix(loss, sums.get('a', torch.zeros(1)).detach())",
        ),
        # What a list keeps for later steps.
        ("history = []", "history.append(loss)", "history.append(loss.detach())"),
    ],
)
def test_whatever_it_is_at_first_and_wherever_it_is_kept(
    tmp_path: Path, first: str, carry: str, detached: str
) -> None:
    changed = patched("CA204", tmp_path, PROGRAM.format(first=first, carry=carry), "# carried")
    assert changed == PROGRAM.format(first=first, carry=detached)


def test_a_read_before_the_assignment_is_the_one(tmp_path: Path) -> None:
    """The value that this step makes keeps its gradient: it is divided by in this step."""
    source = (
        "import torch\n\n\nclass Balancer:\n    def __call__(self, name, loss):\n"
        "        past = self.averages.get(name, loss.detach())\n"
        "        self.averages[name] = 0.9 * past + 0.1 * loss  # carried\n"
        "        return loss / self.averages[name]\n"
    )
    changed = patched("CA204", tmp_path, source, "# carried")
    assert changed == source.replace("loss.detach())\n", "loss.detach()).detach()\n")


@pytest.mark.parametrize(
    ("first", "carry", "words"),
    [
        ("total = start()", "total = cell(loss, total)", "always a tensor"),
        (f"{ZEROS}\ntotal = [total]", "total = total + loss", "always a tensor"),
        (ZEROS, "total = loss", "does not read the total"),
        (ZEROS, "total = total.detach() + loss", "does not read the total"),
        ("", "self.state = cell(self.state, loss)", "always a tensor"),
        (ZEROS, "total = other = total + loss", "several variables"),
        (ZEROS, "step_of(total)", "not known"),
    ],
)
def test_what_may_be_no_tensor_is_left(tmp_path: Path, first: str, carry: str, words: str) -> None:
    source = PROGRAM.format(first=first, carry=carry)
    assert words in refusal("CA204", tmp_path, source, "# carried")


MEMORY = """\
import torch


class Memory:
    def __init__(self):
        self.slots = {{}}

    def recall(self, lane, default):
        {recall}

    def store(self, lane, state):
        self.slots[lane] = 0.8 * self.slots[lane] + state  # carried
        return self.slots[lane]
"""


@pytest.mark.parametrize(
    ("recall", "detached"),
    [
        (
            "return self.slots.setdefault(lane, default)",
            "return torch.as_tensor(self.slots.setdefault(lane, default)).detach()",
        ),
        (
            "return self.slots.get(lane, default)",
            "return torch.as_tensor(self.slots.get(lane, default)).detach()",
        ),
        ("return self.slots[lane]", "return torch.as_tensor(self.slots[lane]).detach()"),
    ],
)
def test_what_a_method_returns_of_the_steps_before(
    tmp_path: Path, recall: str, detached: str
) -> None:
    source = MEMORY.format(recall=recall)
    both, alone = every("CA204", tmp_path, {"train.py": source}, "# carried")
    stored = "0.8 * torch.as_tensor(self.slots[lane]).detach() + state"
    expected = source.replace("0.8 * self.slots[lane] + state", stored)
    assert ast.dump(ast.parse(alone["train.py"])) == ast.dump(ast.parse(expected))
    expected = expected.replace(recall, detached, 1)
    assert ast.dump(ast.parse(both["train.py"])) == ast.dump(ast.parse(expected))


@pytest.mark.parametrize(
    "recall",
    ["return len(self.slots)", "return self.other[lane]", "return self.slots.pop(lane)", "pass"],
)
def test_what_is_no_read_of_the_container(tmp_path: Path, recall: str) -> None:
    source = MEMORY.format(recall=recall)
    assert len(every("CA204", tmp_path, {"train.py": source}, "# carried")) == 1


@pytest.mark.parametrize(
    ("returned", "detached"),
    [
        ("torch.zeros(n, self.size)", "state.detach()"),
        (
            "torch.zeros(n, 1), torch.zeros(n, 2)",
            "tuple(part.detach() for part in state)",
        ),
    ],
)
def test_the_first_value_is_what_a_function_of_the_program_returns(
    tmp_path: Path, returned: str, detached: str
) -> None:
    train = (
        "import torch\n\nstate = model.first_state(3)\nfor x in batches:\n"
        "    output, state = model(x, state)\n    output.backward()\n"
    )
    model = f"import torch\n\ndef first_state(self, n):\n    return {returned}\n"
    files = {"train.py": "from model import first_state\n" + train, "model.py": model}
    (changed,) = every("CA204", tmp_path, files, "output, state =")
    expected = files["train.py"].replace("model(x, state)", f"model(x, {detached})")
    assert changed["train.py"] == expected
