"""Masked tokens only enter the loss, picked by a boolean mask inside the compiled step."""

import torch
from torch import nn
from torch.nn import functional

VOCABULARY = 20


class MaskedModel(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.embed = nn.Embedding(VOCABULARY + 1, width)
        self.mix = nn.Conv1d(width, width, 3, padding=1)
        self.head = nn.Linear(width, VOCABULARY)

    def forward(self, tokens, masked):
        hidden = self.embed(tokens.masked_fill(masked, VOCABULARY))
        logits = self.head(self.mix(hidden.transpose(1, 2)).transpose(1, 2).relu())
        return functional.cross_entropy(logits[masked], tokens[masked])


def main():
    torch.manual_seed(0)
    model = MaskedModel()
    compiled = torch.compile(model, backend="eager")
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for _ in range(6):
        tokens = torch.randint(0, VOCABULARY, (8, 12))
        loss = compiled(tokens, torch.rand(8, 12) < 0.15)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
