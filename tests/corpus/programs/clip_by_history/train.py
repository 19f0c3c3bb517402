"""Trains a character model whose gradients are clipped by history."""

import torch
from clipping import AutoClip
from torch import nn
from torch.nn import functional


class Characters(nn.Module):
    def __init__(self, alphabet=30, width=16):
        super().__init__()
        self.embed = nn.Embedding(alphabet, width)
        self.cell = nn.GRU(width, width, batch_first=True)
        self.head = nn.Linear(width, alphabet)

    def forward(self, text):
        return self.head(self.cell(self.embed(text))[0])


def main(steps=8):
    torch.manual_seed(0)
    model = Characters()
    clip = AutoClip(share=0.5)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    text = torch.randint(0, 30, (4, 8 * steps + 1))
    for step in range(steps):
        chunk = text[:, 8 * step : 8 * step + 9]
        logits = model(chunk[:, :-1])
        loss = functional.cross_entropy(logits.flatten(0, 1), chunk[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        clip(list(model.parameters()))
        optimizer.step()


if __name__ == "__main__":
    main()
