"""Trains a model of phonemes; its weights are tied once both halves have settled."""

import random

import torch
from model import NextPhoneme
from phonemes import INVENTORY, batches
from torch._dynamo import compiled_autograd
from torch.nn import functional


def perplexity(losses):
    return torch.tensor(losses).mean().exp().item()


class Run:
    def __init__(self, tie_at=2, lr=0.02):
        self.model = NextPhoneme(len(INVENTORY))
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=lr)
        self.tie_at = tie_at

    def epoch(self, number, data):
        if number == self.tie_at and not self.model.tied:
            self.model.tie()
        losses = []
        for batch in data:
            logits = self.model(batch["input"]).flatten(0, 1)
            loss = functional.cross_entropy(logits, batch["target"].flatten())
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            losses.append(loss.item())
        return perplexity(losses)


def main(epochs=4):
    torch.manual_seed(0)
    rng, run = random.Random(0), Run()
    with compiled_autograd._enable(torch.compile(backend="eager")):
        return [run.epoch(number, batches(rng, 3)) for number in range(epochs)]


if __name__ == "__main__":
    main()
