"""Three tasks over one trunk."""

import torch
from torch import nn
from torch.nn import functional


class SharedTrunk(nn.Module):
    def __init__(self, width=12):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(6, width), nn.ReLU(), nn.Linear(width, width))
        self.heads = nn.ModuleDict(
            {
                "depth": nn.Linear(width, 1),
                "normal": nn.Linear(width, 3),
                "label": nn.Linear(width, 4),
            }
        )

    def forward(self, x):
        features = self.trunk(x).relu()
        return {name: head(features) for name, head in self.heads.items()}


def losses_of(answers, batch):
    yield functional.l1_loss(answers["depth"], batch["depth"])
    yield 1 - functional.cosine_similarity(answers["normal"], batch["normal"]).mean()
    yield functional.cross_entropy(answers["label"], batch["label"])


def batches(count, rows=8):
    for _ in range(count):
        x = torch.randn(rows, 6)
        yield {
            "x": x,
            "depth": x[:, :1].abs(),
            "normal": functional.normalize(x[:, 1:4], dim=-1),
            "label": x[:, :4].argmax(1),
        }
