"""CA711 by who changes the container."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ca_reports.causes.findings import DictKeys
from tests.unit.reports.causes.located.test_located import located, project

if TYPE_CHECKING:
    from pathlib import Path

_STACK = """
    # file: train.py
    import torch
    class Stack(torch.nn.Module):
        def forward(self, x):  # compiled
            for at, layer in enumerate(self.layers):
                {within}
                if at in self.skip:
                    continue
                x = layer(x)
            return x
    net = Stack()
    run = torch.compile(net)
    for step, x in enumerate(loader):
        {between}
        run(x).sum().backward()  # step
"""


@pytest.mark.parametrize(
    ("within", "between", "is_chosen"),
    [
        ("pass", "net.skip = {step % 3}  # change", True),
        ("self.skip = {at}  # change", "pass", False),
    ],
)
def test_what_is_chosen_for_each_call_is_weighed_by(
    tmp_path: Path, within: str, between: str, is_chosen: bool
) -> None:
    source = _STACK.format(within=within, between=between)

    found = located(
        project(tmp_path, source),
        tmp_path,
        "CA711",
        reason="0/0: not set.__contains__(self.skip, 2)",
        key="self.skip",
        detail=DictKeys((), is_asked=True),
        fix="fill it before",
    )

    assert ("pass a tensor of 0 and 1 to weigh" in found.fix) is is_chosen
    assert (found.fix == "fill it before") is not is_chosen
