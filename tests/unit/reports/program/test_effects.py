"""What code does besides computing, with the functions of the program that it calls."""

from __future__ import annotations

import ast

import pytest

from ca_reports.program.effects import Effects
from ca_reports.program.names import Names
from ca_reports.program.syntax import Module, Program

PROGRAM = """\
import random
import torch
from torch import nn
from torch.nn import functional as F
from elsewhere import unknown


def plain(x):
    kept = []
    for part in x.unbind(0):
        kept.append(part * 2)
    total = torch.zeros(3)
    total += 1
    total.add_(1)
    return torch.stack(kept) + total


def told(x):
    print(x)
    return x


def counted(x):
    global CALLS
    CALLS += 1
    return plain(x)


def filled(x):
    SEEN.append(x)
    return x


def given(x):
    x += 1
    return x


def through(x):
    return filled(plain(x))


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        ctx.scale = 2
        return x * x

    @staticmethod
    def backward(ctx, grad):
        return grad


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(2, 2)
        self.drop = nn.Dropout(0.5)
        self.norm = nn.BatchNorm1d(2)
        self.blocks = nn.ModuleList([nn.Linear(2, 2), nn.GELU()])
        self.attention = nn.MultiheadAttention(2, 1, dropout=0.1)
        self.calls = 0

    @property
    def turns(self):
        self.calls += 1
        return self.calls

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.first(x)


class Noisy(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = Net()
        self.noise = nn.Dropout(0.1)

    def forward(self, x):
        return self.noise(self.body(x))


net = Net()
noisy = Noisy()
"""


def kinds(code: str) -> set[str]:
    text = f"{PROGRAM}\n{code}\n"
    module = Module("train.py", text, ast.parse(text))
    names = Names(Program.of({"train.py": module}))
    return {one.kind for one in Effects(names).of(module, module.tree.body[-1:])}


@pytest.mark.parametrize(
    "code",
    ["x + 1", "plain(x)", "net(x)", "net.first(x)", "F.relu(x).mean()", "Square.apply(x)",
     "torch.utils.checkpoint.checkpoint(plain, x)", "y = x.clone().add_(1)", "Net", "y += plain(x)",
     "F.dropout1(x)", "torch.stack([plain(one) for one in x])", "{'a': x}.get('a')",
     "exec('def f(x): return x', {})"],
)  # fmt: skip
def test_what_only_computes_has_none(code: str) -> None:
    assert kinds(code) == set()


@pytest.mark.parametrize(
    "code",
    ["told(x)", "counted(x)", "filled(x)", "through(x)", "given(x)", "x.add_(1)", "seen.append(x)",
     "torch.utils.checkpoint.checkpoint(told, x)", "net.turns", "SEEN[0] = x", "(y := x)",
     "torch.manual_seed(1)", "F.relu(x, inplace=True)", "torch.add(x, 1, out=y)"],
)  # fmt: skip
def test_what_leaves_something_behind_does_so_in_functions(code: str) -> None:
    assert kinds(code) == {"leaves"}


@pytest.mark.parametrize(
    "code",
    ["torch.rand(2)", "random.random()", "F.dropout(x)", "net.drop(x)", "noisy(x)",
     "nn.Linear(2, 2)", "net.attention(x, x, x)", "rng.uniform(0, 1)", "torch.randn_like(x) * 2",
     "torch.rand(2).normal_()"],
)  # fmt: skip
def test_what_draws_is_known_by_what_it_calls(code: str) -> None:
    assert kinds(code) == {"draws"}


def test_functions_that_call_each_other_do_what_either_does() -> None:
    text = f"""{PROGRAM}
def first(x):
    second(x)
    return torch.rand(2)

def second(x):
    SEEN.append(x)
    return first(x)
"""
    module = Module("train.py", text, ast.parse(text))
    effects = Effects(Names(Program.of({"train.py": module})))
    for name in ("first", "second"):  # each is asked of after the other has been met
        call = ast.parse(f"{name}(x)").body
        assert {one.kind for one in effects.of(module, call)} == {"draws", "leaves"}


def test_modules_that_keep_statistics_count() -> None:
    assert kinds("net.norm(x)") == {"counts"}


@pytest.mark.parametrize("code", ["unknown(x)", "x.surprise()", "table[kind].run(x)", "eval(text)"])
def test_what_the_source_does_not_show_is_said(code: str) -> None:
    assert kinds(code) == {"unseen"}
