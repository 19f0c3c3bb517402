"""Fine-tune a token classifier; every batch is padded to its longest sentence."""
import random

import torch
import torch.nn as nn

from plugin import CompilePlugin


class Tagger(nn.Module):
    def __init__(self, words=70, width=12, tags=5):
        super().__init__()
        self.embed = nn.Embedding(words, width, padding_idx=0)
        self.mix = nn.Linear(width, width)
        self.head = nn.Linear(width, tags)

    def forward(self, ids):
        h = self.embed(ids)
        h = h + torch.relu(self.mix(h)).cumsum(1)
        return self.head(h)


def batches(n):
    rng = random.Random(30)
    for _ in range(n):
        longest = rng.randint(6, 40)
        ids = torch.randint(1, 70, (8, longest))
        yield ids, ids % 5


def main():
    torch.manual_seed(30)
    net = Tagger()
    model = torch.compile(net, **CompilePlugin().kwargs())
    opt = torch.optim.AdamW(net.parameters(), lr=0.01)
    for ids, tags in batches(14):
        loss = nn.functional.cross_entropy(model(ids).flatten(0, 1), tags.flatten())
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(f"FINAL {loss.item():.5f}")


if __name__ == "__main__":
    main()
