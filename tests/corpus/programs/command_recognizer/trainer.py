"""A trainer with gradient accumulation."""

import torch
import torch.nn.functional as F
from torch._dynamo import compiled_autograd


class Trainer:
    def __init__(self, model, loader, lr=1e-2, accumulate=2, backend="eager"):
        self.model = model
        self.loader = loader
        self.accumulate = accumulate
        self.backend = backend
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)
        self.global_step = 0

    def train_epoch(self):
        self.model.train()
        total = 0.0
        for i, (features, labels) in enumerate(self.loader):
            loss = F.cross_entropy(self.model(features), labels) / self.accumulate
            loss.backward()
            total += loss.item() * self.accumulate
            if (i + 1) % self.accumulate == 0:
                self.optimizer.step()
                self.optimizer.zero_grad()
                self.global_step += 1
        return total / len(self.loader)

    def fit(self, epochs):
        with compiled_autograd._enable(torch.compile(backend=self.backend)):
            for epoch in range(epochs):
                loss = self.train_epoch()
                print(f"epoch {epoch} step {self.global_step} loss {loss:.3f}")
