"""What a hook does decides whether it may run in every step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.reports.patching.programs import patched, refusal

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = """\
import torch

norms, last = [], {{}}


{hook}


def main():
    model = Model()
    for step in range(9):
        loss = model(batch()).mean()
        if step % 4 == 3:
            model.head.weight.register_hook({given})
        loss.backward()


main()
"""
APPENDS = "def note(grad):\n    norms.append(grad.norm())"
BY_ANOTHER = "def keep(grad):\n    norms.append(grad)\n\n\ndef note(grad):\n    keep(grad)"
WRITES = (
    "class Spy:\n    def __init__(self, path):\n        self.path = path\n\n"
    "    def __call__(self, grad):\n        with open(self.path, 'a') as out:\n"
    "            out.write(str(grad.norm()))\n\n\nspy = Spy('norms.txt')"
)
MADE = "def making(name):\n    def note(grad):\n        print(name, grad)\n\n    return note"


@pytest.mark.parametrize(
    ("hook", "given", "words"),
    [
        (APPENDS, "note", "keeps or tells what it gets"),
        (BY_ANOTHER, "note", "keeps or tells what it gets"),
        (MADE, "making('head')", "keeps or tells what it gets"),
        ("", "lambda grad: grad * 0.5", "gives another gradient"),
        ("", "lambda grad: norms.append(grad)", "keeps or tells what it gets"),
        ("def note(grad):\n    return grad.clamp(-1, 1)", "note", "gives another gradient"),
        ("def note(grad):\n    grad.mul_(0.5)", "note", "changes what it gets in place"),
        ("def note(grad):\n    last['sum'] += grad", "note", "adds up what it gets"),
        ("def note(grad):\n    total.add_(grad.norm())", "note", "adds up what it gets"),
        ("def note(grad):\n    last['sum'] += grad", "lambda grad: note(grad)", "adds up"),
        (WRITES, "spy", "keeps or tells what it gets"),
        (WRITES, "Spy('norms.txt')", "keeps or tells what it gets"),
        ("from library import note", "note", "can't tell what the hook"),
    ],
)
def test_a_hook_that_does_more_than_look_is_not_made_permanent(
    tmp_path: Path, hook: str, given: str, words: str
) -> None:
    source = SOURCE.format(hook=hook, given=given)
    assert words in refusal("CA301", tmp_path, source, "register_hook")


@pytest.mark.parametrize(
    "hook",
    [
        "def note(grad):\n    last['grad'] = grad",
        "def note(grad):\n    last['grad'].copy_(grad)\n    return grad",
        "def note(grad):\n    return None",
        "class Last:\n    def __call__(self, grad):\n        self.grad = grad\n\n\nnote = Last()",
    ],
)
def test_one_that_overwrites_what_it_stored_is(tmp_path: Path, hook: str) -> None:
    source = SOURCE.format(hook=hook, given="note")
    assert "if step" not in patched("CA301", tmp_path, source, "register_hook")


def test_a_hook_that_a_function_registers_is_looked_at(tmp_path: Path) -> None:
    hook = f"{APPENDS}\n\n\ndef attach(weight):\n    return weight.register_hook(note)"
    source = SOURCE.format(hook=hook, given="None").replace(
        "model.head.weight.register_hook(None)", "attach(model.head.weight)"
    )
    assert "keeps or tells" in refusal("CA301", tmp_path, source, "attach(model")
