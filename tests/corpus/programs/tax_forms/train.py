"""Reads tax forms: the head learns at every step, the encoder at every third."""

from functools import partial

import torch
from forms import loader
from groups import paced
from torch import nn
from torch._dynamo import compiled_autograd


class FormReader(nn.Module):
    def __init__(self, size=10, width=12, kinds=4):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(size, width), nn.LayerNorm(width), nn.GELU())
        self.attend = nn.MultiheadAttention(width, num_heads=2, batch_first=True)
        self.head = nn.Linear(width, kinds)

    def forward(self, patches):
        x = self.encoder(patches)
        x = x + self.attend(x, x, x, need_weights=False)[0]
        return self.head(x)


def main(epochs=1):
    torch.manual_seed(0)
    model = FormReader()
    slow = [*model.encoder.parameters(), *model.attend.parameters()]
    groups = {"slow": (slow, 1e-3, 3), "head": (model.head.parameters(), 1e-2, 1)}
    optimizers = paced(partial(torch.optim.AdamW, weight_decay=0.01), groups)
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for _ in range(epochs):
            for batch in loader():
                logits = model(batch["patches"])
                criterion(logits.flatten(0, 1), batch["kinds"].flatten()).backward()
                for optimizer in optimizers.values():
                    optimizer.step()


if __name__ == "__main__":
    main()
