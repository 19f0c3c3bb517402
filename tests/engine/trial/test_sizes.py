"""Plans for sizes, tried: inputs are padded or marked, and what comes out is as it was."""

from __future__ import annotations

import json
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch

from ca_engine.recorder.arguments import path_of
from ca_engine.trial.sizes import CallLimit, TriedSizes, cut, next_size, treat
from tests import warm
from tests.engine.recorder.test_recorder import bare_environment


def tried(
    how: str, *sizes: tuple[int, ...], names: tuple[str, ...] = ("ids", "mask")
) -> TriedSizes:
    asked: Any = {
        "file": "train.py",
        "function": "forward",
        "arguments": [[[name, 1] for name in names]],
        "how": how,
        "sizes": sizes,
    }
    return TriedSizes.read(json.dumps(asked))


def test_tensors_of_one_size_are_padded_together_with_zeros() -> None:
    ids, mask = torch.ones(2, 5, 3), torch.ones(2, 5)
    changed, cuts = treat(tried("pad", (4,), (8,), (16,)), {"ids": ids, "mask": mask, "n": 3})
    assert changed["ids"].shape == (2, 8, 3)
    assert changed["mask"].tolist() == [[1.0] * 5 + [0.0] * 3] * 2
    assert changed["n"] == 3
    assert ids.shape == (2, 5, 3)
    assert cuts == [(5, 8)]


def test_calls_are_timed_until_there_are_enough() -> None:
    graphs, ended = [0], []

    def end() -> None:
        ended.append(len(limit.seconds))
        raise SystemExit(0)

    def compiled(number: int, *, more: int) -> int:
        graphs[0] += number == 1
        return number + more

    limit = CallLimit(3, lambda: graphs[0], end)
    assert [limit.timed(compiled, (number,), {"more": 2}) for number in range(3)] == [2, 3, 4]
    assert limit.compiles == [0, 1, 1]
    with pytest.raises(SystemExit):
        limit.timed(compiled, (3,), {"more": 2})
    assert ended == [3]


def test_what_fits_into_no_size_stays_as_it_is() -> None:
    ids = torch.ones(2, 50)
    changed, cuts = treat(tried("pad", (4,), (8,), names=("ids",)), {"ids": ids})
    assert changed["ids"] is ids
    assert not cuts


@dataclass
class Batch:
    ids: torch.Tensor


def test_tensors_within_containers_are_replaced_in_copies() -> None:
    batch: dict[str, Any] = {"ids": torch.ones(1, 5), "other": [torch.ones(1, 5)]}
    held = Batch(torch.ones(1, 5))
    names = ("batch['ids']", "batch['other'][0]", "held.ids")
    changed, _ = treat(tried("pad", (8,), names=names), {"batch": batch, "held": held})
    assert changed["batch"]["ids"].shape == (1, 8)
    assert changed["batch"]["other"][0].shape == (1, 8)
    assert changed["held"].ids.shape == (1, 8)
    assert batch["ids"].shape == held.ids.shape == (1, 5)


def test_results_are_cut_to_the_size_that_went_in() -> None:
    result = cut({"logits": torch.ones(2, 8, 8), "loss": torch.ones(())}, [(5, 8)])
    assert result["logits"].shape == (2, 5, 8)
    assert result["loss"].shape == ()


def test_of_several_sizes_the_smallest_box_is_taken() -> None:
    boxes = [(64, 128), (128, 64), (128, 128)]
    assert next_size((60, 100), boxes) == (64, 128)
    assert next_size((100, 100), boxes) == (128, 128)
    assert next_size((200, 1), boxes) is None


def test_paths_are_followed_step_by_step() -> None:
    assert path_of("ids") == ("ids",)
    assert path_of("batch['ids'][0].x") == ("batch", "['ids']", "[0]", ".x")


SCRIPT = """
import json, sys
import torch, torch._dynamo
from ca_engine.trial import sizes

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(8, 8)

    def forward(self, batch, mask=None):
        return self.layer(batch["ids"]) * mask[:, :, None]

calls = sizes.CallLimit(9, lambda: 0, sys.exit)
sizes.apply(json.dumps({"file": __file__, "function": "forward", "how": HOW, "sizes": [[8], [16]],
                        "arguments": [[["batch['ids']", 1], ["mask", 1]]], "calls": True}), calls)
net = Net()
compiled = torch.compile(net, backend="eager")
for length in (5, 7, 9, 1, 16, 12):
    batch, mask = {"ids": torch.randn(3, length, 8)}, torch.ones(3, length)
    torch.testing.assert_close(compiled(batch, mask=mask), net(batch, mask))
assert torch._dynamo.utils.counters["stats"]["unique_graphs"] == GRAPHS
assert len(calls.seconds) == len(calls.compiles) == 6
"""


@pytest.mark.parametrize(
    ("how", "graphs"), [("pad", 2), ("mark", 2), ("unbacked", 1), ("dynamic", 2)]
)
def test_a_plan_compiles_as_often_as_it_says(tmp_path: Path, how: str, graphs: int) -> None:
    path = tmp_path / "script.py"
    text = SCRIPT.replace("HOW", repr(how)).replace("GRAPHS", str(graphs))
    path.write_text(textwrap.dedent(text))
    done = warm.python().run(
        [sys.executable, path], env=bare_environment(tmp_path / "trace"), cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
