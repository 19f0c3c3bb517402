"""A stack of blocks that stops when the classifier is sure."""

from torch import nn


class EarlyExit(nn.Module):
    def __init__(self, width=12, depth=3, classes=3):
        super().__init__()
        self.blocks = nn.ModuleList(nn.Linear(width, width) for _ in range(depth))
        self.head = nn.Linear(width, classes)

    def forward(self, x):
        for block in self.blocks:
            x = block(x).relu()
            logits = self.head(x)
            if logits.softmax(-1).amax(-1).mean() > 0.9:
                break
        return logits
