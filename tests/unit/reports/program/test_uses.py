"""What code does with a number."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest

from ca_reports.program.syntax import Module, Site
from ca_reports.program.uses import (
    Need,
    Reached,
    attribute_reads,
    reads_in,
    use_of,
    uses_of,
    variable_reads,
)
from tests.unit.reports.causes.located.asked import ASKED, Asked
from tests.unit.reports.program.walked import at, flow_of

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.program.uses import Use


def _uses(text: str) -> list[Use]:
    """The uses of every ``n`` in ``text``, each alone."""
    module = Module("train.py", text, ast.parse(text))
    return [
        use_of(Site(module, node))
        for node in module.nodes
        if isinstance(node, ast.Name) and node.id == "n" and isinstance(node.ctx, ast.Load)
    ]


IMPORTS = """\
import math, functools
import torch
import torch.nn.functional as F
from torch.nn.functional import dropout
mask = torch.ones(3) > 0
table = {}
"""


@pytest.mark.parametrize(
    ("line", "need"),
    [
        ("x = x * n + 1", Need.NOTHING),
        ("x = -n ** 2", Need.NOTHING),
        ("x = n if late else 0", Need.NOTHING),
        # The last of several is what comes of them.
        ("x = limit or n", Need.NOTHING),
        ("x = x.mul(n)", Need.NOTHING),
        ("x = torch.full_like(x, fill_value=1.0) * n", Need.NOTHING),
        ("x = x.masked_fill(mask, n)", Need.NOTHING),
        ("x = x.masked_fill(mask, value=n)", Need.NOTHING),
        ("x = torch.tensor(n)", Need.NOTHING),
        ("x = torch.chunk(x * n, 2)", Need.NOTHING),
        ("x = min(n, 3) * abs(n)", Need.NOTHING),
        ("x = math.exp(n)", Need.NOTHING),
        ("x = n is None", Need.NOTHING),
        ("x = isinstance(n, int)", Need.NOTHING),
        ("x = (x > n).float()", Need.NOTHING),
        ("x = torch.where(x > n, x, 0)", Need.NOTHING),
        ("x = mask[torch.arange(3) < n]", Need.NOTHING),
        ("x = lambda: n", Need.NOTHING),
        ("x = {'n': n}", Need.NOTHING),
        ("for _ in range(1, n + 1): pass", Need.LOOP),
        ("x = x[:n]", Need.SLICE),
        ("x = x[:, n : n + 3]", Need.SLICE),
        # Measured on torch 2.13.0: as numbers in the graph these raise, and the others do not.
        ("x = x[:, n : n + 3, 2:]", Need.SLICES),
        ("x = x[..., 1:n, k:]", Need.SLICES),
        ("x[:, n:, n:] += 1", Need.SLICES),
        ("x = x[:, 1:n, 2:]", Need.SLICE),
        ("x = x[:, n:, :k]", Need.SLICE),
        ("x = x[:, 0:n, k:]", Need.SLICE),
        ("x[:, n:, n:] = 0", Need.SLICE),
        ("x[..., :n] = 0", Need.SLICE),
        ("x = rows[n]", Need.INDEX),
        ("x[n, 0] = 1", Need.INDEX),
        ("x = table[n]", Need.KEY),
        ("x = {1: 2}[n]", Need.KEY),
        ("x = {n: 2}", Need.KEY),
        ("x = table.get(n)", Need.KEY),
        ("x = n in table", Need.KEY),
        ("x = getattr(self, n)", Need.KEY),
        ("x = n in (1, 2)", Need.TEST),
        ("x = n == 3", Need.TEST),
        ("x = 1 < n % 4 < 3", Need.TEST),
        ("x = not n", Need.TEST),
        ("x = n and x", Need.TEST),
        ("if x and n: pass", Need.TEST),
        ("x = 1 if n else 2", Need.TEST),
        ("while n: pass", Need.TEST),
        ("assert n", Need.TEST),
        ("x = [1 for y in rows if n]", Need.TEST),
        ("x = torch.zeros(n)", Need.SIZE),
        ("x = torch.arange(n, 2 * n)", Need.SIZE),
        ("x = torch.arange(k, k + n)", Need.SIZE),
        ("x = torch.arange(n, n + k, 2)", Need.SIZE),
        ("x = torch.linspace(n, n + k)", Need.SIZE),
        ("x = torch.arange(n, n + k)", Need.SHIFT),
        ("x = torch.arange(n - 1, k + (n - 1), device=x.device)", Need.SHIFT),
        ("x = (x > n) & (x < 3)", Need.NOTHING),
        ("x = x.view(-1, n)", Need.SIZE),
        ("x = x.chunk(n)", Need.SIZE),
        ("x = [0] * n", Need.SIZE),
        ("x = int(n / 2)", Need.VALUE),
        ("x = math.comb(n, 2)", Need.VALUE),
        ("x = max(n, 1, 2)", Need.VALUE),
        ("x = f'{n}'", Need.TEXT),
        ("x = '%d' % n", Need.TEXT),
        ("print('at', n)", Need.TEXT),
        ("x = str(n)", Need.TEXT),
        ("print([n + one for one in x])", Need.TEXT),
        ("print(sum(n for one in x))", Need.TEXT),
        ("seen.append(n)", Need.KEPT),
        ("x = F.leaky_relu(x, n)", Need.FUNCTION),
        ("x = F.leaky_relu(x * n, 0.1)", Need.NOTHING),
        ("x = dropout(x, n)", Need.FUNCTION),
        ("x = F.layer_norm(x, (3,), eps=n)", Need.FUNCTION),
        ("x = torch.add(x, x, alpha=n)", Need.FUNCTION),
        ("x = x.add_(x, alpha=n)", Need.FUNCTION),
        ("x = functools.partial(F.elu, alpha=n)", Need.FUNCTION),
        ("x = own.scaled(x, n)", Need.UNSEEN),
        ("x = torch.ops.own.scaled(x, n)", Need.UNSEEN),
        ("x = range(own.scaled(n))", Need.LOOP),
        ("x = own.mixed(x, alpha=n)", Need.UNSEEN),
    ],
)
def test_each_use_has_its_need(line: str, need: Need) -> None:
    found = [use.need for use in _uses(IMPORTS + line + "\n")]

    assert set(found) == {need}


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
def test_the_uses_of_a_function_are_found(tmp_path: Path, asked: Asked) -> None:
    flow = flow_of(tmp_path, asked.as_written.replace("    used(", "    used(", 1))
    module = next(iter(flow.program.modules.values()))
    function = next(one for one in module.functions if getattr(one, "name", "") == "used")

    uses = uses_of(flow.names, reads_in(Site(module, function), "n"))

    assert min((use.need for use in uses), key=list(Need).index) is asked.need


def test_what_torch_has_too_is_told_with_the_number_in_it() -> None:
    (use,) = _uses(IMPORTS + "x = min(most, math.cos(n)) * x\n")

    inner, outer = ((ast.unparse(call), ast.unparse(given)) for call, given in use.by_torch)
    assert inner == ("math.cos(n)", "n")
    assert outer == ("min(most, math.cos(n))", "math.cos(n)")


def test_a_formula_is_that_of_a_function_of_torchs() -> None:
    slope, norm = _uses(IMPORTS + "x = F.leaky_relu(x, n)\nx = F.layer_norm(x, (3,), eps=n)\n")

    assert slope.formula is not None
    assert slope.formula.name == "leaky_relu"
    assert norm.formula is None
    assert (norm.called, norm.argument) == ("layer_norm", "eps")


PROGRAM = """\
import torch
LIMIT = 3
class Store:
    def __init__(self):
        self.filled = 0
    @property
    def end(self):
        return self.filled + 1
    def put(self, x, at):
        self.rows[:, at:] = x
        self.filled = at
