"""Transformer layer that tells once which attention it uses."""
import argparse
import logging

import torch

from attention import Attention

logging.basicConfig(level=logging.INFO, format="%(message)s")


class Trainer:
    def __init__(self, width):
        torch.manual_seed(47)
        self.layer = Attention(width)
        self.fast = torch.compile(self.layer, backend="eager", fullgraph=True)
        self.optimizer = torch.optim.SGD(self.layer.parameters(), lr=0.05)
        self.seen_tokens = 0

    def step(self, x):
        self.seen_tokens += x.shape[0] * x.shape[1]
        loss = self.fast(x).square().mean()
        loss.backward()
        self.optimizer.step()
        self.optimizer.zero_grad()
        if self.seen_tokens % 120 == 0:
            print("tokens %d loss %.5f" % (self.seen_tokens, loss.item()))
        return loss.item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=8)
    options = parser.parse_args()
    trainer = Trainer(8)
    trainer.layer(torch.zeros(1, 2, 8))
    for _ in range(options.steps):
        loss = trainer.step(torch.randn(3, 10, 8))
    print("FINAL %.5f" % loss)


if __name__ == "__main__":
    main()
