"""Momentum contrast between two cuts of one utterance."""

import copy

import torch
from memory import Memory, follow
from norms import NormLog
from torch import nn
from torch._dynamo import compiled_autograd
from torch.nn.functional import cross_entropy, normalize


class Speaker(nn.Module):
    def __init__(self, mels=8, width=16):
        super().__init__()
        self.frames = nn.Conv1d(mels, width, 5, stride=2)
        self.project = nn.Linear(2 * width, width)

    def forward(self, cut):
        hidden = self.frames(cut).relu()
        statistics = torch.cat([hidden.mean(2), hidden.var(2).add(1e-5).sqrt()], 1)
        return normalize(self.project(statistics), dim=1)


def cuts(batch=6, mels=8, frames=30):
    while True:
        voice = torch.randn(batch, mels, 1)
        yield voice + torch.randn(batch, mels, frames), voice + torch.randn(batch, mels, frames)


def main(steps=12, temperature=0.2):
    torch.manual_seed(0)
    fast = Speaker()
    slow = copy.deepcopy(fast).requires_grad_(False)
    optimizer = torch.optim.SGD(fast.parameters(), lr=0.1, momentum=0.9)
    memory, log = Memory(batches=5), NormLog()
    for _, (one, other) in zip(range(steps), cuts(), strict=False):
        query, key = fast(one), slow(other)
        memory.remember(key)
        query.register_hook(log)
        positive = (query * key).sum(1, keepdim=True)
        negatives = query @ memory.keys.T
        logits = torch.cat([positive, negatives], 1) / temperature
        loss = cross_entropy(logits, torch.zeros(len(query), dtype=torch.long))
        optimizer.zero_grad()
        with compiled_autograd._enable(torch.compile(backend="eager")):
            loss.backward()
        optimizer.step()
        follow(slow, fast, momentum=0.9)
    print("spikes at", log.spikes())


if __name__ == "__main__":
    main()
