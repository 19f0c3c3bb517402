"""Trains the transformer on tiny images, with mixed images."""

import torch
from torch._dynamo import compiled_autograd
from torch.nn import functional
from vit import Vit

CONFIG = {
    "width": 8,
    "depth": 2,
    "classes": 4,
    "gradient_checkpointing": True,
    "lr": 1e-3,
    "steps": 4,
}


def images(steps, rows=6):
    for _ in range(steps):
        batch = torch.rand(rows, 1, 8, 8)
        yield batch, (batch.mean((1, 2, 3)) * 40).long() % 4


def mixed(batch, labels, alpha=0.4):
    share = torch.distributions.Beta(alpha, alpha).sample()
    order = torch.randperm(len(batch))
    return torch.lerp(batch, batch[order], share), labels, labels[order], share


class Trainer:
    def __init__(self, config):
        self.config = config
        self.model = Vit(config)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=config["lr"])

    def step(self, batch, labels):
        batch, first, second, share = mixed(batch, labels)
        logits = self.model(batch)
        loss = torch.lerp(
            functional.cross_entropy(logits, first), functional.cross_entropy(logits, second), share
        )
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()

    def fit(self):
        with compiled_autograd._enable(torch.compile(backend="eager")):
            for batch, labels in images(self.config["steps"]):
                self.step(batch, labels)


def main():
    torch.manual_seed(0)
    Trainer(CONFIG).fit()


if __name__ == "__main__":
    main()