class Net:
    def forward(self, x):
        self.store.put(x, self.store.end)
        first, second = LIMIT, x.shape[0]
        shifted = x + first
        return helper(x, count=first) if shifted.any() else x
def helper(x, count=1):
    return x[:count]
def logged(store):
    print(store.filled, LIMIT)
net = Net()
net.store = Store()
def main():
    asked(net(torch.ones(3)))
"""


def test_uses_are_followed_through_functions_properties_and_variables(tmp_path: Path) -> None:
    flow = flow_of(tmp_path, PROGRAM)
    forward = at(flow, "self.store.put(")
    reached = Reached(flow.names, Site(forward.module, forward.scope))  # type: ignore[arg-type]

    of_filled = uses_of(flow.names, attribute_reads(flow.names, "filled", reached), reached)
    of_limit = uses_of(flow.names, variable_reads(flow.names, "LIMIT", reached), reached)

    assert {use.need for use in of_filled} == {Need.NOTHING, Need.SLICE}
    assert {use.need for use in of_limit} == {Need.NOTHING, Need.SLICE}
    # A number that is added to a tensor is none.
    assert "shifted" not in {ast.unparse(use.read.node) for use in of_limit}


def test_what_is_not_compiled_asks_for_nothing(tmp_path: Path) -> None:
    flow = flow_of(tmp_path, PROGRAM)
    forward = at(flow, "self.store.put(")
    reached = Reached(flow.names, Site(forward.module, forward.scope))  # type: ignore[arg-type]

    every = attribute_reads(flow.names, "filled", None)
    inside = attribute_reads(flow.names, "filled", reached)

    assert Need.TEXT in {use_of(site).need for site in every}
    assert Need.TEXT not in {use_of(site).need for site in inside}
