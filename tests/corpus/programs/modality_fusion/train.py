"""Fuses what is known of a patient by a sum of encodings."""

import torch
from encoders import build
from sources import batches
from torch import nn
from torch._dynamo import compiled_autograd
from torch.nn import functional


class Fusion(nn.Module):
    def __init__(self, names=("image", "text", "table"), width=16, classes=3):
        super().__init__()
        self.encoders = build(names, width)
        self.head = nn.Linear(width, classes)

    def forward(self, columns):
        fused = 0
        for name, column in columns.items():
            fused = fused + self.encoders[name](column)
        return self.head(fused.relu()), fused


def main():
    torch.manual_seed(0)
    model = Fusion()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    sensitivity = []
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for step, (columns, labels) in enumerate(batches(12, 10)):
            logits, fused = model(columns)
            if step % 4 == 0:
                fused.retain_grad()
            loss = functional.cross_entropy(logits, labels)
            optimizer.zero_grad()
            loss.backward()
            if step % 4 == 0:
                sensitivity.append(fused.grad.abs().mean().item())
            optimizer.step()


if __name__ == "__main__":
    main()
