"""`ca run --watch-lines`: the second run sees a change that came but once."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from tests.integration.conftest import Runner

PROGRAM = """\
import torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = torch.nn.Linear(4, 4)
        self.scale = 1.0

    def forward(self, x):
        return self.lin(x) * self.scale

net = Net()
step = torch.compile(net, backend="eager")
for number in range(4):
    vars(net).update([("scale", 1.0 if number < 2 else 0.5)])  # the change
    print(step(torch.ones(2, 4)).shape)
"""


def finding(ca: Runner, work: Path) -> dict[str, Any]:
    explained = ca("explain-recompiles", "--format", "json", cwd=work)
    (found,) = json.loads(explained.stdout)["findings"]
    return dict(found)


def test_the_second_run_sees_what_the_first_one_missed(work: Path, ca: Runner) -> None:
    (work / "train.py").write_text(PROGRAM)
    changing = next(n for n, line in enumerate(PROGRAM.splitlines(), 1) if "# the change" in line)
    options = ("run", "--quiet", "--watch-lines", "--no-report", "train.py")

    first = ca(*options, cwd=work)
    assert first.code == 0, first.stderr
    assert finding(ca, work)["known_by"] != "watched"

    second = ca(*options, cwd=work)
    assert (second.code, second.stdout) == (0, first.stdout)
    found = finding(ca, work)
    assert (found["known_by"], found["location"]["line"]) == ("watched", changing)
    told = f"watched: train.py:{changing} changed `self.scale`: 1.0 → 0.5"
    assert found["evidence"][0]["text"] == told
