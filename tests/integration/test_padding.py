"""Batches are padded more where a mask leaves it out, which `ca fix --verify` proves."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.integration.conftest import Runner

# `[None] * n` needs the number, also with dynamic=True.
TRAIN = """
import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

torch.manual_seed(0)
PAD = 0

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = torch.nn.Embedding(100, 16)
        self.head = torch.nn.Linear(16, 100)

    def forward(self, ids, mask):
        [None] * ids.shape[1]
        x = self.embed(ids)
        seen = torch.nn.functional.scaled_dot_product_attention(x, x, x, mask[:, None])
        return self.head(x + seen)

def collate(rows):
    ids = pad_sequence(rows, batch_first=True, padding_value=PAD)
    labels = ids.masked_fill(ids == PAD, -100)
    return ids, ids != PAD, labels

data = [torch.randint(1, 100, (5 + 3 * (n % 5),)) for n in range(20)]
net = torch.compile(Net(), backend="eager", dynamic=True)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
for ids, mask, labels in DataLoader(data, batch_size=1, collate_fn=collate):
    logits = net(ids, mask)
    loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"{loss.item():.4f}")
"""
SEEN = 'print(f"{loss.item():.4f}")'


@pytest.mark.long
def test_what_is_masked_is_padded_and_proven(cold_ca: Runner, work: Path) -> None:
    (work / "train.py").write_text(TRAIN)
    assert cold_ca("run", "--quiet", "-o", "run", "train.py").code == 0

    outcome = cold_ca("fix", "run", "--verify", "--yes", "--format", "json", "--code", "CA102")

    assert outcome.code == 0, outcome.stderr
    (fix,) = json.loads(outcome.stdout)["fixes"]
    assert fix["what"].startswith("padded to ")
    assert not fix["intention"]
    assert "// 32) * 32" in fix["diff"] or "for size in" in fix["diff"]
    proof = fix["proof"]
    assert proof["losses"] in ("equal", "noise")
    assert proof["after"]["recompiles"] < proof["before"]["recompiles"]


@pytest.mark.long
def test_what_is_printed_of_padding_is_not_padded(cold_ca: Runner, work: Path) -> None:
    (work / "train.py").write_text(TRAIN.replace(SEEN, f"{SEEN}\n    print(logits.mean().item())"))
    assert cold_ca("run", "--quiet", "-o", "run", "train.py").code == 0

    outcome = cold_ca("fix", "run", "--format", "json", "--code", "CA102")

    (refused,) = json.loads(outcome.stdout)["refused"]
    assert "padding at train.py:" in refused["reason"]
    assert "mean() over it" in refused["reason"]
